package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/parquet"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func (c *command) completion() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes commands, flags and names in a shell",
		Long: `Print a script that lets a shell complete the commands of leontief, their flags,
and what these take: rules, papers, items, specs, columns, metrics and files with
the right ending. SHELL is bash, zsh, fish or powershell. To have it in every new
shell, write the script where the shell looks for it, or load it in the shell's
start-up file, as in the examples.`,
		Example: `  leontief completion bash > ~/.local/share/bash-completion/completions/leontief
  leontief completion zsh > "${fpath[1]}/_leontief"
  leontief completion fish > ~/.config/fish/completions/leontief.fish
  leontief completion powershell | Out-String | Invoke-Expression
  source <(leontief completion bash)    # this shell only; needs the package bash-completion`,
		Args: takes(argument{name: "SHELL", what: "the shell to complete in: " + joinOr(shells)}),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runCompletion(cmd.Root(), args[0]) },
	}
	cmd.ValidArgsFunction = oneArgument(fixed(shells...))
	return cmd
}

func (c *command) runCompletion(root *cobra.Command, shell string) error {
	if err := among("completion", "shell", []string{shell}, shells); err != nil {
		return err
	}
	switch shell {
	case "bash":
		return internal(root.GenBashCompletionV2(c.data, true))
	case "zsh":
		return internal(root.GenZshCompletion(c.data))
	case "fish":
		return internal(root.GenFishCompletion(c.data, true))
	}
	return internal(root.GenPowerShellCompletionWithDesc(c.data))
}

// suggest says what completes the value of a flag. An unknown flag is a
// programming error.
func suggest(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic(err)
	}
}

func fixed(names ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
}

// completing reports whether a shell asks for completions. It splits the answer at
// tabs, which a person is not shown.
func completing(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

func files(endings ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// oneArgument completes the first argument of a command, and no other.
func oneArgument(with cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return with(cmd, args, typed)
	}
}

// several completes the last name of a list that is separated by commas. A name
// may have a description behind a tab; one that is there already is not offered.
func several(names func(cmd *cobra.Command, args []string, typed string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before, last := "", typed
		if i := strings.LastIndexByte(typed, ','); i >= 0 {
			before, last = typed[:i+1], typed[i+1:]
		}
		there := strings.Split(before, ",")
		var found []cobra.Completion
		for _, name := range names(cmd, args, last) {
			bare, _, _ := strings.Cut(name, "\t")
			if strings.HasPrefix(bare, last) && !slices.Contains(there, bare) && !slices.Contains(found, before+name) {
				found = append(found, before+name)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func severalOf(names ...string) cobra.CompletionFunc {
	return several(func(*cobra.Command, []string, string) []string { return names })
}

// rules are the names of all rules with their titles.
func rules() []string {
	return each(policies.All(), func(m policies.Meta) string { return m.Name + "\t" + m.Title })
}

// specs completes to a spec that is shipped, or else to a YAML file.
func specs(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	shipped := slices.DeleteFunc(papers.ShippedSpecs(), func(name string) bool { return !strings.HasPrefix(name, typed) })
	if len(shipped) > 0 {
		return shipped, cobra.ShellCompDirectiveDefault
	}
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// parameters completes name=value for the parameters of the experiments of the spec
// that the command line names.
func parameters(_ *cobra.Command, args []string, typed string) []string {
	if len(args) == 0 {
		return nil
	}
	data, err := readSpec(args[0])
	if err != nil {
		return nil
	}
	parsed, err := spec.ParseSpec(args[0], data, spec.Choice{})
	if err != nil {
		return nil
	}
	var found []string
	for _, b := range parsed.Blocks {
		kind, _ := spec.KindNamed(b.Experiment) // an unknown one has no parameters
		for _, p := range kind.Parameters {
			found = append(found, assignments(p, typed)...)
		}
	}
	return found
}

// assignments are name= or, once that is typed, name=value for every value of a
// choice.
func assignments(p spec.Parameter, typed string) []string {
	if !strings.HasPrefix(typed, p.Name+"=") {
		return []string{p.Name + "=\t" + p.Doc}
	}
	values := p.Values()
	if p.Name == "policy" {
		values = policies.Names()
	}
	return each(values, func(v string) string { return p.Name + "=" + v })
}

// columns completes column=value from the rows of the table that the command line
// names.
func (f *tableFlags) columns(_ *cobra.Command, args []string, typed string) []string {
	axes, values := results.Varying(f.completed(args))
	if _, columns := f.own(strings.Join(args, "")); columns != nil {
		axes = each(columns, func(c parquet.Column) string { return c.Name })
	}
	column, _, valued := strings.Cut(typed, "=")
	var found []string
	for _, name := range axes {
		switch {
		case !valued:
			found = append(found, name+"=")
		case name == column:
			for _, v := range values[name] {
				found = append(found, name+"="+v)
			}
		}
	}
	return found
}

// completed returns the rows of the table that an unfinished command line names,
// if it can be read.
func (f *tableFlags) completed(args []string) []results.Row {
	if len(args) == 0 {
		return nil
	}
	rows, _ := f.read(args[0])
	return rows
}

// completeMetrics completes the metrics of that table.
func (f *tableFlags) completeMetrics(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := each(f.completed(args), func(r results.Row) string { return r.Metric })
	return slices.Compact(slices.Sorted(slices.Values(names))), cobra.ShellCompDirectiveNoFileComp
}

// tables completes the tables of the folder that the command line names.
func tables(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	paths, _ := filepath.Glob(filepath.Join(args[0], "*.parquet")) // a name that is no pattern has no tables
	return each(paths, func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".parquet") }), cobra.ShellCompDirectiveNoFileComp
}

// among returns an error that begins with the flag or command that names were given
// to, unless all are known.
func among(of, kind string, names, known []string) error {
	for _, name := range names {
		if err := spelling.Check(kind, name, known); err != nil {
			return fmt.Errorf("%s: %w", of, err)
		}
	}
	return nil
}
