package policies

func init() {
	Register(Meta{
		Name:       "tsf-er",
		Label:      "TSF-ER",
		Look:       Look{"black", "solid", "●"},
		Title:      "Task Share Fairness with External Resource: max-min of x/(w·η), links shared by all servers",
		Paper:      "TSF-ER, section 4, Algorithm 1",
		Claims:     []Claim{{EF, true}, {PO, true}, {SP, true}, {SI, true}},
		Outside:    tasksOutside,
		Family:     FamilyEgalitarian,
		Definition: "N[j] = η[j], the tasks of j when it has everything: all servers, also those where it may not run, and all links.",
		New:        fixed(&progressive{normalize: eta, exactly: statedEta}),
	})
}
