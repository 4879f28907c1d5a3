package explain

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/plots/printable"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// The layout of a text: the width of a line and the indent of what is said of a user.
const (
	width  = 96
	indent = "  "
	// named is the number of users that a sentence names.
	named = 4
)

// WriteText writes the explanation for a person: the capacities, then a paragraph for each
// user. Names are escaped (package printable).
func (e *Explanation) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s: %s\n\n", e.Policy, e.Title)
	table, idle := e.table()
	if err := table.WriteText(out); err != nil {
		return err
	}
	if idle > 0 {
		fmt.Fprintf(out, "and %d more of which nothing is used, without a price\n", idle)
	}
	if e.Free != nil {
		if err := e.freeTable(out); err != nil {
			return err
		}
	}
	if e.Fluid != nil {
		fmt.Fprintf(out, "\n%s\n", strings.Join(text.Wrap(e.Fluid.about(), width), "\n"))
	}
	if e.Prices != "" {
		fmt.Fprintf(out, "\n%s\n", strings.Join(text.Wrap("Price: what one more unit would add to "+e.Prices+".", width), "\n"))
	}
	if len(e.EnvyRows) > 0 {
		if err := e.envyTable(out); err != nil {
			return err
		}
	}
	for i := range e.Users {
		u := &e.Users[i]
		fmt.Fprintln(out)
		for k, sentence := range e.sentences(u) {
			lead := indent
			if k == 0 {
				lead = ""
			}
			for n, line := range text.Wrap(sentence, width-len(indent)) {
				if n > 0 {
					lead = indent + indent
				}
				fmt.Fprintln(out, lead+line)
			}
		}
	}
	return out.Flush()
}

func (e *Explanation) sentences(u *User) []string {
	all := []string{e.has(u), e.limited(u), envies(u), e.compares(u)}
	if u.Lie != nil {
		all = append(all, e.lies(u))
	}
	if e.Fluid != nil && e.Fluid.None == "" {
		all = append(all, e.Fluid.sentences(u.Name)...)
	}
	return all
}

// has says what a user has.
func (e *Explanation) has(u *User) string {
	text := fmt.Sprintf("%s has %s", who(u.Name), tasks(u.Tasks))
	if u.Whole != nil {
		text += " (" + u.Whole.counts() + ")"
	}
	if u.Tasks > 0 {
		text += ", a share of " + number(u.Share)
	}
	if u.Weight != 1 {
		text += " with the weight " + number(u.Weight)
	}
	var on []string
	for _, c := range e.Servers {
		if x := u.ByServer[c]; x > Tight*u.Tasks { // less is rounding
			on = append(on, fmt.Sprintf("%s on %s", number(x), printable.Text(c)))
		}
	}
	if len(on) > 0 {
		text += ": " + list(on, len(on))
	}
	return text + "."
}

// limited says what bounds the tasks of a user.
func (e *Explanation) limited(u *User) string {
	l := &u.Limits
	if u.Whole != nil {
		return u.Whole.lacking(l.By)
	}
	switch l.By {
	case ByHosting:
		return "Limits: no eligible server can host it."
	case ByTasks:
		return "Limits: it has all the tasks that it asked for."
	case Unproved:
		return "Limits: not proved (" + printable.Text(l.Reason) + ")."
	case ByRule:
		return e.roomy(u)
	}
	text := "Limits:"
	if len(l.EnvyRows) > 0 {
		text += " the rule admits no envy, and " + envious(u, l.EnvyRows) + "."
	}
	if len(l.UsedUp) > 0 {
		text += fmt.Sprintf(" %s used up.", usedUp(l.UsedUp))
	}
	rivals := each(l.Rivals, func(r Rival) string {
		return fmt.Sprintf("%s (share %s; one task less of it is %s more of %s)", who(r.User), number(r.Share), number(r.Price), who(u.Name))
	})
	switch {
	case len(rivals) == 0 && len(l.UsedUp) == 0:
	case len(rivals) == 0:
		text += " Nobody else holds any of it."
	case l.By == ByShares:
		text += " More for it would be less for those whose share is no larger: " + among(rivals, l.RivalCount) + "."
	default:
		text += " More for it would be less for " + among(rivals, l.RivalCount) + "."
	}
	switch {
	case l.Room > 0 && l.By == ByEnvy:
		text += fmt.Sprintf(" If nobody minded, it could have %s more, and nobody less.", tasks(l.Room))
	case l.By == ByEnvy:
		text += " Even if nobody minded it could not have more with nobody having less."
	case l.Room > 0:
		text += fmt.Sprintf(" If the rule did not divide the links among the servers beforehand, it could have %s more, and nobody less.", tasks(l.Room))
	}
	return text
}

