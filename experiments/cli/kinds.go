package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/plots/text"
)

func (c *command) experiments() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "experiments [NAME]",
		Short: "List the experiments that a spec can name, or the parameters of one",
		Long: `List the experiments that a spec of leontief sweep can name, or the parameters of
one: each can be set, and each can be an axis.`,
		Example: "  leontief experiments\n  leontief experiments fluid",
		Args:    takes(argument{name: "NAME", optional: true}),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.printTable(kinds(), format)
			}
			kind, err := spec.KindNamed(args[0])
			if err != nil {
				return fmt.Errorf("experiments: %w", err)
			}
			return c.printTable(parametersOf(kind), format)
		},
	}
	choose(cmd, &format, "format", "how to print", "text", "markdown")
	cmd.ValidArgsFunction = oneArgument(fixed(each(spec.Kinds(), func(k spec.Kind) string { return k.Name + "\t" + k.Title })...))
	return cmd
}

func kinds() text.Table {
	table := text.Table{Header: []string{"experiment", "what it runs", "parameters"}}
	for _, k := range spec.Kinds() {
		table.Rows = append(table.Rows, []string{k.Name, k.Title, fmt.Sprint(len(k.Parameters))})
	}
	return table
}

func parametersOf(k spec.Kind) text.Table {
	table := text.Table{Header: []string{"parameter", "default", "unit", "what it is"}}
	for _, p := range k.Parameters {
		value := cmp.Or(p.Default, "none")
		if p.Required {
			value = "required"
		}
		table.Rows = append(table.Rows, []string{p.Name, value, strings.TrimPrefix(p.Unit, "1"), p.Doc})
	}
	return table
}
