package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/plots/text"
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

func (f *Findings) propertiesSection() Section {
	if f.most() == 0 {
		return Section{}
	}
	s := Section{Title: "Properties: promised, and violated in this replay", Head: []string{"rule", "property", "promise", "violated at", "worst at (s)", "witness"}, terminal: 12, columns: []int{0, 1, 2, 3, 4}}
	for i, r := range f.Rules {
		if f.Same[i] != i {
			continue
		}
		for _, v := range f.Violations[i*len(kept) : (i+1)*len(kept)] {
			if v.Moments == 0 {
				continue
			}
			at, says := "", ""
			if v.Worst != nil {
				at, says = seconds(v.Worst.At), v.Says
			}
			s.Rows = append(s.Rows, []string{r.Policy, string(v.Property), v.Claim, fmt.Sprintf("%d of %d", v.Violated, v.Moments), at, says})
		}
	}
	slices.SortStableFunc(s.Rows, func(a, b []string) int {
		rank := func(row []string) int {
			switch {
			case row[4] == "":
				return 2
			case row[2] == "guaranteed" || row[2] == "claimed for divisible tasks":
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	s.Notes = []string{"EF envy-freeness, SI sharing incentive, PO Pareto optimality; violated by more than 1e-6, at the moments that were looked at."}
	if len(s.Rows) > 0 && s.Rows[0][4] != "" && f.Folder != "" {
		s.Notes = append(s.Notes, fmt.Sprintf("More of the first: leontief explain %s --policy %s --at %s", f.Folder, s.Rows[0][0], s.Rows[0][4]))
	}
	if f.Whole {
		s.Notes = append(s.Notes, "Papers promise properties of divisible tasks. Whole tasks do not divide, and those that run are not taken away: a violation is no error of the rule. Pareto optimality of whole tasks is not computed.")
	}
	return s
}

func (f *Findings) priceSection() Section {
	s := Section{Title: "The price of fairness", Head: []string{"rule", "task-seconds a second", "tasks less than " + MostTasks, "shares less than " + MostFair}, terminal: mostShown}
	for _, i := range f.distinct() {
		p := f.Prices[i]
		row := []string{f.name(i), short(p.Work), "", ""}
		if p.HasTasks {
			row[2] = withEnds(p.Tasks, percent)
		}
		if p.HasFar {
			row[3] = withEnds(p.Fair, percent)
		}
		s.Rows = append(s.Rows, row)
	}
	s.Notes = []string{"Work of the jobs over the makespan, in the whole replay; and at the moments, how much less runs than the same users could have run: of weighted tasks under " + MostTasks + ", of tasks in parts of what a user could run alone under " + MostFair + " (without envy, with equal shares). Below 0 a rule runs more than that."}
	if f.Whole {
		s.Head[3] = ""
		s.Notes = append(s.Notes, MostFair+" is not defined with whole tasks, of which a user has only so many; the optimum divides tasks, so that part of the loss is that tasks are whole.")
		s.Head = s.Head[:3]
		for k := range s.Rows {
			s.Rows[k] = s.Rows[k][:3]
		}
	}
	return s
}

func (f *Findings) scarceSection() Section {
	if f.most() == 0 {
		return Section{}
	}
	s := Section{Title: "What was scarce, and when", Head: []string{"capacity", "used up at", "mean price", "highest price", "at (s)"}, terminal: mostShown}
	n := len(f.Rules[f.Baseline].Moments)
	priced, rest := 0, 0
	for _, c := range f.Scarce {
		priced = max(priced, c.Priced)
		if len(s.Rows) == 24 || c.UsedUp == 0 && c.Price == 0 {
			rest++
			continue
		}
		row := []string{c.Name, fmt.Sprintf("%d of %d", c.UsedUp, n), "", "", ""}
		if c.Priced > 0 {
			row[2], row[3], row[4] = percent(c.Price), percent(c.Most), seconds(c.MostAt.At)
		}
		s.Rows = append(s.Rows, row)
	}
	s.Lead = []string{fmt.Sprintf("Under %s something was scarce at %d of %s.", f.baseline(), priced, plural(n, "moment"))}
	if s.Rows == nil {
		s.Head = nil
		return s
	}
	if rest > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s that cost nothing and were never used up, or cost less than these, are in rules.parquet.", plural(rest, "capacity row")))
	}
	s.Notes = append(s.Notes, "A price is what the capacity costs under "+Market+" for the users who were there (a market in which their incomes are their weights), in parts of what all capacities cost. What there is enough of costs nothing. moments.parquet has all of them over time.")
	return s
}

func (f *Findings) nodesSection() Section {
	if f.NodeGains == nil {
		return Section{}
	}
	s := Section{Title: "What one more node would have brought", Head: []string{"class", "nodes", "completion times", "mean waiting (s)"}, terminal: 10}
	for _, n := range f.NodeGains {
		s.Rows = append(s.Rows, []string{n.Class, fmt.Sprint(n.Machines), withEnds(n.Change, signedPercent), withEnds(n.Wait, signed)})
	}
	s.Notes = []string{fmt.Sprintf("The same jobs under %s, with one more node of the class: change of the sum of the completion times and of the mean waiting time.", f.baseline())}
	if f.MoreNodes > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("The classes with most nodes; %d more were not tried.", f.MoreNodes))
	}
	return s
}

func (f *Findings) undefinedSection() Section {
	if f.Undefined == nil {
		return Section{}
	}
	s := Section{Title: "Rules that are not compared", Head: []string{"rules", "why"}, terminal: mostShown}
	of := map[string][]string{}
	var reasons []string
	for _, u := range f.Undefined {
		if of[u.Why] == nil {
			reasons = append(reasons, u.Why)
		}
		of[u.Why] = append(of[u.Why], u.Policy)
	}
	for _, why := range reasons {
		s.Rows = append(s.Rows, []string{strings.Join(of[why], ", "), why})
	}
	return s
}

func (f *Findings) howSection() Section {
	s := Section{Title: "How sure this is"}
	length := lengthOf(f.Block)
	with := 0
	_, n := f.sums(f.Rules[f.Baseline].Fates, jobValues[0].of, nil)
	for _, jobs := range n {
		if jobs > 0 {
			with++
		}
	}
	if with < metrics.LeastBlocks {
		s.Lead = []string{fmt.Sprintf("There are no intervals: the jobs were submitted in %s (%s each), and fewer than %d say nothing of the next one. --block takes a shorter time.", plural(with, "block"), length, metrics.LeastBlocks)}
		return s
	}
	s.Lead = []string{fmt.Sprintf("Intervals are 95%%: paired and studentised bootstrap over blocks of the jobs by their submission (%s each, %d of %d with jobs), drawn whole and with replacement %d times; each end the farther of that and of the jackknife's (docs/compare.md).", length, with, f.n, metrics.Resamples)}
	s.Notes = []string{"They say how much another time of the same kind may differ, and nothing of a change in the load. For what a block carries over to the next, as a queue over midnight, they are widened by its correlation with the next. " + f.carried()}
	return s
}

// carried says how much blocks have to do with the ones before them.
func (f *Findings) carried() string {
	rules := f.distinct()
	if len(rules) < 2 {
		return ""
	}
	worst, of := 0.0, ""
	for _, i := range rules[1:] {
		a, n := f.sums(f.Rules[i].Fates, jobValues[1].of, nil)
		b, _ := f.sums(f.Rules[f.Baseline].Fates, jobValues[1].of, nil)
		if r := autocorrelation(minus(a, b), n); r > worst {
			worst, of = r, f.Rules[i].Policy
		}
	}
	if of == "" {
		return "In the differences of completion times no block resembles the one before it."
	}
	return fmt.Sprintf("In the differences of completion times it is up to %.2f (%s): with 0.3 intervals have been found to cover 92%%, with 0.6 89%%, and longer blocks help.", worst, of)
}

// autocorrelation is that of neighbours of a[b] - θ·m[b], θ = Σa/Σm.
func autocorrelation(a, m []float64) float64 {
	sa, sm := 0.0, 0.0
	for i := range a {
		sa, sm = sa+a[i], sm+m[i]
	}
	var both, one float64
	for i := range a {
		e := a[i] - sa/sm*m[i]
		one += e * e
		if i > 0 {
			both += e * (a[i-1] - sa/sm*m[i-1])
		}
	}
	if one == 0 {
		return 0
	}
	return both / one
}

// WriteText writes sections for a terminal: of long tables the beginning, without what
// stands only on the page.
func WriteText(w io.Writer, sections []Section) error {
	for _, s := range sections {
		fmt.Fprintf(w, "\n%s\n", strings.ToUpper(s.Title))
		for _, lead := range s.Lead {
			for _, line := range text.Wrap(lead, 100) {
				fmt.Fprintln(w, line)
			}
		}
		if s.Head == nil {
			continue
		}
		t := s.short()
		if err := t.WriteText(w); err != nil {
			return err
		}
		if more := len(s.Rows) - len(t.Rows); more > 0 {
			fmt.Fprintf(w, "… and %d more on the page\n", more)
		}
	}
	return nil
}

// short is the table of a section as a terminal shows it.
func (s *Section) short() text.Table {
	columns := s.columns
	if columns == nil {
		for k := range s.Head {
			columns = append(columns, k)
		}
	}
	pick := func(row []string) (cells []string) {
		for _, k := range columns {
			cells = append(cells, row[k])
		}
		return cells
	}
	t := text.Table{Header: pick(s.Head)}
	for _, row := range s.Rows[:min(len(s.Rows), s.terminal)] {
		t.Rows = append(t.Rows, pick(row))
	}
	return t
}