// envious says who would envy a user if it had more, and how many other pairs stand against it.
func envious(u *User, rows []EnvyRow) string {
	var words []string
	for _, r := range rows {
		if r.Envied == u.Name {
			envier := who(r.Envier)
			words = append(words, fmt.Sprintf("%s would envy it (%s has %s and could run as many with that bundle; one more that it did not mind would be %s more of %s)",
				envier, envier, tasks(r.Has), number(r.Price), who(u.Name)))
		}
	}
	text := among(words, len(words))
	if others := len(rows) - len(words); others > 0 {
		if text != "" {
			text += "; "
		}
		text += verb(others, "pair of others is", "pairs of others are") + " at that limit, too, and would have to go beyond it"
	}
	return text
}

// who is the name of a user: in quotes where it is a number, as those of jobs often are.
func who(name string) string {
	if _, err := strconv.ParseFloat(name, 64); err == nil {
		return strconv.Quote(name)
	}
	return printable.Text(name)
}

// usedUp lists capacities with their prices and what they are: one, or several.
func usedUp(rows []UsedUp) string {
	words := each(rows, func(r UsedUp) string {
		price := ""
		if r.Price > 0 {
			price = fmt.Sprintf(" (one more unit brings %s)", tasks(r.Price))
		}
		return r.Name + price
	})
	if len(words) == 1 {
		return words[0] + " is"
	}
	return list(words, len(words)) + " are"
}

// roomy says that a user could have more.
func (e *Explanation) roomy(u *User) string {
	l := &u.Limits
	text := "Limits: the rule itself."
	if l.Room > 0 {
		text += fmt.Sprintf(" It could have %s more, and nobody less.", tasks(l.Room))
	}
	if len(l.UsedUp) > 0 {
		text += fmt.Sprintf(" Of what it needs %s used up.", usedUp(l.UsedUp))
	}
	for _, b := range l.Servers {
		if b.Shortfall <= bottleneck {
			text += fmt.Sprintf(" On %s, %s is its bottleneck: it is used up, and nobody who has some is ahead of it there.",
				printable.Text(b.Server), printable.Text(b.Resource))
		}
	}
	return text
}

// bottleneck is the shortfall up to which a resource counts as a bottleneck.
const bottleneck = 1e-6

// envies says whom a user envies, and whom nearly.
func envies(u *User) string {
	v := &u.Envy
	if len(v.Worst) == 0 {
		return "Envy: there is nobody else."
	}
	words := func(envied bool) (all []string) {
		for _, b := range v.Worst {
			if b.Envied == envied && (envied || b.nearly(u.Tasks)) {
				all = append(all, fmt.Sprintf("%s (with that bundle it would run %s, %s)", who(b.User), tasks(b.Worth), b.difference()))
			}
		}
		return all
	}
	text := "Envy: it envies nobody"
	if v.Envied > 0 {
		text = "Envy: it envies " + among(words(true), v.Envied)
	}
	switch near := words(false); {
	case v.Nearly > 0 && len(near) > 0:
		text += "; nearly " + among(near, v.Nearly)
	case v.Nearly > 0:
		text += fmt.Sprintf("; nearly %d others", v.Nearly)
	case v.Envied == 0:
		b := v.Worst[0]
		text += fmt.Sprintf("; the nearest is %s, with whose bundle it would run %s, %s", who(b.User), tasks(b.Worth), b.difference())
	}
	if len(v.By) > 0 {
		text += ". With more of what they can use it would be envied by " + among(each(v.By, func(r EnvyRow) string {
			return fmt.Sprintf("%s (price %s)", who(r.Envier), number(r.Price))
		}), len(v.By)) + ", which the rule does not admit"
	}
	return text + "."
}

