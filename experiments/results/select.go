package results

import (
	"fmt"
	"maps"
	"slices"

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

// Select returns the rows that say what is wanted of every axis. An axis or a value
// that no row has is an error; for a value it lists those there are.
func Select(rows []Row, wanted map[string]string) ([]Row, error) {
	for _, axis := range slices.Sorted(maps.Keys(wanted)) {
		seen := map[string]bool{}
		var kept []Row
		var there []string
		for i := range rows {
			v := rows[i].Is(axis)
			if v == wanted[axis] {
				kept = append(kept, rows[i])
			}
			if v != "" && !seen[v] {
				seen[v] = true
				there = append(there, v)
			}
		}
		if len(kept) == 0 && len(there) == 0 {
			return nil, fmt.Errorf("%s=%s: no such row, nor a column or parameter %q%s", axis, wanted[axis], axis, spelling.Hint(axis, said(rows)))
		}
		if len(kept) == 0 {
			return nil, fmt.Errorf("%s=%s: no such row%s", axis, wanted[axis], spelling.Hint(wanted[axis], there))
		}
		rows = kept
	}
	return rows, nil
}

// said returns the axes of which some row says something.
func said(rows []Row) []string {
	return slices.DeleteFunc(Axes(rows), func(axis string) bool {
		return !slices.ContainsFunc(rows, func(r Row) bool { return r.Is(axis) != "" })
	})
}

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
