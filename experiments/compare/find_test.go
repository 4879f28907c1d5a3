package compare

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces"
)

// tenDays is a study of ten jobs, one a day at noon, of two tenants: under fifo each takes
// 100 s and 50 s alone, under "late" the even ones take 20 s longer, under "same" all as
// under fifo.
func tenDays(t *testing.T) *Study {
	c := run.Case{Cluster: cpus(1)}
	for i := range 10 {
		c.Jobs = append(c.Jobs, traces.Job{ID: fmt.Sprint("j", i), SubmitUS: int64(i)*int64(Day) + int64(Day)/2, DurationUS: 50e6, Tasks: 1, CPU: 1, User: []string{"even", "odd"}[i%2]})
	}
	s := &Study{Case: c, Workload: workload(t, &c), Block: Day, Whole: true, Seed: 1}
	for _, rule := range []struct {
		name  string
		later event.Time
	}{{"fifo", 0}, {"late", 20 * second}, {"same", 0}} {
		r := Rule{Policy: rule.name, Watch: NewWatch(s.Workload, nil, false)}
		for i := range c.Jobs {
			at := event.Time(c.Jobs[i].SubmitUS)
			f := sim.JobResult{Arrival: at, FirstStart: at + 50*second, Completion: at + 100*second, Standalone: 50e6}
			if i%2 == 0 {
				f.Completion += rule.later
			}
			r.Fates = append(r.Fates, f)
		}
		s.Rules = append(s.Rules, r)
	}
	return s
}

func TestWhatIsFoundOfTenDays(t *testing.T) {
	f := tenDays(t).Find()
	if !slices.Equal(f.Same, []int{0, 1, 0}) {
		t.Errorf("the same are %v", f.Same)
	}
	want := map[string][2]float64{ // under fifo and late
		"mean_waiting_time": {50, 50}, "mean_completion_time": {100, 110},
		"mean_bounded_slowdown": {2, 2.2}, "jct_factor": {0.5, (0.5 + 50.0/120) / 2},
	}
	for _, v := range f.Values {
		for i := range 2 {
			if w, known := want[v.Metric]; known && math.Abs(v.Of[i].Value-w[i]) > 1e-12 {
				t.Errorf("%s under %s is %v, want %v", v.Metric, f.Rules[i].Policy, v.Of[i].Value, w[i])
			}
		}
	}
	// Ten days with differences 20, 0, 20, …: their mean is 10, and 10 ± 10 s is more than
	// two errors of 3.3 s.
	less := f.Values[1].Less[1]
	if less.Value != 10 || !less.Bounded || less.Low <= 0 || less.High >= 20 || math.Abs(less.Low+less.High-20) > 2 {
		t.Errorf("later by %+v", less)
	}
	if same := f.Values[1].Less[2]; same.Low != 0 || same.High != 0 || !same.Bounded {
		t.Errorf("the same differs by %+v", same)
	}
	for _, g := range f.Groups {
		if want := map[string]float64{"even": 0.2, "odd": 0}[g.Name]; g.Jobs != 5 || math.Abs(g.Change[1].Value-want) > 1e-12 || g.Change[1].Bounded {
			t.Errorf("%s: %+v; five days are too few for an interval", g.Name, g.Change[1])
		}
	}
	if len(f.Sizes) != 1 || f.Sizes[0].Name != "<1e2" || math.Abs(f.Sizes[0].Change[1].Value-0.1) > 1e-12 {
		t.Errorf("%+v", f.Sizes)
	}
	// 500 task-seconds from noon of the first day to that of the tenth, and 100 s.
	if work, want := f.Prices[0].Work, 500/(9*86400.0+100); math.Abs(work-want) > 1e-15 {
		t.Errorf("%v task-seconds a second, want %v", work, want)
	}
}

// Two jobs of ten tasks of a core share four cores for a moment. Under "uneven" a has three
// and b one: b could run three with what a has, so its EF-SAT is 1/3; half of the cluster
// would be two, so its SI-SAT is 1/2; and Jain's index is (3+1)²/(2·(9+1)) = 0.8. Under
// "even" each has two, and all three are 1.
func TestEachValueOfMomentsIsItsOwn(t *testing.T) {
	c := run.Case{Cluster: cpus(4)}
	for _, id := range []string{"a", "b"} {
		c.Jobs = append(c.Jobs, traces.Job{ID: id, Tasks: 10, DurationUS: 20e6, CPU: 1})
	}
	s := &Study{Case: c, Workload: workload(t, &c), Block: Day, Whole: true, Seed: 1}
	for i, started := range [][]int{{0, 0, 1, 1}, {0, 0, 0, 1}} {
		r := Rule{Policy: []string{"even", "uneven"}[i], Watch: NewWatch(s.Workload, []event.Time{5 * second}, false)}
		for _, job := range started {
			r.Event(&whole.Event{Kind: whole.TaskStart, Job: job})
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r.Fates = slices.Repeat([]sim.JobResult{{Completion: event.Time(50+i) * second, Standalone: 50e6}}, 2)
		s.Rules = append(s.Rules, r)
	}
	f := s.Find()
	want := map[string][2]float64{MetricUsed + ":cpu": {1, 1}, MetricEFSat: {1, 1.0 / 3}, MetricSISat: {1, 0.5}, MetricJain: {1, 0.8}}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }
	found := 0
	for _, v := range f.Values {
		w, of := want[v.Metric]
		if !of {
			continue
		}
		found++
		if !v.Moments || !near(v.Of[0].Value, w[0]) || !near(v.Of[1].Value, w[1]) || !near(v.Less[1].Value, w[1]-w[0]) {
			t.Errorf("%s: %v, less by %v; want %v", v.Metric, v.Of, v.Less, w)
		}
	}
	for _, row := range f.momentRows(results.Row{}) {
		w, of := want[row.Metric]
		if !of {
			continue
		}
		found++
		if one := w[slices.Index([]string{"even", "uneven"}, row.Policy)]; !near(row.Value, one) {
			t.Errorf("%s under %s is %v, want %v", row.Metric, row.Policy, row.Value, one)
		}
	}
	if found != 3*len(want) {
		t.Errorf("%d values were compared, want %d", found, 3*len(want))
	}
}

