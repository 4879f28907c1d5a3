package cli

import (
	"errors"
	"fmt"
	"io"
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
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/output"
	"github.com/leontief-sim/leontief/traces/parquet"
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
			return t.Rows.Rows(), nil
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
	raw                  bool
	metrics              []string
	layout               plots.Layout
	labels               []string
	float                text.Float
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
and a column a policy, or what --rows and --cols name; as many digits as the interval
makes good; labels instead of names; and the best of a row in bold, as its metric
says (docs/reference/results.md). --cell writes intervals, ± or two lines. With
--caption or --label the LaTeX is a float. CSV has a row a mean with all digits, its
interval and the number of instances or, with --raw, a row a value. Of a folder of
leontief simulate, --table completions --csv has a row a job and policy, and --table
placements --csv a row a run of a task on a server.

With --baseline the table compares: what stands for a policy is the mean of its
value less that policy's, or with --ratio the ratio of the two means. All policies
face the same draws, so the interval is that of the paired comparison, which is
narrower than the intervals of two means suggest. docs/intervals.md says how
intervals are made; one instance has none.`,
		Example: `  leontief export results/tsf-er --table table3 --latex --out table3.tex
  leontief export results/tsf-er --table table3 --latex --rows policy --cols n,rho,bandwidth_mhz --cell mean --caption "JCT factors" --label tab:jct
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
	cmd.Flags().BoolVar(&f.raw, "raw", false, "with --csv: all values, not their means")
	listVar(cmd.Flags(), &f.metrics, "y", "`METRICS` (default all)")
	listVar(cmd.Flags(), &f.layout.Rows, "rows", "`COLUMNS` whose values name the rows (default all that differ, but those of --cols)")
	listVar(cmd.Flags(), &f.layout.Cols, "cols", "`COLUMNS` whose values name the columns (default policy)")
	listVar(cmd.Flags(), &f.labels, "labels", "`NAME=TEXT`: what a column, metric or value is called; may be given again")
	cmd.Flags().StringVar(&f.layout.Cell, "cell", plots.Cells[0], "how a `CELL` is written: "+strings.Join(plots.Cells, ", "))
	cmd.Flags().BoolVar(&f.layout.Plain, "plain", false, "no value in bold")
	cmd.Flags().StringVar(&f.float.Caption, "caption", "", "`TEXT` of the LaTeX table's caption")
	cmd.Flags().StringVar(&f.float.Label, "label", "", "`NAME` of the LaTeX table's label")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "`POLICY` to compare all others with, instance by instance")
	cmd.Flags().BoolVar(&f.ratio, "ratio", false, "with --baseline: ratios of means, not differences")
	outputFile(cmd, &f.out, "out", "`FILE` to write (default standard output)", "tex", "csv", "md")
	suggest(cmd, "cell", fixed(plots.Cells...))
	suggest(cmd, "y", f.completeMetrics)
	return cmd
}

func (c *command) runExport(path string, f exportFlags) error {
	if given := slices.DeleteFunc([]bool{f.latex, f.csv, f.markdown}, func(given bool) bool { return !given }); len(given) != 1 {
		return errors.New("one of --latex, --csv, --markdown is needed")
	}
	if f.ratio && f.baseline == "" {
		return errors.New("--ratio needs --baseline")
	}
	if f.raw && (!f.csv || f.baseline != "") {
		return errors.New("--raw is of --csv without --baseline")
	}
	if file, columns := f.own(path); columns != nil {
		return c.exportCompletions(file, columns, f)
	}
	rows, err := f.rows(path)
	if err != nil {
		return err
	}
	if rows, err = f.ofMetrics(rows); err != nil {
		return fmt.Errorf("%s: --y: %w", path, err)
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
	case f.csv && f.raw:
		err = results.WriteValues(&b, rows)
	case f.csv:
		err = results.WriteCells(&b, cells)
	default:
		err = f.write(&b, cells, fmt.Sprintf("%s; workload: %s; %s with 95%% intervals", filepath.Clean(path), rows[0].Workload, what))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return c.output(f.out, []byte(b.String()))
}

// ofMetrics returns the rows of the metrics that are asked for.
func (f *exportFlags) ofMetrics(rows []results.Row) ([]results.Row, error) {
	if len(f.metrics) == 0 {
		return rows, nil
	}
	there := results.MetricsOf(rows)
	for _, m := range f.metrics {
		if err := spelling.Check("metric", m, there); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return !slices.Contains(f.metrics, r.Metric) }), nil
}

