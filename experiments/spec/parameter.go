package spec

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// Check checks what a parameter may be, and returns it as a typed value, whose text
// is canonical: .70 and 0.7 are one value.
type Check func(text string) (results.Value, error)

// Number is the check of a parameter that is a number in [low, high].
func Number(low, high float64) Check {
	return func(text string) (results.Value, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) {
			return results.Value{}, fmt.Errorf("%q is not a number", text)
		}
		if v < low || v > high {
			return results.Value{}, fmt.Errorf("%s is not in [%g, %g]", text, low, high)
		}
		return results.OfFloat(v), nil
	}
}

// WholeNumber is the check of a parameter that is a whole number in [low, high].
func WholeNumber(low, high int64) Check {
	return func(text string) (results.Value, error) {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return results.Value{}, fmt.Errorf("%q is not a whole number", text)
		}
		if v < low || v > high {
			return results.Value{}, fmt.Errorf("%s is not in [%d, %d]", text, low, high)
		}
		return results.OfInt(v), nil
	}
}

// OneOf is the check of a parameter that is one of the given texts.
func OneOf(known ...string) Check {
	return Text(func(text string) (string, error) { return text, spelling.Check("", text, known) })
}

// Text is the check of a parameter that is a text, of which canonical returns the
// canonical form; null for "".
func Text(canonical func(text string) (string, error)) Check {
	return func(text string) (results.Value, error) {
		text, err := canonical(text)
		return results.OfText(text), err
	}
}

// AnyText is the check of a parameter that may be every text.
var AnyText = Text(func(text string) (string, error) { return text, nil })

// Values are those of a parameter that is one of a few texts ([OneOf]), which its
// check names when it refuses another one; nil for others.
func (p *Parameter) Values() []string {
	var unknown *spelling.UnknownError
	if _, err := p.Canonical("\x00"); errors.As(err, &unknown) {
		return slices.DeleteFunc(slices.Clone(unknown.Known), func(v string) bool { return v == "" })
	}
	return nil
}

// Number returns a parameter that is a number. It panics if it is none.
func (s Scenario) Number(name string) float64 {
	v, ok := s.value(name).Number()
	if !ok {
		panic(fmt.Sprintf("spec: parameter %s of %s is no number: %v", name, s.Kind, s.value(name)))
	}
	return v
}

// WholeNumber returns a parameter that [WholeNumber] has checked.
func (s Scenario) WholeNumber(name string) int64 { return int64(s.Number(name)) }

// Text returns a parameter as text, "" for null. It panics if the kind has none of
// that name.
func (s Scenario) Text(name string) string { return s.value(name).String() }

func (s Scenario) value(name string) results.Value {
	v, ok := s.Parameters[name]
	if !ok {
		panic(fmt.Sprintf("spec: %s has no parameter %s", s.Kind, name))
	}
	return v
}

// Column is the name of the parameter's column in a result table: As or its own, with
// the unit behind it where that is a physical one and the name does not say it.
func (p *Parameter) Column() string {
	if p.As != "" {
		return p.As
	}
	words := strings.Split(p.Name, "_")
	switch unit := strings.ToLower(p.Unit); unit {
	case "s", "ms", "h", "mhz", "ghz":
		if last := words[len(words)-1]; last != unit && last != "hours" {
			return p.Name + "_" + unit
		}
	}
	return p.Name
}

// Point returns the parameters of the scenario and its seed, by their columns, but
// for the rule, which has a column of its own. A file is known by the first digits
// of its checksum.
func (s Scenario) Point() results.Point {
	kind, err := KindNamed(s.Kind)
	if err != nil {
		panic(err) // it was made by NewScenario
	}
	return results.PointOf(kind.columns, func(i int) results.Value {
		if kind.columns[i] == seedName {
			return seedValue(s.Seed)
		}
		v := s.Parameters[kind.of[i]]
		if v.Type() != results.Text {
			return v
		}
		if sum, ok := strings.CutPrefix(v.String(), FileMark); ok {
			v = results.OfText(sum[:12])
		}
		return v
	})
}

// setColumns finds the columns of the points of the kind's scenarios, in order, and
// which parameter is in each.
func (k *Kind) setColumns() {
	of := map[string]string{seedName: seedName}
	for _, p := range k.Parameters {
		if !p.NoColumn && p.Name != policyName {
			of[p.Column()] = p.Name
		}
	}
	for _, column := range slices.Sorted(maps.Keys(of)) {
		k.columns, k.of = append(k.columns, column), append(k.of, of[column])
	}
}

// policyName is the parameter that has a column in every table.
const policyName = "policy"

// seedValue is a seed as a value: the column has numbers unless one is too large.
func seedValue(seed uint64) results.Value {
	if seed > math.MaxInt64 {
		return results.OfText(strconv.FormatUint(seed, 10))
	}
	return results.OfInt(int64(seed))
}
