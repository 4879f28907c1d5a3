package whole

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"sync"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Divisions remembers what rules that are rounded have divided, for all replays that are
// given it: readings of one workload mostly ask for the same divisions. A division is a
// function of the rule, its options and the environment alone, so results are the same with
// and without. It holds the last ones, up to a number of bytes, of up to [mostRemembered]
// users who may run everywhere with one demand. It may be shared by goroutines.
type Divisions struct {
	mu         sync.Mutex
	young, old generation
	room       int // entries of split and totals in a generation
}

// generation is half of the memory. When the young one is full it becomes the old one, and
// the old one is forgotten.
type generation struct {
	at     map[divisionKey]int // place of a division in values
	values []float64
}

// divisionKey is of all that a division depends on.
type divisionKey [16]byte

// mostRemembered is the number of users up to which a division is remembered: larger groups
// hardly ever come again.
const mostRemembered = 64

// NewDivisions returns a memory of up to about so many bytes.
func NewDivisions(bytes int) *Divisions { return &Divisions{room: bytes / 2 / 10} } // a key takes a fifth

// find appends a division of a length to dst; false if it is not remembered.
func (d *Divisions) find(key divisionKey, dst []float64, length int) ([]float64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, known := d.young.at[key]; known {
		return append(dst, d.young.values[at:at+length]...), true
	}
	at, known := d.old.at[key]
	if known {
		dst = append(dst, d.old.values[at:at+length]...)
		d.keep(key, d.old.values[at:at+length])
	}
	return dst, known
}

// put remembers a division.
func (d *Divisions) put(key divisionKey, parts ...[]float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep(key, parts...)
}

func (d *Divisions) keep(key divisionKey, parts ...[]float64) {
	if d.young.at == nil || len(d.young.values) >= d.room {
		d.old, d.young = d.young, generation{at: map[divisionKey]int{}}
	}
	d.young.at[key] = len(d.young.values)
	for _, part := range parts {
		d.young.values = append(d.young.values, part...)
	}
}

// known finds the division of the users present among those that are remembered; if it is
// there, share need not be asked. The key is valid if ok.
func (r *rounding) known(present []cluster.User) (key divisionKey, ok, found bool) {
	if r.options.Divisions == nil || r.options.Keep || len(present) > mostRemembered {
		return key, false, false
	}
	if r.digest == nil {
		r.digest = sha256.New()
		r.about = r.describe()
	}
	if key, ok = r.key(present); !ok {
		return key, false, false
	}
	n, columns := len(present), len(r.Env.Servers)
	if r.options.Vertex {
		columns = r.servers.Servers()
	}
	r.remembered, found = r.options.Divisions.find(key, r.remembered[:0], n*(1+columns))
	if found {
		r.totals = append(r.totals[:0], r.remembered[:n]...)
		r.split = append(r.split[:0], r.remembered[n:]...)
	}
	return key, true, found
}

// describe returns what all divisions of the replay depend on.
func (r *rounding) describe() []byte {
	about := fmt.Appendf(nil, "%s\n%t\n", r.options.Name, r.options.Vertex)
	for _, s := range r.Env.Servers {
		about = fmt.Appendf(about, "%x %d\n", s.Capacity, s.Count)
	}
	for _, l := range r.Env.Links {
		about = fmt.Appendf(about, "%x %x %t\n", l.Capacity, l.Servers, l.Servers == nil)
	}
	return about
}

// key returns the key of a division, unless a user has constraints or several demands.
func (r *rounding) key(present []cluster.User) (key divisionKey, ok bool) {
	r.digest.Reset()
	r.digest.Write(r.about)
	for i := range present {
		u := &present[i]
		if u.Eligible != nil || len(u.DemandOn) > 0 {
			return key, false
		}
		line := binary.LittleEndian.AppendUint64(r.line[:0], uint64(len(u.LinkDemand)))
		for _, of := range [...][]float64{u.Demand, u.LinkDemand, {u.Weight, u.Tasks}} {
			for _, v := range of {
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(v))
			}
		}
		r.line = line
		r.digest.Write(line)
	}
	r.line = r.digest.Sum(r.line[:0])
	copy(key[:], r.line)
	return key, true
}

// memory is what a replay needs to ask its [Divisions].
type memory struct {
	digest     hash.Hash
	about      []byte // what all divisions of the replay depend on
	line       []byte
	remembered []float64
}