func TestThePriceOfFairness(t *testing.T) {
	s := tenDays(t)
	s.Rules[1].Policy = MostTasks
	s.Rules[1].Fates[9].Completion += 9 * Day
	for i := range s.Rules {
		for k := range 10 {
			m := Moment{At: event.Time(s.Case.Jobs[k].SubmitUS), Present: 1, Tasks: float64(1 + i), BestTasks: 4, Used: []float64{1}, Resources: []float64{1}}
			if k == 0 {
				m.Normalised, m.BestFair = 0.5, 1
			}
			s.Rules[i].Moments = append(s.Rules[i].Moments, m)
		}
	}
	f := s.Find()
	p := f.Prices[0]
	if p.Tasks.Value != 0.75 || p.Fair.Value != 0.5 || p.Moments != 1 || f.Prices[1].Tasks.Value != 0.5 {
		t.Errorf("%+v", p)
	}
	if f.Prices[1].Against[0] != 0 || !math.IsNaN(p.Against[1]) || math.Abs(p.Against[0]-(1-(18*86400.0+100)/(9*86400+100))) > 1e-12 {
		t.Errorf("%v and %v", p.Against, f.Prices[1].Against)
	}
	if c := f.Scarce[0]; c.Name != "big/cpu" || c.UsedUp != 10 || c.Priced != 0 {
		t.Errorf("%+v", c)
	}
	table := f.priceSection()
	if !slices.Equal(table.Head[2:], []string{"less than utilitarian's", "tasks less than utilitarian", "shares less than cru"}) || table.Rows[0][3] != "75.0% [75.0%, 75.0%]" {
		t.Errorf("%v\n%v", table.Head, table.Rows)
	}
}

func TestPropertiesInWords(t *testing.T) {
	s := tenDays(t)
	w := s.Rules[1].Watch
	w.Allocations = 40
	w.Seen[envyFree] = Seen{Looked: 20, Violated: 5, Time: 100, Bad: 25, Worst: &Violation{At: 7500000, Value: 0.5, User: "j1", Of: "j2", Says: "j1 envies j2"}}
	w.Seen[sharing] = Seen{Looked: 20, Time: 100}
	f := s.Find()
	page := f.propertiesSection()
	want := [][]string{
		{"late", "EF", "no claim", "5 of 20 (of 40)", "25.0%", "7.5", "j1 envies j2"},
		{"late", "SI", "no claim", "0 of 20 (of 40)", "", "", ""},
	}
	if !slices.EqualFunc(page.Rows, want, slices.Equal) {
		t.Errorf("%q", page.Rows)
	}
	if !slices.ContainsFunc(page.Notes, func(n string) bool { return strings.Contains(n, "every p²-th") }) {
		t.Errorf("%q", page.Notes)
	}
	of := map[string]float64{}
	for _, row := range f.violationRows(results.Row{}) {
		of[row.Metric] = row.Value
	}
	if of["allocations_violated:EF"] != 5 || of["allocations_looked_at:EF"] != 20 || of["allocations:EF"] != 40 || of["time_violated:EF"] != 0.25 || of["moments_min_ef_sat"] != 0.5 {
		t.Errorf("%v", of)
	}
}

func TestClaimsAreThoseOfThePapers(t *testing.T) {
	for _, of := range []struct {
		rule     string
		property policies.Property
		features cluster.Feature
		whole    bool
		want     string
	}{
		{"drfh", policies.EF, 0, false, "guaranteed"},
		{"drfh", policies.EF, 0, true, "claimed for divisible tasks"},
		{"drfh", policies.SI, 0, false, "said to lack it"},
		{"fifo", policies.EF, 0, true, "no claim"},
		{"no[such=rule", policies.EF, 0, true, "no claim"},
	} {
		if got := claim(of.rule, of.property, of.features, of.whole); got != of.want {
			t.Errorf("%s %s: %q, want %q", of.rule, of.property, got, of.want)
		}
	}
}

func TestSectionsOnATerminal(t *testing.T) {
	f := tenDays(t).Find()
	var b bytes.Buffer
	if err := WriteText(&b, f.Sections()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"The smallest mean bounded slowdown has fifo: 2, the baseline.",
		"fifo (and 1 more)  50       100         2                 0.5\n",
		"late               50       110*        2.2*              0.4583*\n",
		"even    5     +20.0%\n",
		"each, 10 of 10 with jobs)",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error(b.String())
	}
}

func TestBlocksOfJobs(t *testing.T) {
	s := tenDays(t)
	if got := BlockOf(&s.Case); got != Day {
		t.Errorf("a block of %v", got)
	}
	s.Case.Jobs[9].SubmitUS = int64(11 * Week)
	if got := BlockOf(&s.Case); got != Week {
		t.Errorf("a block of %v", got)
	}
	times := TimesOf(&run.Case{Jobs: []traces.Job{{SubmitUS: 10e6}, {SubmitUS: 0}}}, 4)
	if !slices.Equal(times, []event.Time{1e6, 3e6, 6e6, 8e6}) {
		t.Errorf("%v", times)
	}
}
