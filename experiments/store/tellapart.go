package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// tellApart adds to the rows of scenarios, which share a table, the parameters
// and the seeds that vary between scenarios, where two of them would otherwise
// have rows that say the same of themselves.
func tellApart(scenarios []spec.Scenario, parts [][]results.Row) {
	seen := map[results.Row]bool{}
	same := false
	for _, rows := range parts {
		if len(rows) > 0 {
			first := rows[0]
			first.Value = 0
			same = same || seen[first]
			seen[first] = true
		}
	}
	if !same {
		return
	}
	names := varying(scenarios)
	for i, s := range scenarios {
		for k := range parts[i] {
			parts[i][k].Parameters = withParameters(parts[i][k].Parameters, s, names)
		}
	}
}

// varying returns the parameters, and the seed, that differ between scenarios.
func varying(scenarios []spec.Scenario) []string {
	values := map[string]map[string]bool{}
	for _, s := range scenarios {
		for name, text := range s.Seeded() {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][text] = true
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			names = append(names, name)
		}
	}
	return names
}

// withParameters adds those of the named parameters to a text k=v,… that have no
// column of their own and are not in it.
func withParameters(text string, s spec.Scenario, names []string) string {
	pairs := map[string]string{}
	if text != "" {
		for _, pair := range strings.Split(text, ",") {
			name, _, _ := strings.Cut(pair, "=")
			pairs[name] = pair
		}
	}
	all := s.Seeded()
	for _, name := range names {
		if _, there := pairs[name]; !there && !slices.Contains(ownColumns, name) {
			value := all[name]
			if sum, ok := strings.CutPrefix(value, spec.FileMark); ok {
				value = sum[:12]
			}
			pairs[name] = name + "=" + value
		}
	}
	var sorted []string
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		sorted = append(sorted, pairs[name])
	}
	return strings.Join(sorted, ",")
}

// ownColumns are the parameters that rows have columns for.
var ownColumns = []string{"policy", "n", "rho", "bandwidth", "slot"}
