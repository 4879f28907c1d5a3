package policies

// Property is a fairness or efficiency property that a paper claims for a
// rule.
type Property string

// The properties of the papers' tables.
const (
	EF  Property = "EF"  // envy-freeness
	PO  Property = "PO"  // Pareto optimality
	SP  Property = "SP"  // strategy-proofness
	SI  Property = "SI"  // sharing incentive: at least the equal share ψ
	SID Property = "SID" // sharing incentive with dedicated pools (TSF, Definition 1)
	SPD Property = "SPD" // strategy-proofness where weights come from dedicated pools (TSF, Theorem 3)
	SPU Property = "SPU" // SPD where every user can run on every server of its pool
	BF  Property = "BF"  // bottleneck fairness
	SMF Property = "SMF" // single machine fairness
	SRF Property = "SRF" // single resource fairness
	PM  Property = "PM"  // population monotonicity
	RM  Property = "RM"  // resource monotonicity
	SPL Property = "SPL" // splitting: nobody loses when another user becomes two of half its weight
)

// The properties of a rule under which every user has one server.
const (
	LEF  Property = "LEF" // local envy-freeness
	LSI  Property = "LSI" // local sharing incentive
	LPO  Property = "LPO" // local Pareto optimality
	TwoE Property = "2EF" // nobody envies by more than twice
	MMS  Property = "MMS" // maximin share guarantee
)

// Properties lists all properties in the order of the tables.
var Properties = []Property{EF, PO, SP, SI, SID, SPD, SPU, BF, SMF, SRF, PM, RM, LEF, LSI, LPO, TwoE, MMS, SPL}

// titles of the properties, in words.
var titles = map[Property]string{
	EF: "envy-freeness", PO: "Pareto optimality", SP: "strategy-proofness", SI: "sharing incentive",
	SID: "sharing incentive with dedicated pools", SPD: "strategy-proofness with weights from dedicated pools",
	SPU: "strategy-proofness with weights from dedicated pools that their owners can use", BF: "bottleneck fairness", SMF: "single machine fairness",
	SRF: "single resource fairness", PM: "population monotonicity", RM: "resource monotonicity", SPL: "no gain by splitting a weight",
	LEF: "local envy-freeness", LSI: "local sharing incentive", LPO: "local Pareto optimality",
	TwoE: "2-approximate envy-freeness", MMS: "maximin share guarantee",
}

// Title returns the property in words.
func (p Property) Title() string { return titles[p] }
