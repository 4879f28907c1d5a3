package run

import (
	"math"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// Metrics of single jobs, in the rows of [CompletionRows].
const (
	MetricWaiting = "waiting_time"
	MetricRunning = "running"
)

func init() {
	results.RegisterMetrics(
		results.Metric{Name: MetricWaiting, Unit: results.UnitSeconds, Better: results.Lower,
			Definition: "Time from the submission of a job to the start of its first task (fluid: to when it is first served at all)."},
		results.Metric{Name: MetricRunning, Unit: results.UnitRatio, High: 1, Label: "Jobs, in order of submission",
			Definition: "1 when the first task of a job starts, and 0 when its last one ends: who runs when."},
	)
	results.RegisterColumns(
		results.Column{Name: "tasks", Label: "Tasks of a job"},
		results.Column{Name: "duration_us", Label: "Duration of a task", Unit: "µs"},
	)
}

// CompletionRows returns the table of [WriteCompletions] in path as rows of metrics: of
// each job that was served its jct_factor, completion_time and waiting_time in s, and
// when it ran; the user of a row is the job's number in the file. Of the file's columns
// only those named are parameters of the rows. It returns how many jobs were refused,
// and have no rows.
func CompletionRows(path string, columns []string) (rows []results.Row, refused int, err error) {
	r, err := parquet.Open(path, CompletionColumns())
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	for _, name := range columns {
		if err := spelling.Check("column", name, names(r.Columns())); err != nil {
			return nil, 0, err
		}
	}
	number := map[string]int{} // of jobs done so far, by policy
	for c, err := range parquet.RowsOf[Completion](r) {
		if err != nil {
			return nil, 0, err
		}
		k := number[c.Policy]
		number[c.Policy]++
		if c.Refused || c.CompletionUS == nil || c.FirstStartUS == nil || c.JCTFactor == nil {
			refused++
			continue
		}
		values := map[string]results.Value{}
		for _, name := range columns {
			if !results.Reserved(name) {
				values[name] = c.value(name)
			}
		}
		base := results.Row{Policy: c.Policy, User: strconv.Itoa(k), Workload: c.Workload, Point: results.NewPoint(values)}
		rows = append(rows, jobRows(base, &c)...)
	}
	return rows, refused, nil
}

// value returns what a job requested in a column; null in any other.
func (c *Completion) value(column string) results.Value {
	switch column {
	case "tasks":
		return results.OfInt(c.Tasks)
	case "duration_us":
		return results.OfInt(c.DurationUS)
	case "weight":
		return results.OfFloat(c.Weight)
	case "job_id":
		return results.OfText(c.JobID)
	case "tenant":
		return results.OfText(c.Tenant)
	case "priority":
		return results.OfInt(c.Priority)
	}
	if v := map[string]*float64{"cpu": c.CPU, "mem": c.Mem, "gpu": c.GPU, "bandwidth_mhz": c.BandwidthMHz}[column]; v != nil {
		return results.OfFloat(*v)
	}
	return results.Value{}
}

// jobRows are the rows of a job that was served.
func jobRows(base results.Row, c *Completion) []results.Row {
	put := func(metric string, value float64) results.Row {
		r := base.Measure(metric, value)
		r.Unit = results.UnitOf(metric)
		return r
	}
	const us = 1e6
	all := []results.Row{
		put(results.MetricJCTFactor, *c.JCTFactor),
		put(results.MetricCompletion, float64(*c.CompletionUS-c.SubmitUS)/us),
		put(MetricWaiting, math.Max(0, float64(*c.FirstStartUS-c.SubmitUS)/us)),
	}
	for _, at := range []struct{ us, value int64 }{{*c.FirstStartUS, 1}, {*c.CompletionUS, 0}} {
		r := put(MetricRunning, float64(at.value))
		r.At(float64(at.us) / us)
		all = append(all, r)
	}
	return all
}
