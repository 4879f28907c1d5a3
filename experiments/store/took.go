package store

import "github.com/leontief-sim/leontief/experiments/spec"

// Took returns what the results took that a store has of some scenarios, by
// [spec.Scenario.ID]; zero where it has the result and does not know that.
func (s *Store) Took(scenarios []spec.Scenario) (map[string]ScenarioTiming, error) {
	took := map[string]ScenarioTiming{}
	for _, of := range scenarios {
		found, err := s.Find(of)
		if err != nil {
			return nil, err
		}
		if found != nil {
			took[of.ID()] = found.timing()
		}
	}
	return took, nil
}
