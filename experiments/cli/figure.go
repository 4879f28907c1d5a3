package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/traces/output"
)

// plotFlags are the flags of the command plot. Those that say what the figure shows
// are laid over a figure.yaml.
type plotFlags struct {
	tableFlags
	view          plots.View
	labels        []string
	width, height string
	spec, out     string
	data          string
	columns       int
}

func (c *command) plot() *cobra.Command {
	f := plotFlags{}
	cmd := &cobra.Command{
		Use:   "plot DIR|TABLE.parquet",
		Short: "Draw a figure from a result table",
		Long: `Draw a figure from a result table: a metric against what differs between the rows,
in a form that follows from the columns, or that --form names. The figure is written
as PDF, SVG or PNG, as the name of --out says.

Columns are the rule (policy), user, workload, every parameter, and time_s. --x stands
on the horizontal axis, --color tells curves apart (the rule, if nothing is said), and
--panels has a panel for each value, as has each metric of --y (--color metric draws
metrics of one unit in one panel). What else differs is chosen by --where. What is not said is chosen: the axis with the most values, then
the panels, or a heat map of two axes.

--baseline compares all others with one rule: differences of means or, with --ratio,
their ratios, with the intervals of the paired comparison.

--spec reads all of this from a file; the flags beside it count more. --show prints
the file of the figure, to be kept beside a paper in writing. --data FILE.csv writes
the numbers that are drawn, and beside them FILE.tex (pgfplots) and FILE.py
(matplotlib), which draw the same from them.

The forms:

` + formsHelp(),
		Example: `  leontief plot results/tsf-er --table fig3 --y min_restricted_task_ratio --x rho --out fig3a.pdf
  leontief plot results/sweep --y jct_factor --x bandwidth_mhz --panels rho --width 7in --out bandwidth.pdf
  leontief plot results/sweep --y jct_factor --baseline mnw --where rho=0.7,0.9 --out paired.svg --data paired.csv
  leontief plot results/sweep --spec figure.yaml --out figure.pdf`,
		Args: takes(argument{name: "DIR|TABLE.parquet", what: "a result folder, or one of its tables"}),
	}
	f.register(cmd)
	f.registerView(cmd)
	show := cmd.Flags().Bool("show", false, "print the figure.yaml of this figure, and draw nothing")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		view, err := f.chosen(cmd.Flags())
		if err != nil {
			return err
		}
		if *show {
			text, err := view.YAML()
			if err != nil {
				return internal(err)
			}
			return c.output("", text)
		}
		return c.runPlot(args[0], f, view)
	}
	return cmd
}

