package results

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Point is a set of named parameters: the place of a row in the space of the
// experiment. It is immutable, and two points are equal (==) iff they hold the
// same names with the same values. The zero value has no parameters.
type Point struct{ *params }

// params are sorted by name; none is null.
type params struct {
	names  []string
	values []Value
}

// points holds every point that was made, by its text, so that equal ones share
// their parameters.
var points sync.Map

// NewPoint returns the point of the given values. Null is the same as no value.
func NewPoint(values map[string]Value) Point {
	p := params{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v := values[name]; !v.IsNull() {
			p.names, p.values = append(p.names, name), append(p.values, v)
		}
	}
	return p.point()
}

// PointOf is [NewPoint] of values by names that are in order, each once. Of a point that
// was made before nothing is made but its text.
func PointOf(names []string, value func(i int) Value) Point {
	key := make([]byte, 0, 512)
	for i, name := range names {
		if v := value(i); !v.IsNull() {
			key = v.appendKey(append(append(key, name...), 0))
		}
	}
	if shared, known := points.Load(string(key)); known {
		return Point{shared.(*params)}
	}
	p := params{make([]string, 0, len(names)), make([]Value, 0, len(names))}
	for i, name := range names {
		if v := value(i); !v.IsNull() {
			p.names, p.values = append(p.names, name), append(p.values, v)
		}
	}
	return p.point()
}

// point returns the one point with these parameters.
func (p params) point() Point {
	if len(p.names) == 0 {
		return Point{}
	}
	key := make([]byte, 0, 512)
	for i, name := range p.names {
		key = p.values[i].appendKey(append(append(key, name...), 0))
	}
	if shared, known := points.Load(string(key)); known {
		return Point{shared.(*params)}
	}
	shared, _ := points.LoadOrStore(string(key), &p)
	return Point{shared.(*params)}
}

// Equal reports whether the points are the same.
func (p Point) Equal(o Point) bool { return p == o }

// Names returns the names of the parameters that have a value, sorted.
func (p Point) Names() []string {
	if p.params == nil {
		return nil
	}
	return p.names
}

// At returns the value of a parameter, null if it has none.
func (p Point) At(name string) Value {
	if p.params == nil {
		return Value{}
	}
	if i, ok := slices.BinarySearch(p.names, name); ok {
		return p.values[i]
	}
	return Value{}
}

// Number returns a parameter that is a number, 0 if it has no value or is a text.
func (p Point) Number(name string) float64 {
	v, _ := p.At(name).Number()
	return v
}

// Text returns a parameter as text, "" if it has no value.
func (p Point) Text(name string) string { return p.At(name).String() }

// With returns the point with another value of one parameter.
func (p Point) With(name string, v Value) Point {
	i, there := slices.BinarySearch(p.Names(), name)
	if there && p.values[i] == v || !there && v.IsNull() {
		return p
	}
	var next params
	if p.params != nil {
		next = params{slices.Clone(p.names), slices.Clone(p.values)}
	}
	switch {
	case there && v.IsNull():
		next.names, next.values = slices.Delete(next.names, i, i+1), slices.Delete(next.values, i, i+1)
	case there:
		next.values[i] = v
	default:
		next.names, next.values = slices.Insert(next.names, i, name), slices.Insert(next.values, i, v)
	}
	return next.point()
}

// Under returns the point with the values of another laid over its own.
func (p Point) Under(over Point) Point {
	if p.params == nil || over.params == nil || p == over {
		return cmp.Or(over, p)
	}
	merged := params{make([]string, 0, len(p.names)+len(over.names)), make([]Value, 0, len(p.names)+len(over.names))}
	take := func(from Point, i *int) {
		merged.names, merged.values = append(merged.names, from.names[*i]), append(merged.values, from.values[*i])
		*i++
	}
	for i, k := 0, 0; i < len(p.names) || k < len(over.names); {
		switch {
		case k == len(over.names) || i < len(p.names) && p.names[i] < over.names[k]:
			take(p, &i)
		case i < len(p.names) && p.names[i] == over.names[k]:
			i++
			take(over, &k)
		default:
			take(over, &k)
		}
	}
	return merged.point()
}

// Compare orders points by their parameters in order of name; no value comes before
// any other.
func (p Point) Compare(o Point) int {
	if p == o {
		return 0
	}
	a, b := p.Names(), o.Names()
	for i, k := 0, 0; i < len(a) || k < len(b); {
		var mine, others Value
		switch {
		case k == len(b) || i < len(a) && a[i] < b[k]:
			mine, i = p.values[i], i+1
		case i == len(a) || b[k] < a[i]:
			others, k = o.values[k], k+1
		default:
			mine, others, i, k = p.values[i], o.values[k], i+1, k+1
		}
		if c := mine.Compare(others); c != 0 {
			return c
		}
	}
	return 0
}

// String writes the parameters as k=v,… in order of name.
func (p Point) String() string {
	var b strings.Builder
	for i, name := range p.Names() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name + "=" + p.values[i].String())
	}
	return b.String()
}
