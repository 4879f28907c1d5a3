package synthetic

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/google2011"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// This file makes the tables of tables.go from the official trace and
// compares: when the two differ the test prints what tables.go should hold.

// realJobs returns the first 1,000 submissions of the official trace, or skips the test
// where its files are not at hand.
func realJobs(t *testing.T) []traces.Job {
	t.Helper()
	folder := tracetest.GoogleFirst1000(t)
	importOnce.Do(func() {
		o := google2011.DefaultOptions()
		o.First, o.ZeroRequests = 1000, google2011.KeepZero
		var res *traces.Imported
		if res, importErr = google2011.Import(folder, o); importErr == nil {
			importedJobs = res.Jobs
		}
	})
	if importErr != nil {
		t.Fatal(importErr)
	}
	return importedJobs
}

// What realJobs has imported, once for all tests.
var (
	importOnce   sync.Once
	importedJobs []traces.Job
	importErr    error
)

// bin is a set of jobs with similar requests: sums of logarithms and counts.
type bin struct {
	cpu, mem      float64 // Σ ln over the jobs; cpu is 0 where they request none
	single, multi int
}

func (b *bin) jobs() int { return b.single + b.multi }

func (b *bin) add(c bin) {
	b.cpu, b.mem = b.cpu+c.cpu, b.mem+c.mem
	b.single, b.multi = b.single+c.single, b.multi+c.multi
}

// distance is the distance of the centres, in logarithms.
func (b *bin) distance(c *bin) float64 {
	n, m := float64(b.jobs()), float64(c.jobs())
	return math.Hypot(b.cpu/n-c.cpu/m, b.mem/n-c.mem/m)
}

// makeCells groups the requests: the jobs without cpu by their memory, the
// others by both. The jobs without cpu request so few different amounts that no
// groups of them are merged; and as nearly all of them request the same, their
// amounts keep three digits.
func makeCells(jobs []traces.Job, fewest int) []cell {
	var zero, positive []traces.Job
	for _, j := range jobs {
		if j.CPU == 0 {
			zero = append(zero, j)
		} else {
			positive = append(positive, j)
		}
	}
	lnCPU := func(j *traces.Job) float64 { return math.Log(j.CPU) }
	none := func(*traces.Job) float64 { return 0 }
	cells := roundCells(group(zero, 1, none), func(float64) float64 { return 0 }, threeDigits)
	return append(cells, roundCells(group(positive, fewest, lnCPU), math.Exp, twoDigits)...)
}

// group groups jobs by half octaves of cpu, whose logarithm it is given, and
// of memory; then, while a group has fewer than fewest jobs, the smallest group
// is added to the nearest one.
func group(jobs []traces.Job, fewest int, lnCPU func(*traces.Job) float64) []*bin {
	grid := map[[2]int]*bin{}
	for _, j := range jobs {
		one := bin{cpu: lnCPU(&j), mem: math.Log(j.Mem), multi: 1}
		key := [2]int{int(math.Round(2 * one.cpu / math.Ln2)), int(math.Round(2 * one.mem / math.Ln2))}
		if j.Tasks == 1 {
			one.single, one.multi = 1, 0
		}
		if grid[key] == nil {
			grid[key] = &bin{}
		}
		grid[key].add(one)
	}
	bins := make([]*bin, 0, len(grid))
	for _, b := range grid {
		bins = append(bins, b)
	}
	sortBins(bins)
	for bins[0].jobs() < fewest {
		small := bins[0]
		bins = bins[1:]
		near := slices.MinFunc(bins, func(a, b *bin) int { return cmp.Compare(small.distance(a), small.distance(b)) })
		near.add(*small)
		sortBins(bins)
	}
	return bins
}

// sortBins sorts by size, ties by the centre, so that merging is
// deterministic.
func sortBins(bins []*bin) {
	slices.SortFunc(bins, func(a, b *bin) int {
		return cmp.Or(cmp.Compare(a.jobs(), b.jobs()), cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.mem, b.mem))
	})
}

