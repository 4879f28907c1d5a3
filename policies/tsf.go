package policies

import "github.com/leontief-sim/leontief/sim/cluster"

// differing are the environments where a user's demands are not fixed: "if a
// user's demand for the external resource is fixed" (TSF-ER, section 8). MTP
// proves that otherwise no rule can have all properties.
const differing = cluster.VaryingLinks | cluster.DemandOn

// tasksOutside are the environments for which the papers do not claim the
// properties of the task-share rules.
var tasksOutside = map[Property]cluster.Feature{EF: differing, SP: differing, SPD: differing, SPU: differing, SI: cluster.Eligibility}

// In the divisible model tsf normalises as tsf-er does: without links η[j] is
// Σ_s γ[j,s], and with links the rule is extended to η, as the paper on
// several access points does. It stays a rule of its own because the online
// schedulers of the two papers differ.
func init() {
	Register(Meta{
		Name:   "tsf",
		Label:  "TSF",
		Look:   Look{"black", "solid", "◆"},
		Title:  "Task Share Fairness: max-min of x/(w·N), N = the tasks of a user that has everything, constraints ignored",
		Paper:  "TSF, section V; with links: MTP, section 4",
		Claims: []Claim{{SI, true}, {SID, true}, {SP, true}, {SPD, true}, {EF, true}, {PO, true}, {BF, false}, {SMF, true}, {SRF, true}},
		// Theorem 1 weighs users by what their own pools can run; the plain
		// equal share is guaranteed to users without constraints.
		Outside:    tasksOutside,
		Family:     FamilyEgalitarian,
		Definition: "N[j] = Σ_s γ[j,s], what j runs on the servers alone, if it might run on all of them; with links: η[j], the tasks of j when it has everything.",
		New:        fixed(&progressive{normalize: eta, exactly: statedEta}),
	})
}