// registerView adds the flags that say what a figure shows.
func (f *plotFlags) registerView(cmd *cobra.Command) {
	flags, v := cmd.Flags(), &f.view
	listVar(flags, (*[]string)(&v.Y), "y", "`METRICS` to draw, a panel each; needed where the table has several")
	listVar(flags, (*[]string)(&v.Policies), "policies", "`RULES` to draw, in this order (default all)")
	listVar(flags, (*[]string)(&v.Order), "order", "`VALUES` of the column of colours, in the order of the legend")
	listVar(flags, &f.labels, "labels", "`NAME=TEXT`: what a column, metric or value is called; may be given again")
	for _, s := range []struct {
		to          *string
		name, usage string
	}{
		{&v.Form, "form", "`FORM` of the figure; default as the axis wants"},
		{&v.X, "x", "`COLUMN` of the horizontal axis"},
		{&v.Down, "down", "`COLUMN` of the vertical axis of a heat map"},
		{&v.Color, "color", "`COLUMN` that tells curves apart (default policy)"},
		{&v.Panels, "panels", "`COLUMN` with a panel for each value"},
		{&v.Values, "values", "`COLUMN` that holds the values; the metric is how often each was found"},
		{&v.Baseline, "baseline", "`RULE` to compare all others with, instance by instance"},
		{&v.Title, "title", "`TEXT` above the figure"},
		{&v.XLabel, "xlabel", "`TEXT` of the horizontal axis"},
		{&v.YLabel, "ylabel", "`TEXT` of the vertical axis"},
		{&v.Log, "log", "logarithmic `AXES`: x, y, xy or none; default as the values want"},
		{&v.Legend, "legend", "`PLACE` of the legend: top, right, direct (at the curves) or none"},
		{&v.Note, "note", "`TEXT` below, with {column} for the value of a column; or none"},
		{&f.width, "width", "`LENGTH`, as 3.5in or 90mm (default 3.5in)"},
		{&f.height, "height", "`LENGTH` of the whole figure (default as the panels need)"},
		{&f.spec, "spec", "`FILE` that says what the figure shows, or the name of a paper's figure, as tsf-er/fig3"},
	} {
		flags.StringVar(s.to, s.name, "", s.usage)
	}
	flags.BoolVar(&v.Ratio, "ratio", false, "with --baseline: ratios of means, not differences")
	flags.IntVar(&f.columns, "columns", 0, "width as columns of a page: 1 is 3.5in, 2 is 7.16in")
	alsoCalled(cmd, "metric", "y")
	outputFile(cmd, &f.out, "out", "`FILE` to write: .pdf, .svg or .png", plots.Formats...)
	outputFile(cmd, &f.data, "data", "`FILE`.csv of the numbers that are drawn, with .tex and .py beside it", "csv")
	if err := flags.SetAnnotation("data", writesFile, []string{".tex", ".py"}); err != nil {
		panic(err)
	}
	annotate(cmd, "note", mayBeEmpty)
	suggest(cmd, "y", f.completeMetrics)
	suggest(cmd, "form", fixed(each(plots.Forms(), func(f plots.Form) string { return f.Name })...))
	suggest(cmd, "legend", fixed("top", "right", "direct", "none"))
	suggest(cmd, "log", fixed("x", "y", "xy", "none"))
	suggest(cmd, "columns", fixed("1", "2"))
	suggest(cmd, "spec", fixed(papers.ShippedFigures()...))
}

func formsHelp() string {
	return strings.Join(each(plots.Forms(), func(f plots.Form) string { return fmt.Sprintf("  %-11s%s", f.Name, f.Title) }), "\n")
}

// chosen returns the view of the file, if one is named, with what the flags say over it.
func (f *plotFlags) chosen(flags *pflag.FlagSet) (plots.View, error) {
	var file plots.View
	if f.spec != "" {
		data, ok := papers.ShippedFigure(f.spec)
		if !ok {
			var err error
			if data, err = os.ReadFile(f.spec); err != nil {
				return file, err
			}
		}
		var err error
		if file, err = plots.ReadView(f.spec, data); err != nil {
			return file, err
		}
	}
	v := f.view
	var err error
	if v.Where, err = f.wanted(); err != nil {
		return v, err
	}
	v.Table = f.table
	if v.Labels, err = named(f.labels); err != nil {
		return v, err
	}
	if flags.Changed("columns") {
		if f.columns != 1 && f.columns != 2 {
			return v, fmt.Errorf("--columns %d: a page has 1 or 2", f.columns)
		}
		v.Width = []plots.Length{plots.OneColumn, plots.TwoColumns}[f.columns-1]
	}
	for flag, of := range map[string]struct {
		text string
		to   *plots.Length
	}{"width": {f.width, &v.Width}, "height": {f.height, &v.Height}} {
		if of.text == "" {
			continue
		}
		if *of.to, err = plots.ParseLength(of.text); err != nil {
			return v, fmt.Errorf("--%s: %w", flag, err)
		}
	}
	return v.Over(file), nil
}

// named reads --labels: pairs of a name and what it is called.
func named(pairs []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--labels %q: not of the form name=text", pair)
		}
		labels[name] = text
	}
	return labels, nil
}

