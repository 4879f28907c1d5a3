package policies

// In the divisible model tsf normalises as tsf-er does: without links η[j] is
// Σ_s γ[j,s], and with links the rule is extended to η, as the paper on
// several access points does. It stays a rule of its own because the online
// schedulers of the two papers differ.
func init() {
	Register(Meta{
		Name:   "tsf",
		Title:  "Task Share Fairness: max-min of x/(w·N), N = the tasks of a user that has everything, constraints ignored",
		Paper:  "TSF, section V; with links: MTP, section 4",
		Claims: []Claim{{SI, true}, {SP, true}, {EF, true}, {PO, true}},
		New:    fixed(&progressive{normalize: eta}),
	})
}
