package policies

import "github.com/leontief-sim/leontief/sim/cluster"

func init() {
	Register(Meta{
		Name:   "cdrf",
		Title:  "Constrained DRF: as tsf, with N counted over the servers on which a user may run",
		Paper:  "TSF, section IV",
		Claims: []Claim{{SI, true}, {SID, true}, {SP, false}, {EF, false}, {PO, true}, {SMF, true}, {SRF, false}},
		New: fixed(&progressive{normalize: func(env *cluster.Environment) ([]float64, error) {
			return env.EtasEligible(nil), nil
		}}),
	})
}
