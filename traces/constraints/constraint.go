package constraints

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Operator compares an attribute of a machine with the value of a constraint.
// The numbers are those of the Google trace of 2011.
type Operator uint8

// The operators.
const (
	Equal       Operator = iota // the same text
	NotEqual                    // another text
	LessThan                    // a smaller whole number
	GreaterThan                 // a larger whole number
)

// operatorText holds the text forms.
var operatorText = [...]string{Equal: "=", NotEqual: "!=", LessThan: "<", GreaterThan: ">"}

// String returns the text form: =, !=, < or >.
func (o Operator) String() string {
	if int(o) >= len(operatorText) {
		return fmt.Sprintf("Operator(%d)", uint8(o))
	}
	return operatorText[o]
}

// Constraint is one condition on one attribute of a machine.
//
// An attribute that a machine does not have compares as the empty text: it is
// equal to an empty value and not equal to any other. Under < and > both sides
// have to be whole numbers (64 bits); an attribute that is absent, or one that
// is no number, satisfies neither. So no machine satisfies a < or > whose own
// value is no number.
type Constraint struct {
	Attribute string // not empty
	Op        Operator
	Value     string // may be empty
}

// Match reports whether a machine with this text of the attribute, empty if it
// is absent, satisfies the constraint.
func (c Constraint) Match(attribute string) bool {
	switch c.Op {
	case Equal:
		return attribute == c.Value
	case NotEqual:
		return attribute != c.Value
	}
	have, errHave := strconv.ParseInt(attribute, 10, 64)
	want, errWant := strconv.ParseInt(c.Value, 10, 64)
	if errHave != nil || errWant != nil {
		return false
	}
	if c.Op == LessThan {
		return have < want
	}
	return have > want
}

// Compare orders constraints by attribute, operator and value.
func (c Constraint) Compare(d Constraint) int {
	return cmp.Or(cmp.Compare(c.Attribute, d.Attribute), cmp.Compare(c.Op, d.Op), cmp.Compare(c.Value, d.Value))
}

// Format writes a conjunction of constraints as a JSON array of [attribute,
// operator, value], sorted and without repetitions: equal sets of constraints
// have equal texts. The text of no constraint is empty.
func Format(list []Constraint) string {
	if len(list) == 0 {
		return ""
	}
	list = slices.Clone(list)
	slices.SortFunc(list, Constraint.Compare)
	list = slices.Compact(list)
	triples := make([][3]string, len(list))
	for i, c := range list {
		triples[i] = [3]string{c.Attribute, c.Op.String(), c.Value}
	}
	text, err := json.Marshal(triples)
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(text)
}

// Parse is the inverse of [Format]. Order and repetitions do not matter.
func Parse(text string) ([]Constraint, error) {
	if text == "" {
		return nil, nil
	}
	var triples [][]string
	if err := json.Unmarshal([]byte(text), &triples); err != nil {
		return nil, fmt.Errorf("constraints %q: %w", text, err)
	}
	var list []Constraint
	for _, t := range triples {
		if len(t) != 3 {
			return nil, fmt.Errorf("constraints %q: %d texts instead of [attribute, operator, value]", text, len(t))
		}
		op := slices.Index(operatorText[:], t[1])
		if op < 0 {
			return nil, fmt.Errorf("constraints %q: unknown operator %q (known: %v)", text, t[1], operatorText)
		}
		if t[0] == "" {
			return nil, fmt.Errorf("constraints %q: an attribute without a name", text)
		}
		list = append(list, Constraint{t[0], Operator(op), t[2]})
	}
	return list, nil
}

// FormatAttributes writes the attributes of a machine as a JSON object with
// sorted names; empty for none.
func FormatAttributes(attributes map[string]string) string {
	if len(attributes) == 0 {
		return ""
	}
	text, err := json.Marshal(attributes) // sorts the names
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(text)
}

// ParseAttributes is the inverse of [FormatAttributes].
func ParseAttributes(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	attributes := map[string]string{}
	if err := json.Unmarshal([]byte(text), &attributes); err != nil {
		return nil, fmt.Errorf("attributes %q: %w", text, err)
	}
	if _, unnamed := attributes[""]; unnamed {
		return nil, errors.New("attributes: one without a name")
	}
	return attributes, nil
}
