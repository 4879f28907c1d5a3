package tsf

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
)

// everyPolicy stands for a value that no policy decides.
const everyPolicy = "all jobs"

// Bins are the sizes of figure 10, in tasks.
var Bins = []Bin{{"≤ 10", 1, 10}, {"11–100", 11, 100}, {"101–500", 101, 500}, {"> 500", 501, math.MaxInt64}}

// mediumAndBig are the two bins of which the text gives one speedup.
var mediumAndBig = Bin{"11–500", 11, 500}

// Bin is a class of jobs by their number of tasks.
type Bin struct {
	Name     string
	From, To int64
}

// salient is the queueing delay beyond which a job counts as delayed. Half of
// the jobs are shorter than two minutes.
const salient = second

// measurement turns one simulation into rows.
type measurement struct {
	*world
	outcomes map[string][]job
	row      results.Row // what all rows have in common
	out      []results.Row
	served   []int // jobs that were not refused
	jct      map[string][]float64
}

// add adds a row.
func (m *measurement) add(policy, metric string, value float64) {
	m.addAt(m.row.Point, policy, metric, value)
}

// addAt adds a row with parameters of its own.
func (m *measurement) addAt(at results.Point, policy, metric string, value float64) {
	r := m.row.Measure(metric, value)
	r.Point, r.Policy = at, policy
	m.out = append(m.out, r)
}

// rows returns all of them.
func (m *measurement) rows() []results.Row {
	for i := range m.outcomes[Rules[0]] {
		if !m.outcomes[Rules[0]][i].refused {
			m.served = append(m.served, i)
		}
	}
	m.workload()
	m.jct = map[string][]float64{}
	for _, policy := range Rules {
		m.jct[policy] = m.perJob(policy, func(j *job) event.Time { return j.jct() })
		slices.Sort(m.jct[policy])
	}
	for _, policy := range Rules {
		m.ofJobs(policy)
		m.ofTasks(policy)
		if policy != Rules[0] {
			m.speedups(policy)
			m.perTask(policy)
		}
	}
	m.best()
	return m.out
}

// perJob returns a time of every served job, in s.
func (m *measurement) perJob(policy string, of func(*job) event.Time) []float64 {
	values := make([]float64, len(m.served))
	for k, i := range m.served {
		values[k] = seconds(of(&m.outcomes[policy][i]))
	}
	return values
}

func seconds(t event.Time) float64 { return float64(t) / float64(second) }

// workload describes the jobs and their constraints (figure 8).
func (m *measurement) workload() {
	n, machines := float64(len(m.jobs)), len(m.env.Servers)
	var tasks, largest, smallTasks int64
	var single, small, everywhere, few float64
	var sizes, eligible []float64
	for i := range m.jobs {
		t := m.jobs[i].Tasks
		tasks, largest = tasks+t, max(largest, t)
		single += count(t == 1)
		if t <= Bins[0].To {
			small, smallTasks = small+1, smallTasks+t
		}
		everywhere += count(m.eligible[i] == machines)
		few += count(5*m.eligible[i] <= machines)
		sizes, eligible = append(sizes, float64(t)), append(eligible, float64(m.eligible[i])/float64(machines))
	}
	add := func(metric string, value float64) { m.add(everyPolicy, metric, value) }
	add(metricJobs, n)
	add(metricTasks, float64(tasks))
	add(metricLargest, float64(largest))
	add(metricSingle, single/n)
	add(metricSmall, small/n)
	add(metricSmallTasks, float64(smallTasks))
	add(metricEverywhere, everywhere/n)
	add(metricFew, few/n)
	add(metricRefused, n-float64(len(m.served)))
	add(metricLoad, m.load())
	m.cdf(everyPolicy, MetricEligible, shareGrid, eligible)
	m.cdf(everyPolicy, MetricSize, sizeGrid, sizes)
}

// load is the work of all jobs over what the machines can do in an hour, of the
// resource of which it is larger.
func (m *measurement) load() float64 {
	most := 0.0
	for r := range m.env.Resources {
		work := 0.0
		for i := range m.jobs {
			j := &m.jobs[i]
			work += float64(j.Tasks) * seconds(j.Duration) * j.User.Demand[r]
		}
		most = max(most, work/(m.env.TotalCapacity(r)*seconds(hour)))
	}
	return most
}

