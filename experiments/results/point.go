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
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		if v.IsNull() {
			continue
		}
		p.names, p.values = append(p.names, name), append(p.values, v)
		text, err := v.MarshalJSON()
		if err != nil {
			panic(err) // values are UTF-8 or numbers
		}
		key.WriteString(name)
		key.WriteByte(0)
		key.Write(text)
		key.WriteByte(0)
	}
	if p.names == nil {
		return Point{}
	}
	shared, _ := points.LoadOrStore(key.String(), &p)
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
	return p.Over(nil, map[string]Value{name: v})
}

// Over returns the point with the values of another and with those of a map laid
// over it, in that order.
func (p Point) Over(over *Point, more map[string]Value) Point {
	all := map[string]Value{}
	p.copyTo(all)
	if over != nil {
		over.copyTo(all)
	}
	maps.Copy(all, more)
	return NewPoint(all)
}

func (p Point) copyTo(all map[string]Value) {
	for i, name := range p.Names() {
		all[name] = p.values[i]
	}
}

// Compare orders points by their parameters in order of name.
func (p Point) Compare(o Point) int {
	if p == o {
		return 0
	}
	names := slices.Concat(p.Names(), o.Names())
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if c := p.At(name).Compare(o.At(name)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(p.Names()), len(o.Names()))
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
