package whole

import (
	"math/big"
	"math/bits"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// usage integrates over time what the running tasks hold of every capacity.
//
// Integrals are exact: whole units times whole microseconds, in 128 bits. A
// capacity has less than 2^62 units and a clock less than 2^63 µs, so they do
// not overflow. What is kept does not grow with time, and an event costs one
// product for each capacity that its task holds.
type usage struct {
	e     *run
	total []int64    // units of each capacity row
	rows  []integral // in the order of [cluster.Environment.Row]
	busy  event.Time // time with at least one user
}

// integral is what is held of one capacity, over time.
type integral struct {
	units int64
	since event.Time // the integral is that up to here
	area  area
}

// area is an integral in units·µs.
type area struct{ high, low uint64 }

// plus returns a + units·span, both of which are not negative.
func (a area) plus(units int64, span event.Time) area {
	high, low := bits.Mul64(uint64(units), uint64(span))
	low, carry := bits.Add64(a.low, low, 0)
	high, _ = bits.Add64(a.high, high, carry)
	return area{high, low}
}

// add returns a + b.
func (a area) add(b area) area {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return area{high, low}
}

// sub returns a − b, b being at most a.
func (a area) sub(b area) area {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	high, _ := bits.Sub64(a.high, b.high, borrow)
	return area{high, low}
}

// over returns a/(total·span), correctly rounded; 0 where total is 0.
func (a area) over(total int64, span event.Time) float64 {
	if total == 0 {
		return 0
	}
	used := new(big.Int).SetUint64(a.high)
	used.Lsh(used, 64).Or(used, new(big.Int).SetUint64(a.low))
	all := new(big.Int).Mul(big.NewInt(total), big.NewInt(int64(span)))
	mean, _ := new(big.Rat).SetFrac(used, all).Float64()
	return mean
}

func (h *integral) change(units int64, now event.Time) {
	h.area = h.area.plus(h.units, now-h.since)
	h.units, h.since = h.units+units, now
}

func (h *integral) clear(now event.Time) { h.change(-h.units, now) }

func (u *usage) open(e *run) {
	u.e, u.rows = e, make([]integral, e.Env.Rows())
	for row := range u.rows {
		u.rows[row].since = e.now
	}
	u.total = make([]int64, len(u.rows))
	for server := range e.servers.Servers() {
		for r, units := range e.servers.Capacity(server) {
			u.total[e.Env.Row(e.servers.Class(server), r)] += units
		}
	}
	copy(u.total[e.Env.LinkRow(0):], e.servers.LinkCapacity())
}

// hold books tasks that start (n > 0) or leave.
func (u *usage) hold(k *kind, server int32, n int64) {
	class, now := u.e.servers.Class(int(server)), u.e.now
	first := class * len(u.e.Env.Resources)
	for r, d := range k.Need.On(class) {
		u.rows[first+r].change(n*d, now)
	}
	links := u.e.Env.LinkRow(0)
	for _, e := range u.e.servers.Behind(class) {
		u.rows[links+int(e)].change(n*k.Need.Link[e], now)
	}
}

// idle books that all tasks have left, which ran on these servers.
func (u *usage) idle(servers []int32) {
	now, last := u.e.now, -1
	for _, server := range servers {
		class := u.e.servers.Class(int(server))
		if class == last {
			continue
		}
		last = class
		first := class * len(u.e.Env.Resources)
		for r := range u.e.Env.Resources {
			u.rows[first+r].clear(now)
		}
	}
	for row := u.e.Env.LinkRow(0); row < len(u.rows); row++ {
		u.rows[row].clear(now)
	}
}

// mean returns the utilization up to now; nil if nobody ever was in the system.
func (u *usage) mean() *cluster.MeanUtilization {
	if u.busy == 0 {
		return nil
	}
	rows := make([]float64, len(u.rows))
	for row := range rows {
		rows[row] = u.now(row).over(u.total[row], u.busy)
	}
	return cluster.NewMeanUtilization(u.e.Env, rows)
}

// now returns the integral of a row up to now.
func (u *usage) now(row int) area {
	h := &u.rows[row]
	return h.area.plus(h.units, u.e.now-h.since)
}

// pooled returns the integrals up to now of each resource on all servers, then of
// each link. The result is in dst, which may be nil.
func (u *usage) pooled(dst []area) []area {
	env := u.e.Env
	dst = dst[:0]
	for r := range env.Resources {
		sum := area{}
		for s := range env.Servers {
			sum = sum.add(u.now(env.Row(s, r)))
		}
		dst = append(dst, sum)
	}
	for e := range env.Links {
		dst = append(dst, u.now(env.LinkRow(e)))
	}
	return dst
}
