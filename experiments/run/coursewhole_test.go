package run

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/event"
)

// By hand, with whole tasks: ann has all four cores to 10 s, two for each job, though she
// deserves half of them from 5 s on; then each tenant has two to 20 s, and ann needs no more
// than the last task of each job to 30 s. Each of her jobs weighs half.
func TestCourseOfWholeTasks(t *testing.T) {
	c := twoTenants("tsf", true)
	c.Want, c.Course = []string{TaskRatio, Envy}, &Course{Period: 10e6}
	if _, err := (Whole{Case: c}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range c.Course.Rows(results.Row{}, []string{"a1", "a2", "b"}) {
		got[row.Metric+" "+row.User] += fmt.Sprintf("%g: %.4f ", row.TimeS, row.Value)
	}
	for name, want := range map[string]string{
		"tenant_received ann": "0: 1.0000 10: 0.5000 20: 0.5000 ", "tenant_deserved ann": "0: 0.7500 10: 0.5000 20: 0.5000 ",
		"tenant_received bob": "0: 0.0000 10: 0.5000 ", "tenant_deserved bob": "0: 0.5000 10: 0.5000 ",
		"tasks_received a1": "0: 2.0000 10: 1.0000 20: 1.0000 ", "tasks_deserved a1": "0: 1.5000 10: 1.0000 20: 1.0000 ",
		"tasks_received a2": "0: 2.0000 10: 1.0000 20: 1.0000 ", "tasks_deserved a2": "0: 1.5000 10: 1.0000 20: 1.0000 ",
		"tasks_received b": "0: 0.0000 10: 2.0000 ", "tasks_deserved b": "0: 2.0000 10: 2.0000 ",
		"users_present ": "0: 2.5000 10: 3.0000 20: 2.0000 ", "tasks_waiting ": "0: 5.0000 10: 2.0000 20: 0.0000 ",
		"utilization_now:s/cpu ": "0: 1.0000 10: 1.0000 20: 0.5000 ",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
	if len(got) != 15 || got["min_si_sat_now "] == "" || got["min_ef_sat_now "] == "" {
		t.Errorf("there are %v", slices.Sorted(maps.Keys(got)))
	}
}

// Every period, recomputed from the written tables alone: who was in the system and what
// ran where. The measures of tenants are of the same stretches of time.
func TestCourseOfWholeTasksIsThatOfTheTables(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 16))
	for k, of := range []struct {
		policy string
		tasks  WholeTasks
		users  bool
	}{{"tsf-er", WholeTasks{}, true}, {"tsf-er", WholeTasks{}, false}, {FIFO, WholeTasks{Slot: 7e6}, true}, {"mnw", WholeTasks{Slot: 5e6}, true}, {"drfh", WholeTasks{Slot: 2e6, SuspendedLast: true}, false}} {
		c := randomCase(random, of.policy)
		weights := map[string]float64{"": 1, "ann": 1 + random.Float64(), "bob": 3}
		for i := range c.Jobs {
			c.Jobs[i].User = []string{"", "ann", "bob", "bob"}[i%4]
			c.Jobs[i].Weight = weights[c.Jobs[i].User]
			c.Jobs[i].SubmitUS += int64(k%2) * -30e6 // also before time 0
		}
		c.Tenants, c.Want, c.Course = of.users, []string{Tenants, TaskRatio, Utilization}, &Course{Period: event.Time(1 + random.Int64N(9e6))}
		done, where, out := placementsOf(t, c, &of.tasks)
		got, name := map[string]float64{}, fmt.Sprintf("%d, %s", k, of.policy)
		names := make([]string, len(c.Jobs))
		for i := range names {
			names[i] = c.Jobs[i].ID
		}
		for _, row := range c.Course.Rows(results.Row{}, names) {
			if row.Metric != results.MetricMinSISatNow {
				got[fmt.Sprintf("%s %s %.6f", row.Metric, row.User, row.TimeS)] = row.Value
			}
		}
		want, measures := courseOf(&c, done, where)
		if len(got) != len(want) || len(got) < 50 {
			t.Errorf("%s: %d values, the tables say %d", name, len(got), len(want))
		}
		for key, v := range want {
			if g, ok := got[key]; !ok || math.Abs(g-v) > 1e-9*max(v, 1) {
				t.Errorf("%s: %s is %.12g (there: %v), the tables say %.12g", name, key, g, ok, v)
			}
		}
		for key, g := range byName(t, out.Measures) {
			if v, ok := measures[key]; ok && math.Abs(g-v) > 1e-9*max(v, 1) {
				t.Errorf("%s: %s is %.12g, the tables say %.12g", name, key, g, v)
			}
		}
		sameIntegrals(t, name, &c, done)
	}
}

// sameIntegrals compares what the periods of a tenant hold together with the work of its
// jobs: Σ n·t/η', to which suspensions add.
func sameIntegrals(t *testing.T, name string, c *Case, done []Completion) {
	t.Helper()
	work := map[string]float64{}
	for i, d := range done {
		work[tenantOf(c, i)] += float64(d.Tasks*d.DurationUS) / aloneOf(c, i)
	}
	tenants := c.Course.tenants
	for i := range tenants.records {
		of, sum, span := tenants.tenants.Names[i], 0.0, int64(0)
		for k := range tenants.records[i].received.Periods() {
			at := tenants.records[i].received.At(k)
			sum, span = sum+at.Integral(), span+at.Span()
		}
		if span != tenants.records[i].ratio.Span() {
			t.Errorf("%s, %s: the periods have %d µs, the metric %d", name, of, span, tenants.records[i].ratio.Span())
		}
		if less := work[of] - sum; less > 1e-9*sum || c.Policy == "tsf-er" && less < -1e-9*sum {
			t.Errorf("%s, %s: received %g in all periods, the work is %g", name, of, sum, work[of])
		}
	}
}

