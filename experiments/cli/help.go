package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/leontief-sim/leontief/plots/printable"
)

// common are the flags that say how a command runs and prints, and not what it
// computes; a help lists them last.
var common = []string{"seed", "workers", "progress", "verify", "format", "verdict", "wait", "force", "help", "version"}

// flagGroups writes the flags of a command in groups: those that it needs, those
// that say what it does, those that say how it runs and prints.
func flagGroups(cmd *cobra.Command, width int) string {
	groups := []struct {
		title string
		flags *pflag.FlagSet
	}{{"Required flags", newFlags()}, {"Flags", newFlags()}, {"How it runs and prints", newFlags()}}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		k := 1
		switch {
		case slices.Contains(common, f.Name):
			k = 2
		case len(f.Annotations[cobra.BashCompOneRequiredFlag]) > 0:
			k = 0
		}
		shown := *f
		shown.Usage = strings.TrimSuffix(f.Usage, " (required)")
		groups[k].flags.AddFlag(&shown)
	})
	var b strings.Builder
	for _, g := range groups {
		if g.flags.HasAvailableFlags() {
			b.WriteString("\n" + g.title + ":\n" + strings.TrimRight(g.flags.FlagUsagesWrapped(width), "\n") + "\n")
		}
	}
	return b.String()
}

func newFlags() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

// usage writes how a command is called: its line, examples, subcommands and flags.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() && (!cmd.HasAvailableSubCommands() || cmd.HasAvailableLocalFlags() && cmd.HasParent()) {
		b.WriteString("  " + cmd.UseLine() + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range subcommands(cmd) {
			fmt.Fprintf(&b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
	b.WriteString(flagGroups(cmd, cmp.Or(terminalWidth(cmd.OutOrStdout()), lineWidth)))
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + cmd.CommandPath() + " COMMAND --help says more of a command.\n")
	}
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// lineWidth is that of running text, in letters.
const lineWidth = 100

// terminalWidth is the number of columns of the terminal that w is; 0 where it is
// none, and the text is for a file or another program.
func terminalWidth(w io.Writer) int {
	if filter, ok := w.(*printable.Writer); ok {
		w = filter.Unwrap()
	}
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
