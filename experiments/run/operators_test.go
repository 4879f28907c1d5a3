package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/metrics"
	"github.com/leontief-sim/leontief/traces"
)

// operators are the measurements that operators ask for.
var operators = []string{Waiting, Slowdown, Throughput, Jain}

// byName holds measures by metric and user.
func byName(t *testing.T, all []Measure) map[string]float64 {
	t.Helper()
	named := map[string]float64{}
	for _, m := range all {
		key := m.Metric + " " + m.User
		if _, twice := named[key]; twice {
			t.Errorf("%s is measured twice", key)
		}
		if info, err := results.MetricNamed(m.Metric); err != nil || m.Value < info.Low || m.Value > info.High {
			t.Errorf("%s is %g (%v)", key, m.Value, err)
		}
		named[key] = m.Value
	}
	return named
}

// One server of 2 cpu under FIFO. a's two tasks run from 0 to 100 s; b's four of 5 s wait
// for them and run in pairs, from 100 to 105 and from 105 to 110 s.
func TestOperatorsMetricsAreKnown(t *testing.T) {
	c := Case{Policy: FIFO, Want: operators, Cluster: &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{2}, Count: 1}}},
		Jobs: []traces.Job{{ID: "a", Tasks: 2, DurationUS: 100e6, CPU: 1}, {ID: "b", SubmitUS: 40e6, Tasks: 4, DurationUS: 5e6, CPU: 1}}}
	_, _, out := placementsOf(t, c, &WholeTasks{})
	got := byName(t, out.Measures)
	// b: completed after 70 s, alone after 10 s. Jain: 40 s of a alone, 60 s of a with
	// all and b with nothing, 10 s of b alone.
	want := map[string]float64{
		"mean_waiting_time ": 30, "p50_waiting_time ": 30, "p95_waiting_time ": 57, "p99_waiting_time ": 59.4,
		"p50_waiting_time:size <1e2": 60, "p50_waiting_time:size 1e2-1e3": 0, "mean_slowdown ": 4, "p95_slowdown ": 1 + .95*6, "mean_bounded_slowdown:size <1e2": 7,
		"mean_task_waiting_time ": (60 + 60 + 65 + 65) / 6., "makespan ": 110, "job_throughput ": 2 / 110. * 3600, "task_throughput ": 6 / 110. * 3600,
		"jobs_served ": 2, "jobs_served:size 1e2-1e3": 1, "jain_index ": (40 + 60*.5 + 10) / 110,
	}
	for key, v := range want {
		if g, ok := got[key]; !ok || math.Abs(g-v) > 1e-9*v {
			t.Errorf("%s is %g (measured: %v), want %g", key, g, ok, v)
		}
	}
	// A fluid job of 1 s alone in the cluster: its slowdown is 1, however short it is, and
	// one that shares it with another of its kind takes at most twice as long.
	c.Jobs, c.Policy = []traces.Job{{ID: "a", Tasks: 2, DurationUS: 1e6, CPU: 1}, {ID: "b", Tasks: 2, DurationUS: 1e6, CPU: 1}}, "drfh"
	_, _, out = placementsOf(t, c, nil)
	got = byName(t, out.Measures)
	for key, v := range map[string]float64{"mean_slowdown ": 2, "p99_bounded_slowdown ": 1, "mean_waiting_time ": 0, "jain_index ": 1, "makespan ": 2} {
		if g, ok := got[key]; !ok || math.Abs(g-v) > 1e-6 {
			t.Errorf("fluid: %s is %g (measured: %v), want %g", key, g, ok, v)
		}
	}
	if _, there := got["mean_task_waiting_time "]; there {
		t.Error("fluid tasks wait one by one")
	}
}

