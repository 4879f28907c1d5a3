package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/experiments/sweeps"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/traces"
)

// The files of a simulation beside the manifest.
const (
	resultsFile     = "results.parquet"
	completionsFile = "completions.parquet"
	seriesFile      = "series.parquet"     // with --series
	placementsFile  = "placements.parquet" // with --placements
	summaryFile     = "summary.txt"
)

// draw draws the jobs and counts those that can not run.
func (s *simulation) draw() (err error) {
	if s.drawn, s.left, err = s.Draw(0); err != nil {
		return fmt.Errorf("--jobs: %w", err)
	}
	met := *s.Population // which other runs share
	met.Notes = slices.Concat(met.Notes, s.machines)
	met.LeftOut = maps.Clone(met.LeftOut)
	if s.trace != "" {
		met.File = filepath.Base(s.trace)
	}
	for reason, jobs := range s.left {
		met.LeftOut[reason] += jobs
	}
	s.Population = &met
	if s.drawn.Len() == 0 {
		return fmt.Errorf("%s: no job can run on the cluster of %s: %s", s.Population.Source, s.cluster, s.leftOut())
	}
	return nil
}

// leftOut lists how many jobs are not run, and why.
func (s *simulation) leftOut() string {
	var parts []string
	for _, reason := range sortedKeys(s.Population.LeftOut) {
		parts = append(parts, fmt.Sprintf("%d jobs: %s", s.Population.LeftOut[reason], reason))
	}
	return strings.Join(parts, "; ")
}

// rows returns the result table: one row a policy and metric.
func (s *simulation) rows(outcomes []*run.Outcome) []results.Row {
	var rows []results.Row
	for i, o := range outcomes {
		for _, row := range s.Rows(o) {
			rows = append(rows, s.complete(row, i))
		}
	}
	return rows
}

// complete says of a row that it is of policy i of this command.
func (s *simulation) complete(row results.Row, i int) results.Row {
	row.Experiment, row.Item, row.Policy = s.what, "run", s.policies[i]
	row.Point = row.Point.With(run.IgnoreName, results.OfText(strings.Join(s.Ignore, "+")))
	if s.tenants() {
		row.Point = row.Point.With("users", results.OfText("tenant"))
	}
	if row.Metric != "" {
		row.Unit = results.UnitOf(row.Metric)
	}
	return row
}

// writeSeries writes what happens over time, if that was asked for.
func (s *simulation) writeSeries(folder *store.Folder) error {
	if s.courses == nil {
		return nil
	}
	names := make([]string, len(s.drawn.Jobs))
	for j := range s.drawn.Jobs {
		names[j] = s.drawn.Jobs[j].ID
	}
	var rows []results.Row
	for i, course := range s.courses {
		rows = append(rows, course.Rows(s.complete(s.Row(), i), names)...)
	}
	return results.WriteTable(folder.Claim(seriesFile), rows, nil)
}

// writePlacements writes who ran where, if that was asked for.
func (s *simulation) writePlacements(folder *store.Folder, outcomes []*run.Outcome) error {
	if s.placed == nil {
		return nil
	}
	return run.WritePlacements(folder.Claim(placementsFile), &s.Population.Workload, s.cases(), outcomes)
}

// discard removes what was kept of who ran where and of what became of jobs, and closes
// the file of these.
func (s *simulation) discard() {
	for _, p := range s.placed {
		p.Discard()
	}
	for _, o := range s.outcomes {
		o.Discard()
	}
	if s.Population.Jobs == nil {
		sweeps.Forget(s.workloadValue)
	}
	_ = s.Population.Close() // it was read
}

// mostRows is the number of server classes' resources of which a summary shows
// the utilization.
const mostRows = 24

// summary returns the text that is printed: metrics in rows, policies in
// columns.
func (s *simulation) summary(outcomes []*run.Outcome) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "workload  %s: %d of %d jobs\n", s.Population.Mark(), s.drawn.Len(), s.Population.Len())
	if len(s.Population.LeftOut) > 0 {
		fmt.Fprintf(&b, "left out  %s\n", s.leftOut())
	}
	fmt.Fprintf(&b, "cluster   %s\n\n", s.cluster)
	table := text.Numbers("metric", s.policies...)
	hidden := s.Cluster.LinkRow(0) > mostRows
	for _, metric := range metricsOf(outcomes) {
		if hidden && strings.HasPrefix(metric, results.MetricMeanUtilization) && strings.Contains(metric, "/") {
			continue
		}
		cells := []string{metric}
		for _, o := range outcomes {
			cells = append(cells, s.valueOf(o, metric))
		}
		table.Rows = append(table.Rows, cells)
	}
	if err := table.WriteText(&b); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	s.differences(&b, outcomes)
	if hidden {
		fmt.Fprintf(&b, "\nThe utilization of each of %d servers is in %s.\n", len(s.Cluster.Servers), resultsFile)
	}
	s.notes(&b, outcomes)
	return b.Bytes()
}

