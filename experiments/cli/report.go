package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/plots/report"
	"github.com/leontief-sim/leontief/traces/output"
)

func (c *command) report() *cobra.Command {
	var title string
	out := "report.html"
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Make one HTML file of result folders",
		Long: `Make one HTML file of a result folder, or of all result folders in a folder: the
ledger with its verdicts, every figure with the data behind it, time series to
zoom into, and how each number was made. The file opens without a network, on a
phone and on paper too.`,
		Example: `  leontief report results --out report.html
  leontief report results/tsf-er --out tsf-er.html --title "TSF-ER, reproduced"`,
		Args: takes(argument{name: "DIR", what: "a result folder, or a folder of result folders"}),
		RunE: func(_ *cobra.Command, args []string) error { return c.runReport(args[0], out, title) },
	}
	outputFile(cmd, &out, "out", "HTML `FILE` to write", "html")
	cmd.Flags().StringVar(&title, "title", "leontief: results", "`TITLE` of the page")
	allowEmpty(cmd, "title")
	cmd.ValidArgsFunction = oneArgument(folders)
	return cmd
}

func (c *command) runReport(dir, out, title string) error {
	folders, err := report.Read(dir)
	if err != nil {
		return err
	}
	page, err := report.Write(title, folders, papers.Styles())
	if err != nil {
		return err
	}
	if err := output.WriteFile(out, page); err != nil {
		return writing(err)
	}
	return c.say("%s: %d result folder(s), %.1f MB\n", filepath.Clean(out), len(folders), float64(len(page))/1e6)
}
