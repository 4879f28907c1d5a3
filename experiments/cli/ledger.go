package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

// ledgerFlags choose what is printed of a ledger, and how.
type ledgerFlags struct {
	verdicts []string
	format   string
}

const everyVerdict = "all"

func verdictNames() []string {
	return append(each(ledger.Verdicts, func(v ledger.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") }), everyVerdict)
}

func (f *ledgerFlags) register(cmd *cobra.Command, formats ...string) {
	listVar(cmd.Flags(), &f.verdicts, "verdict", "print entries with these verdicts only: "+joinOr(verdictNames())+
		"; without it all, on a terminal those of a long ledger that are not reproduced")
	choose(cmd, &f.format, "format", "how to print the ledger", formats...)
	suggest(cmd, "verdict", severalOf(verdictNames()...))
}

func (f *ledgerFlags) check() error {
	return among("--verdict", "verdict", f.verdicts, verdictNames())
}

// longLedger is the number of entries up to which a terminal is shown all.
const longLedger = 40

// chosen are the verdicts to print; nil for all. width is that of the terminal, 0
// where there is none.
func (f *ledgerFlags) chosen(l ledger.Ledger, width int) []ledger.Verdict {
	names := f.verdicts
	if names == nil && width > 0 && len(l.Entries) > longLedger {
		return []ledger.Verdict{ledger.Differs, ledger.Refuted, ledger.NotRun}
	}
	if names == nil || slices.Contains(names, everyVerdict) {
		return nil
	}
	return each(names, func(name string) ledger.Verdict { return ledger.Verdict(strings.ReplaceAll(name, "-", " ")) })
}

// write writes a ledger for a person: of several items first how many entries have
// which verdict, then the entries that were chosen. Off a terminal (width 0) the
// entries have all columns.
func (f *ledgerFlags) write(w io.Writer, l ledger.Ledger, width int) error {
	if len(l.Items()) > 1 {
		if err := writeTable(w, l.ByItem(), f.format); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	part := l.Only(nil, f.chosen(l, width))
	var err error
	switch {
	case len(part.Entries) == 0:
		_, err = fmt.Fprintln(w, "No entry has the verdict asked for.")
	case f.format == "markdown":
		err = part.WriteMarkdown(w)
	case width > 0:
		err = part.WriteWithin(w, width)
	default:
		err = part.WriteText(w)
	}
	if more := len(l.Entries) - len(part.Entries); err == nil && more > 0 {
		_, err = fmt.Fprintf(w, "\n%d entries with other verdicts are not listed: --verdict all lists them.\n", more)
	}
	return err
}

func (c *command) ledger() *cobra.Command {
	var f ledgerFlags
	var items []string
	cmd := &cobra.Command{
		Use:   "ledger DIR",
		Short: "Print the ledger of a result folder, or a part of it",
		Long: `Print the ledger of a folder of leontief reproduce or audit --tables: each published
number beside ours, with its verdict. Of several items it begins with how many
entries have which verdict.`,
		Example: `  leontief ledger results/tsf-er --verdict differs,refuted
  leontief ledger results/tsf-er --item table3,fig3
  leontief ledger results/tsf-er --format json`,
		Args: takes(argument{name: "DIR", what: "a folder of leontief reproduce or audit --tables"}),
		RunE: func(_ *cobra.Command, args []string) error { return c.runLedger(args[0], items, &f) },
	}
	f.register(cmd, "text", "markdown", "json")
	listVar(cmd.Flags(), &items, "item", "entries of these items only; without it all")
	suggest(cmd, "item", several(func(_ *cobra.Command, args []string, _ string) []string {
		l, _ := ledger.ReadLedger(strings.Join(args, "")) // one that can not be read has no items
		return l.Items()
	}))
	cmd.ValidArgsFunction = oneArgument(folders)
	return cmd
}

func (c *command) runLedger(folder string, items []string, f *ledgerFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	l, err := ledger.ReadLedger(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no %s: not a folder of leontief reproduce or audit --tables", folder, ledger.LedgerFile)
	}
	if err != nil {
		return err
	}
	if err := among("--item: "+folder, "item", items, l.Items()); err != nil {
		return err
	}
	l = l.Only(items, nil)
	if f.format == "json" {
		return c.printJSON(l.Only(nil, f.chosen(l, 0)))
	}
	var b bytes.Buffer
	if err := f.write(&b, l, terminalWidth(c.Out)); err != nil {
		return internal(err)
	}
	return c.say("%s\n%s\n", &b, l.Tally())
}
