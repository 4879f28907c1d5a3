package google2011

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/traces/constraints"
)

// taskConstraints has the columns of the trace's schema.csv. The text of the
// format (Reiss, Wilkes, Hellerstein 2011) has the operator last, behind the
// attribute's name and value; see [constraintLayout].
var taskConstraints = table{"task_constraints", []string{"time", "job ID", "task index",
	"comparison operator, or attribute name", "attribute name, or value", "attribute value, or comparison operator"}}

// constraintLayout says where the operator and what follows it stand, as columns
// from 0.
type constraintLayout struct {
	text                  string
	operator, name, value int
}

// The two layouts. An attribute's name is a long hash and no number from 0 to 3,
// so a first row tells which of them a table has.
var (
	schemaLayout = constraintLayout{"operator, name, value, as in schema.csv", 3, 4, 5}
	textLayout   = constraintLayout{"name, value, operator, as in the text of the format", 5, 3, 4}
)

// lastOperator is the largest number of an operator.
const lastOperator = int64(constraints.GreaterThan)

// isOperator reports whether a text is the number of an operator.
func isOperator(text string) bool {
	v, err := strconv.ParseInt(text, 10, 64)
	return err == nil && v >= 0 && v <= lastOperator
}

// taskState is the conjunction of the constraints of a task at the first time at
// which the table lists any.
type taskState struct {
	timeUS int64
	set    string // as [constraints.Format] writes it
}

// extension is a set of constraints with one more.
type extension struct {
	set string
	by  constraints.Constraint
}

// extend returns the text of a set with one more constraint. Each is made once:
// tasks share the texts.
func (im *importer) extend(set string, by constraints.Constraint) string {
	key := extension{set, by}
	longer, known := im.unions[key]
	if !known {
		list, _, err := constraints.Parse(set)
		if err != nil {
			panic(err) // Format wrote it
		}
		longer = constraints.Format(append(list, by))
		im.unions[key] = longer
	}
	return longer
}

// followConstraints is the pass over task_constraints. Without the table jobs
// have no constraints, which the report says.
func (im *importer) followConstraints(dir string) error {
	parts, err := im.optional(dir, taskConstraints, "no constraints")
	if err != nil || len(parts.parts) == 0 {
		return err
	}
	im.noteParts(parts)
	im.unions = map[extension]string{}
	var layout *constraintLayout
	return im.scan(parts, func(r row) {
		if layout == nil {
			layout = im.layoutOf(r)
		}
		if r.Err() == nil {
			im.constraintRow(r, layout)
		}
	})
}

// layoutOf finds the layout of the table from its first row, and notes it.
func (im *importer) layoutOf(r row) *constraintLayout {
	layout := &schemaLayout
	switch {
	case isOperator(r.Text(schemaLayout.operator)):
	case isOperator(r.Text(textLayout.operator)):
		layout = &textLayout
	default:
		r.Fail(schemaLayout.operator, fmt.Errorf("neither this column nor the last one is an operator from 0 to %d", lastOperator))
	}
	im.report.Note("tables", "task_constraints: columns are "+layout.text, 1)
	return layout
}

// constraintRow takes in one row.
func (im *importer) constraintRow(r row, layout *constraintLayout) {
	t, id, index := r.Integer(0), r.Integer(1), r.Integer(2)
	op := r.event(layout.operator, lastOperator)
	if r.Err() == nil && r.Text(layout.name) == "" {
		r.Fail(layout.name, errors.New("an attribute without a name"))
	}
	j := im.byID[id]
	if j == nil || r.Err() != nil {
		return
	}
	if t > TraceEndUS {
		im.report.LeaveOut("rows", "task_constraints: after the end of the trace", 1)
		return
	}
	if j.constraints == nil {
		j.constraints = map[int64]taskState{}
	}
	state, seen := j.constraints[index]
	if seen && state.timeUS != t {
		im.report.LeaveOut("rows", "task_constraints: listed again later for the task", 1)
		return
	}
	by := constraints.Constraint{Attribute: r.Own(layout.name), Op: constraints.Operator(op), Value: r.Own(layout.value)}
	j.constraints[index] = taskState{t, im.extend(state.set, by)}
}

// constraintsOf returns the constraints that all of a job's tasks have; a reason
// if they differ.
func (im *importer) constraintsOf(j *job) (text, reason string) {
	if j.constraints == nil {
		return "", ""
	}
	states := slices.Collect(maps.Values(j.constraints))
	for _, s := range states {
		if s.set != states[0].set { // whichever comes first: only equality counts
			return "", "its tasks differ in their constraints"
		}
	}
	if int64(len(states)) < j.tasks.count {
		return "", "some of its tasks have constraints and some have none"
	}
	return states[0].set, ""
}
