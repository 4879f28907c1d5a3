package policies

import "github.com/leontief-sim/leontief/sim/cluster"

func init() {
	Register(Meta{
		Name:       "cdrf",
		Label:      "CDRF",
		Look:       Look{"blue", "long dashes", "○"},
		Title:      "Constrained DRF: as tsf, with N counted over the servers on which a user may run",
		Paper:      "TSF, section IV",
		Claims:     []Claim{{SI, true}, {SID, true}, {SP, false}, {EF, false}, {PO, true}, {SMF, true}, {SRF, false}},
		Family:     FamilyEgalitarian,
		Definition: "N[j] = Σ over the servers s where j may run of γ[j,s], what j runs on s alone; with links: the tasks of j when it has its servers and the links to itself.",
		New: fixed(&constrained{progressive{normalize: func(env *cluster.Environment) ([]float64, error) {
			return env.EtasEligible(nil), nil
		}, exactly: statedEtaEligible}}),
	})
}

// constrained is cdrf: its N is also what pools are weighed by (TSF, Theorem 15).
type constrained struct{ progressive }

// Entitle implements [Entitler].
func (c *constrained) Entitle(env *cluster.Environment) []float64 { return env.EtasEligible(nil) }
