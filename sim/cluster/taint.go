package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// Taint keeps tasks off a server unless their job tolerates it, as a taint of
// Kubernetes does.
type Taint struct {
	Key    string // not empty, without "=", ":" and blanks
	Value  string // may be empty; without ":" and blanks
	Effect string // one of [Effects]
}

// Effects are the effects of taints that keep tasks off a server. (Kubernetes also
// has PreferNoSchedule, which keeps nothing off.)
var Effects = []string{"NoSchedule", "NoExecute"}

// String is the text form of kubectl: key=value:Effect, or key:Effect where the value
// is empty.
func (t Taint) String() string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}

// ParseTaint is the inverse of [Taint.String].
func ParseTaint(text string) (Taint, error) {
	before, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(before, "=")
	t := Taint{key, value, effect}
	if !slices.Contains(Effects, effect) || key == "" || strings.ContainsAny(text, " \t\r\n") {
		return Taint{}, fmt.Errorf("%q is not a taint, key=value:%s", text, strings.Join(Effects, " or key=value:"))
	}
	return t, nil
}
