package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

func (f *Findings) priceSection() Section {
	s := Section{Title: "The price of fairness", Head: []string{"rule", "task-seconds a second"}, terminal: mostShown, columns: []int{0, 1}}
	column := func(head, note string, cell func(p *Price) string) {
		all := f.distinct()
		if !slices.ContainsFunc(all, func(i int) bool { return cell(&f.Prices[i]) != "" }) {
			return
		}
		s.columns = append(s.columns, len(s.Head))
		s.Head = append(s.Head, head)
		for k, i := range all {
			s.Rows[k] = append(s.Rows[k], cell(&f.Prices[i]))
		}
		s.Notes = append(s.Notes, note)
	}
	for _, i := range f.distinct() {
		s.Rows = append(s.Rows, []string{f.name(i), short(f.Prices[i].Work)})
	}
	s.Notes = []string{"Work of the jobs over the makespan, in the whole replay."}
	for k, rule := range [...]string{MostTasks, MostFair} {
		column("less than "+rule+"'s", "That less than in the replay under "+rule+".", func(p *Price) string { return unlessNaN(p.Against[k]) })
	}
	column("tasks less than "+MostTasks, "At the moments, how much less runs than the same users could have run: of weighted tasks under "+MostTasks+", with divisible tasks. Below 0 a rule runs more than that.", func(p *Price) string { return withEnds(p.Tasks, percent) })
	column("shares less than "+MostFair, f.fairNote(), func(p *Price) string { return withEnds(p.Fair, percent) })
	return s
}

// fairNote says what shares are compared with.
func (f *Findings) fairNote() string {
	least, most := math.MaxInt, 0
	for _, i := range f.distinct() {
		least, most = min(least, f.Prices[i].Moments), max(most, f.Prices[i].Moments)
	}
	said := fmt.Sprintf("And of tasks in parts of what a user could run alone, under %s: the most without envy and with equal shares, with divisible tasks, at the moments with at most %d users (%d to %d a rule).", MostFair, MostFairUsers, least, most)
	if f.Whole {
		said += " " + MostFair + " knows no bound on the tasks of a user: of what it gives one, at most the tasks that are not done count, so that a rule may run more."
	}
	return said
}

// unlessNaN writes a part in percent, and nothing of what is not known.
func unlessNaN(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return percent(v)
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