// difference says how much more or less than what it has a bundle is worth.
func (b *Bundle) difference() string {
	switch {
	case math.Abs(b.More) <= Tight*b.Worth:
		return "as many"
	case b.More > 0:
		return number(b.More) + " more"
	}
	return number(-b.More) + " fewer"
}

// compares says what a user would have alone and in an equal division.
func (e *Explanation) compares(u *User) string {
	of := func(ratio *float64) string {
		if ratio == nil {
			return ""
		}
		return fmt.Sprintf(" (it has %s of that)", percent(*ratio))
	}
	return fmt.Sprintf("Alone it would have %s%s, in an equal division %s%s.",
		tasks(u.Alone), of(u.OfAlone), tasks(u.EqualShare), of(u.OfEqualShare))
}

// lies says what the best lie brings.
func (e *Explanation) lies(u *User) string {
	effort := fmt.Sprintf("%d reports tried (seed %d)", u.Lie.Tried, e.Lies.Seed)
	if u.Lie.Tried == 0 {
		return "Lies: the rule answered none of the reports that were tried."
	}
	if !u.Lie.Found {
		return "Lies: none brings it more, of " + effort + "."
	}
	gain := ""
	if u.Lie.Gain != nil {
		gain = fmt.Sprintf(", %s more", percent(*u.Lie.Gain))
	}
	return fmt.Sprintf("Lies: by telling %s instead of %s it would run %s of its true tasks instead of %s%s: the best of %s.",
		list(u.Lie.Says, len(u.Lie.Says)), list(u.Lie.Instead, len(u.Lie.Instead)), number(u.Lie.Lying), number(u.Lie.Honest), gain, effort)
}

// among lists a few of many.
func among(words []string, count int) string { return list(words[:min(named, len(words))], count) }

// list joins words, and says how many of count are not among them.
func list(words []string, count int) string {
	words = slices.Clone(words)
	if more := count - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func tasks(v float64) string {
	if number(v) == "1" {
		return "1 task"
	}
	return number(v) + " tasks"
}

// number writes a number to six digits, percent a ratio to four.
func number(v float64) string  { return strconv.FormatFloat(v, 'g', 6, 64) }
func percent(v float64) string { return strconv.FormatFloat(100*v, 'g', 4, 64) + "%" }

func each[T any](all []T, of func(T) string) (words []string) {
	for _, one := range all {
		words = append(words, of(one))
	}
	return words
}

// differences lists what a lie says, and what is true instead, in words and to six digits.
func differences(env *cluster.Environment, lie fair.Lie) (says, instead []string) {
	add := func(what, said, truth string) {
		if said != truth {
			says, instead = append(says, what+" "+said), append(instead, truth)
		}
	}
	for r, name := range env.Resources {
		add(printable.Text(name), number(lie.Report.Demand[r]), number(lie.Truth.Demand[r]))
	}
	for e := range env.Links {
		add("link "+printable.Text(env.Links[e].Name), demanded(lie.Report.LinkDemand, e), demanded(lie.Truth.LinkDemand, e))
	}
	for s := range env.Servers {
		name := printable.Text(env.Servers[s].Name)
		add("on "+name, onServer(&lie.Report, s), onServer(&lie.Truth, s))
	}
	add("servers", servers(env, lie.Report.Eligible), servers(env, lie.Truth.Eligible))
	add("a number of tasks of", number(lie.Report.Tasks), number(lie.Truth.Tasks))
	return says, instead
}

// demanded is what is demanded of a link: nothing where no links are named.
func demanded(demand []float64, e int) string {
	if demand == nil {
		return "0"
	}
	return number(demand[e])
}

// onServer is the demand on a server where it differs from that on others.
func onServer(u *cluster.User, s int) string {
	d, differs := u.DemandOn[s]
	if !differs {
		return "as elsewhere"
	}
	return "(" + strings.Join(each(d, number), ", ") + ")"
}

// servers lists a set of servers.
func servers(env *cluster.Environment, set cluster.Set) string {
	if set == nil {
		return "all"
	}
	var names []string
	for s := range env.Servers {
		if set.Has(s) {
			names = append(names, printable.Text(env.Servers[s].Name))
		}
	}
	return cmp.Or(list(names, len(names)), "none")
}
