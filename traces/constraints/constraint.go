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

// Format writes a conjunction of constraints, and what a job tolerates, as a JSON
// array of [attribute, operator, value] and then of tolerations, each sorted and
// without repetitions: equal sets have equal texts. The text of none is empty.
func Format(list []Constraint, tolerations ...Toleration) string {
	var entries []any
	list = slices.Clone(list)
	slices.SortFunc(list, Constraint.Compare)
	for _, c := range slices.Compact(list) {
		entries = append(entries, [3]string{c.Attribute, c.Op.String(), c.Value})
	}
	tolerations = slices.Clone(tolerations)
	slices.SortStableFunc(tolerations, Toleration.Compare)
	for i, t := range tolerations {
		if i == 0 || t.Compare(tolerations[i-1]) != 0 {
			entries = append(entries, t)
		}
	}
	if entries == nil {
		return ""
	}
	text, err := json.Marshal(entries)
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(text)
}

// Parse is the inverse of [Format]. Order and repetitions do not matter.
func Parse(text string) (list []Constraint, tolerations []Toleration, err error) {
	if text == "" {
		return nil, nil, nil
	}
	var entries []json.RawMessage
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return nil, nil, fmt.Errorf("constraints %q: %w", text, err)
	}
	for _, entry := range entries {
		if entry[0] == '{' {
			t, err := parseToleration(entry)
			if err != nil {
				return nil, nil, fmt.Errorf("constraints %q: %w", text, err)
			}
			tolerations = append(tolerations, t)
			continue
		}
		c, err := parseConstraint(entry)
		if err != nil {
			return nil, nil, fmt.Errorf("constraints %q: %w", text, err)
		}
		list = append(list, c)
	}
	return list, tolerations, nil
}

func parseConstraint(entry []byte) (c Constraint, err error) {
	var t []string
	if err := json.Unmarshal(entry, &t); err != nil {
		return c, err
	}
	if len(t) != 3 {
		return c, fmt.Errorf("%d texts instead of [attribute, operator, value]", len(t))
	}
	op := slices.Index(operatorText[:], t[1])
	if op < 0 {
		return c, fmt.Errorf("unknown operator %q (known: %v)", t[1], operatorText)
	}
	if t[0] == "" {
		return c, errors.New("an attribute without a name")
	}
	return Constraint{t[0], Operator(op), t[2]}, nil
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
