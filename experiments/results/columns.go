package results

import (
	"encoding/json"
	"fmt"
)

// rowColumns are rows as columns, as JSON writes them. One value stands for as many equal
// ones as there are rows, none for as many that are empty, or usual points.
type rowColumns struct {
	Rows       int          `json:"rows"`
	Experiment []string     `json:"experiment,omitempty"`
	Item       []string     `json:"item,omitempty"`
	Policy     []string     `json:"policy,omitempty"`
	Points     []parameters `json:"points,omitempty"`
	Instance   []int64      `json:"instance,omitempty"`
	User       []string     `json:"user,omitempty"`
	Timed      []bool       `json:"timed,omitempty"`
	TimeS      []float64    `json:"time_s,omitempty"`
	Metric     []string     `json:"metric,omitempty"`
	Value      []float64    `json:"value,omitempty"`
	Unit       []string     `json:"unit,omitempty"`
	Workload   []string     `json:"workload,omitempty"`
}

// MarshalRows writes a few rows as JSON, in their order; [UnmarshalRows] returns equal
// ones. Rows whose parameters are those of usual do not repeat them. The errors are
// those of [WriteTable].
func MarshalRows(rows []Row, usual Point) ([]byte, error) {
	if err := checkRows(&Packed{plain: rows}); err != nil {
		return nil, err
	}
	text := func(cell func(*Row) string) []string { return column(rows, cell) }
	c := rowColumns{Rows: len(rows),
		Experiment: text(func(r *Row) string { return r.Experiment }), Item: text(func(r *Row) string { return r.Item }),
		Policy: text(func(r *Row) string { return r.Policy }), User: text(func(r *Row) string { return r.User }),
		Metric: text(func(r *Row) string { return r.Metric }), Unit: text(func(r *Row) string { return r.Unit }),
		Workload: text(func(r *Row) string { return r.Workload }),
		Instance: column(rows, func(r *Row) int64 { return r.Instance }), Timed: column(rows, func(r *Row) bool { return r.Timed }),
		TimeS: column(rows, func(r *Row) float64 { return r.TimeS }), Value: column(rows, func(r *Row) float64 { return r.Value })}
	for _, p := range column(rows, func(r *Row) unusual { return unusual{r.Point, r.Point != usual} }) {
		c.Points = append(c.Points, p.parameters())
	}
	return json.Marshal(c)
}

// unusual is the point of a row, and whether it is not the usual one.
type unusual struct {
	Point
	is bool
}

// parameters returns those of an unusual point, none for the usual one.
func (p unusual) parameters() parameters {
	if !p.is {
		return parameters{}
	}
	return parameters{there: true, of: p.Point}
}

// parameters is a point as an object of JSON, or null for one that is not there.
type parameters struct {
	there bool
	of    Point
}

// MarshalJSON implements [json.Marshaler].
func (p parameters) MarshalJSON() ([]byte, error) {
	if !p.there {
		return []byte("null"), nil
	}
	text := append(make([]byte, 0, 512), '{')
	for i, name := range p.of.Names() {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(AppendText(text, name), ':')
		text = p.of.values[i].AppendJSON(text)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *parameters) UnmarshalJSON(data []byte) error {
	var values map[string]Value
	err := json.Unmarshal(data, &values)
	*p = parameters{values != nil, NewPoint(values)}
	return err
}

// column returns what rows say in a column: one value if all say the same, none if
// that is the zero value, whose sign counts where it is a number.
func column[V comparable](rows []Row, cell func(*Row) V) []V {
	var zero V
	all := make([]V, 0, len(rows))
	same := true
	for i := range rows {
		all = append(all, cell(&rows[i]))
		same = same && identical(all[i], all[0])
	}
	switch {
	case len(all) == 0 || same && identical(all[0], zero):
		return nil
	case same:
		return all[:1]
	}
	return all
}

// identical reports whether two values are written alike: 0 and -0 are not.
func identical[V comparable](a, b V) bool {
	if a, number := any(a).(float64); number {
		b := any(b).(float64)
		return a == b && (a != 0 || 1/a == 1/b)
	}
	return a == b
}

// UnmarshalRows returns the rows that [MarshalRows] wrote.
func UnmarshalRows(data []byte, usual Point) ([]Row, error) {
	var c rowColumns
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	var points []Point
	for _, p := range c.Points {
		if !p.there {
			p.of = usual
		}
		points = append(points, p.of)
	}
	if points == nil {
		points = []Point{usual}
	}
	// Columns of another length would be read beyond their end.
	for _, n := range []int{len(c.Experiment), len(c.Item), len(c.Policy), len(points), len(c.Instance), len(c.User), len(c.Timed),
		len(c.TimeS), len(c.Metric), len(c.Value), len(c.Unit), len(c.Workload)} {
		if c.Rows < 0 || n > 1 && n != c.Rows {
			return nil, fmt.Errorf("a column of %d values for %d rows", n, c.Rows)
		}
	}
	var rows []Row
	last := Point{}
	for i := range c.Rows {
		r := Row{Experiment: at(c.Experiment, i), Item: at(c.Item, i), Policy: at(c.Policy, i), Point: at(points, i), Instance: at(c.Instance, i),
			User: at(c.User, i), Timed: at(c.Timed, i), TimeS: at(c.TimeS, i), Metric: at(c.Metric, i), Value: at(c.Value, i), Unit: at(c.Unit, i), Workload: at(c.Workload, i)}
		if err := r.check(last); err != nil {
			return nil, fmt.Errorf("row %d, %w", i, err)
		}
		last = r.Point
		rows = append(rows, r)
	}
	return rows, nil
}

// at is value i of a column.
func at[V any](column []V, i int) (v V) {
	switch len(column) {
	case 0:
		return v
	case 1:
		return column[0]
	}
	return column[i]
}
