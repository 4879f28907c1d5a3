package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/sim/spelling"
)

// Number is the check of a parameter that is a number in [low, high].
func Number(low, high float64) func(string) (string, error) {
	return func(text string) (string, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) {
			return "", fmt.Errorf("%q is not a number", text)
		}
		if v < low || v > high {
			return "", fmt.Errorf("%s is not in [%g, %g]", text, low, high)
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
}

// WholeNumber is the check of a parameter that is a whole number in [low, high].
func WholeNumber(low, high int64) func(string) (string, error) {
	return func(text string) (string, error) {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("%q is not a whole number", text)
		}
		if v < low || v > high {
			return "", fmt.Errorf("%s is not in [%d, %d]", text, low, high)
		}
		return strconv.FormatInt(v, 10), nil
	}
}

// OneOf is the check of a parameter that is one of the given texts.
func OneOf(known ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		return text, spelling.Check("", text, known)
	}
}

// Values are those of a parameter that is one of a few texts ([OneOf]), which its
// check names when it refuses another one; nil for others.
func (p *Parameter) Values() []string {
	var unknown *spelling.UnknownError
	if _, err := p.Canonical("\x00"); errors.As(err, &unknown) {
		return slices.DeleteFunc(slices.Clone(unknown.Known), func(v string) bool { return v == "" })
	}
	return nil
}

// Number returns a parameter that [Number] has checked.
func (s Scenario) Number(name string) float64 {
	v, err := strconv.ParseFloat(s.Text(name), 64)
	if err != nil {
		panic(fmt.Sprintf("experiments: parameter %s of %s: %v", name, s.Kind, err))
	}
	return v
}

// WholeNumber returns a parameter that [WholeNumber] has checked.
func (s Scenario) WholeNumber(name string) int64 {
	v, err := strconv.ParseInt(s.Text(name), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("experiments: parameter %s of %s: %v", name, s.Kind, err))
	}
	return v
}

// Text returns a parameter. It panics if the kind has none of that name.
func (s Scenario) Text(name string) string {
	text, ok := s.Parameters[name]
	if !ok {
		panic(fmt.Sprintf("experiments: %s has no parameter %s", s.Kind, name))
	}
	return text
}
