package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/plots/report"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/output"
)

// tableFlags choose the rows of result folders.
type tableFlags struct {
	table string
	where []string
}

func (f *tableFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.table, "table", "", "`NAME` of a result table, a Parquet file in the folder, without .parquet; needed where there are several")
	listVar(cmd.Flags(), &f.where, "where", "only rows with this `COLUMN=VALUE`, with one of several values (n=10,20) or in a range (n=10..50); may be given again")
	suggest(cmd, "table", tables)
	suggest(cmd, "where", several(f.columns))
	cmd.ValidArgsFunction = oneArgument(folders)
}

// rows reads the chosen rows of a folder, or of a Parquet file.
func (f *tableFlags) rows(path string) ([]results.Row, error) {
	rows, err := f.read(path)
	if err != nil {
		return nil, err
	}
	wanted, err := f.wanted()
	if err != nil {
		return nil, err
	}
	if rows, err = results.Select(rows, wanted); err != nil {
		return nil, fmt.Errorf("--where %w", err)
	}
	return rows, nil
}

// wanted returns what is wanted of each column. What stands behind a comma without a
// column is one more value of the column before.
func (f *tableFlags) wanted() (map[string]string, error) {
	wanted := map[string]string{}
	column := ""
	for _, pair := range f.where {
		k, v, ok := strings.Cut(pair, "=")
		if !ok && column == "" {
			return nil, fmt.Errorf("--where %q: not of the form column=value", pair)
		}
		if !ok {
			k, v = column, pair
		}
		if before, more := wanted[k]; more {
			v = before + "," + v
		}
		column, wanted[k] = k, v
	}
	return wanted, nil
}

func (f *tableFlags) read(path string) ([]results.Row, error) {
	if strings.HasSuffix(path, ".parquet") {
		if err := sealed.CheckFile(path); err != nil {
			return nil, err
		}
		return results.ReadTable(path)
	}
	folders, err := report.Read(path)
	if err != nil {
		return nil, err
	}
	if len(folders) > 1 {
		return nil, fmt.Errorf("%s holds %d result folders: name one of them", path, len(folders))
	}
	var names []string
	for _, t := range folders[0].Tables {
		if t.Name == f.table || f.table == "" && len(folders[0].Tables) == 1 {
			return t.Rows, nil
		}
		names = append(names, t.Name)
	}
	if f.table == "" {
		return nil, fmt.Errorf("%s: which --table? (there are %s)", path, spelling.List(names))
	}
	return nil, fmt.Errorf("--table: %s: %w", path, spelling.Check("table", f.table, names))
}

type exportFlags struct {
	tableFlags
	latex, csv, markdown bool
	baseline             string
	ratio                bool
	out                  string
}

func (c *command) export() *cobra.Command {
	f := exportFlags{}
	cmd := &cobra.Command{
		Use:   "export DIR|TABLE.parquet",
		Short: "Write a result table as LaTeX, CSV or Markdown",
		Long: `Write a result table as LaTeX (for the package booktabs), CSV or Markdown: means
over instances with their 95% intervals. LaTeX and Markdown have a row a setting
and a column a policy; CSV has a row a value, with all digits. Of a folder of
leontief simulate, --table completions --csv has a row a job and policy.

With --baseline the table compares: what stands for a policy is the mean of its
value less that policy's, or with --ratio the ratio of the two means. All policies
face the same draws, so the interval is that of the paired comparison, which is
narrower than the intervals of two means suggest. docs/intervals.md says how
intervals are made; one instance has none.`,
		Example: `  leontief export results/tsf-er --table table3 --latex --out table3.tex
  leontief export results/tsf-er --table fig4 --csv
  leontief export results/tsf-er --table table3 --baseline tsf-er --markdown
  leontief export results/run --table completions --csv --where policy=tsf-er`,
		Args: takes(argument{name: "DIR|TABLE.parquet", what: "a result folder, or one of its tables"}),
		RunE: func(_ *cobra.Command, args []string) error { return c.runExport(args[0], f) },
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.latex, "latex", false, "as LaTeX")
	cmd.Flags().BoolVar(&f.csv, "csv", false, "as CSV")
	cmd.Flags().BoolVar(&f.markdown, "markdown", false, "as Markdown")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "`POLICY` to compare all others with, instance by instance")
	cmd.Flags().BoolVar(&f.ratio, "ratio", false, "with --baseline: ratios of means, not differences")
	outputFile(cmd, &f.out, "out", "`FILE` to write (default standard output)", "tex", "csv", "md")
	return cmd
}

func (c *command) runExport(path string, f exportFlags) error {
	if given := slices.DeleteFunc([]bool{f.latex, f.csv, f.markdown}, func(given bool) bool { return !given }); len(given) != 1 {
		return errors.New("one of --latex, --csv, --markdown is needed")
	}
	if f.ratio && f.baseline == "" {
		return errors.New("--ratio needs --baseline")
	}
	if file, ok := f.completions(path); ok {
		return c.exportCompletions(file, f)
	}
	rows, err := f.rows(path)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(r results.Row) bool { return r.Timed }) && !f.csv {
		return fmt.Errorf("%s: a time series is exported as --csv only", path)
	}
	cells, what, err := f.cells(rows)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var b strings.Builder
	switch {
	case f.csv:
		err = results.WriteCells(&b, cells)
	case f.latex:
		err = plots.Pivot(cells).WriteLaTeX(&b, fmt.Sprintf("%s; workload: %s; %s with 95%% intervals", filepath.Clean(path), rows[0].Workload, what))
	default:
		err = plots.Pivot(cells).WriteMarkdown(&b)
		if workload := results.WorkloadOf(cells); workload != "" {
			fmt.Fprintf(&b, "\nworkload: %s\n", workload)
		}
	}
	if err != nil {
		return internal(err)
	}
	return c.output(f.out, []byte(b.String()))
}

// cells are those of the table: means, or comparisons with the baseline, whose
// policies say so. what names them.
func (f *exportFlags) cells(rows []results.Row) (cells []results.Cell, what string, err error) {
	if f.baseline == "" {
		cells, err = results.Summarize(rows)
		return cells, "means", err
	}
	against := " less " + f.baseline
	if f.ratio {
		against = " over " + f.baseline
	}
	if cells, err = results.Versus(rows, f.baseline, f.ratio); err != nil {
		return nil, "", fmt.Errorf("--baseline: %w", err)
	}
	for i := range cells {
		cells[i].Policy += against
	}
	return cells, "paired comparisons", nil
}

// completions returns the file of what became of every job, if that is what is
// asked for.
func (f *tableFlags) completions(path string) (file string, ok bool) {
	if filepath.Base(path) == completionsFile {
		return path, true
	}
	return filepath.Join(path, completionsFile), f.table+".parquet" == completionsFile
}

func (c *command) exportCompletions(file string, f exportFlags) error {
	if f.baseline != "" {
		return fmt.Errorf("%s: --baseline compares metrics, not what became of every job", file)
	}
	if !f.csv {
		return fmt.Errorf("%s: what became of every job is exported as --csv only", file)
	}
	where, err := f.wanted()
	if err != nil {
		return err
	}
	if err := sealed.CheckFile(file); err != nil {
		return err
	}
	var b strings.Builder
	if err := run.ExportCompletions(&b, file, where); err != nil {
		return err
	}
	return c.output(f.out, []byte(b.String()))
}

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
	annotate(cmd, "title", mayBeEmpty)
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
