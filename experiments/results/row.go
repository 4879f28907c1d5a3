package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Row is one value of a result table.
type Row struct {
	Experiment string  // the paper or the name of the run, as tsf-er
	Item       string  // the table or figure it belongs to, as fig3; "" for none
	Policy     string  // the rule's text form; "" where no rule is involved
	Point      Point   // the other parameters of the scenario, a column each
	Instance   int64   // number of the instance, from 0
	User       string  // the user, job or class that the value is of; "" for all
	Timed      bool    // whether the value is of a time, not of all time
	TimeS      float64 // that time, in s since the start of the series
	Metric     string  // what the value is of, see [Metrics]
	Value      float64 // finite
	Unit       string  // of the value, "1" for a pure number: that of the metric
	Workload   string  // label of the workload; synthetic ones say so
}

// At makes a row one of a time, in s since the start of the series.
func (r *Row) At(seconds float64) { r.Timed, r.TimeS = true, seconds }

// Measure returns the row with another metric and value.
func (r Row) Measure(metric string, value float64) Row {
	r.Metric, r.Value = metric, value
	return r
}

// The columns that every table has: those before the parameters and those behind.
var (
	before = []string{"experiment", "item", "policy"}
	behind = []string{"instance", "user", "time_s", "metric", "value", "unit", "workload"}
)

// Reserved reports whether a column of every table has the name, which then is
// that of no parameter.
func Reserved(name string) bool {
	return slices.Contains(before, name) || slices.Contains(behind, name)
}

// check returns an error that names the column that no table may hold. The
// parameters are those of the row before if its point is that.
func (r *Row) check(before Point) error {
	for _, number := range [...]struct {
		column string
		value  float64
	}{{"value", r.Value}, {"time_s", r.TimeS}} {
		if math.IsNaN(number.value) || math.IsInf(number.value, 0) {
			return fmt.Errorf("column %s: %v is not a finite number", number.column, number.value)
		}
	}
	for _, t := range [...]struct{ column, text string }{{"experiment", r.Experiment}, {"item", r.Item}, {"policy", r.Policy},
		{"user", r.User}, {"metric", r.Metric}, {"unit", r.Unit}, {"workload", r.Workload}} {
		if !utf8.ValidString(t.text) {
			return fmt.Errorf("column %s: %q is not UTF-8", t.column, t.text)
		}
	}
	if r.Metric == "" {
		return fmt.Errorf("column metric: empty")
	}
	if r.Point == before {
		return nil
	}
	return r.Point.check()
}

// checkUnit returns an error if the metric is not registered, or has another unit.
func (r *Row) checkUnit() error {
	m, err := MetricNamed(r.Metric)
	if err == nil && r.Unit != m.Unit {
		err = fmt.Errorf("%s is in %q, not in %q", r.Metric, m.Unit, r.Unit)
	}
	return err
}

// check returns an error that names the parameter that no table may hold.
func (p Point) check() error {
	for i, name := range p.Names() {
		if Reserved(name) {
			return fmt.Errorf("column %s: no parameter may have this name", name)
		}
		if text := p.values[i].text; !utf8.ValidString(text) {
			return fmt.Errorf("column %s: %q is not UTF-8", name, text)
		}
	}
	return nil
}

// Is returns what a row says in a column, as text; "" where it says nothing.
func (r *Row) Is(column string) string {
	switch column {
	case "experiment":
		return r.Experiment
	case "item":
		return r.Item
	case "policy":
		return r.Policy
	case "instance":
		return strconv.FormatInt(r.Instance, 10)
	case "user":
		return r.User
	case "time_s":
		if !r.Timed {
			return ""
		}
		return strconv.FormatFloat(r.TimeS, 'g', -1, 64)
	case "metric":
		return r.Metric
	case "value":
		return strconv.FormatFloat(r.Value, 'g', -1, 64)
	case "unit":
		return r.Unit
	case "workload":
		return r.Workload
	}
	return r.Point.Text(column)
}

// CSV is [Row.Is] as it stands in a CSV file: texts are written by [CSVText],
// numbers are not.
func (r *Row) CSV(column string) string {
	text := r.Is(column)
	_, number := r.Point.At(column).Number()
	if number || column == "instance" || column == "time_s" || column == "value" {
		return text
	}
	return CSVText(text)
}

// Key is what tells one cell of an experiment from another: all of a [Row]
// but its instance and its value.
type Key Row

// Key returns the cell that r belongs to.
func (r Row) Key() Key {
	r.Instance, r.Value = 0, 0
	return Key(r)
}

// Row returns a cell as a row, for what it is of.
func (k Key) Row() Row { return Row(k) }

// Compare orders keys: experiment, item, metric, the parameters in order of name,
// user, policy, time, unit, workload.
func (k *Key) Compare(o *Key) int {
	if c := cmp.Or(cmp.Compare(k.Experiment, o.Experiment), cmp.Compare(k.Item, o.Item), cmp.Compare(k.Metric, o.Metric)); c != 0 {
		return c
	}
	if c := k.Point.Compare(o.Point); c != 0 {
		return c
	}
	timed := func(k *Key) int {
		if k.Timed {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(k.User, o.User),
		cmp.Compare(k.Policy, o.Policy),
		cmp.Compare(timed(k), timed(o)),
		cmp.Compare(k.TimeS, o.TimeS),
		cmp.Compare(k.Unit, o.Unit),
		cmp.Compare(k.Workload, o.Workload),
	)
}

// String says of which cell a key is.
func (k Key) String() string {
	words := []string{k.Experiment, k.Item, k.Point.String()}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
