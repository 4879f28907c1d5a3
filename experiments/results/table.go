package results

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces/output"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// Names of the metrics, as they stand in the column metric. All are pure
// numbers; their unit is [UnitRatio].
const (
	MetricJCTFactor       = "jct_factor"                // standalone JCT / JCT, mean over users, in (0, 1] but for rules that pool the servers and for whole tasks with slots, see model.md
	MetricMinTaskRatio    = "min_restricted_task_ratio" // MIN-SI-SAT, min over users of min(x/ψ, 1), mean over the time with a user, in [0, 1]; see model.md
	MetricSIViolation     = "si_violation_time_ratio"   // share of the time with a user in which that minimum is below 1 − 1e-6, in [0, 1]
	MetricDomination      = "domination_factor"         // mean over the time with a user, at least 1; 1 iff Pareto optimal
	MetricMeanUtilization = "mean_utilization"          // used / total, mean over the time with a user, in [0, 1]; of cpu: on all servers, of s1/cpu: on those of a class, or of a link
)

// Names of the metrics of large runs with whole tasks.
const (
	MetricMinEFSat     = "min_ef_sat"    // MIN-EF-SAT, mean over the time with a user, in [0, 1]; see model.md
	MetricUtilization  = "utilization"   // used / total over time, see model.md; with a colon and the resource or link
	MetricWaitingTasks = "waiting_tasks" // at an instant; unit UnitTasks
	MetricArrivedTasks = "arrived_tasks" // in the past hour; unit UnitTasks
	UnitTasks          = "tasks"
)

// Names of the metrics of access points.
const (
	MetricEnviousness     = "enviousness"          // largest over all pairs, mean over a period; in UnitPercent
	MetricMeanEnviousness = "mean_enviousness"     // the same, over all time
	MetricMaxEnviousness  = "max_enviousness"      // the same, the largest at any time
	MetricEnvyTime        = "envy_time_ratio"      // share of time in which somebody envies somebody, in [0, 1]
	MetricCompletion      = "completion_time"      // of a job, from its submission; in UnitSeconds
	MetricMeanCompletion  = "mean_completion_time" // over jobs
	UnitPercent           = "%"
	UnitSeconds           = "s"
)

// UnitRatio is the unit of a pure number.
const UnitRatio = "1"

// Row is one value of a result table.
type Row struct {
	Experiment   string  // the paper or the name of the run, as tsf-er
	Item         string  // the table or figure it belongs to, as fig3
	Policy       string  // the policy's text form
	N            int64   // users of the instance; 0 where it does not apply
	Rho          float64 // server heterogeneity ρ, in [0, 1]; 0 where it does not apply
	BandwidthMHz float64 // capacity of the link in MHz; 0 where it does not apply
	Instance     int64   // number of the instance, from 0
	SlotS        float64 // reallocation slot in s; 0 where it does not apply
	Parameters   string  // what else tells the cell from others, "h=50000,l=4" in order of name; "" for nothing
	User         string  // the user, job or class that the value is of; "" where it is of all
	TimeS        float64 // of a time series, in s since its start; 0 elsewhere
	Metric       string  // what the value is of, see Metrics
	Value        float64 // finite
	Unit         string  // of the value; "1" for a pure number
	Workload     string  // label of the workload; synthetic ones say so
}

// Meta is what a table's file says about itself beside its rows: seed, spec,
// versions. Keys that start with "leontief." are reserved.
type Meta map[string]string

const (
	reservedKeys  = "leontief."
	keyVersion    = "leontief.table.version"
	schemaVersion = "3"
)

// column is one column of the table: its name on disk and where it lives in a
// row. Exactly one of the three accessors is set.
type column struct {
	name  string
	field string // of Row
	text  func(*Row) *string
	i64   func(*Row) *int64
	f64   func(*Row) *float64
}

