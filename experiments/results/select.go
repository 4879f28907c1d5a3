package results

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/sim/spelling"
)

// Axes are the columns of a table that say what a row is of, by the names that
// [Row.Is] and [plots.Against] take; the names in the column parameters count too.
var Axes = []string{"item", "policy", "n", "rho", "bandwidth_mhz", "slot_s", "user", "workload"}

// Is returns what a row says of an axis, as text, or of a name in its column
// parameters; "" where it says nothing.
func (r *Row) Is(axis string) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch axis {
	case "item":
		return r.Item
	case "policy":
		return r.Policy
	case "n":
		return strconv.FormatInt(r.N, 10)
	case "rho":
		return number(r.Rho)
	case "bandwidth_mhz":
		return number(r.BandwidthMHz)
	case "slot_s":
		return number(r.SlotS)
	case "time_s":
		return number(r.TimeS)
	case "user":
		return r.User
	case "workload":
		return r.Workload
	case "metric":
		return r.Metric
	}
	for _, pair := range parameters(r.Parameters) {
		if k, v, _ := strings.Cut(pair, "="); k == axis {
			return v
		}
	}
	return ""
}

// parameters splits the column parameters.
func parameters(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// Varying returns the axes on which rows differ, with the values of each in
// the order in which they come.
func Varying(rows []Row) (axes []string, values map[string][]string) {
	values = map[string][]string{}
	for _, axis := range rowAxes(rows) {
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

// rowAxes returns the axes, and the parameters that rows have.
func rowAxes(rows []Row) []string {
	names := slices.Clone(Axes)
	seen := map[string]bool{}
	for i := range rows {
		if seen[rows[i].Parameters] {
			continue
		}
		seen[rows[i].Parameters] = true
		for _, pair := range parameters(rows[i].Parameters) {
			if k, _, _ := strings.Cut(pair, "="); !slices.Contains(names, k) {
				names = append(names, k)
			}
		}
	}
	return names
}

// said returns the axes and parameters of which some row says something.
func said(rows []Row) []string {
	return slices.DeleteFunc(rowAxes(rows), func(axis string) bool {
		return !slices.ContainsFunc(rows, func(r Row) bool { return r.Is(axis) != "" })
	})
}

// policiesOf returns the policies in the order in which they come.
func PoliciesOf(rows []Row) []string {
	var all []string
	for i := range rows {
		if !slices.Contains(all, rows[i].Policy) {
			all = append(all, rows[i].Policy)
		}
	}
	return all
}
