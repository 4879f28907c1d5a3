package explain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Fluid is the division among the users of a moment of whole tasks as if their tasks were
// divisible and nothing ran: the rule's program of the same users on the same, empty
// cluster. Its prices, limits and lies are of that program, not of what runs. A lie is
// told for that one division; the others say what they said.
type Fluid struct {
	// Capped says that a user has at most the tasks that are not done; false where the
	// rule is defined for unbounded tasks only.
	Capped bool `json:"capped"`
	// None says why there is no division; "" where there is.
	None string `json:"none,omitempty"`
	*Explanation
}

// ErrNoDivision is returned where lies are asked for of a rule that divides nothing.
var ErrNoDivision = errors.New("users are served in order of arrival: the rule divides nothing, and there is no report to lie in")

// WithFluid adds the division of the same users as if tasks were divisible ([Fluid]); without
// a rule, that there is none. A rule that refuses them, and a solver without a certified
// answer, leave the reason.
func (e *Explanation) WithFluid(rule *audit.Rule, env *cluster.Environment, o Options) error {
	if rule == nil {
		if o.Lies > 0 {
			return ErrNoDivision
		}
		e.Fluid = &Fluid{None: ErrNoDivision.Error()}
		return nil
	}
	f := &Fluid{Capped: !rule.Meta.Unbounded}
	if !f.Capped {
		env = Uncapped(env)
	}
	divided, err := Explain(*rule, env, o)
	var refused *policies.UnsupportedError
	var uncertified *solve.UncertifiedError
	switch {
	case errors.As(err, &refused), errors.As(err, &uncertified), errors.Is(err, solve.ErrPrecision):
		f.None = err.Error()
	case err != nil:
		return fmt.Errorf("the division of divisible tasks: %w", err)
	default:
		f.Explanation, e.Lies = divided, divided.Lies
	}
	e.Fluid = f
	return nil
}

// Uncapped returns the environment with users that have tasks without end.
func Uncapped(env *cluster.Environment) *cluster.Environment {
	users := make([]cluster.User, len(env.Users))
	for j := range users {
		users[j] = env.Users[j].Clone()
		users[j].Tasks = cluster.Inf
	}
	return env.With(users)
}

// fluidPrices returns the prices of the division by row of the capacities of the moment; nil
// where the rule divides other capacities, or has no prices.
func (e *Explanation) fluidPrices() []*float64 {
	if e.Fluid == nil || e.Fluid.None != "" || e.Fluid.Prices == "" || len(e.Fluid.Capacities) != len(e.Capacities) {
		return nil
	}
	var prices []*float64
	for row, c := range e.Fluid.Capacities {
		if c.Name != e.Capacities[row].Name {
			return nil
		}
		prices = append(prices, c.Price)
	}
	return prices
}

// about says before the users what the division is.
func (f *Fluid) about() string {
	if f.None != "" {
		return "Prices and lies: none, as " + f.None + "."
	}
	caps := "at most those that are not done"
	if !f.Capped {
		caps = "and without end, as the rule is not defined for a number of tasks"
	}
	text := "Fluid: whole tasks have no prices, and what a lie brings depends on all that ran before. What is called fluid " +
		"answers another question: what the same rule would give the same users on the empty cluster if their tasks were divisible, " + caps + "."
	if f.Prices != "" {
		text += " Fluid price: what one more unit would add to " + f.Prices + "."
	}
	return text
}

// sentences say what the division would give a user.
func (f *Fluid) sentences(name string) []string {
	for i := range f.Users {
		u := &f.Users[i]
		if u.Name != name {
			continue
		}
		all := []string{"Fluid: it would have " + strings.TrimPrefix(f.has(u), who(u.Name)+" has ") + " " + f.limited(u)}
		if u.Lie != nil {
			all = append(all, "Fluid lies:"+strings.TrimPrefix(f.lies(u), "Lies:"))
		}
		return all
	}
	return nil
}
