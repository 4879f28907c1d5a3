package compare

import (
	"fmt"
	"slices"
)

func (f *Findings) propertiesSection() Section {
	if !slices.ContainsFunc(f.Violations, func(v Series) bool { return v.Looked > 0 }) {
		return Section{}
	}
	s := Section{Title: "Properties: promised, and violated in this replay",
		Head:     []string{"rule", "property", "promise", "violated at", "of the time", "worst at (s)", "witness"},
		terminal: 12, columns: []int{0, 1, 2, 3, 4, 5}}
	partly := false
	for i, r := range f.Rules {
		if f.Same[i] != i {
			continue
		}
		for _, v := range f.Violations[i*len(Kept) : (i+1)*len(Kept)] {
			if v.Looked > 0 {
				s.Rows = append(s.Rows, v.row(r.Policy))
				partly = partly || v.Looked < v.Allocations
			}
		}
	}
	slices.SortStableFunc(s.Rows, func(a, b []string) int { return urgency(a) - urgency(b) })
	s.Notes = []string{"EF envy-freeness, SI sharing incentive, PO Pareto optimality. An allocation is in force from one instant at which something happens to the next; a violation is one by more than 1e-6, and the worst is the first of the largest."}
	if partly {
		s.Notes = append(s.Notes, fmt.Sprintf("Where it says so not all allocations were looked at: those to more than %d users only now and then, of p times as many users every p²-th.", manyUsers))
	}
	if first := s.Rows[0]; first[5] != "" && f.Folder != "" {
		s.Notes = append(s.Notes, fmt.Sprintf("More of the first: leontief explain %s --policy %s --at %s", f.Folder, first[0], first[5]))
	}
	if f.Whole {
		s.Notes = append(s.Notes, "Papers promise properties of divisible tasks. Whole tasks do not divide, and those that run are not taken away: a violation is no error of the rule. Pareto optimality of whole tasks is violated here where a task waits that fits on a server that may run it; whether tasks that run could be moved to make room is not asked.")
	}
	return s
}

// row is the row of a property.
func (v *Series) row(rule string) []string {
	count := fmt.Sprintf("%d of %d", v.Violated, v.Looked)
	if v.Looked < v.Allocations {
		count += fmt.Sprintf(" (of %d)", v.Allocations)
	}
	row := []string{rule, string(v.Property), v.Claim, count, "", "", ""}
	if v.Worst != nil {
		row[4], row[5], row[6] = percent(v.Part()), seconds(v.Worst.At), v.Worst.Says
	}
	return row
}

// urgency orders rows of properties: first what is promised and violated, last what was not
// violated.
func urgency(row []string) int {
	switch {
	case row[5] == "":
		return 2
	case row[2] == "guaranteed" || row[2] == "claimed for divisible tasks":
		return 0
	}
	return 1
}