// roundCells returns the geometric means of the groups, rounded. cpu turns the
// mean logarithm into a request.
func roundCells(bins []*bin, cpu, round func(float64) float64) []cell {
	cells := make([]cell, len(bins))
	for i, b := range bins {
		n := float64(b.jobs())
		cells[i] = cell{round(cpu(b.cpu / n)), round(math.Exp(b.mem / n)), b.single, b.multi}
	}
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Or(cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.mem, b.mem)) })
	return cells
}

// twoDigits rounds to two significant digits, threeDigits to three.
func twoDigits(v float64) float64   { return rounded("%.1e", v) }
func threeDigits(v float64) float64 { return rounded("%.2e", v) }

func rounded(format string, v float64) float64 {
	var r float64
	fmt.Sscan(fmt.Sprintf(format, v), &r)
	return r
}

// makeTable samples the quantiles of a value at the levels. Levels below
// lowest get the quantile there, so that a few odd jobs do not make a tail (some
// jobs of 16–97 µs do exist).
func makeTable(jobs []traces.Job, levels []float64, lowest float64, round func(float64) float64, value func(*traces.Job) float64) []knot {
	values := make([]float64, len(jobs))
	for i := range jobs {
		values[i] = value(&jobs[i])
	}
	slices.Sort(values)
	table := make([]knot, len(levels))
	for i, p := range levels {
		table[i] = knot{p, round(traces.Quantile(values, max(p, lowest)))}
	}
	return table
}

func TestTablesAreThoseOfTheTrace(t *testing.T) {
	jobs := realJobs(t)
	var single, multi []traces.Job
	for _, j := range jobs {
		if j.Tasks == 1 {
			single = append(single, j)
		} else {
			multi = append(multi, j)
		}
	}
	seconds := func(j *traces.Job) float64 { return float64(j.DurationUS) / 1e6 }
	tail := []float64{0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1}
	compareTable(t, "multiTasks", multiTasks, makeTable(multi, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1}, 0,
		math.Round, func(j *traces.Job) float64 { return float64(j.Tasks) }))
	compareTable(t, "singleDurations", singleDurations, makeTable(single, tail, 0.05, twoDigits, seconds))
	compareTable(t, "multiDurations", multiDurations, makeTable(multi, tail, 0.05, twoDigits, seconds))
	compareTable(t, "submissions", submissions, makeTable(jobs, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}, 0,
		math.Round, func(j *traces.Job) float64 { return float64(j.SubmitUS) / 1e6 }))
	if want := makeCells(jobs, 6); !slices.Equal(want, cells) {
		var b strings.Builder
		for _, c := range want {
			fmt.Fprintf(&b, "\t{%v, %v, %d, %d},\n", c.cpu, c.mem, c.single, c.multi)
		}
		t.Errorf("cells should be\n%s", b.String())
	}
}

func compareTable(t *testing.T, name string, got, want []knot) {
	t.Helper()
	if !slices.Equal(got, want) {
		var b strings.Builder
		for _, k := range want {
			fmt.Fprintf(&b, "{%v, %v}, ", k.p, k.value)
		}
		t.Errorf("%s should be\n\t%s", name, b.String())
	}
}

// TestCellsKeepTheMoments says what the grouping costs: means of the
// logarithms are kept within the rounding to two digits, deviations and the
// correlation within 2%.
func TestCellsKeepTheMoments(t *testing.T) {
	jobs := realJobs(t)
	var real, table requests
	for _, j := range jobs {
		real.add(j.CPU, j.Mem, 1)
	}
	for _, c := range cells {
		table.add(c.cpu, c.mem, float64(c.single+c.multi))
	}
	r, g := real.values(), table.values()
	t.Logf("real %.4f, table %.4f", r, g)
	for i := range r {
		if math.Abs(r[i]-g[i]) > 0.02 {
			t.Errorf("%s: %.4f became %.4f", momentNames[i], r[i], g[i])
		}
	}
}
