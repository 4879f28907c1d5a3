package explain

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// The prices of an explanation, read from its JSON, are dual solutions of the linear
// programs that an independent program states and HiGHS solves; where there is only one
// they are HiGHS's.
func TestPricesAgreeWithHiGHS(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import scipy.optimize").Run(); err != nil {
		t.Skip("no python3 with scipy: ", err)
	}
	names := []string{"tsf-er", "cdrf", "drfh", "drf-er", "mnw", "utilitarian", "ru", "cru"}
	var cases bytes.Buffer
	for _, name := range names {
		explained(t, name, longOr(12, 5), func(t *testing.T, env *cluster.Environment, a *cluster.Allocation, e *Explanation) {
			if err := json.NewEncoder(&cases).Encode(dualCase(t, name, env, a, e)); err != nil {
				t.Fatal(err)
			}
		})
	}
	cmd := exec.Command(python, "testdata/duals.py")
	cmd.Stdin = &cases
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, string(out))
	}
	var rules map[string]struct {
		Users, Unique, Unsolved, Envious, Welfares, Envy int
		Wrong                                            []string
	}
	if err := json.Unmarshal(out, &rules); err != nil {
		t.Fatal(err, string(out))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			seen := rules[name]
			t.Logf("%d users, %d of them limited by envy, %d prices that are unique, %d welfares with %d prices of envy, %d programs not solved",
				seen.Users, seen.Envious, seen.Unique, seen.Welfares, seen.Envy, seen.Unsolved)
			for _, wrong := range seen.Wrong {
				t.Error(wrong)
			}
			if name == "cru" && (seen.Envious < 10 || seen.Welfares < 10 || seen.Envy < 10) {
				t.Error("too little envy was compared")
			}
			if seen.Users < 50 || seen.Unsolved > 0 {
				t.Errorf("%d users were compared, %d not", seen.Users, seen.Unsolved)
			}
		})
	}
}

// dualCase is what testdata/duals.py reads of an explanation.
func dualCase(t *testing.T, name string, env *cluster.Environment, a *cluster.Allocation, e *Explanation) map[string]any {
	norm, floors := normOf(t, name, env), [][]float64{}
	for j := range env.Users {
		floors = append(floors, floorsOf(env, a, norm, j))
	}
	one := map[string]any{"rule": name, "environment": json.RawMessage(env.Line()), "explanation": e, "floors": floors, "envy_free": name == "cru"}
	if name == "cru" {
		value := env.Etas(nil)
		for j, eta := range value {
			if value[j] = 0; eta > 0 {
				value[j] = env.Users[j].Weight / eta
			}
		}
		one["welfare"] = map[string]any{"value": value, "lower": env.EqualShares(nil)}
	}
	return one
}
