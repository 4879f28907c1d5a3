package spec

import (
	"maps"
	"strconv"
)

// seeded returns the parameters of a scenario and its seed.
func (s Scenario) Seeded() map[string]string {
	all := maps.Clone(s.Parameters)
	if all == nil {
		all = map[string]string{}
	}
	if _, taken := all[seedName]; !taken {
		all[seedName] = strconv.FormatUint(s.Seed, 10)
	}
	return all
}
