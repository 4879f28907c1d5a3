package results

import (
	"math"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// The rows of a table as columns. What rows have in common is looked at once for all of
// them, where it can be.

// packed returns the rows with none of them as it is.
func (p *Packed) packed() *Packed {
	if len(p.plain) == 0 {
		return p
	}
	all := &Packed{}
	all.grow(p.Len())
	for r := range p.All() {
		all.Add(r)
	}
	return all
}

// sound reports whether every row can be in a table. It is false where some rows are not
// packed.
func (p *Packed) sound() bool {
	last := Point{}
	for i := range p.heads {
		if p.heads[i].check(last) != nil || p.heads[i].checkUnit() != nil {
			return false
		}
		last = p.heads[i].Point
	}
	for _, user := range p.users {
		if !utf8.ValidString(user) {
			return false
		}
	}
	return len(p.plain) == 0 && allFinite(p.value) && allFinite(p.timeS)
}

func allFinite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// column returns what rows, none of which is as it is, say in a column of a table.
func (p *Packed) column(c parquet.Column, from, to int) parquet.Values {
	switch c.Name {
	case "instance":
		return parquet.Values{Ints: p.instance[from:to]}
	case "value":
		return parquet.Values{Floats: p.value[from:to]}
	case "time_s":
		return p.times(from, to)
	case "user":
		return p.texts(c, from, to, func(i int, _ *Row) string {
			if p.byUser == nil {
				return ""
			}
			return p.users[p.byUser[i]]
		})
	}
	if Reserved(c.Name) {
		return p.texts(c, from, to, func(_ int, head *Row) string { return head.Is(c.Name) })
	}
	return p.parameters(c, from, to)
}

func (p *Packed) times(from, to int) parquet.Values {
	v := parquet.Values{Nulls: make([]bool, to-from), Floats: make([]float64, to-from)}
	for k := range v.Floats {
		if v.Nulls[k] = !p.heads[p.head[from+k]].Timed; p.timeS != nil {
			v.Floats[k] = p.timeS[from+k] + 0 // no negative zero
		}
	}
	return v
}

func (p *Packed) texts(c parquet.Column, from, to int, of func(i int, head *Row) string) parquet.Values {
	v := parquet.Values{Strings: make([]string, to-from)}
	for k := range v.Strings {
		v.Strings[k] = of(from+k, &p.heads[p.head[from+k]])
	}
	if c.Optional {
		v.Nulls = make([]bool, to-from)
		for k, text := range v.Strings {
			v.Nulls[k] = text == ""
		}
	}
	return v
}

// parameters is the column of a parameter, which rows of one point share.
func (p *Packed) parameters(c parquet.Column, from, to int) parquet.Values {
	v := parquet.Values{Nulls: make([]bool, to-from)}
	switch c.Kind {
	case parquet.Int64:
		v.Ints = make([]int64, to-from)
	case parquet.Float64:
		v.Floats = make([]float64, to-from)
	default:
		v.Strings = make([]string, to-from)
	}
	var at Point
	var is Value
	var number float64
	var text string
	for k, h := range p.head[from:to] {
		if of := p.heads[h].Point; of != at {
			at, is = of, of.At(c.Name)
			number, _ = is.Number()
			text = is.String()
		}
		v.Nulls[k] = is.IsNull()
		switch c.Kind {
		case parquet.Int64:
			v.Ints[k] = is.whole
		case parquet.Float64:
			v.Floats[k] = number
		default:
			v.Strings[k] = text
		}
	}
	return v
}
