package traces

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Report says what an import read, what it left out and why. Nothing that is
// counted as left out is in the result, and nothing in the result was
// repaired.
//
// The zero value is ready for use.
type Report struct {
	read, kept, leftOut, noted tally
}

// tally counts things of a unit ("rows", "tasks", "jobs") by name or reason.
type tally map[Count]int64

// Count is one line of a report. What is a table, or the reason for which
// something was left out.
type Count struct {
	Unit string `json:"unit"`
	What string `json:"what"`
	N    int64  `json:"count"`
}

func (t *tally) add(unit, what string, n int64) {
	if n == 0 {
		return
	}
	if *t == nil {
		*t = tally{}
	}
	(*t)[Count{Unit: unit, What: what}] += n
}

// counts returns the lines by unit and name.
func (t tally) counts() []Count {
	lines := make([]Count, 0, len(t))
	for c, n := range t {
		c.N = n
		lines = append(lines, c)
	}
	slices.SortFunc(lines, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.What, b.What))
	})
	return lines
}

// AddRead counts rows that were read from a table.
func (r *Report) AddRead(table string, rows int64) { r.read.add("rows", table, rows) }

// AddKept counts what the result holds.
func (r *Report) AddKept(unit, what string, n int64) { r.kept.add(unit, what, n) }

// LeaveOut counts n things that were left out, with the reason.
func (r *Report) LeaveOut(unit, reason string, n int64) { r.leftOut.add(unit, reason, n) }

// Note counts something that was kept but that a reader should know of.
func (r *Report) Note(unit, what string, n int64) { r.noted.add(unit, what, n) }

// Read returns the rows read by table.
func (r *Report) Read() []Count { return r.read.counts() }

// Kept returns what the result holds.
func (r *Report) Kept() []Count { return r.kept.counts() }

// LeftOut returns what was left out, by unit and reason.
func (r *Report) LeftOut() []Count { return r.leftOut.counts() }

// Notes returns what was kept with a remark.
func (r *Report) Notes() []Count { return r.noted.counts() }

// LeftOutFor returns how many things of a unit were left out for a reason.
func (r *Report) LeftOutFor(unit, reason string) int64 {
	return r.leftOut[Count{Unit: unit, What: reason}]
}

// String returns the report as lines of text, in a fixed order.
func (r *Report) String() string {
	var b strings.Builder
	section := func(title string, t tally) {
		if len(t) == 0 {
			return
		}
		fmt.Fprintf(&b, "%s\n", title)
		for _, c := range t.counts() {
			fmt.Fprintf(&b, "  %12d %-5s  %s\n", c.N, c.Unit, c.What)
		}
	}
	section("read", r.read)
	section("kept", r.kept)
	section("left out", r.leftOut)
	section("noted", r.noted)
	return b.String()
}

// MarshalJSON writes the report as an object of four lists in a fixed order.
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Read    []Count `json:"read"`
		Kept    []Count `json:"kept"`
		LeftOut []Count `json:"left_out"`
		Noted   []Count `json:"noted"`
	}{r.Read(), r.Kept(), r.LeftOut(), r.Notes()})
}
