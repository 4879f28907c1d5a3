package policies

// Family is what a group of rules has in common.
type Family string

// The families of the shipped rules.
const (
	FamilyEgalitarian  Family = "egalitarian"
	FamilyNash         Family = "Nash"
	FamilyUtilitarian  Family = "utilitarian"
	FamilyPerServer    Family = "per server"
	FamilyServerChoice Family = "server choice"
	FamilyProgram      Family = "program" // of those that answer with an allocation
)

// families says what the rules of a family do.
var families = map[Family]string{
	FamilyEgalitarian:  "lexicographic max-min (progressive filling) of the shares x/(w·N): the smallest share is as large as possible, then the next one, and so on; rules differ in N and in the region",
	FamilyNash:         "the product of the tasks, to the power of the weights, is as large as possible",
	FamilyUtilitarian:  "a sum over the users is as large as possible",
	FamilyPerServer:    "each server is divided by itself",
	FamilyServerChoice: "every user runs on one server, and each server is divided among its users by itself",
	FamilyProgram:      "a program beside leontief says who gets what; it is checked",
}

// Title says what the rules of a family do; "" of a family that is not one of the
// shipped rules'.
func (f Family) Title() string { return families[f] }

// Parameter is one of a rule, in the text form name[parameter=value].
type Parameter struct {
	Name    string   `json:"name"`
	Values  []string `json:"values,omitempty"` // that it can have; nil where they are not a few
	Default string   `json:"default"`
	Doc     string   `json:"doc"`
}

// seedParameter is that of the rules that draw.
var seedParameter = Parameter{Name: "seed", Default: "1", Doc: "Seed of the random draws, a whole number of 0 or more."}
