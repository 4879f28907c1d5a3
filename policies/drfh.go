package policies

import "github.com/leontief-sim/leontief/sim/cluster"

// A user that needs no server resource has no dominant share; it is filled
// before the others, as in the limit of a vanishing demand.
func init() {
	Register(Meta{
		Name:   "drfh",
		Label:  "DRFH",
		Look:   Look{"orange", "dash-dot", "■"},
		Title:  "DRF for heterogeneous servers (C-DRFH): max-min of the dominant share of the pooled server resources",
		Paper:  "PS-DSF, section II; TSF, section IV",
		Claims: []Claim{{SI, false}, {SID, false}, {SP, true}, {EF, true}, {PO, true}, {BF, false}, {SMF, true}, {SRF, false}},
		// The paper has one demand everywhere, no links, and so nobody who
		// needs links only.
		Outside: map[Property]cluster.Feature{
			EF: cluster.DemandOn | cluster.LinkOnly, SP: cluster.DemandOn | cluster.LinkOnly, SMF: cluster.Links, SRF: cluster.Links,
		},
		Family:     FamilyEgalitarian,
		Definition: "1/N[j] = max_r d[j,r]/Σ_s c[s,r], over the resources of the servers; links bound, and do not count in the share.",
		New: fixed(&progressive{normalize: func(env *cluster.Environment) ([]float64, error) {
			return dominant(env, false), nil
		}, exactly: statedDominant(false), unless: unlike}),
	})
}
