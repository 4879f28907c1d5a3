package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leontief-sim/leontief/experiments/cli"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/policies"
)

func commands() ([]byte, error) {
	var b bytes.Buffer
	heading(&b, "Commands", "Every command of `leontief` with its flags. `leontief COMMAND --help` says the same.")
	err := command(&b, cli.Command())
	return b.Bytes(), err
}

func command(b *bytes.Buffer, c *cobra.Command) error {
	if c.Short == "" || c.Long == "" {
		return fmt.Errorf("%s has no description", c.CommandPath())
	}
	if c.Runnable() {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), c.Long, c.UseLine())
		if c.Example != "" {
			fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.TrimRight(c.Example, "\n"))
		}
		if err := flags(b, c); err != nil {
			return err
		}
	}
	var err error
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			err = errors.Join(err, command(b, sub))
		}
	}
	return err
}

func flags(b *bytes.Buffer, c *cobra.Command) error {
	t := text.Table{Header: []string{"flag", "value", "default", "meaning"}}
	var bad error
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			bad = fmt.Errorf("%s --%s has no description", c.CommandPath(), f.Name)
		}
		if f.Name == "help" {
			return
		}
		value, meaning := pflag.UnquoteUsage(f)
		if value == "" {
			value = "bool"
		}
		t.Rows = append(t.Rows, []string{"`--" + f.Name + "`", value, standard(f), meaning})
	})
	if bad != nil || len(t.Rows) == 0 {
		return bad
	}
	b.WriteByte('\n')
	return t.WriteMarkdown(b)
}

// standard is the default of a flag; that of workers depends on the machine.
func standard(f *pflag.Flag) string {
	switch {
	case f.Name == "workers" && f.DefValue == fmt.Sprint(runtime.NumCPU()):
		return "number of cores"
	case f.DefValue == "" || f.DefValue == "[]":
		return ""
	}
	return "`" + strings.Trim(f.DefValue, "[]") + "`"
}

func rules() ([]byte, error) {
	var b bytes.Buffer
	heading(&b, "Policies", "The allocation rules that are registered, and the properties that the papers claim for them: ✓ that a rule has one, ✓* that it has one under assumptions of the paper (below), ✗ that it lacks it.")
	all := policies.All()
	var properties []policies.Property
	for _, m := range all {
		for _, c := range m.Claims {
			if !slices.Contains(properties, c.Property) {
				properties = append(properties, c.Property)
			}
		}
	}
	slices.Sort(properties)
	t := text.Table{Header: []string{"policy", "rule", "paper"}}
	for _, p := range properties {
		t.Header = append(t.Header, string(p))
	}
	for _, m := range all {
		if m.Title == "" || m.Paper == "" {
			return nil, fmt.Errorf("policy %s has no title or no paper", m.Name)
		}
		row := []string{"`" + m.Name + "`", m.Title, m.Paper}
		for _, p := range properties {
			row = append(row, mark(m, p))
		}
		t.Rows = append(t.Rows, row)
	}
	b.WriteByte('\n')
	if err := t.WriteMarkdown(&b); err != nil {
		return nil, err
	}
	err := assumptions(&b, all)
	return b.Bytes(), err
}

func mark(m policies.Meta, p policies.Property) string {
	for _, c := range m.Claims {
		switch {
		case c.Property != p:
		case !c.Holds:
			return "✗"
		case len(m.NotClaimedWith(p)) > 0:
			return "✓*"
		default:
			return "✓"
		}
	}
	return ""
}

// assumptions lists with which features of environments a property that a rule
// has is not claimed, properties with the same ones in one row.
func assumptions(b *bytes.Buffer, all []policies.Meta) error {
	fmt.Fprint(b, "\n## Assumptions\n\nA property marked with * is claimed for environments without the features listed here, which the paper does not have. The others may break it: a user of weight 4 and one of weight 1, alone on a server each, have the envy 4 under MAGIKS.\n\n")
	t := text.Table{Header: []string{"policy", "properties", "not claimed with"}}
	for _, m := range all {
		var order []string
		of := map[string][]string{}
		for _, c := range m.Claims {
			with := strings.Join(m.NotClaimedWith(c.Property), ", ")
			if !c.Holds || with == "" {
				continue
			}
			if of[with] == nil {
				order = append(order, with)
			}
			of[with] = append(of[with], string(c.Property))
		}
		for _, with := range order {
			t.Rows = append(t.Rows, []string{"`" + m.Name + "`", strings.Join(of[with], ", "), with})
		}
	}
	return t.WriteMarkdown(b)
}

func kinds() ([]byte, error) {
	var b bytes.Buffer
	heading(&b, "Experiments", "What `leontief reproduce` offers, and the experiments that a sweep's blocks can name, with their parameters.")
	fmt.Fprint(&b, "\n## Papers\n")
	for _, p := range papers.Papers() {
		fmt.Fprintf(&b, "\n### reproduce %s\n\n%s. Items: %s. Scales: %s.\n", p.Name, strings.TrimSuffix(p.Title, "."), strings.Join(p.Items, ", "), strings.Join(p.Scales, ", "))
		if err := parameters(&b, p.Options); err != nil {
			return nil, fmt.Errorf("paper %s: %w", p.Name, err)
		}
	}
	fmt.Fprint(&b, "\n## Experiments for sweeps\n")
	for _, k := range spec.Kinds() {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n", k.Name, strings.TrimSuffix(k.Title, "."))
		if err := parameters(&b, k.Parameters); err != nil {
			return nil, fmt.Errorf("experiment %s: %w", k.Name, err)
		}
	}
	return b.Bytes(), nil
}

func parameters(b *bytes.Buffer, all []spec.Parameter) error {
	if len(all) == 0 {
		return nil
	}
	t := text.Table{Header: []string{"parameter", "unit", "default", "meaning"}}
	for _, p := range all {
		if p.Doc == "" {
			return fmt.Errorf("parameter %s has no description", p.Name)
		}
		value := "`" + p.Default + "`"
		switch {
		case p.Required:
			value = "required"
		case p.Default == "":
			value = ""
		}
		t.Rows = append(t.Rows, []string{"`" + p.Name + "`", p.Unit, value, p.Doc})
	}
	b.WriteByte('\n')
	return t.WriteMarkdown(b)
}
