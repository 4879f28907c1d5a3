package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/stream"
	"github.com/leontief-sim/leontief/traces"
)

// The files of a simulation beside the manifest.
const (
	resultsFile     = "results.parquet"
	completionsFile = "completions.parquet"
	seriesFile      = "series.parquet" // with --series
	summaryFile     = "summary.txt"
)

// draw samples the jobs and synthesises their bandwidth. Jobs that need
// nothing of what the cluster has are left out and counted.
func (s *simulation) draw() error {
	parts := func(name string) []any {
		return []any{"simulate", s.seed, s.population.Label, s.simulateFlags.jobs, 0, name}
	}
	s.jobs = s.population.Jobs
	if n := s.simulateFlags.jobs; n != 0 {
		var err error
		if s.jobs, err = traces.Sample(stream.New(parts("jobs")...), s.jobs, n); err != nil {
			return fmt.Errorf("--jobs: %w", err)
		}
	}
	mhz := s.bandwidth().Synthesize(stream.New(parts("bandwidth")...), s.jobs)
	s.leaveOut(mhz)
	if len(s.jobs) == 0 {
		return fmt.Errorf("%s: no job can run on the cluster of %s: %s", s.population.Source, s.simulateFlags.cluster, s.leftOut())
	}
	return nil
}

// The reasons for which a job is not run.
const (
	needsNothing = "needs nothing that the cluster has"
	tooLarge     = "one task is larger than every server"
)

// leaveOut drops and counts the jobs that need nothing of the cluster's
// resources and links, and those of which one task is larger than every
// server: the fluid model could run a part of such a task, no server can.
func (s *simulation) leaveOut(mhz []float64) {
	links := len(s.cluster.Links) > 0
	var kept []traces.Job
	for i := range s.jobs {
		needs, fits := run.Fit(&s.jobs[i], s.cluster)
		switch {
		case !needs && !(links && mhz[i] > 0):
			s.population.LeftOut[needsNothing]++
			continue
		case !fits:
			s.population.LeftOut[tooLarge]++
			continue
		}
		kept = append(kept, s.jobs[i])
		if links {
			s.mhz = append(s.mhz, mhz[i])
		}
	}
	s.jobs = kept
}

// leftOut lists how many jobs are not run, and why.
func (s *simulation) leftOut() string {
	var parts []string
	for _, reason := range sortedKeys(s.population.LeftOut) {
		parts = append(parts, fmt.Sprintf("%d jobs: %s", s.population.LeftOut[reason], reason))
	}
	return strings.Join(parts, "; ")
}

// rows returns the result table: one row a policy and metric.
func (s *simulation) rows(outcomes []*run.Outcome) []results.Row {
	var rows []results.Row
	for i := range s.policies {
		for _, m := range append(outcomes[i].Measures, s.refusedJobs(outcomes[i])) {
			row := s.like(i)
			row.Metric, row.Value, row.Unit = m.Metric, m.Value, results.UnitOf(m.Metric)
			rows = append(rows, row)
		}
	}
	return rows
}

// like is what all rows of policy i have in common.
func (s *simulation) like(i int) results.Row {
	at := map[string]results.Value{"n": results.OfInt(int64(len(s.jobs))), run.IgnoreName: results.OfText(strings.Join(s.ignore, "+"))}
	if len(s.cluster.Links) == 1 {
		at["bandwidth_mhz"] = results.OfFloat(s.cluster.Links[0].Capacity)
	}
	return results.Row{Experiment: "simulate", Item: "run", Policy: s.policies[i], Point: results.NewPoint(at), Workload: s.population.Mark()}
}

// writeSeries writes what happens over time, if that was asked for.
func (s *simulation) writeSeries(folder *store.Folder) error {
	if s.courses == nil {
		return nil
	}
	names := make([]string, len(s.jobs))
	for j := range s.jobs {
		names[j] = s.jobs[j].ID
	}
	var rows []results.Row
	for i, course := range s.courses {
		rows = append(rows, course.Rows(s.like(i), names)...)
	}
	return results.WriteTable(folder.Claim(seriesFile), rows, nil)
}

// refused counts the jobs that can not run: those too large for every server,
// and those that the replay refused.
func (s *simulation) refused(o *run.Outcome) int {
	return s.population.LeftOut[tooLarge] + o.Refused
}

