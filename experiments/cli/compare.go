package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/plots/printable"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// comparisonJSON writes a list with the allocation of every rule, or why there is
// none.
func comparisonJSON(b *bytes.Buffer, all []division) error {
	for i, d := range all {
		b.WriteString([]string{"[", ","}[min(i, 1)])
		b.WriteByte('\n')
		if d.err != nil {
			line, err := json.Marshal(struct {
				Policy string `json:"policy"`
				Error  string `json:"error"`
			}{d.policy, d.reason()})
			if err != nil {
				return err
			}
			b.Write(line)
			continue
		}
		var one bytes.Buffer
		if err := cluster.WriteAllocation(&one, d.policy, d.allocation, d.measures); err != nil {
			return err
		}
		b.Write(bytes.TrimRight(one.Bytes(), "\n"))
	}
	b.WriteString("\n]\n")
	return nil
}

// reason is why there is no allocation, without the name of the rule.
func (d *division) reason() string {
	text := strings.TrimPrefix(d.err.Error(), "policy "+d.policy+": ")
	var ours internalError
	if errors.As(d.err, &ours) {
		text = "internal failure: " + text
	}
	return text
}

// comparisonText writes the divisions for a person, a column a rule: tasks and
// shares of the users, utilizations, measures, and why a column is empty.
func comparisonText(b *bytes.Buffer, all []division) error {
	var users, capacities, measures []string
	for _, d := range all {
		if d.err != nil {
			continue
		}
		if users == nil {
			for _, u := range d.allocation.Region.Users {
				users = append(users, u.Name)
			}
			for _, m := range d.measures {
				measures = append(measures, m.Name)
			}
		}
		for row := range d.allocation.Utilization(nil) {
			if name := d.allocation.Region.RowName(row); !slices.Contains(capacities, name) {
				capacities = append(capacities, name)
			}
		}
	}
	tables := []text.Table{
		sideBySide("tasks of", users, all, func(d *division, j int) (float64, bool) { return d.allocation.Tasks[j], true }),
		sideBySide("share of", users, all, func(d *division, j int) (float64, bool) { return d.allocation.Share[j], true }),
		sideBySide("utilization of", capacities, all, func(d *division, i int) (float64, bool) { return d.used(capacities[i]) }),
		sideBySide("measure", measures, all, func(d *division, i int) (float64, bool) { return d.measures[i].Value, true }),
	}
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := t.WriteText(b); err != nil {
			return err
		}
	}
	notes(b, all)
	return nil
}

// used is the utilization of a capacity that the rule divides; a rule that pools
// the servers has others.
func (d *division) used(capacity string) (float64, bool) {
	for row, u := range d.allocation.Utilization(nil) {
		if d.allocation.Region.RowName(row) == capacity {
			return u, true
		}
	}
	return 0, false
}

// sideBySide is a table with a column a rule; the cells of a rule that failed, and
// those that it does not have, are a dash.
func sideBySide(what string, rows []string, all []division, value func(d *division, i int) (float64, bool)) text.Table {
	t := text.Table{Header: []string{what}, Align: []text.Align{text.Left}}
	for _, d := range all {
		t.Header, t.Align = append(t.Header, d.policy), append(t.Align, text.Right)
	}
	for i, name := range rows {
		cells := []string{name}
		for k := range all {
			cell := "-"
			if all[k].err == nil {
				if v, has := value(&all[k], i); has {
					cell = short(v)
				}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// notes says why a rule has no allocation, and who cannot be hosted.
func notes(b *bytes.Buffer, all []division) {
	said := map[string]bool{}
	for i := range all {
		if all[i].err != nil {
			fmt.Fprintf(b, "\n%s: %s\n", all[i].policy, printable.Message(all[i].reason()))
			continue
		}
		for _, j := range all[i].allocation.Unservable {
			text := fmt.Sprintf("\nNo eligible server can host user %s.\n", printable.Text(all[i].allocation.Region.Users[j].Name))
			if !said[text] {
				said[text] = true
				b.WriteString(text)
			}
		}
	}
}