// differences writes how far each policy is from the first, metric by metric but
// for utilization. All faced the same jobs. It is one run, so that no interval
// can be given.
func (s *simulation) differences(b *bytes.Buffer, outcomes []*run.Outcome) {
	if len(s.policies) < 2 {
		return
	}
	table := text.Numbers("less "+s.policies[0], s.policies[1:]...)
	for _, metric := range metricsOf(outcomes) {
		first, ok := measured(outcomes[0], metric)
		if !ok || metric == results.MetricPooled || strings.HasPrefix(metric, results.MetricMeanUtilization) {
			continue
		}
		cells := []string{metric}
		for _, o := range outcomes[1:] {
			text := ""
			if v, ok := measured(o, metric); ok {
				text = shown(v.Value-first.Value, metric)
				if !strings.HasPrefix(text, "-") {
					text = "+" + text
				}
			}
			cells = append(cells, text)
		}
		table.Rows = append(table.Rows, cells)
	}
	fmt.Fprintln(b)
	if err := table.WriteText(b); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
}

// measured finds a metric of an outcome.
func measured(o *run.Outcome, metric string) (run.Measure, bool) {
	for _, m := range o.Measures {
		if m.Metric == metric && m.User == "" {
			return m, true
		}
	}
	return run.Measure{}, false
}

// shown writes a value in a cell: a count as it is, a time with one decimal, a
// rate with four digits, a ratio with four decimals.
func shown(value float64, metric string) string {
	switch unit := results.UnitOf(metric); {
	case unit == results.UnitRatio:
		return fmt.Sprintf("%.4f", value)
	case unit == results.UnitSeconds:
		return fmt.Sprintf("%.1f", value)
	case strings.HasSuffix(unit, "/h"):
		return fmt.Sprintf("%.4g", value)
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// notes says below the table what has to be known to read it.
func (s *simulation) notes(b *bytes.Buffer, outcomes []*run.Outcome) {
	for i, o := range outcomes {
		if o.Pooled > 0 {
			fmt.Fprintf(b, "\n%s divides %d servers as if they were one. The servers themselves may not be able to do what\nit allocates: its JCT factor can exceed 1.\n", s.policies[i], o.Pooled)
		}
		if o.BeyondClock > 0 {
			fmt.Fprintf(b, "\n%s: of the jobs refused, %d would be done only beyond the clock (292,000 years).\n", s.policies[i], o.BeyondClock)
		}
	}
}

// metricsOf returns the metrics of all outcomes in the order in which they
// appear. They differ where a rule allocates from another cluster (drf pools
// the servers).
func metricsOf(outcomes []*run.Outcome) []string {
	var names []string
	for _, o := range outcomes {
		for _, m := range o.Measures {
			if m.User == "" && !slices.Contains(names, m.Metric) {
				names = append(names, m.Metric)
			}
		}
	}
	return names
}

// valueOf writes a metric of an outcome in a cell; empty if it has none.
func (s *simulation) valueOf(o *run.Outcome, metric string) string {
	m, ok := measured(o, metric)
	if !ok {
		return ""
	}
	return shown(m.Value, metric)
}

// write writes the output folder, and more into it.
func (s *simulation) write(outcomes []*run.Outcome, summary []byte, timing store.Timing, more func(*store.Folder) error) error {
	manifest := s.manifest()
	folder, err := store.OpenFolder(s.out, manifest)
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error { return results.WriteTable(folder.Claim(resultsFile), s.rows(outcomes), nil) },
		func() error {
			return run.WriteCompletions(folder.Claim(completionsFile), &s.Population.Workload, s.cases(), outcomes)
		},
		func() error { return s.writeSeries(folder) },
		func() error { return s.writePlacements(folder, outcomes) },
		func() error { return more(folder) },
		func() error { return folder.Write(summaryFile, summary) },
		func() error { return folder.WriteJSON(store.TimingFile, timing) },
		func() error { return folder.Close(manifest) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkRun refuses to write over the results of another run.
func (s *simulation) checkRun() error {
	if s.force {
		return nil
	}
	return store.CheckRun(s.out, s.manifest())
}

// manifest says how the results are made.
func (s *simulation) manifest() store.Manifest {
	return store.NewManifest(s.what, s.seed, s.spec(), s.Population.Workload)
}

// spec is the description of the run in the manifest.
func (s *simulation) spec() any {
	return struct {
		Policies  []string         `json:"policies"`
		Metrics   []string         `json:"metrics"`
		Jobs      int              `json:"jobs"` // 0: all
		Ignore    []string         `json:"ignore,omitempty"`
		Tenants   bool             `json:"tenants,omitempty"`
		Cluster   json.RawMessage  `json:"cluster"`
		Bandwidth traces.Bandwidth `json:"bandwidth"`
		Tasks     map[string]any   `json:"tasks,omitempty"`
		SeriesS   float64          `json:"series_s,omitempty"`
		Placed    bool             `json:"placements,omitempty"`
		// Rules are the policies that are programs.
		Rules map[string]*policies.Program `json:"rules,omitempty"`
	}{s.policies, s.metrics, s.jobs, s.Ignore, s.tenants(), s.environment.Bytes(), s.Bandwidth, s.modelFlags.spec(), s.series.Seconds(), s.placements, programsOf(s.policies)}
}
