package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/policies"
)

func (c *command) policies() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "policies [NAME]",
		Short: "List the allocation rules, or describe one",
		Long: `List the allocation rules: their names, what they do, the paper that defines
them, and the properties that the papers claim for them (EF envy-freeness, PO
Pareto optimality, SP strategy-proofness, SI sharing incentive; "not" marks one
that a rule is said to lack). A * marks a claim under assumptions of the paper,
such as equal weights. With a NAME, all of that rule: what it computes, what
each claim assumes away, the environments that it refuses, its parameters, and how
it works with divisible and with whole tasks.`,
		Example: "  leontief policies\n  leontief policies tsf-er\n  leontief policies --format json",
		Args:    takes(argument{name: "NAME", optional: true}),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				err := c.showPolicy(args[0], format)
				if err != nil {
					err = fmt.Errorf("policies: %w", err)
				}
				return err
			}
			return c.listPolicies(format)
		},
	}
	cmd.ValidArgsFunction = oneArgument(func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return rules(), cobra.ShellCompDirectiveNoFileComp
	})
	choose(cmd, &format, "format", "how to print", "text", "markdown", "json")
	return cmd
}

// policyInfo is what a list of policies says of one.
type policyInfo struct {
	Name   string                     `json:"name"`
	Title  string                     `json:"title"`
	Paper  string                     `json:"paper"`
	Claims map[policies.Property]bool `json:"claims"`
	// NotClaimedWith lists features of environments for which a claim is not made.
	NotClaimedWith map[policies.Property][]string `json:"not_claimed_with"`
	// Unbounded is set for a rule that refuses users with task caps.
	Unbounded bool `json:"unbounded_tasks_only"`
}

func infoOf(m policies.Meta) policyInfo {
	info := policyInfo{m.Name, m.Title, m.Paper, map[policies.Property]bool{}, map[policies.Property][]string{}, m.Unbounded}
	for _, claim := range m.Claims {
		info.Claims[claim.Property] = claim.Holds
		if with := m.NotClaimedWith(claim.Property); len(with) > 0 {
			info.NotClaimedWith[claim.Property] = with
		}
	}
	return info
}

func (c *command) listPolicies(format string) error {
	if format == "json" {
		var all []policyInfo
		for _, m := range policies.All() {
			all = append(all, infoOf(m))
		}
		return c.printJSON(all)
	}
	table := text.Table{Header: []string{"name", "rule", "paper", "claims"}}
	for _, m := range policies.All() {
		table.Rows = append(table.Rows, []string{m.Name, m.Title, m.Paper, claims(m)})
	}
	return c.printTable(table, format)
}

// printTable prints a table as text or Markdown.
func (c *command) printTable(table text.Table, format string) error {
	if format == "markdown" {
		return internal(table.WriteMarkdown(c.Out))
	}
	return internal(table.WriteText(c.Out))
}

// claims writes a rule's claims in a cell.
func claims(m policies.Meta) string {
	var words []string
	for _, claim := range m.Claims {
		word := string(claim.Property)
		if !claim.Holds {
			word = "not " + word
		} else if len(m.NotClaimedWith(claim.Property)) > 0 {
			word += "*"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
