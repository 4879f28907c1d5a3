package audit

import (
	"errors"
	"fmt"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// The properties of rules under which every user chooses one server.
func init() {
	for p, judge := range map[policies.Property]func(c *fair.Choice) Outcome{
		policies.LEF: func(c *fair.Choice) Outcome { e := c.LocalEnvy(); return sized(1/e.Sat-1, e) },
		policies.TwoE: func(c *fair.Choice) Outcome {
			e := c.Envy()
			return sized(1/e.Sat/2-1, e)
		},
		policies.LSI: func(c *fair.Choice) Outcome { return promised(c.LocalSharing()) },
		policies.MMS: func(c *fair.Choice) Outcome { return promised(c.MaximinShare()) },
		policies.LPO: func(c *fair.Choice) Outcome { s := c.LocalSlack(); return sized(s.Relative, s) },
	} {
		definitions[p] = definition{forbid: cluster.Links | cluster.LinkOnly, open: chosen(judge)}
	}
}

func promised(p fair.Promise) Outcome {
	if p.User < 0 {
		return none
	}
	return sized(1/p.Ratio-1, p)
}

// Applies reports whether the property is one of which the rule can be asked:
// those of server choice are for rules under which users choose a server.
func Applies(rule Rule, p policies.Property) bool {
	switch p {
	case policies.LEF, policies.TwoE, policies.LSI, policies.MMS, policies.LPO:
		_, chooses := rule.Policy.(policies.Chooser)
		return chooses
	}
	return Known(p)
}

// chosen is a property of an association.
func chosen(of func(c *fair.Choice) Outcome) func(Rule, *cluster.Environment) (judge, error) {
	return func(rule Rule, env *cluster.Environment) (judge, error) {
		chooser, ok := rule.Policy.(policies.Chooser)
		if !ok {
			return nil, ErrOutside
		}
		a, err := chooser.Choose(env)
		if err != nil {
			return nil, refusal(err)
		}
		return func(Change) (Outcome, error) { return of(a.Choice()), nil }, nil
	}
}

// refusal turns the ways in which a rule says that it has no answer into
// ErrOutside.
func refusal(err error) error {
	var refused *policies.UnsupportedError
	var unsettled *policies.NoEquilibriumError
	if errors.As(err, &refused) || errors.As(err, &unsettled) {
		return fmt.Errorf("%w: %w", ErrOutside, err)
	}
	return err
}
