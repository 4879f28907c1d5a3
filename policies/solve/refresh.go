package solve

import (
	"math"

	"github.com/leontief-sim/leontief/sim/cluster"
	"gonum.org/v1/gonum/mat"
)

// refresh computes the inverse and the values anew from the set of basic variables. It
// reports false if the working basis is singular.
func (b *basis) refresh() bool {
	b.fresh = 0
	b.rekey()
	p := len(b.tight)
	if p > 0 && !b.invert(p) {
		return false
	}
	b.polish()
	return true
}

// invert computes the columns of the p tight rows. With the basic variables that are no
// slacks first, the basis and its inverse are
//
//	B = [ K  0 ]      B⁻¹ = [  K⁻¹      0 ]
//	    [ F  I ]            [ −F·K⁻¹    I ]
//
// over the tight rows and the others: the kernel K is p×p.
func (b *basis) invert(p int) bool {
	// 1. The positions of the kernel's columns.
	structural := make([]int, 0, p)
	for i, v := range b.in {
		if v >= 0 {
			structural = append(structural, i)
		}
	}
	if len(structural) != p {
		return false
	}
	// 2. Their working columns over all rows, and over the tight ones.
	full := mat.NewDense(b.m, p, nil)
	kernel := mat.NewDense(p, p, nil)
	for a, i := range structural {
		b.load(b.in[i])
		for c, k := range b.column.row {
			full.Set(k, a, full.At(k, a)+b.column.val[c])
		}
		for t, k := range b.tight {
			kernel.Set(t, a, full.At(k, a))
		}
	}
	// 3. K⁻¹ and F·K⁻¹.
	var inverse, slacks mat.Dense
	if err := inverse.Inverse(kernel); err != nil {
		if c, ok := err.(mat.Condition); !ok || math.IsInf(float64(c), 1) {
			return false
		}
	}
	slacks.Mul(full, &inverse)
	for t := range b.tight {
		col := b.col(t)
		for i, v := range b.in {
			if v < 0 {
				col[i] = -slacks.At(int(-1-v), t)
			}
		}
		for a, i := range structural {
			col[i] = inverse.At(a, t)
		}
	}
	return true
}

// usage fills dst with what the present values take from each row.
func (b *basis) usage(dst []float64) {
	clear(dst)
	if b.pairs && b.envyOf == nil {
		b.usageOfKeys(dst)
	} else {
		for j := range b.users {
			if b.here[j] {
				b.spend(dst, j, b.key[j], b.keyValue(j))
			}
		}
	}
	for i, v := range b.in {
		if b.isTask(v) {
			b.spend(dst, b.userOf(v), b.serverOf(v), b.val[i])
		}
	}
}

// usageOfKeys is the part of usage that keys take, in a program of pairs.
func (b *basis) usageOfKeys(dst []float64) {
	g, through, zone := b.g(), dst[2*b.servers:], b.zones[0]
	one, sum := len(zone) == 1, 0.0 // the only link, kept apart
	n := len(b.here)
	fixed, rate, head, key, use, inv := b.fixed[:n], b.rate[:n], b.head[:n], b.key[:n], b.use[:2*n], b.inv[:2*b.servers]
	for j, here := range b.here {
		if !here {
			continue
		}
		y := fixed[j] + rate[j]*g
		if head[j] >= 0 {
			y = b.keyValue(j)
		}
		if y == 0 {
			continue
		}
		at := 2 * key[j]
		dst[at] += y * use[2*j] * inv[at]
		dst[at+1] += y * use[2*j+1] * inv[at+1]
		if one {
			sum += y * b.link[j*b.links+zone[0]]
			continue
		}
		for _, e := range zone {
			through[e] += y * b.link[j*b.links+e]
		}
	}
	if one {
		through[zone[0]] = sum
	}
}

