package constraints

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// requirement is an expression of a node affinity of Kubernetes (matchExpressions).
type requirement struct {
	key, operator string
	values        []string
}

// matches is what Kubernetes documents of the operators (Node affinity: Operators, and of
// labels: "NotIn and DoesNotExist allow you to define node anti-affinity behavior"; Gt and
// Lt "won't work with non-integer values").
func (r requirement) matches(labels map[string]string) bool {
	value, exists := labels[r.key]
	switch r.operator {
	case "Exists":
		return exists
	case "DoesNotExist":
		return !exists
	case "In":
		return exists && slices.Contains(r.values, value)
	case "NotIn":
		return !exists || !slices.Contains(r.values, value)
	}
	have, errHave := strconv.ParseInt(value, 10, 64)
	want, errWant := strconv.ParseInt(r.values[0], 10, 64)
	if !exists || errHave != nil || errWant != nil {
		return false
	}
	return r.operator == "Gt" && have > want || r.operator == "Lt" && have < want
}

// The operators that docs/clusters.md gives for those of node affinities decide as they
// do, on labels of any form.
func TestOperatorsOfNodeAffinity(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	texts := []string{"", "a", "b", "7", "07", "-7", "7.5", "70", "1e1", "9223372036854775807", "9223372036854775808", "0x7", "Inf", "true"}
	operators := map[string]Operator{"In": In, "NotIn": NotIn, "Exists": Present, "DoesNotExist": NotPresent, "Gt": GreaterThan, "Lt": LessThan}
	for _, operator := range []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"} {
		yes := 0
		for range 2000 {
			r := requirement{"k", operator, []string{texts[rng.IntN(len(texts))], texts[rng.IntN(len(texts))]}}
			c := Constraint{Attribute: "k", Op: operators[operator]}
			switch operator {
			case "In", "NotIn":
				c.Value = List(r.values...)
			case "Gt", "Lt": // one whole number, which the API server asks for
				r.values = []string{fmt.Sprint(rng.IntN(100) - 50)}
				c.Value = r.values[0]
			}
			labels := map[string]string{}
			if rng.IntN(4) > 0 {
				labels["k"] = texts[rng.IntN(len(texts))]
			}
			parsed, _, err := Parse(Format([]Constraint{c}))
			if err != nil || !slices.Equal(parsed, []Constraint{c}) {
				t.Fatalf("%v is read back as %v: %v", c, parsed, err)
			}
			value, there := labels["k"]
			want := r.matches(labels)
			if want {
				yes++
			}
			if got := c.Match(value, there); got != want {
				t.Fatalf("%v on %v: %v, want %v", r, labels, got, want)
			}
		}
		if yes < 100 || yes > 1900 {
			t.Errorf("%s: %d of 2000 match: the draws say little", operator, yes)
		}
	}
}
