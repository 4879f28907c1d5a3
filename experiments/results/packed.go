package results

import (
	"iter"
	"math"
	"slices"
)

// Packed are rows as many of them are held: in columns, and what rows have in common,
// which is most of them, once. A row is 16 bytes, and 4 and 8 more if there are users and
// times, instead of 160. The zero Packed has no rows; a nil one may be read.
type Packed struct {
	plain []Row // the first ones, if they are few, as they are

	heads []Row          // what rows have in common
	at    map[Row]uint32 // of heads
	after []uint32       // the head that last followed one: rows repeat a sequence of metrics
	users []string       // each once
	user  map[string]uint32

	head     []uint32
	instance []int64
	value    []float64
	byUser   []uint32  // of users; nil: all rows so far are of no user
	timeS    []float64 // nil: all rows so far are of time 0, or of none
}

// few is the number of rows up to which packing gains nothing.
const few = 64

// Pack returns rows packed, in their order. The caller must not change them any more.
func Pack(parts ...[]Row) *Packed {
	n := 0
	for _, rows := range parts {
		n += len(rows)
	}
	if n <= few && len(parts) == 1 {
		return &Packed{plain: parts[0][:n:n]}
	}
	if n <= few {
		return &Packed{plain: slices.Concat(parts...)}
	}
	p := &Packed{}
	p.grow(n)
	for _, rows := range parts {
		for i := range rows {
			p.Add(rows[i])
		}
	}
	return p
}

// Add adds a row at the end.
func (p *Packed) Add(r Row) {
	k := p.headOf(r)
	if math.Float64bits(r.TimeS) != 0 && p.timeS == nil {
		p.timeS = make([]float64, len(p.head), max(few, cap(p.head)))
	}
	if r.User != "" && p.byUser == nil {
		p.byUser = make([]uint32, len(p.head), max(few, cap(p.head)))
	}
	if p.timeS != nil {
		p.timeS = append(p.timeS, r.TimeS)
	}
	if p.byUser != nil {
		p.byUser = append(p.byUser, p.userOf(r.User))
	}
	p.head, p.instance, p.value = append(p.head, k), append(p.instance, r.Instance), append(p.value, r.Value)
}

// grow has memory ready for so many rows, if they are not too many.
func (p *Packed) grow(rows int) {
	n := min(rows, mostAtOnce)
	p.head, p.instance, p.value = make([]uint32, 0, n), make([]int64, 0, n), make([]float64, 0, n)
}

// headOf returns the number of what a row has in common with others.
func (p *Packed) headOf(r Row) uint32 {
	r.Instance, r.User, r.TimeS, r.Value = 0, "", 0, 0
	if n := len(p.head); n > 0 {
		last := p.head[n-1]
		if next := p.after[last]; p.heads[next] == r {
			return next
		}
		k := p.numberOf(r)
		p.after[last] = k
		return k
	}
	return p.numberOf(r)
}

func (p *Packed) numberOf(r Row) uint32 {
	if p.at == nil {
		p.at = map[Row]uint32{}
	}
	k, known := p.at[r]
	if !known {
		k = uint32(len(p.heads))
		p.at[r], p.heads, p.after = k, append(p.heads, r), append(p.after, k)
	}
	return k
}

func (p *Packed) userOf(name string) uint32 {
	if p.user == nil {
		p.user, p.users = map[string]uint32{"": 0}, []string{""} // those so far are of none
	}
	k, known := p.user[name]
	if !known {
		k = uint32(len(p.users))
		p.user[name], p.users = k, append(p.users, name)
	}
	return k
}

// Len returns the number of rows.
func (p *Packed) Len() int {
	if p == nil {
		return 0
	}
	return len(p.plain) + len(p.head)
}

// row returns row i.
func (p *Packed) row(i int) Row {
	if i < len(p.plain) {
		return p.plain[i]
	}
	i -= len(p.plain)
	r := p.heads[p.head[i]]
	r.Instance, r.Value = p.instance[i], p.value[i]
	if p.byUser != nil {
		r.User = p.users[p.byUser[i]]
	}
	if p.timeS != nil {
		r.TimeS = p.timeS[i]
	}
	return r
}

// SeveralPoints reports whether the rows are of more than one [Point].
func (p *Packed) SeveralPoints() bool {
	if p.Len() == 0 {
		return false
	}
	first := p.row(0).Point
	another := func(r Row) bool { return r.Point != first }
	return slices.ContainsFunc(p.plain, another) || slices.ContainsFunc(p.heads, another)
}

// All iterates over the rows, in their order.
func (p *Packed) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for i := range p.Len() {
			if !yield(p.row(i)) {
				return
			}
		}
	}
}

// Rows returns the rows as they are, which takes ten times as much memory.
func (p *Packed) Rows() []Row {
	if p != nil && len(p.head) == 0 {
		return p.plain
	}
	rows := make([]Row, 0, p.Len())
	for r := range p.All() {
		rows = append(rows, r)
	}
	return rows
}

// Equal reports whether the rows are the same, in the same order.
func (p *Packed) Equal(o *Packed) bool {
	if p.Len() != o.Len() {
		return false
	}
	for i := range p.Len() {
		if p.row(i) != o.row(i) {
			return false
		}
	}
	return true
}
