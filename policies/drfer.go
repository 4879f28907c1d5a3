package policies

import "github.com/leontief-sim/leontief/sim/cluster"

func init() {
	Register(Meta{
		Name:       "drf-er",
		Label:      "DRF-ER",
		Look:       Look{"vermillion", "long dashes", "○"},
		Title:      "DRF with External Resource: max-min of the dominant share of the pooled resources and links",
		Paper:      "TSF-ER, section 3.3",
		Claims:     []Claim{{EF, true}, {PO, true}, {SP, true}, {SI, false}},
		Outside:    map[Property]cluster.Feature{EF: differing, SP: differing},
		Family:     FamilyEgalitarian,
		Definition: "1/N[j] = the largest, over resources and links, of the demand of a task over the total capacity.",
		New:        fixed(&progressive{normalize: normalizeDRFER, exactly: statedDominant(true), unless: unlike}),
	})
}

func normalizeDRFER(env *cluster.Environment) ([]float64, error) { return dominant(env, true), nil }
