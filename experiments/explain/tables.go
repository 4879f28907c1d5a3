package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/plots/printable"
	"github.com/leontief-sim/leontief/plots/text"
)

// long is the number of capacities from which on a table leaves out those of which nothing is
// used and that have no price.
const long = 20

// table lists the capacities, and counts those that it leaves out.
func (e *Explanation) table() (t text.Table, idle int) {
	whole, fluid := e.Free != nil, e.fluidPrices()
	t = text.Numbers("capacity", "total", "used", "unused", "price")
	if whole {
		t = text.Numbers("capacity", "total", "used", "unused", "free on one", "fluid price")
	}
	for row, c := range e.Capacities {
		price, left := "-", percent(c.Unused)
		if fluid != nil {
			c.Price = fluid[row]
		}
		if c.Price != nil {
			price = number(*c.Price)
		}
		if len(e.Capacities) > long && c.Used == 0 && (c.Price == nil || *c.Price == 0) {
			idle++
			continue
		}
		if c.Total == 0 {
			left = "none"
		}
		if c.Total > 0 && c.Unused <= Tight {
			left = "used up"
		}
		name := c.Name
		if c.Unit != "" {
			name += ", " + c.Unit
		}
		cells := []string{name, number(c.Total), number(c.Used), left, price}
		if whole {
			free := "-"
			if c.FreeOnOne != nil {
				free = number(*c.FreeOnOne)
			}
			cells = slices.Insert(cells, 4, free)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, idle
}

// freeTable lists the servers that have the same amounts free, at most [most] lines: those
// that have something of everything first.
func (e *Explanation) freeTable(out io.Writer) error {
	t := text.Numbers("free on", append([]string{"servers"}, each(e.Resources, printable.Text)...)...)
	nothing := func(f Free) int {
		if slices.Min(f.Free) > 0 {
			return 0
		}
		return 1
	}
	open := slices.Clone(e.Free)
	slices.SortStableFunc(open, func(a, b Free) int { return cmp.Compare(nothing(a), nothing(b)) })
	for _, f := range open[:min(most, len(open))] {
		name := printable.Text(f.Server)
		if len(f.Numbers) == 1 {
			name += fmt.Sprintf(" number %d", f.Numbers[0])
		}
		t.Rows = append(t.Rows, append([]string{name, fmt.Sprint(len(f.Numbers))}, each(f.Free, number)...))
	}
	fmt.Fprintln(out)
	err := t.WriteText(out)
	if more := len(open) - len(t.Rows); more > 0 {
		fmt.Fprintf(out, "and %d more kinds of server by what is free, in the JSON\n", more)
	}
	return err
}

// envyTable lists the rows against envy with a price, at most [most].
func (e *Explanation) envyTable(out io.Writer) error {
	t := text.Numbers("would envy", "has", "with that bundle", "price")
	for _, r := range e.EnvyRows[:min(most, len(e.EnvyRows))] {
		t.Rows = append(t.Rows, []string{who(r.Envier) + " would envy " + who(r.Envied), number(r.Has), number(r.Worth), number(r.Price)})
	}
	fmt.Fprintln(out)
	if err := t.WriteText(out); err != nil {
		return err
	}
	if more := len(e.EnvyRows) - len(t.Rows); more > 0 {
		fmt.Fprintf(out, "and %d more\n", more)
	}
	_, err := fmt.Fprintf(out, "\n%s\n", strings.Join(text.Wrap("The rule admits no envy, and these pairs are at that limit. "+
		"Price: what would be added if the bundle might be worth one task more to the first user than what it has.", width), "\n"))
	return err
}