// write writes cells as LaTeX or Markdown; how says how they were made.
func (f *exportFlags) write(to io.Writer, cells []results.Cell, how string) error {
	var err error
	if f.layout.Labels, err = named(f.labels); err != nil {
		return err
	}
	styles := papers.Styles()
	for i := range cells {
		if of, against, ok := f.compared(cells[i].Policy); ok && f.layout.Labels[cells[i].Policy] == "" {
			f.layout.Labels[cells[i].Policy] = styles.Label(of) + against + styles.Label(f.baseline)
		}
	}
	table, err := plots.Pivot(cells, f.layout, styles)
	if err != nil {
		return err
	}
	if f.latex {
		f.float.Comment = how
		return table.WriteLaTeX(to, f.float)
	}
	if err := table.WriteMarkdown(to); err != nil {
		return err
	}
	if workload := results.WorkloadOf(cells); workload != "" {
		_, err = fmt.Fprintf(to, "\nworkload: %s\n", workload)
	}
	return err
}

// cells are those of the table: means, or comparisons with the baseline, whose
// policies say so. what names them.
func (f *exportFlags) cells(rows []results.Row) (cells []results.Cell, what string, err error) {
	if f.baseline == "" {
		cells, err = results.Summarize(rows)
		return cells, "means", err
	}
	if cells, err = results.Versus(rows, f.baseline, f.ratio); err != nil {
		return nil, "", fmt.Errorf("--baseline: %w", err)
	}
	for i := range cells {
		cells[i].Policy += f.against() + f.baseline
	}
	return cells, "paired comparisons", nil
}

// against stands between a policy and the baseline.
func (f *exportFlags) against() string {
	if f.ratio {
		return " over "
	}
	return " less "
}

// compared takes apart what [exportFlags.cells] calls a comparison.
func (f *exportFlags) compared(policy string) (of, against string, ok bool) {
	of, ok = strings.CutSuffix(policy, f.against()+f.baseline)
	return of, f.against(), ok && f.baseline != ""
}

// ownColumns are the columns of the tables that are no result tables, by the file.
var ownColumns = map[string][]parquet.Column{completionsFile: run.CompletionColumns(), placementsFile: run.PlacementColumns()}

// own returns the file of what became of every job or of who ran where, if one of them is
// what is asked for, and its columns.
func (f *tableFlags) own(path string) (file string, columns []parquet.Column) {
	if columns := ownColumns[filepath.Base(path)]; columns != nil {
		return path, columns
	}
	return filepath.Join(path, f.table+".parquet"), ownColumns[f.table+".parquet"]
}

// completions returns the file of what became of every job, if that is what is
// asked for.
func (f *tableFlags) completions(path string) (file string, ok bool) {
	if filepath.Base(path) == completionsFile {
		return path, true
	}
	return filepath.Join(path, completionsFile), f.table+".parquet" == completionsFile
}

func (c *command) exportCompletions(file string, columns []parquet.Column, f exportFlags) error {
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
	if err := run.ExportCompletions(&b, file, columns, where); err != nil {
		return err
	}
	return c.output(f.out, []byte(b.String()))
}

func (c *command) report() *cobra.Command {
	var title string
	out := "report.html"
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Make one HTML file of result folders",
		Long: `Make one HTML file of result folders, or of all result folders in a folder. Of a
paper it begins with the verdicts and what was found; then come its tables with
ours below theirs and its figures with what the paper says of them, and last the
whole ledger. Of one's own sweep or simulation it begins with the best rule by each
metric, where the order of the rules changes, and what is fair; then come figures
and the data behind. Time series can be zoomed into. The file opens without a
network, on a phone and on paper too.`,
		Example: `  leontief report results --out report.html
  leontief report results/tsf-er --out tsf-er.html --title "TSF-ER, reproduced"
  leontief report out/our-run out/our-sweep --title "Our cluster"`,
		Args: takes(argument{name: "DIR", what: "a result folder, or a folder of result folders", many: true}),
		RunE: func(_ *cobra.Command, args []string) error { return c.runReport(args, out, title) },
	}
	outputFile(cmd, &out, "out", "HTML `FILE` to write", "html")
	cmd.Flags().StringVar(&title, "title", "leontief: results", "`TITLE` of the page")
	annotate(cmd, "title", mayBeEmpty)
	cmd.ValidArgsFunction = folders
	return cmd
}

func (c *command) runReport(dirs []string, out, title string) error {
	var folders []report.Folder
	for _, dir := range dirs {
		more, err := report.Read(dir)
		if err != nil {
			return err
		}
		folders = append(folders, more...)
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