func (s *simulation) refusedJobs(o *run.Outcome) run.Measure {
	return run.Measure{Metric: results.MetricRefused, Value: float64(s.refused(o))}
}

// mostRows is the number of server classes' resources of which a summary shows
// the utilization.
const mostRows = 24

// summary returns the text that is printed: metrics in rows, policies in
// columns.
func (s *simulation) summary(outcomes []*run.Outcome) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "workload  %s: %d of %d jobs\n", s.population.Mark(), len(s.jobs), len(s.population.Jobs))
	if len(s.population.LeftOut) > 0 {
		fmt.Fprintf(&b, "left out  %s\n", s.leftOut())
	}
	fmt.Fprintf(&b, "cluster   %s\n\n", s.simulateFlags.cluster)
	table := text.Table{Header: append([]string{"metric"}, s.policies...)}
	for range s.policies {
		table.Align = append(table.Align[:len(table.Align):len(table.Align)], text.Right)
	}
	table.Align = append([]text.Align{text.Left}, table.Align...)
	hidden := s.cluster.LinkRow(0) > mostRows
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
		fmt.Fprintf(&b, "\nThe utilization of each of %d servers is in %s.\n", len(s.cluster.Servers), resultsFile)
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
	table := text.Table{Header: append([]string{"less " + s.policies[0]}, s.policies[1:]...), Align: []text.Align{text.Left}}
	for range s.policies[1:] {
		table.Align = append(table.Align, text.Right)
	}
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
		if m.Metric == metric {
			return m, true
		}
	}
	return run.Measure{}, false
}

// shown writes a value in a cell: a count as it is, all else with four decimals.
func shown(value float64, metric string) string {
	if results.UnitOf(metric) == results.UnitRatio {
		return fmt.Sprintf("%.4f", value)
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
			if !slices.Contains(names, m.Metric) {
				names = append(names, m.Metric)
			}
		}
	}
	return append(names, results.MetricRefused)
}

// valueOf writes a metric of an outcome in a cell; empty if it has none.
func (s *simulation) valueOf(o *run.Outcome, metric string) string {
	if metric == results.MetricRefused {
		return fmt.Sprint(s.refused(o))
	}
	m, ok := measured(o, metric)
	if !ok {
		return ""
	}
	return shown(m.Value, metric)
}

// write writes the output folder.
func (s *simulation) write(outcomes []*run.Outcome, summary []byte, timing store.Timing) error {
	manifest, err := s.manifest()
	if err != nil {
		return err
	}
	folder, err := store.OpenFolder(s.out, manifest)
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error { return results.WriteTable(folder.Claim(resultsFile), s.rows(outcomes), nil) },
		func() error {
			return run.WriteCompletions(folder.Claim(completionsFile), &s.population.Workload, s.cases(), outcomes)
		},
		func() error { return s.writeSeries(folder) },
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
	manifest, err := s.manifest()
	if err != nil || s.force {
		return internal(err)
	}
	return store.CheckRun(s.out, manifest)
}

// manifest says how the results are made.
func (s *simulation) manifest() (store.Manifest, error) {
	spec, err := s.spec()
	return store.NewManifest("simulate", s.seed, spec, s.population.Workload), err
}

// spec is the description of the run in the manifest.
func (s *simulation) spec() (any, error) {
	var env bytes.Buffer
	if err := cluster.WriteEnvironment(&env, s.cluster); err != nil {
		return nil, err
	}
	return struct {
		Policies  []string         `json:"policies"`
		Metrics   []string         `json:"metrics"`
		Jobs      int              `json:"jobs"` // 0: all
		Ignore    []string         `json:"ignore,omitempty"`
		Cluster   json.RawMessage  `json:"cluster"`
		Bandwidth traces.Bandwidth `json:"bandwidth"`
		Tasks     *wholeSpec       `json:"tasks,omitempty"`
		SeriesS   float64          `json:"series_s,omitempty"`
	}{s.policies, s.metrics, s.simulateFlags.jobs, s.ignore, env.Bytes(), s.bandwidth(), s.wholeFlags.spec(), s.series.Seconds()}, nil
}
