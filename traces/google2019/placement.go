package google2019

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/traces/constraints"
)

// relationNames are those of MachineConstraint.Relation; the numbers are those of
// [constraints.Operator].
var relationNames = []string{"EQUAL", "NOT_EQUAL", "LESS_THAN", "GREATER_THAN", "LESS_THAN_EQUAL", "GREATER_THAN_EQUAL", "PRESENT", "NOT_PRESENT"}

// placement is what a column constraint asks for.
type placement struct {
	text   string // as [constraints.Format] writes it
	unread bool   // it is there, and not in JSON
}

// machineConstraint is an entry of the column: in exports a number may be a text.
type machineConstraint struct {
	Name     *string         `json:"name"`
	Value    json.RawMessage `json:"value"`
	Relation json.RawMessage `json:"relation"`
}

// placement reads a column constraint: each text once. A CSV export may have any text
// there, which is no error where it is not JSON.
func (im *importer) placement(r row, column int) *placement {
	text := r.Text(column)
	if p := im.placed[text]; p != nil {
		return p
	}
	p := &placement{}
	im.placed[strings.Clone(text)] = p
	if text == "" {
		return p
	}
	if p.unread = !json.Valid([]byte(text)); p.unread {
		return p
	}
	list, err := constraintsOf(text)
	if err != nil {
		r.Fail(column, err)
	}
	p.text = constraints.Format(list)
	return p
}

// constraintsOf reads a JSON array of constraints.
func constraintsOf(text string) (list []constraints.Constraint, err error) {
	var entries []machineConstraint
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return nil, errors.New("not a list of constraints")
	}
	for _, e := range entries {
		if e.Name == nil || *e.Name == "" {
			return nil, errors.New("a constraint without the name of an attribute")
		}
		relation := strings.Trim(string(e.Relation), `"`)
		op := slices.Index(relationNames, strings.ToUpper(relation))
		if op < 0 && relation != "" && relation != "null" {
			if op, err = strconv.Atoi(relation); err != nil || op < 0 || op >= len(relationNames) {
				return nil, fmt.Errorf("relation %q is not from 0 to %d, nor one of %s", relation, len(relationNames)-1, strings.Join(relationNames, ", "))
			}
		}
		c := constraints.Constraint{Attribute: *e.Name, Op: constraints.Operator(max(op, 0)), Value: plain(e.Value)}
		list = append(list, ofNumbers(c))
	}
	return list, nil
}

// plain returns a JSON text, number or null as text.
func plain(raw json.RawMessage) (value string) {
	if json.Unmarshal(raw, &value) == nil || len(raw) == 0 {
		return value
	}
	return string(raw)
}

// ofNumbers makes a constraint compare as the trace says: values of LESS_THAN and its
// like are floating point numbers, that of PRESENT and NOT_PRESENT is ignored.
func ofNumbers(c constraints.Constraint) constraints.Constraint {
	switch c.Op {
	case constraints.LessThan, constraints.GreaterThan, constraints.AtMost, constraints.AtLeast:
		if _, err := strconv.ParseInt(c.Value, 10, 64); err == nil {
			c.Value += ".0"
		}
	case constraints.Present, constraints.NotPresent:
		c.Value = ""
	}
	return c
}

// placement returns what all tasks of a collection ask for; false if they differ.
func (c *collection) placement() (text string, same bool) {
	first := true
	for _, task := range c.tasks {
		if !task.requested {
			continue
		}
		if !first && task.placed.text != text {
			return "", false
		}
		first, text = false, task.placed.text
	}
	return text, true
}

// unread reports whether a task asks for something that was not read.
func (c *collection) unread() bool {
	for _, task := range c.tasks {
		if task.requested && task.placed.unread {
			return true
		}
	}
	return false
}
