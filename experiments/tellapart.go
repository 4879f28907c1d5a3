package experiments

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/plots"
)

// tellApart adds to the rows of scenarios, which share a table, the parameters
// and the seeds that vary between scenarios, where two of them would otherwise
// have rows that say the same of themselves.
func tellApart(scenarios []Scenario, parts [][]plots.Row) {
	seen := map[plots.Row]bool{}
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
func varying(scenarios []Scenario) []string {
	values := map[string]map[string]bool{}
	for _, s := range scenarios {
		for name, text := range s.seeded() {
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

// seeded returns the parameters of a scenario and its seed.
func (s Scenario) seeded() map[string]string {
	all := maps.Clone(s.Parameters)
	if all == nil {
		all = map[string]string{}
	}
	if _, taken := all[seedName]; !taken {
		all[seedName] = strconv.FormatUint(s.Seed, 10)
	}
	return all
}

// withParameters adds those of the named parameters to a text k=v,… that have no
// column of their own and are not in it.
func withParameters(text string, s Scenario, names []string) string {
	pairs := map[string]string{}
	if text != "" {
		for _, pair := range strings.Split(text, ",") {
			name, _, _ := strings.Cut(pair, "=")
			pairs[name] = pair
		}
	}
	all := s.seeded()
	for _, name := range names {
		if _, there := pairs[name]; !there && !slices.Contains(ownColumns, name) {
			value := all[name]
			if sum, ok := strings.CutPrefix(value, fileMark); ok {
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