// spend adds y times the column of y[j,s] to dst.
func (b *basis) spend(dst []float64, j, s int, y float64) {
	if y == 0 {
		return
	}
	need := b.at(j, s)
	at, inv := dst[s*b.res:][:len(need)], b.inv[s*b.res:][:len(need)]
	for r, d := range need {
		at[r] += y * d * inv[r]
	}
	through := dst[b.servers*b.res:]
	for _, e := range b.zones[b.zone[s]] {
		through[e] += y * b.link[j*b.links+e]
	}
	if b.envyOf != nil {
		for _, t := range b.envyOf[j] {
			dst[b.rows()+t] += y * b.extra[t].coef(j, s)
		}
	}
}

// polish takes steps of iterative refinement: it moves the basic values by B⁻¹ times the
// residual of the rows, and notes in b.residual the largest one that then remains.
func (b *basis) polish() {
	b.rekey()
	b.dense = resize(b.dense, b.m)
	rest := b.dense
	for step := range 4 {
		// 1. The residual of each row: right-hand side, less usage, less basic slack.
		b.usage(rest)
		worst := 0.0
		for k := range rest {
			right := 1.0
			if k >= b.rows() {
				right = 0
			}
			rest[k] = right - rest[k]
			if i := b.pos[k]; i >= 0 {
				rest[k] -= b.val[i]
			}
			worst = max(worst, math.Abs(rest[k]))
		}
		b.residual = worst
		if worst <= tolResidual || step == 3 {
			return
		}
		// 2. The values move by B⁻¹ times the residuals.
		for k, v := range rest {
			if v == 0 {
				continue
			}
			b.addTo(b.val, k, v)
		}
	}
}

// write puts the present allocation, in tasks, into x (user-major). Values that rounding
// has left below 0 are written as 0; no row's usage grows by more than clipped, in
// fractions of its capacity.
func (b *basis) write(x []float64) (clipped float64) {
	clear(x)
	g, n := b.g(), len(b.here)
	fixed, rate, head, key, scale := b.fixed[:n], b.rate[:n], b.head[:n], b.key[:n], b.scale[:n]
	for j, here := range b.here {
		if !here {
			continue
		}
		y := fixed[j] + rate[j]*g
		if head[j] >= 0 {
			y = b.keyValue(j)
		}
		if y > 0 {
			x[j*b.servers+key[j]] = y * scale[j]
		} else if y < 0 {
			clipped -= y * b.need(j, key[j])
		}
	}
	for i, v := range b.in {
		if !b.isTask(v) {
			continue
		}
		if y := b.val[i]; y > 0 {
			x[v] = y * scale[b.userOf(v)]
		} else if y < 0 {
			clipped -= y * b.need(b.taskOf(v))
		}
	}
	return clipped
}

// excess returns the largest violation of a row or of a sign, relative to the capacity or
// to the level (to the scale of the user where there is no level). It uses the residual
// of the last polish.
func (b *basis) excess() float64 {
	worst, unit := b.residual, b.g()
	if unit <= 0 {
		unit = 1
	}
	for i, v := range b.in {
		out := -b.val[i]
		if v >= 0 {
			out /= unit
			if j := b.userOf(v); j >= 0 && b.head[j] == i {
				out = max(out, -b.keyValue(j)/unit)
			}
		}
		if out > worst {
			worst = out
		}
	}
	return worst
}

// mend lets the dual method repair, after the last round, when every total is fixed, what
// rounding has left infeasible, and returns the excess that remains.
func (b *basis) mend() float64 {
	excess := b.excess()
	for range 2 {
		if excess <= Feasibility/100 {
			break
		}
		mended := b.refresh() && b.dual() == nil
		if mended {
			b.polish()
		}
		excess = b.excess()
		if !mended {
			break
		}
	}
	return excess
}

// tolExcess is how far the allocation that is written may exceed a capacity,
// relative to it, before it is taken back.
const tolExcess = 1e-12

// retract takes the allocation in a.X back into the region, where it may be
// outside by excess, and returns the part of every user's tasks that this costs.
func retract(a *cluster.Allocation, excess float64) float64 {
	if excess <= tolExcess {
		return 0
	}
	over := 1.0
	for k, used := range a.Usage(nil) {
		if c := a.Region.RowCapacity(k); c > 0 {
			over = max(over, used/c)
		}
	}
	for i := range a.X {
		a.X[i] /= over
	}
	return over - 1
}
