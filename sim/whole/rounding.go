package whole

import (
	"math/rand/v2"
	"slices"

	"github.com/leontief-sim/leontief/sim/spelling"
)

// Fill says which events make [Rounded] fill what is free at random.
type Fill uint8

// The readings of "upon arrival or departure of some users during each slot".
const (
	FillUsers Fill = iota // a user comes or leaves
	FillTasks             // also: a task ends
	FillSlot              // also: at a reallocation, at once
)

// Bound says what bounds the tasks of a user in the division that is rounded.
type Bound uint8

// The readings of n[j] in eq. (2) of the TSF-ER paper, x[j] ≤ n[j]. Its section 6.1
// speaks for each: what is rounded is "the fractional allocation for the fluid task
// model", where "we do not bound the processing rate"; and with whole tasks the
// scheduler "cannot allocate more than the number of submitted tasks".
const (
	BoundNone      Bound = iota // nothing
	BoundSubmitted              // the tasks that the user came with
	BoundLeft                   // those of them that are not done
)

// Rounding are the options of [Rounded].
type Rounding struct {
	Fill Fill
	// Caps bound the division by [policies.AllocateBounded].
	Caps Bound
	// Literal rounds down x·(1 − 1e-9), as if a solver returned a little less than the
	// optimum: a total that is whole, as that of a user at its cap, loses a task.
	// Otherwise an x within 1e-6 below a whole number counts as that number.
	Literal bool
	// Vertex splits each user's tasks over the single servers at a vertex of
	// the set of all splits with the same totals. Otherwise the split is inside
	// that set, where an interior-point method ([solve.Nash]) ends, which is not
	// its analytic centre, and even over identical servers: for a rule that says so
	// ([policies.InteriorSplitter]) its own; for another one, like cru, whose
	// solver is a simplex method and ends at a vertex, that of the program max
	// Σ log x[j] with the rule's totals as caps, whose optima are exactly the
	// splits with these totals. Where the totals themselves are not unique they
	// are those that the rule returns.
	Vertex bool
	// Keep divides also among users that have left, as if those were present for
	// ever: what a division once gave a user stays idle when it is done. No text
	// asks for it; it is there to see how much of a published number it explains.
	Keep bool
	// Divisions, if it is not nil, remembers divisions, those of this rule under its Name.
	Divisions *Divisions
	Name      string
	// Random decides the fills.
	Random rand.Source
}

// The names of the options, the defaults first.
var (
	fillNames  = []string{"users", "tasks", "slot"}
	splitNames = []string{"interior", "vertex"}
	capsNames  = []string{"none", "submitted", "left"}
	floorNames = []string{"exact", "literal"}
)

// ParseRounding returns the options of names: fill (users, tasks, slot), split
// (interior, vertex), caps (none, submitted, left) and floor (exact, literal).
func ParseRounding(fill, split, caps, floor string) (r Rounding, err error) {
	at := func(name string, names []string) int {
		k := slices.Index(names, name)
		if k < 0 && err == nil {
			err = spelling.Check("", name, names)
		}
		return max(k, 0)
	}
	return Rounding{
		Fill: Fill(at(fill, fillNames)), Vertex: at(split, splitNames) == 1,
		Caps: Bound(at(caps, capsNames)), Literal: at(floor, floorNames) == 1,
	}, err
}