func (c *command) runPlot(path string, f plotFlags, view plots.View) error {
	if f.out == "" {
		return fmt.Errorf("--out FILE is needed: the name of a .pdf, .svg or .png")
	}
	format := strings.TrimPrefix(filepath.Ext(f.out), ".")
	if !slices.Contains(plots.Formats, format) {
		return fmt.Errorf("--out %s: the name must end in %s", f.out, strings.Join(plots.Formats, ", "))
	}
	if filepath.Base(f.out) == "."+format {
		return fmt.Errorf("--out %s: a name before .%s is needed", f.out, format)
	}
	if f.data != "" && filepath.Ext(f.data) != ".csv" {
		return fmt.Errorf("--data %s: the name must end in csv", f.data)
	}
	view.Name = strings.TrimSuffix(filepath.Base(f.out), "."+format)
	f.table = view.Table
	rows, err := c.plotted(path, f, &view)
	if err != nil {
		return err
	}
	figure, err := plots.Draw(rows, view, papers.Styles())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data, err := figure.Encode(format)
	if err != nil {
		return err
	}
	if err := output.WriteFile(f.out, data); err != nil {
		return writing(err)
	}
	return f.writeData(figure)
}

// plotted reads the rows of a figure: those of a result table or, of the completions of a
// run, the metrics of single jobs, or of its placements the loads of servers.
func (c *command) plotted(path string, f plotFlags, view *plots.View) ([]results.Row, error) {
	if file, ok := f.placements(path, *view); ok {
		return placementRows(file, view)
	}
	file, ok := f.completions(path)
	if !ok {
		return f.read(path)
	}
	if err := sealed.CheckFile(file); err != nil {
		return nil, err
	}
	rows, refused, err := run.CompletionRows(file, view.Columns())
	if err != nil {
		return nil, err
	}
	if refused > 0 {
		fmt.Fprintf(c.Err, "%s: %d job(s) that were refused under a rule are not drawn\n", file, refused)
	}
	return rows, nil
}

// placements returns the file of who ran where, if that is what is to be drawn.
func (f *plotFlags) placements(path string, view plots.View) (file string, ok bool) {
	if filepath.Base(path) == placementsFile {
		return path, true
	}
	wanted := f.table+".parquet" == placementsFile || f.table == "" && view.Form == plots.Placements
	return filepath.Join(path, placementsFile), wanted
}

// placementRows reads the loads of servers, and takes what is said of that from the view.
func placementRows(file string, view *plots.View) ([]results.Row, error) {
	view.Form = cmp.Or(view.Form, plots.Placements)
	of := run.PlacementView{Where: view.Where, Who: cmp.Or(view.Color, "user")}
	if len(view.Policies) > 0 && view.Where[plots.Policy] == "" {
		of.Where = maps.Clone(view.Where)
		if of.Where == nil {
			of.Where = map[string]string{}
		}
		of.Where[plots.Policy] = strings.Join(view.Policies, ",")
	}
	switch of.Who {
	case "user", "job_id", "tenant":
	case "load":
		of.Who = ""
	default:
		return nil, fmt.Errorf("--color %s: placements are coloured by user, tenant, job_id or load", of.Who)
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there: leontief simulate --placements writes it", file)
	}
	if err := sealed.CheckFile(file); err != nil {
		return nil, err
	}
	view.Color, view.Where = "", nil
	return run.PlacementRows(file, of)
}

// writeData writes the numbers of a figure and the scripts that draw them.
func (f *plotFlags) writeData(figure plots.Figure) error {
	if f.data == "" {
		return nil
	}
	base := strings.TrimSuffix(f.data, ".csv")
	csv := filepath.Base(f.data)
	for name, data := range map[string][]byte{
		f.data: figure.CSV(), base + ".tex": figure.PGFPlots(), base + ".py": figure.Matplotlib(csv),
	} {
		if err := output.WriteFile(name, data); err != nil {
			return writing(err)
		}
	}
	return nil
}
