package constraints

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Operator compares an attribute of a machine with the value of a constraint.
// The numbers up to NotPresent are those of the Google trace of 2019, and up to
// GreaterThan those of 2011.
type Operator uint8

// The operators.
const (
	Equal        Operator = iota // the same text
	NotEqual                     // another text
	LessThan                     // a smaller number
	GreaterThan                  // a larger number
	AtMost                       // a number that is no larger
	AtLeast                      // a number that is no smaller
	Present                      // the machine has the attribute, with any text
	NotPresent                   // the machine does not have it
	In                           // the machine has it, with one of several texts
	NotIn                        // none of several texts, or the machine does not have it
	numOperators = iota
)

// operatorText holds the text forms.
var operatorText = [numOperators]string{Equal: "=", NotEqual: "!=", LessThan: "<", GreaterThan: ">", AtMost: "<=", AtLeast: ">=",
	Present: "present", NotPresent: "not present", In: "in", NotIn: "not in"}

// String returns the text form, = or not in, say.
func (o Operator) String() string {
	if int(o) >= len(operatorText) {
		return fmt.Sprintf("Operator(%d)", uint8(o))
	}
	return operatorText[o]
}

// Constraint is one condition on one attribute of a machine.
//
// Under = and != an attribute that a machine does not have compares as the empty text: it
// is equal to an empty value and not equal to any other. It satisfies none of <, >, <=,
// >= and in, and it satisfies not in.
//
// Numbers: a value that is a whole number (64 bits) is compared with attributes that are
// whole numbers, exactly. A value with a point or an exponent (16.0) is compared with
// attributes that are decimal numbers, whole or not, as doubles. Attributes of another
// form satisfy none, and a value of another form is satisfied by none.
//
// In, NotIn, Present, NotPresent, GreaterThan and LessThan mean what In, NotIn, Exists,
// DoesNotExist, Gt and Lt of node affinities mean in Kubernetes, where Gt and Lt have
// whole numbers.
type Constraint struct {
	Attribute string // not empty
	Op        Operator
	// Value may be empty. Of In and NotIn it is a [List], of Present and NotPresent empty.
	Value string
}

// List writes the texts of a constraint whose operator is In or NotIn: a JSON array,
// sorted and without repetitions.
func List(texts ...string) string {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	list, err := json.Marshal(slices.Compact(texts))
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(list)
}

// Match reports whether a machine with this text of the attribute, which it may not have,
// satisfies the constraint.
func (c Constraint) Match(attribute string, there bool) bool { return c.Predicate()(attribute, there) }

// Predicate returns Match for many machines: the list of In and NotIn is read once.
func (c Constraint) Predicate() func(attribute string, there bool) bool {
	switch c.Op {
	case Equal, NotEqual:
		return func(attribute string, there bool) bool {
			return (there && attribute == c.Value || !there && c.Value == "") == (c.Op == Equal)
		}
	case Present, NotPresent:
		return func(_ string, there bool) bool { return there == (c.Op == Present) }
	case In, NotIn:
		texts := c.list()
		return func(attribute string, there bool) bool {
			return (there && slices.Contains(texts, attribute)) == (c.Op == In)
		}
	}
	return c.compares
}

// compares is Match of the operators on numbers.
func (c Constraint) compares(attribute string, there bool) bool {
	order, ok := compareNumbers(attribute, c.Value)
	switch {
	case !ok || !there:
		return false
	case c.Op == LessThan:
		return order < 0
	case c.Op == GreaterThan:
		return order > 0
	case c.Op == AtMost:
		return order <= 0
	}
	return order >= 0
}

// list returns the texts of a [List].
func (c Constraint) list() (texts []string) {
	if err := json.Unmarshal([]byte(c.Value), &texts); err != nil {
		panic(fmt.Sprintf("constraints: %q is no List: %v", c.Value, err))
	}
	return texts
}

// compareNumbers compares an attribute with the value of a constraint; false where they
// are no numbers that compare.
func compareNumbers(attribute, value string) (order int, ok bool) {
	if want, err := strconv.ParseInt(value, 10, 64); err == nil {
		have, err := strconv.ParseInt(attribute, 10, 64)
		return cmp.Compare(have, want), err == nil
	}
	have, okHave := decimal(attribute)
	want, okWant := decimal(value)
	return cmp.Compare(have, want), okHave && okWant
}

// decimal reads a decimal number: 16, -1.5 or 2e3, and no other form that programs know.
func decimal(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && strings.Trim(text, "0123456789+-.eE") == ""
}

// Compare orders constraints by attribute, operator and value.
func (c Constraint) Compare(d Constraint) int {
	return cmp.Or(cmp.Compare(c.Attribute, d.Attribute), cmp.Compare(c.Op, d.Op), cmp.Compare(c.Value, d.Value))
}

// Format writes a conjunction of constraints, and what a job tolerates, as a JSON
// array of [attribute, operator, value], where In and NotIn have a list as value and
// Present and NotPresent none, and then of tolerations, each sorted and
// without repetitions: equal sets have equal texts. The text of none is empty.
func Format(list []Constraint, tolerations ...Toleration) string {
	var entries []any
	list = slices.Clone(list)
	slices.SortFunc(list, Constraint.Compare)
	for _, c := range slices.Compact(list) {
		entries = append(entries, c.entry())
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

// entry returns what stands for a constraint in the array.
func (c Constraint) entry() []any {
	switch c.Op {
	case Present, NotPresent:
		return []any{c.Attribute, c.Op.String()}
	case In, NotIn:
		return []any{c.Attribute, c.Op.String(), json.RawMessage(c.Value)}
	}
	return []any{c.Attribute, c.Op.String(), c.Value}
}

// operands says what follows an operator, and how many entries there are with it.
func (o Operator) operands() (int, string) {
	switch o {
	case Present, NotPresent:
		return 2, "[attribute, operator]"
	case In, NotIn:
		return 3, "[attribute, operator, [value, …]]"
	}
	return 3, "[attribute, operator, value]"
}

func parseConstraint(entry []byte) (c Constraint, err error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(entry, &parts); err != nil {
		return c, err
	}
	if len(parts) < 2 {
		return c, fmt.Errorf("%s is not [attribute, operator, value]", entry)
	}
	var operator string
	if err := errors.Join(readText(parts[0], &c.Attribute), readText(parts[1], &operator)); err != nil {
		return c, err
	}
	op := slices.Index(operatorText[:], operator)
	if op < 0 {
		return c, fmt.Errorf("unknown operator %q (known: %s)", operator, strings.Join(operatorText[:], ", "))
	}
	c.Op = Operator(op)
	if n, form := c.Op.operands(); len(parts) != n {
		return c, fmt.Errorf("%s is not %s", entry, form)
	}
	if c.Attribute == "" {
		return c, errors.New("an attribute without a name")
	}
	switch c.Op {
	case Present, NotPresent:
		return c, nil
	case In, NotIn:
		c.Value, err = readList(parts[2])
		return c, err
	}
	return c, readText(parts[2], &c.Value)
}

// readText reads a JSON text, and nothing that would pass for one, as null.
func readText(raw json.RawMessage, into *string) error {
	if len(raw) == 0 || raw[0] != '"' {
		return fmt.Errorf("%s is not a text", raw)
	}
	return json.Unmarshal(raw, into)
}

// readList reads the texts of an operator on several.
func readList(raw json.RawMessage) (list string, err error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil || len(parts) == 0 {
		return "", fmt.Errorf("%s is not a list of one text or more", raw)
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		if err := readText(part, &texts[i]); err != nil {
			return "", err
		}
	}
	return List(texts...), nil
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
