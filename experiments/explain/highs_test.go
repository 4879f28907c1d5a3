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
	for _, name := range []string{"tsf-er", "cdrf", "drfh", "drf-er", "mnw", "utilitarian", "ru"} {
		t.Run(name, func(t *testing.T) {
			var cases bytes.Buffer
			explained(t, name, 3, func(t *testing.T, env *cluster.Environment, a *cluster.Allocation, e *Explanation) {
				norm, floors := normOf(t, name, env), [][]float64{}
				for j := range env.Users {
					floors = append(floors, floorsOf(env, a, norm, j))
				}
				if err := json.NewEncoder(&cases).Encode(map[string]any{
					"environment": json.RawMessage(env.Line()), "explanation": e, "floors": floors}); err != nil {
					t.Fatal(err)
				}
			})
			cmd := exec.Command(python, "testdata/duals.py")
			cmd.Stdin = &cases
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err, string(out))
			}
			var seen struct {
				Users, Unique, Unsolved int
				Wrong                   []string
			}
			if err := json.Unmarshal(out, &seen); err != nil {
				t.Fatal(err, string(out))
			}
			t.Logf("%d users, %d prices that are unique, %d programs not solved", seen.Users, seen.Unique, seen.Unsolved)
			for _, wrong := range seen.Wrong {
				t.Error(wrong)
			}
			if seen.Users < 50 || seen.Unsolved > 0 {
				t.Errorf("%d users were compared, %d not", seen.Users, seen.Unsolved)
			}
		})
	}
}