// columns is the layout of a table, version 3.
var columns = []column{
	{name: "experiment", field: "Experiment", text: func(r *Row) *string { return &r.Experiment }},
	{name: "item", field: "Item", text: func(r *Row) *string { return &r.Item }},
	{name: "policy", field: "Policy", text: func(r *Row) *string { return &r.Policy }},
	{name: "n", field: "N", i64: func(r *Row) *int64 { return &r.N }},
	{name: "rho", field: "Rho", f64: func(r *Row) *float64 { return &r.Rho }},
	{name: "bandwidth_mhz", field: "BandwidthMHz", f64: func(r *Row) *float64 { return &r.BandwidthMHz }},
	{name: "instance", field: "Instance", i64: func(r *Row) *int64 { return &r.Instance }},
	{name: "slot_s", field: "SlotS", f64: func(r *Row) *float64 { return &r.SlotS }},
	{name: "parameters", field: "Parameters", text: func(r *Row) *string { return &r.Parameters }},
	{name: "user", field: "User", text: func(r *Row) *string { return &r.User }},
	{name: "time_s", field: "TimeS", f64: func(r *Row) *float64 { return &r.TimeS }},
	{name: "metric", field: "Metric", text: func(r *Row) *string { return &r.Metric }},
	{name: "value", field: "Value", f64: func(r *Row) *float64 { return &r.Value }},
	{name: "unit", field: "Unit", text: func(r *Row) *string { return &r.Unit }},
	{name: "workload", field: "Workload", text: func(r *Row) *string { return &r.Workload }},
}

// WriteTable writes rows, in their order, as one Parquet file. The file
// appears whole or not at all, and equal rows and meta give equal bytes. It
// returns an error that names the row (from 0) and the column where a number
// is not finite, or a text is not UTF-8, or the policy or metric is empty.
func WriteTable(path string, rows []Row, meta Meta) error {
	data, err := encodeTable(rows, meta)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return output.WriteFile(path, data)
}

func encodeTable(rows []Row, meta Meta) ([]byte, error) {
	for i := range rows {
		if err := checkRow(&rows[i]); err != nil {
			return nil, fmt.Errorf("row %d, %w", i, err)
		}
	}
	pairs, err := filePairs(meta)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w, err := parquet.NewWriter(&buf, layout(), pairs)
	if err != nil {
		return nil, err
	}
	if err := w.Write(batch(rows)); err != nil {
		return nil, err
	}
	err = w.Close()
	return buf.Bytes(), err
}

// filePairs returns meta with the table's own keys, in order.
func filePairs(meta Meta) ([]parquet.KeyValue, error) {
	pairs := []parquet.KeyValue{{Key: keyVersion, Value: schemaVersion}}
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		if strings.HasPrefix(k, reservedKeys) {
			return nil, fmt.Errorf("metadata key %q is reserved", k)
		}
		pairs = append(pairs, parquet.KeyValue{Key: k, Value: meta[k]})
	}
	return pairs, nil
}

// layout returns the columns as they are written.
func layout() []parquet.Column {
	all := make([]parquet.Column, len(columns))
	for k, c := range columns {
		all[k] = parquet.Column{Name: c.name, Kind: c.kind(), Plain: c.name == "value"}
	}
	return all
}

func batch(rows []Row) []parquet.Values {
	b := make([]parquet.Values, len(columns))
	for k, c := range columns {
		for i := range rows {
			switch {
			case c.i64 != nil:
				b[k].Ints = append(b[k].Ints, *c.i64(&rows[i]))
			case c.f64 != nil:
				b[k].Floats = append(b[k].Floats, *c.f64(&rows[i]))
			default:
				b[k].Strings = append(b[k].Strings, *c.text(&rows[i]))
			}
		}
	}
	return b
}

// checkRow returns an error that names the column that no table may hold.
func checkRow(r *Row) error {
	for _, c := range columns {
		switch {
		case c.f64 != nil:
			if v := *c.f64(r); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("column %s: %v is not a finite number", c.name, v)
			}
		case c.text != nil:
			if s := *c.text(r); strings.ToValidUTF8(s, "") != s {
				return fmt.Errorf("column %s: %q is not UTF-8", c.name, s)
			}
		}
	}
	if r.Policy == "" {
		return fmt.Errorf("column policy: empty")
	}
	if r.Metric == "" {
		return fmt.Errorf("column metric: empty")
	}
	return nil
}

// Column is a column of a result table on disk, and the field of [Row] that it
// holds.
type Column struct{ Name, Field string }

// Columns returns the layout of a result table.
func Columns() []Column {
	var all []Column
	for _, c := range columns {
		all = append(all, Column{c.name, c.field})
	}
	return all
}
