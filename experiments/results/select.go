package results

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/sim/spelling"
)

// Axes returns the columns that say what rows are of, but for the metric and the
// time: item, policy, the parameters that some row has, user and workload.
func Axes(rows []Row) []string {
	names := map[string]bool{}
	seen := map[Point]bool{}
	for i := range rows {
		if p := rows[i].Point; !seen[p] {
			seen[p] = true
			for _, name := range p.Names() {
				names[name] = true
			}
		}
	}
	return slices.Concat([]string{"item", "policy"}, slices.Sorted(maps.Keys(names)), []string{"user", "workload"})
}

// Varying returns the axes on which rows differ, with the values of each in
// the order in which they come.
func Varying(rows []Row) (axes []string, values map[string][]string) {
	values = map[string][]string{}
	for _, axis := range Axes(rows) {
		seen := map[string]bool{}
		var of []string
		for i := range rows {
			if v := rows[i].Is(axis); !seen[v] {
				seen[v] = true
				of = append(of, v)
			}
		}
		if len(of) > 1 {
			axes, values[axis] = append(axes, axis), of
		}
	}
	return axes, values
}

// Select returns the rows that say what is wanted of every axis: a value, one of several
// values (a,b), or a number in a range (a..b, either end may be missing). An axis that no
// row has, and a value that no row has, are errors; for a value it lists those there are.
func Select(rows []Row, wanted map[string]string) ([]Row, error) {
	for _, axis := range slices.Sorted(maps.Keys(wanted)) {
		there := valuesOf(rows, axis)
		if len(there) == 0 {
			return nil, fmt.Errorf("%s=%s: no such row, nor a column or parameter %q%s", axis, wanted[axis], axis, spelling.Hint(axis, said(rows)))
		}
		chosen, missing := choose(wanted[axis], there)
		if missing != "" {
			return nil, fmt.Errorf("%s=%s: no such row%s", axis, missing, spelling.Hint(missing, there))
		}
		rows = Which(rows, func(r *Row) bool { return chosen[r.Is(axis)] })
	}
	return rows, nil
}

// Which returns copies of the rows for which something holds, in no more memory than they
// take.
func Which(rows []Row, holds func(*Row) bool) []Row {
	which := make([]bool, len(rows))
	n := 0
	for i := range rows {
		if which[i] = holds(&rows[i]); which[i] {
			n++
		}
	}
	all := make([]Row, 0, n)
	for i := range rows {
		if which[i] {
			all = append(all, rows[i])
		}
	}
	return all
}

// valuesOf returns what rows say of an axis, in the order in which it comes.
func valuesOf(rows []Row, axis string) []string {
	seen := map[string]bool{"": true}
	var there []string
	for i := range rows {
		if v := rows[i].Is(axis); !seen[v] {
			seen[v] = true
			there = append(there, v)
		}
	}
	return there
}

// choose returns those of the values that are wanted, or what none of them is.
func choose(wanted string, there []string) (chosen map[string]bool, missing string) {
	chosen = map[string]bool{}
	if slices.Contains(there, wanted) {
		chosen[wanted] = true
		return chosen, ""
	}
	if low, high, ok := Interval(wanted); ok {
		for _, v := range there {
			if n, err := strconv.ParseFloat(v, 64); err == nil && n >= low && n <= high {
				chosen[v] = true
			}
		}
		if len(chosen) == 0 {
			return nil, wanted
		}
		return chosen, ""
	}
	for _, one := range listed(wanted) {
		if !slices.Contains(there, one) {
			return nil, one
		}
		chosen[one] = true
	}
	return chosen, ""
}

// Wanted reports whether a value is one that is wanted, as [Select] reads it.
func Wanted(wanted, value string) bool {
	chosen, _ := choose(wanted, []string{value})
	if chosen[value] {
		return true
	}
	if _, _, ok := Interval(wanted); ok {
		return false
	}
	return slices.Contains(listed(wanted), value)
}

// Interval reads a range of numbers: a..b, either end may be missing.
func Interval(text string) (low, high float64, ok bool) {
	from, to, ok := strings.Cut(text, "..")
	if !ok || from == "" && to == "" {
		return 0, 0, false
	}
	low, high = math.Inf(-1), math.Inf(1)
	var err, other error
	if from != "" {
		low, err = strconv.ParseFloat(from, 64)
	}
	if to != "" {
		high, other = strconv.ParseFloat(to, 64)
	}
	return low, high, err == nil && other == nil
}

// listed splits a list at its commas, but for those between brackets: magiks-rim[to=best].
func listed(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		return r == ',' && depth == 0
	})
}

// said returns the axes of which some row says something.
func said(rows []Row) []string {
	return slices.DeleteFunc(Axes(rows), func(axis string) bool {
		return !slices.ContainsFunc(rows, func(r Row) bool { return r.Is(axis) != "" })
	})
}

// MetricsOf returns the metrics in the order in which they come.
func MetricsOf(rows []Row) []string { return valuesOf(rows, "metric") }

// PoliciesOf returns the policies in the order in which they come.
func PoliciesOf(rows []Row) []string {
	var all []string
	for i := range rows {
		if !slices.Contains(all, rows[i].Policy) {
			all = append(all, rows[i].Policy)
		}
	}
	return all
}
