package constraints

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Toleration lets a job run on servers with some taints. It is written as Kubernetes
// writes it in spec.tolerations of a pod, and means the same.
type Toleration struct {
	Key      string `json:"key,omitempty"`      // empty: of every key, with operator Exists
	Operator string `json:"operator,omitempty"` // Exists: of every value; Equal, or empty: of Value
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"` // empty: every effect
	// Seconds is for how long a pod stays where a taint NoExecute came. Nothing here
	// comes later: it is read, and means nothing.
	Seconds *int64 `json:"tolerationSeconds,omitempty"`
}

// Tolerates reports whether a taint keeps off no job that has the toleration.
func (t Toleration) Tolerates(taint cluster.Taint) bool {
	return (t.Key == taint.Key || t.Key == "" && t.Operator == "Exists") &&
		(t.Effect == "" || t.Effect == taint.Effect) &&
		(t.Operator == "Exists" || t.Value == taint.Value)
}

// Compare orders tolerations by key, operator, value and effect.
func (t Toleration) Compare(u Toleration) int {
	return cmp.Or(cmp.Compare(t.Key, u.Key), cmp.Compare(t.Operator, u.Operator), cmp.Compare(t.Value, u.Value), cmp.Compare(t.Effect, u.Effect))
}

// check returns what is wrong with a toleration, or nil.
func (t Toleration) check() error {
	switch {
	case !slices.Contains([]string{"", "Equal", "Exists"}, t.Operator):
		return fmt.Errorf("unknown operator %q of a toleration (known: Equal, Exists)", t.Operator)
	case t.Operator == "Exists" && t.Value != "":
		return fmt.Errorf("a toleration with operator Exists and a value, %q", t.Value)
	case t.Key == "" && t.Operator != "Exists":
		return fmt.Errorf("a toleration without a key, whose operator is not Exists")
	case t.Effect != "" && t.Effect != "PreferNoSchedule" && !slices.Contains(cluster.Effects, t.Effect):
		return fmt.Errorf("unknown effect %q of a toleration", t.Effect)
	}
	return nil
}

func parseToleration(text []byte) (t Toleration, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, err
	}
	return t, t.check()
}

// tolerated reports whether each taint is tolerated by one of the tolerations.
func tolerated(taints []cluster.Taint, by []Toleration) bool {
	return !slices.ContainsFunc(taints, func(taint cluster.Taint) bool {
		return !slices.ContainsFunc(by, func(t Toleration) bool { return t.Tolerates(taint) })
	})
}
