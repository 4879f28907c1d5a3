package waiting

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/whole/order"
)

// amounts of all sizes, and those around which rounding changes.
func someAmounts(rng *rand.Rand) []int64 {
	amounts := []int64{0, 1, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, math.MaxInt64 - 1, math.MaxInt64}
	for range 2000 {
		amounts = append(amounts, rng.Int64()>>rng.IntN(63))
	}
	return amounts
}

func TestBriefAmountsKeepTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	amounts := someAmounts(rng)
	for _, v := range amounts {
		down, up := brief(v), briefUp(v)
		if low := amount(down); low > v || float64(v-low) > float64(v)/512 || brief(low) != down || low > 0 && brief(low-1) >= down {
			t.Fatalf("%d is %d in brief, which is %d", v, down, low)
		}
		if v <= 1024 && amount(down) != v || up < down || up > down+1 || (up == down) != (amount(down) == v) {
			t.Fatalf("%d is %d in brief, rounded up %d", v, down, up)
		}
		if up >= plenty.field(0) || plenty.field(0) >= impossible.field(0) {
			t.Fatalf("%d is %d in brief, which is not below plenty", v, up)
		}
		w := amounts[rng.IntN(len(amounts))]
		if v <= w && brief(v) > brief(w) || briefUp(v) <= brief(w) && v > w {
			t.Fatalf("%d and %d are %d and %d in brief", v, w, brief(v), brief(w))
		}
	}
}

func TestSketchesCompareEveryAmount(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	yes := 0
	for range 20000 {
		var x, y sketch
		within := true
		var fields [2][sketchFields]uint64
		for i := range sketchFields {
			a, b := uint64(rng.IntN(fieldMask+1)), uint64(rng.IntN(fieldMask+1))
			if rng.IntN(8) > 0 {
				a = min(a, b)
			}
			x, y = x.with(i, fieldMask).with(i, a), y.with(i, b)
			fields[0][i], fields[1][i] = a, b
			within = within && a <= b
		}
		if x.within(y) != within {
			t.Fatalf("%x within %x: %v", x, y, !within)
		}
		if within {
			yes++
		}
		low, high := least(x, y), most(x, y)
		for i := range sketchFields {
			a, b := fields[0][i], fields[1][i]
			if x.field(i) != a || low.field(i) != min(a, b) || high.field(i) != max(a, b) {
				t.Fatalf("amount %d of %x and %x: %d, least %d, most %d", i, x, y, x.field(i), low.field(i), high.field(i))
			}
		}
		if free := least(y, plenty); impossible.within(free) {
			t.Fatalf("nothing is not kept out of %x", free)
		}
	}
	if yes < 1000 || yes > 19000 {
		t.Errorf("%d of 20000 within", yes)
	}
}

// What fits is never kept out, however many amounts there are.
func TestSketchesKeepOutOnlyWhatDoesNotFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 66))
	for amounts := 1; amounts <= 2*sketchFields; amounts++ {
		resources := 1 + rng.IntN(amounts)
		out := 0
		for range 500 {
			free, demand := make([]int64, amounts), make([]int64, amounts)
			for i := range free {
				free[i] = rng.Int64() >> (1 + rng.IntN(62))
				demand[i] = int64(float64(free[i]) * rng.Float64() * 1.1)
			}
			down, up := sketchDemand(demand[:resources], demand[resources:])
			room, _ := sketchDemand(free[:resources], free[resources:])
			if fits := covers(free, demand); fits && !down.within(room) {
				t.Fatalf("%v fits into %v, not in brief", demand, free)
			}
			if amounts <= sketchFields && up.within(room) && !covers(free, demand) {
				t.Fatalf("%v fits into %v in brief alone", demand, free)
			}
			if !down.within(room) {
				out++
			}
		}
		if out < 20 {
			t.Errorf("%d amounts: only %d of 500 kept out", amounts, out)
		}
	}
}

// checkUserTree compares what the nodes of a tree of users say with the users below.
func checkUserTree(t *testing.T, c *userTree) {
	t.Helper()
	var check func(node int) (low, high sketch, head order.Turn, users int32)
	check = func(node int) (low, high sketch, head order.Turn, users int32) {
		low, high, head = impossible, sketch{}, order.Nobody
		join := func(l, h sketch, first order.Turn, n int32) {
			low, high, users = least(low, l), most(high, h), users+n
			if n > 0 && (head.Index < 0 || first.Before(&head)) {
				head = first
			}
		}
		if node >= c.leaves {
			for s, end := c.within(node); s < end; s++ {
				if user := c.users[s]; user >= 0 {
					join(c.low(c.nodeOf(s)), c.high(c.nodeOf(s)), c.turns[s], 1)
					if c.at[user] != s {
						t.Fatalf("user %d is in slot %d, not %d", user, s, c.at[user])
					}
				}
			}
		} else {
			join(check(2 * node))
			join(check(2*node + 1))
		}
		if users != c.count[node] {
			t.Fatalf("%d users below node %d, want %d", c.count[node], node, users)
		}
		if !c.wide {
			low.b, high.b = 0, 0
		}
		if n := int32(node); c.boxed(node) {
			f, i := c.lane(n)
			first, need := order.Nobody, impossible.a
			if slot := f.head[i]; slot >= 0 {
				first, need = c.turns[slot], c.low(c.nodeOf(slot)).a
			}
			if low != c.low(n) || high != c.high(n) || head != first || f.key[i] != first.Key() || f.need[i] != need ||
				head.Index >= 0 && f.tie[i] != head.Tie() {
				t.Fatalf("node %d of %d leaves: box %x to %x, head %v, key %g, tie %x, need %x, want %x to %x, %v, need %x",
					node, c.leaves, c.low(n), c.high(n), first, f.key[i], f.tie[i], f.need[i], low, high, head, need)
			}
		}
		return low, high, head, users
	}
	check(1)
}

func TestTheIndexSumsUpItsUsers(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 68))
	var scales []*order.Scale
	norms := order.NewNorms()
	for i, n := range []float64{0.2, 0.3, 1, 1.5} {
		norm := order.NewNorm(n, 0, func() *big.Rat { return exact.Rational(n) })
		if i%2 == 0 { // the others have no ties
			norm = norms.Enter(norm)
		}
		scales = append(scales, norm.ScaleOf(1))
	}
	for _, c := range []*userTree{newUserTree(2, 1), newUserTree(3, 4), newLinkTree(2, 2)} {
		in := map[int32]bool{}
		for i := range 6000 {
			user := int32(rng.IntN(600))
			when := scales[rng.IntN(len(scales))].Turn(rng.Int64N(4), int(user))
			switch {
			case !in[user]:
				k := &Kind{}
				k.down, k.up = sketchDemand([]int64{rng.Int64N(1e6), rng.Int64N(3) * 1000}, []int64{rng.Int64N(1e9), rng.Int64N(7)})
				c.add(user, k, when, untried)
				in[user] = true
			case rng.IntN(3) > 0:
				c.move(user, when)
			default:
				c.drop(user)
				in[user] = false
			}
			if c.asked.add(plenty.with(0, uint64(rng.IntN(9000)))); i%50 == 0 {
				checkUserTree(t, c)
			}
		}
		if c.len() < 200 {
			t.Errorf("only %d users at the end", c.len())
		}
	}
}