// All of it, recomputed from the written tables alone: exact quantiles of what became of
// the jobs and of the first runs of tasks, and the shares of who ran when.
func TestOperatorsMetricsAreThoseOfTheTables(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 13))
	for k, of := range []struct {
		policy string
		tasks  *WholeTasks
	}{{"tsf-er", &WholeTasks{}}, {FIFO, &WholeTasks{Slot: 7e6}}, {"mnw", &WholeTasks{Slot: 5e6}}, {"drfh", &WholeTasks{Slot: 2e6, SuspendedLast: true}}, {"tsf-er", nil}, {"mnw", nil}, {"per-machine-drf", nil}} {
		c := randomCase(random, of.policy)
		c.Want, c.Tenants = operators, k%2 == 0
		for i := range c.Jobs {
			c.Jobs[i].User = []string{"", "ann", "bob", "bob"}[i%4]
			c.Jobs[i].Weight = []float64{1, 1, 2.5, 2.5}[i%4]
			c.Jobs[i].DurationUS = 1 + int64(math.Pow(10, 9*random.Float64()))
		}
		done, where, out := placementsOf(t, c, of.tasks)
		name := fmt.Sprintf("%d, %s, whole %v", k, of.policy, of.tasks != nil)
		got := byName(t, out.Measures)
		want := map[string]float64{"jain_index ": jainOf(&c, done, where)}
		wait, slow, bounded, tasks := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
		first, last, n := int64(math.MaxInt64), int64(0), 0.0
		for i, d := range done {
			jct := float64(*d.CompletionUS-d.SubmitUS) / 1e6
			first, last, n = min(first, d.SubmitUS), max(last, *d.CompletionUS), n+float64(d.Tasks)
			groups := []string{" ", ":size " + decadeOf(d)}
			if user := c.Jobs[i].User; user != "" {
				groups = append(groups, ":tenant "+user)
			}
			for _, g := range groups {
				wait[g] = append(wait[g], float64(*d.FirstStartUS-d.SubmitUS)/1e6)
				slow[g] = append(slow[g], 1 / *d.JCTFactor)
				bounded[g] = append(bounded[g], math.Max(1, jct/math.Max(*d.StandaloneUS/1e6, 10)))
				for task := range d.Tasks {
					if at, ran := firstRun(where, d.JobID, task); ran {
						tasks[g] = append(tasks[g], float64(at-d.SubmitUS)/1e6)
					}
				}
				want["jobs_served"+g]++
			}
		}
		for of, values := range map[string]map[string][]float64{"waiting_time": wait, "slowdown": slow, "bounded_slowdown": bounded} {
			expect(want, of, values)
		}
		span := float64(last-first) / 1e6
		want["makespan "], want["job_throughput "], want["task_throughput "] = span, float64(len(done))/span*3600, n/span*3600
		for key, v := range want {
			if g, ok := got[key]; !ok || math.Abs(g-v) > 1e-9*max(v, 1) {
				t.Errorf("%s: %s is %.12g (measured: %v), the tables say %.12g", name, key, g, ok, v)
			}
		}
		ofTasks := map[string]float64{}
		expect(ofTasks, "task_waiting_time", tasks)
		for key, v := range ofTasks {
			if g, ok := got[key]; !ok || math.Abs(g-v) > metrics.HistogramError*v {
				t.Errorf("%s: %s is %.12g (measured: %v), the tables say %.12g", name, key, g, ok, v)
			}
		}
		counts := 0
		for _, m := range out.Measures {
			if slices.Contains(operators, MeasurementOf(m.Metric)) {
				counts++
			}
		}
		if counts != len(want)+len(ofTasks) {
			t.Errorf("%s: %d measures, of which %d are known", name, counts, len(want)+len(ofTasks))
		}
	}
}

// expect adds the mean and the quantiles of values, as numpy has them.
func expect(to map[string]float64, of string, values map[string][]float64) {
	for g, all := range values {
		slices.Sort(all)
		sum := 0.0
		for _, v := range all {
			sum += v
		}
		to["mean_"+of+g] = sum / float64(len(all))
		for _, p := range []int{50, 95, 99} {
			at := float64(p) / 100 * float64(len(all)-1)
			k := int(at)
			next := all[min(k+1, len(all)-1)]
			to[fmt.Sprintf("p%d_%s%s", p, of, g)] = all[k]*(1-(at-float64(k))) + next*(at-float64(k))
		}
	}
}

// decadeOf is the class of size of a job by the digits of its work.
func decadeOf(d Completion) string {
	work := d.Tasks * d.DurationUS / 1e6
	switch digits := len(fmt.Sprint(work)); {
	case digits <= 2:
		return "<1e2"
	case digits >= 7:
		return ">=1e6"
	default:
		return fmt.Sprintf("1e%d-1e%d", digits-1, digits)
	}
}

// firstRun is when a task first ran; not with fluid tasks.
func firstRun(where []Placement, job string, task int64) (first int64, ran bool) {
	for _, p := range where {
		if p.JobID == job && p.Task != nil && *p.Task == task && (!ran || p.StartUS < first) {
			first, ran = p.StartUS, true
		}
	}
	return first, ran
}

// jainOf is the index from the tables, one stretch after the other between all the
// times that they have.
func jainOf(c *Case, done []Completion, where []Placement) float64 {
	at := map[int64]int{}
	for _, d := range done {
		at[d.SubmitUS], at[*d.CompletionUS] = 1, 1
	}
	for _, p := range where {
		at[p.StartUS], at[p.EndUS] = 1, 1
	}
	times := sortedTimes(at)
	total, span := 0.0, 0.0
	for k := range times[1:] {
		from, to := times[k], times[k+1]
		shares, sum, squares := map[string]float64{}, 0.0, 0.0
		for i, d := range done {
			if from < d.SubmitUS || from >= *d.CompletionUS {
				continue
			}
			x, who := 0.0, d.JobID
			if c.Tenants {
				who = tenantOf(c, i)
			}
			for _, p := range where {
				if p.JobID == d.JobID && p.StartUS <= from && from < p.EndUS {
					x += p.Tasks
				}
			}
			shares[who] += x / aloneOf(c, i) / c.Jobs[i].Weighs()
		}
		n := float64(len(shares))
		if n == 0 {
			continue
		}
		for _, r := range shares {
			sum, squares = sum+r, squares+r*r
		}
		index := 1.0
		if squares > 0 {
			index = sum * sum / (n * squares)
		}
		total, span = total+index*float64(to-from), span+float64(to-from)
	}
	return total / span
}

// A sum from which all is taken away again is 0, or nearly, whatever was in it.
func TestTwoSum(t *testing.T) {
	random, s := rand.New(rand.NewPCG(1, 9)), twoSum{}
	var all []float64
	for range 100_000 {
		v := math.Exp(40 * (random.Float64() - 0.5))
		s.add(v)
		all = append(all, v)
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, v := range all[1:] {
		s.add(-v)
	}
	if math.Abs(s.value()-all[0]) > 1e-9*all[0]+1e-14 {
		t.Errorf("left: %g, want %g", s.value(), all[0])
	}
}
