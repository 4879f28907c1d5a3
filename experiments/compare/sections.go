package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/sim/metrics"
)

// Section is a part of the page: what is found, and a table of it.
type Section struct {
	Title string     `json:"title"`
	Lead  []string   `json:"lead"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
	Notes []string   `json:"notes"`

	// rows and columns of the table that a terminal shows; nil: all columns.
	terminal int
	columns  []int
}

// mostShown is the number of rules, winners, capacities or reasons that a terminal shows.
const mostShown = 8

// Sections are the findings in words.
func (f *Findings) Sections() []Section {
	all := []Section{f.jobsSection(), f.momentsSection()}
	all = append(all, f.sizesSection(), f.tenantsSection())
	all = append(all, f.propertiesSection(), f.priceSection(), f.scarceSection(), f.nodesSection(), f.undefinedSection(), f.howSection())
	return slices.DeleteFunc(all, func(s Section) bool { return s.Title == "" })
}

// distinct are the rules without those whose outcome is that of one before, the baseline
// first, then by their mean bounded slowdown.
func (f *Findings) distinct() []int {
	var all []int
	for i := range f.Rules {
		if f.Same[i] == i {
			all = append(all, i)
		}
	}
	base := f.Same[f.Baseline]
	slices.SortStableFunc(all, func(a, b int) int {
		switch {
		case a == base:
			return -1
		case b == base:
			return 1
		}
		return cmp.Compare(f.Values[2].Of[a].Value, f.Values[2].Of[b].Value)
	})
	return all
}

func (f *Findings) baseline() string { return f.Rules[f.Baseline].Policy }

// name is a rule's, marked where others have the same outcome.
func (f *Findings) name(i int) string {
	if same := f.as(i); same != nil {
		return fmt.Sprintf("%s (and %d more)", f.Rules[i].Policy, len(same))
	}
	return f.Rules[i].Policy
}

// as lists the rules under which every job fares as under a rule.
func (f *Findings) as(i int) (same []string) {
	for k, of := range f.Same {
		if of == i && k != i {
			same = append(same, f.Rules[k].Policy)
		}
	}
	return same
}

func (f *Findings) sames() (notes []string) {
	for _, i := range f.distinct() {
		if same := f.as(i); same != nil {
			notes = append(notes, fmt.Sprintf("Under %s every job fares as under %s.", strings.Join(same, ", "), f.Rules[i].Policy))
		}
	}
	return notes
}

// valued is a table of values, each with its difference to the baseline.
func (f *Findings) valued(moments bool) (head []string, rows [][]string, columns []int) {
	head, columns = []string{"rule"}, []int{0}
	for _, v := range f.Values {
		if v.Moments == moments {
			columns = append(columns, len(head))
			head = append(head, v.Short, "less "+f.baseline())
		}
	}
	for _, i := range f.distinct() {
		row := []string{f.name(i)}
		for _, v := range f.Values {
			if v.Moments != moments {
				continue
			}
			value, less := short(v.Of[i].Value), ""
			if i != f.Same[f.Baseline] {
				less = withEnds(v.Less[i], signed)
			}
			if tells(v.Less[i], v.Of[f.Baseline].Value) {
				value += "*"
			}
			row = append(row, value, less)
		}
		rows = append(rows, row)
	}
	return head, rows, columns
}

const star = "* The difference to the baseline has a 95% interval that does not hold 0."

func (f *Findings) jobsSection() Section {
	s := Section{Title: "What each rule does to the jobs", terminal: mostShown}
	s.Head, s.Rows, s.columns = f.valued(false)
	s.Lead = []string{f.best()}
	s.Notes = append(f.sames(), "Means over the jobs that were served: waiting until the first task starts and completion in seconds; the bounded slowdown is the completion time over that alone in the cluster, 10 s at least; the JCT factor its inverse without that bound. "+star)
	return s
}

// best says which rule serves jobs best, and by how much.
func (f *Findings) best() string {
	all := f.distinct()
	if len(all) == 1 {
		said := fmt.Sprintf("All %s do the same to every job.", plural(len(f.Rules), "rule"))
		if f.Whole && f.Values[0].Of[0].Value == 0 {
			said += " No job ever waits: for them the cluster is large enough under any rule."
		}
		return said
	}
	v, base := &f.Values[2], all[0]
	best := slices.MinFunc(all, func(a, b int) int { return cmp.Compare(v.Of[a].Value, v.Of[b].Value) })
	said := fmt.Sprintf("The smallest mean bounded slowdown has %s: %s", f.Rules[best].Policy, short(v.Of[best].Value))
	if best == base {
		return said + ", the baseline."
	}
	said += fmt.Sprintf(", where %s has %s", f.baseline(), short(v.Of[base].Value))
	switch {
	case !v.Less[best].Bounded:
		return said + "; there is no interval."
	case tells(v.Less[best], v.Of[base].Value):
		return said + "; the 95% interval of the difference does not hold 0."
	}
	return said + "; the 95% interval of the difference holds 0."
}

func (f *Findings) momentsSection() Section {
	s := Section{Title: "Utilization and fairness", terminal: mostShown}
	if f.most() == 0 {
		s.Lead = []string{"No job was in the system at any of the moments that were looked at; --moments looks at more of them."}
		return s
	}
	s.Head, s.Rows, s.columns = f.valued(true)
	s.Lead = []string{fmt.Sprintf("Means over %s of the replay, of those with a job in the system.", plural(f.most(), "moment"))}
	s.Notes = []string{"EF-SAT: the smallest, over all pairs of users, of what one can run over what it could run with the other's bundle, at most 1. SI-SAT: the smallest part of its equal share that a user has. Jain: Jain's index of the shares x/(w·η'). " + star}
	return s
}

// most is the largest number of moments of a rule.
func (f *Findings) most() (n int) {
	for _, r := range f.Rules {
		n = max(n, len(r.Moments))
	}
	return n
}

// changes is a table of groups against rules.
func (f *Findings) changes(groups []Group, head string) (h []string, rows [][]string, columns []int) {
	h, columns = []string{head, "jobs"}, []int{0, 1}
	rules := slices.DeleteFunc(f.distinct(), func(i int) bool { return i == f.Same[f.Baseline] })
	for k, i := range rules {
		h = append(h, f.Rules[i].Policy)
		if k < 3 {
			columns = append(columns, k+2)
		}
	}
	for _, g := range groups {
		row := []string{g.Name, fmt.Sprint(g.Jobs)}
		for _, i := range rules {
			row = append(row, withEnds(g.Change[i], signedPercent))
		}
		rows = append(rows, row)
	}
	return h, rows, columns
}

func (f *Findings) sizesSection() Section {
	if len(f.distinct()) < 2 {
		return Section{}
	}
	s := Section{Title: "Who gains and who loses, by size of job", terminal: mostShown}
	s.Head, s.Rows, s.columns = f.changes(f.Sizes, "task-seconds")
	s.Notes = []string{fmt.Sprintf("Change of the sum of the completion times against %s: -10%% is a tenth sooner.", f.baseline())}
	return s
}

// mostTenants is the number of winners and losers that are shown.
const mostTenants = 10

// tenantsSection shows the largest winners and losers of the rule that moves most.
func (f *Findings) tenantsSection() Section {
	if len(f.distinct()) < 2 || f.Groups == nil {
		return Section{}
	}
	s := Section{Title: "Who gains and who loses, by tenant", terminal: mostTenants}
	rule := slices.MaxFunc(f.distinct(), func(a, b int) int { return cmp.Compare(f.moved(a), f.moved(b)) })
	groups := slices.Clone(f.Groups)
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Change[rule].Value, b.Change[rule].Value) })
	gain, lose, sure := 0, 0, 0
	for _, g := range groups {
		iv := g.Change[rule]
		switch {
		case iv.Value < -rounding:
			gain++
		case iv.Value > rounding:
			lose++
		}
		if apart(iv) && max(iv.Value, -iv.Value) > rounding {
			sure++
		}
	}
	s.Lead = []string{fmt.Sprintf("Under %s, which moves tenants most, %d of %d are served sooner than under %s and %d later; of %d the interval does not hold 0.", f.Rules[rule].Policy, gain, len(groups), f.baseline(), lose, sure)}
	rest := len(groups) - mostTenants
	if rest > 0 {
		groups = slices.Concat(groups[:mostTenants/2], groups[len(groups)-mostTenants/2:])
		s.Notes = append(s.Notes, fmt.Sprintf("The %d largest winners and losers under %s; %d more tenants are in gains.parquet.", mostTenants, f.Rules[rule].Policy, rest))
	}
	s.Head, s.Rows, s.columns = f.changes(groups, "tenant")
	s.Notes = append(s.Notes, fmt.Sprintf("Change of the sum of the completion times of a tenant's jobs against %s. Each interval by itself covers in 95 of 100 cases; of many some miss. There is none where the jobs were submitted in fewer than %d blocks.", f.baseline(), metrics.LeastBlocks))
	return s
}

// moved is how far a rule moves tenants from the baseline.
func (f *Findings) moved(rule int) (sum float64) {
	for _, g := range f.Groups {
		sum += max(g.Change[rule].Value, -g.Change[rule].Value)
	}
	return sum
}
