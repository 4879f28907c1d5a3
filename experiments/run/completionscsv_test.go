package run

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/traces"
)

// Of a refused job nothing but its arrival is said: 0 would be read as a time.
func TestExportCompletions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "completions.parquet")
	jobs := []traces.Job{{ID: "a, b"}, {ID: "=c"}}
	outcome := &Outcome{}
	outcome.Jobs = []sim.JobResult{{Arrival: 1, Completion: 5, Standalone: 2}, {Arrival: 3, Refused: true}}
	if err := WriteCompletions(path, "real; ignored: gpu (2 jobs)", jobs, []string{"p", "q"}, []*Outcome{outcome, outcome}); err != nil {
		t.Fatal(err)
	}
	const header = "policy,job_id,submit_us,completion_us,standalone_us,jct_factor,refused,workload\n"
	for _, c := range []struct {
		where map[string]string
		want  string // what the error says, where it does not begin with the header
	}{
		{nil, header + "p,\"a, b\",1,5,2,0.5,false,%\np,'=c,3,,,,true,%\nq,\"a, b\",1,5,2,0.5,false,%\nq,'=c,3,,,,true,%\n"},
		{map[string]string{"policy": "q", "job_id": "=c"}, header + "q,'=c,3,,,,true,%\n"},
		{map[string]string{"policy": "r"}, "no row has all"},
		{map[string]string{"colour": "red"}, `unknown column "colour" (known: policy`},
	} {
		c.want = strings.ReplaceAll(c.want, "%", "real; ignored: gpu (2 jobs)")
		var b strings.Builder
		err := ExportCompletions(&b, path, c.where)
		switch {
		case strings.HasPrefix(c.want, header) && (err != nil || b.String() != c.want):
			t.Errorf("%v: %v\n%s", c.where, err, &b)
		case !strings.HasPrefix(c.want, header) && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: error %v, want %q", c.where, err, c.want)
		}
	}
}
