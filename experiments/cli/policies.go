package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/sweeps"
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
		Example: "  leontief policies\n  leontief policies tsf-er\n  leontief policies --format json\n  leontief policies mine --rule 'mine=python3 mine.py'",
		Args:    takes(argument{name: "NAME", optional: true}),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listPolicies(format)
			}
			if err := c.showPolicy(args[0], format); err != nil {
				return fmt.Errorf("policies: %w", err)
			}
			return nil
		},
	}
	cmd.ValidArgsFunction = oneArgument(fixed(rules()...))
	choose(cmd, &format, "format", "how to print", "text", "markdown", "json")
	takesPrograms(cmd)
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
	// Program is set for a rule of --rule.
	Program *policies.Program `json:"program,omitempty"`
}

func infoOf(m policies.Meta) policyInfo {
	info := policyInfo{m.Name, m.Title, m.Paper, map[policies.Property]bool{}, map[policies.Property][]string{}, m.Unbounded, m.Program}
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
		return c.printJSON(each(policies.All(), infoOf))
	}
	table := text.Table{Header: []string{"name", "rule", "paper", "claims"}}
	for _, m := range policies.All() {
		table.Rows = append(table.Rows, []string{m.Name, m.Title, m.Paper, claims(m)})
	}
	return c.printTable(table, format)
}

func (c *command) printTable(table text.Table, format string) error {
	return internal(writeTable(c.Out, table, format))
}

func writeTable(w io.Writer, table text.Table, format string) error {
	if format == "markdown" {
		return table.WriteMarkdown(w)
	}
	return table.WriteText(w)
}

// claims writes a rule's claims in a cell.
func claims(m policies.Meta) string {
	return strings.Join(each(m.Claims, func(claim policies.Claim) string {
		switch {
		case !claim.Holds:
			return "not " + string(claim.Property)
		case len(m.NotClaimedWith(claim.Property)) > 0:
			return string(claim.Property) + "*"
		}
		return string(claim.Property)
	}), ", ")
}

type ruleInfo struct {
	policyInfo
	Family     policies.Family      `json:"family"`
	Definition string               `json:"definition"`
	Claimed    []claimInfo          `json:"claimed"`
	Refuses    string               `json:"refuses"`
	Parameters []policies.Parameter `json:"parameters"`
	TaskModels map[string]string    `json:"task_models"`
	Example    string               `json:"example"`
}

type claimInfo struct {
	Property policies.Property `json:"property"`
	Title    string            `json:"title"`
	Holds    bool              `json:"holds"`
	// Outside are the features of environments for which it is not claimed.
	Outside []string `json:"not_claimed_with,omitempty"`
}

func describe(m policies.Meta) (*ruleInfo, error) {
	info := &ruleInfo{policyInfo: infoOf(m), Family: m.Family, Definition: m.Definition, Claimed: []claimInfo{}, Refuses: m.Refuses, Parameters: m.Parameters,
		Example: "leontief allocate docs/examples/servers.json --policy " + m.Name}
	for _, c := range m.Claims {
		info.Claimed = append(info.Claimed, claimInfo{c.Property, c.Property.Title(), c.Holds, m.NotClaimedWith(c.Property)})
	}
	if m.Program != nil {
		info.Example += fmt.Sprintf(" --rule '%s=%s'", m.Name, m.Program.Command)
	}
	if info.Parameters == nil {
		info.Parameters = []policies.Parameter{}
	}
	rule, err := policies.New(m.Name)
	if err != nil {
		return nil, internal(err)
	}
	info.TaskModels = taskModels(rule)
	return info, nil
}

// taskModels says how a rule works in each task model.
func taskModels(rule policies.Policy) map[string]string {
	whole := "its fluid allocation is rounded at each slot, and the rest filled at random"
	if _, ordered := rule.(policies.Normalizer); ordered {
		whole = "whoever has the smallest share is served next"
		if splitter, ok := rule.(policies.LinkSplitter); ok && splitter.SplitsLinks() {
			whole += "; not where there are links"
		}
	}
	return map[string]string{sweeps.Fluid: "the cluster is divided anew at each arrival and completion", sweeps.Whole: whole}
}

func (c *command) showPolicy(text, format string) error {
	name, _, err := policies.Parse(text)
	if err != nil {
		return err
	}
	meta, err := policies.Lookup(name)
	if err != nil {
		return err
	}
	if _, err := policies.New(text); err != nil {
		return err
	}
	info, err := describe(meta)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return c.printJSON(info)
	case "markdown":
		return errors.New("--format markdown: of one rule there is text or json")
	}
	return c.say("%s", info.text())
}

// text writes what is said of a rule for a person.
func (r *ruleInfo) text() *bytes.Buffer {
	b, last := &bytes.Buffer{}, ""
	say := func(what, words string) {
		if what == last {
			what = ""
		} else {
			last = what
		}
		lines := text.Wrap(words, lineWidth-len("definition  "))
		fmt.Fprintf(b, "%-10s  %s\n", what, strings.Join(lines, "\n            "))
	}
	fmt.Fprintf(b, "%s: %s\n\n", r.Name, r.Title)
	say("paper", r.Paper)
	if r.Program != nil {
		say("version", cmp.Or(r.Program.Version, "none stated"))
		for _, name := range sortedKeys(r.Program.Files) {
			say("files", fmt.Sprintf("%s (SHA-256 %.16s…)", name, r.Program.Files[name]))
		}
	}
	say("family", string(r.Family)+": "+r.Family.Title())
	say("definition", r.Definition)
	say("fluid", r.TaskModels[sweeps.Fluid])
	say("whole", r.TaskModels[sweeps.Whole])
	say("refuses", cmp.Or(r.Refuses, "none"))
	for _, p := range r.Parameters {
		values := ""
		if p.Values != nil {
			values = ": " + joinOr(p.Values)
		}
		say("parameters", fmt.Sprintf("%s%s (default %s). %s", p.Name, values, p.Default, p.Doc))
	}
	for _, claim := range r.Claimed {
		say("claims", claim.text())
	}
	if len(r.Claimed) == 0 {
		say("claims", "none of a paper")
	}
	say("example", r.Example)
	return b
}

// text writes a claim with what it assumes away.
func (c claimInfo) text() string {
	text := fmt.Sprintf("%s, %s", c.Property, c.Title)
	if !c.Holds {
		text = "not " + text
	}
	if len(c.Outside) > 0 {
		text += " (not claimed with " + strings.Join(c.Outside, ", ") + ")"
	}
	return text
}
