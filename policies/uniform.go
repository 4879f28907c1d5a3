package policies

import "github.com/leontief-sim/leontief/sim/cluster"

func init() {
	Register(Meta{
		Name:       "egalitarian",
		Label:      "Egalitarian",
		Look:       Look{"purple", "sparse dashes", "▼"},
		Title:      "Max-min of the plain task counts x/w",
		Paper:      "TSF-ER, section 3.3",
		Claims:     []Claim{{PO, true}, {SP, false}},
		Family:     FamilyEgalitarian,
		Definition: "N[j] = 1: the tasks themselves are equalised, in proportion to the weights.",
		New: fixed(&progressive{normalize: func(env *cluster.Environment) ([]float64, error) {
			norm := make([]float64, len(env.Users))
			for j := range norm {
				norm[j] = 1
			}
			return norm, nil
		}, exactly: statedOne}),
	})
}