func tenantOf(c *Case, i int) string {
	if c.Jobs[i].User == "" {
		return c.Jobs[i].ID
	}
	return c.Jobs[i].User
}

// aloneOf is η' of a job of a [randomCase].
func aloneOf(c *Case, i int) (eta float64) {
	for _, s := range c.Cluster.Servers {
		eta += float64(s.Count) * math.Min(s.Capacity[0]/c.Jobs[i].CPU, s.Capacity[1]/c.Jobs[i].Mem)
	}
	return eta
}

// courseOf is the course and the measures of tenants from the tables, one stretch after
// the other between all the times that they have and the ends of the periods.
func courseOf(c *Case, done []Completion, where []Placement) (course, measures map[string]float64) {
	at := map[int64]int{}
	for _, d := range done {
		at[d.SubmitUS], at[*d.CompletionUS] = 1, 1
	}
	for _, p := range where {
		at[p.StartUS], at[p.EndUS] = 1, 1
	}
	period := int64(c.Course.Period)
	times := sortedTimes(at)
	for k := times[0]/period - 1; k*period < times[len(times)-1]; k++ {
		if k*period > times[0] {
			at[k*period] = 1
		}
	}
	times = sortedTimes(at)
	sums, spans := map[string]float64{}, map[string]float64{}
	ratios, below, lasted, least := map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	for k := range times[1:] {
		from, span := times[k], float64(times[k+1]-times[k])
		begin := from - ((from%period)+period)%period
		add := func(metric, user string, v float64) {
			key := fmt.Sprintf("%s %s %.6f", metric, user, float64(begin)/1e6)
			sums[key] += v * span
			spans[key] += span
		}
		jobs, jobsOf := map[int][2]float64{}, map[string]float64{}
		held, needs, weight, total, present, waiting := map[string]float64{}, map[string]float64{}, map[string]float64{}, 0.0, 0.0, 0.0
		for i, d := range done {
			if from < d.SubmitUS || from >= *d.CompletionUS {
				continue
			}
			running, left := 0.0, float64(d.Tasks)
			for _, p := range where {
				if p.JobID == d.JobID && p.StartUS <= from && from < p.EndUS {
					running++
				}
				if p.JobID == d.JobID && p.Ended == "completed" && p.EndUS <= from {
					left--
				}
			}
			jobs[i] = [2]float64{running, left}
			of := tenantOf(c, i)
			jobsOf[of]++
			if weight[of] == 0 {
				weight[of] = c.Jobs[i].Weight
				total += weight[of]
			}
			held[of] += running / aloneOf(c, i)
			needs[of] += left / aloneOf(c, i)
			present, waiting = present+1, waiting+left-running
		}
		if present == 0 {
			continue
		}
		all := 0.0
		jobWeight := func(i int) float64 {
			if c.Tenants {
				return c.Jobs[i].Weight / jobsOf[tenantOf(c, i)]
			}
			return c.Jobs[i].Weight
		}
		for i := range jobs {
			all += jobWeight(i)
		}
		for i, of := range jobs {
			add(results.MetricTasksReceived, c.Jobs[i].ID, of[0])
			add(results.MetricTasksDeserved, c.Jobs[i].ID, min(jobWeight(i)/all*aloneOf(c, i), of[1]))
		}
		add(results.MetricUsersPresent, "", present)
		add(MetricTasksWaiting, "", waiting)
		for of := range weight {
			deserved := min(weight[of]/total, needs[of])
			add(MetricTenantReceived, of, held[of])
			add(MetricTenantDeserved, of, deserved)
			ratio := held[of] / deserved
			if lasted[of] == 0 || ratio < least[of] {
				least[of] = ratio
			}
			ratios[of], lasted[of] = ratios[of]+ratio*span, lasted[of]+span
			if ratio < 1-1e-6 {
				below[of] += span
			}
		}
		for _, s := range c.Cluster.Servers {
			cpu, mem := 0.0, 0.0
			for _, p := range where {
				if p.Class == s.Name && p.StartUS <= from && from < p.EndUS {
					cpu, mem = cpu+*p.CPUFraction, mem+*p.MemFraction
				}
			}
			add(results.MetricUsedNow+":"+s.Name+"/cpu", "", cpu/float64(s.Count))
			add(results.MetricUsedNow+":"+s.Name+"/mem", "", mem/float64(s.Count))
		}
	}
	for key := range sums {
		sums[key] /= spans[key]
	}
	measures = map[string]float64{}
	for of := range lasted {
		measures[MetricTenantRatio+" "+of], measures[MetricTenantLeast+" "+of], measures[MetricTenantBelow+" "+of] = ratios[of]/lasted[of], least[of], below[of]/lasted[of]
	}
	return sums, measures
}