// count is 1 for true.
func count(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// ofJobs measures figure 9.
func (m *measurement) ofJobs(policy string) {
	waits := m.perJob(policy, func(j *job) event.Time { return j.delay(0) })
	delayed, sooner := 0.0, 0.0
	for k, i := range m.served {
		delayed += count(waits[k] > seconds(salient))
		sooner += count(m.outcomes[policy][i].completion < m.outcomes[run.FIFO][i].completion)
	}
	n := float64(len(m.served))
	m.add(policy, metricDelayed, delayed/n)
	m.cdf(policy, MetricJobDelay, timeGrid, waits)
	m.cdf(policy, MetricJobCompletion, timeGrid, m.jct[policy])
	if policy != run.FIFO {
		m.add(policy, metricOverFIFO, sooner/n)
		m.add(policy, metricAhead, m.ahead(policy))
		m.add(policy, metricGain, m.gain(policy))
		for _, level := range levels {
			m.addAt(m.row.Point.With("level", results.OfFloat(level)), policy, metricRatio, m.ratio(policy, level))
		}
	}
	m.add(policy, metricDistance, stat.KolmogorovSmirnov(m.jct[policy], nil, m.jct[Rules[0]], nil))
}

// ahead is the share of the levels at which FIFO's quantile of the completion
// times is larger than the policy's.
func (m *measurement) ahead(policy string) float64 {
	n := 0.0
	for p := 1; p <= 100; p++ {
		level := float64(p) / 100
		n += count(m.ratio(policy, level) > 1)
	}
	return n / 100
}

// levels are those at which quantiles are compared.
var levels = []float64{0.5, 0.6, 0.7, 0.8}

// ratio is FIFO's quantile of the completion times over the policy's.
func (m *measurement) ratio(policy string, level float64) float64 {
	return traces.Quantile(m.jct[run.FIFO], level) / traces.Quantile(m.jct[policy], level)
}

// gain is the largest ratio of FIFO's quantile of the completion times to the
// policy's at 5%, 10%, … 80%.
func (m *measurement) gain(policy string) float64 {
	most := 0.0
	for p := 1; p <= 16; p++ {
		most = max(most, m.ratio(policy, float64(p)/20))
	}
	return most
}

// speedups measures figure 10.
func (m *measurement) speedups(policy string) {
	for _, bin := range append(Bins[:len(Bins):len(Bins)], mediumAndBig) {
		var values, ofOther []float64
		faster, slower := 0.0, 0.0
		for _, i := range m.served {
			if t := m.jobs[i].Tasks; t < bin.From || t > bin.To {
				continue
			}
			other, ours := m.outcomes[policy][i].jct(), m.outcomes[Rules[0]][i].jct()
			values = append(values, float64(other-ours)/float64(ours))
			ofOther = append(ofOther, float64(other-ours)/float64(other))
			faster, slower = faster+count(other > ours), slower+count(other < ours)
		}
		if len(values) < 2 {
			continue
		}
		mean, deviation := stat.MeanStdDev(values, nil)
		at := m.row.Point.With("tasks", results.OfText(bin.Name))
		m.addAt(at, policy, metricSpeedup, mean)
		m.addAt(at, policy, metricSpeedupSD, deviation)
		m.addAt(at, policy, metricByOther, stat.Mean(ofOther, nil))
		m.addAt(at, policy, metricFaster, faster/float64(len(values)))
		m.addAt(at, policy, metricSlower, slower/float64(len(values)))
		slices.Sort(values)
		m.addAt(at, policy, metricMedian, traces.Quantile(values, 0.5))
	}
}

// ofTasks measures figure 11a.
func (m *measurement) ofTasks(policy string) {
	var waits []float64
	for _, i := range m.served {
		j := &m.outcomes[policy][i]
		for k := range j.starts {
			waits = append(waits, seconds(j.delay(k)))
		}
	}
	m.add(policy, metricMeanDelay, stat.Mean(waits, nil))
	m.cdf(policy, MetricTaskDelay, timeGrid, waits)
}

// perTask measures figure 11b.
func (m *measurement) perTask(policy string) {
	var gains []float64
	less, more := 0.0, 0.0
	for _, i := range m.served {
		other, ours := &m.outcomes[policy][i], &m.outcomes[Rules[0]][i]
		for k := range ours.starts {
			g := seconds(other.starts[k] - ours.starts[k])
			less, more = less+count(g > 0), more+count(g < 0)
			gains = append(gains, g)
		}
	}
	n := float64(len(gains))
	m.add(policy, metricTaskFaster, less/n)
	m.add(policy, metricTaskSlower, more/n)
	m.cdf(policy, MetricTaskGain, gainGrid, gains)
}

// best measures the tasks that TSF starts sooner than every other fair policy.
func (m *measurement) best() {
	best, n := 0.0, 0.0
	for _, i := range m.served {
		for k, ours := range m.outcomes[Rules[0]][i].starts {
			first := true
			for _, policy := range Rules[2:] {
				first = first && ours < m.outcomes[policy][i].starts[k]
			}
			best, n = best+count(first), n+1
		}
	}
	m.add(Rules[0], metricTaskBest, best/n)
}

// grid holds the abscissas at which a distribution is kept, ascending.
type grid []float64

// newGrid returns the grid of the values, which it rounds to three digits.
func newGrid(x []float64) grid {
	var g grid
	for _, v := range x {
		text := strconv.FormatFloat(v, 'g', 3, 64)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err) // FormatFloat wrote it
		}
		g = append(g, v)
	}
	return g
}

// decades returns 10^low … 10^high in so many steps a decade.
func decades(low, high, steps int) []float64 {
	var x []float64
	for k := low * steps; k <= high*steps; k++ {
		x = append(x, math.Pow(10, float64(k)/float64(steps)))
	}
	return x
}

// The grids: of times (0.01 s to three years), of differences of times, of
// sizes, of shares of the machines.
var (
	timeGrid  = newGrid(append([]float64{0}, decades(-2, 8, 20)...))
	gainGrid  = newGrid(mirrored(decades(-1, 8, 8)))
	sizeGrid  = newGrid(decades(0, 5, 20))
	shareGrid = newGrid(hundredths())
)

// mirrored returns −x, 0 and x, ascending.
func mirrored(x []float64) []float64 {
	var all []float64
	for _, v := range slices.Backward(x) {
		all = append(all, -v)
	}
	return append(append(all, 0), x...)
}

func hundredths() []float64 {
	var x []float64
	for k := range 101 {
		x = append(x, float64(k)/100)
	}
	return x
}

// cdf adds the rows of a distribution function: the share of the values that are
// at most x, at every x of the grid.
func (m *measurement) cdf(policy, metric string, g grid, values []float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	for _, x := range g {
		at, _ := slices.BinarySearchFunc(sorted, x, func(v, x float64) int {
			if v <= x {
				return -1
			}
			return 1
		})
		m.addAt(m.row.Point.With("x", results.OfFloat(x)), policy, metric, float64(at)/float64(len(sorted)))
	}
}
