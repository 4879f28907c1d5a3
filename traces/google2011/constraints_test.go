package google2011

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

const (
	consPart = "task_constraints/part-00000-of-00001.csv"
	attrPart = "machine_attributes/part-00000-of-00001.csv"
)

// constrained is a trace of six jobs and four machines with the given
// constraints and attributes. Job 2 has two tasks, the others one.
func constrained(cons, attributes string) folder {
	var jobs, tasks []string
	for id := 1; id <= 6; id++ {
		jobs = append(jobs, fmt.Sprintf("1000 %d 0", id), fmt.Sprintf("1000 %d 1", id), fmt.Sprintf("1010 %d 4", id))
		for index := range map[bool]int{false: 1, true: 2}[id == 2] {
			tasks = append(tasks, fmt.Sprintf("1000 %d %d 0 0.5 0.25", id, index), fmt.Sprintf("1000 %d %d 1", id, index), fmt.Sprintf("1010 %d %d 4", id, index))
		}
	}
	return folder{
		jobPart: jobRows(jobs...), taskPart: taskRows(tasks...), consPart: cons, attrPart: attributes,
		machPart: "0,11,0,p,1,1\n0,12,0,p,1,1\n0,13,0,p,1,1\n0,14,0,p,1,1\n",
	}
}

// Machine 11 has kernel 3 and ssd 1, 12 kernel 12, 13 ssd 0 and 14 nothing. What
// comes after time 0, what was deleted and what belongs to a machine that is not
// there do not count.
const attributeRows = `0,11,kernel/+=,3,0
0,12,kernel/+=,7,0
0,12,kernel/+=,12,0
0,11,ssd,1,0
0,13,ssd,0,0
0,14,ssd,1,0
0,14,ssd,1,1
0,99,ssd,1,0
5,14,ssd,1,0
`

// The same constraints in both layouts: all four operators, an absent value, a
// conjunction, a job without.
const (
	schemaRows = `1000000000,1,0,0,ssd,1
1000000000,2,0,1,ssd,1
1000000000,2,1,1,ssd,1
1000000000,3,0,2,kernel/+=,12
1000000000,4,0,3,kernel/+=,3
1000000000,5,0,1,ssd,1
1000000000,5,0,0,kernel/+=,
`
	textRows = `1000000000,1,0,ssd,1,0
1000000000,2,0,ssd,1,1
1000000000,2,1,ssd,1,1
1000000000,3,0,kernel/+=,12,2
1000000000,4,0,kernel/+=,3,3
1000000000,5,0,ssd,1,1
1000000000,5,0,kernel/+=,,0
`
)

func TestConstraintsBecomeSetsOfMachines(t *testing.T) {
	for found, rows := range map[string]string{
		"task_constraints: columns are operator, name, value, as in schema.csv":             schemaRows,
		"task_constraints: columns are name, value, operator, as in the text of the format": textRows,
	} {
		res := importAll(t, constrained(rows, attributeRows))
		if !slices.Contains(res.Report.Notes(), traces.Count{Unit: "tables", What: found, N: 1}) {
			t.Errorf("the report does not say %q:\n%s", found, res.Report)
		}
		matcher, err := constraints.NewMatcher(res.Machines)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for _, j := range res.Jobs {
			set, err := matcher.Eligible(j.Constraints)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range res.Machines {
				if set.Has(i) {
					got[j.ID] = append(got[j.ID], m.ID)
				}
			}
		}
		want := map[string][]string{
			"1": {"11"},
			"2": {"12", "13", "14"}, // not equal: an absent attribute will do
			"3": {"11"},             // 3 < 12; 12 is not; the others have no kernel
			"4": {"12"},             // 12 > 3 as numbers
			"5": {"13", "14"},       // no kernel, and no ssd of 1
			"6": {"11", "12", "13", "14"},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: machines by job (-want +got):\n%s", found, d)
		}
		if n := res.Report.LeftOutFor("rows", "machine_attributes: of a machine that is not present"); n != 1 {
			t.Errorf("%d attributes of absent machines, want 1", n)
		}
	}
}

func TestTasksThatDifferAreNoJob(t *testing.T) {
	for _, c := range []struct{ name, rows, reason string }{
		{"two sets", "1000000000,2,0,1,ssd,1\n1000000000,2,1,1,ssd,2\n", "its tasks differ in their constraints"},
		{"one task of two", "1000000000,2,0,1,ssd,1\n", "some of its tasks have constraints and some have none"},
	} {
		res := importAll(t, constrained(c.rows, attributeRows))
		if n := res.Report.LeftOutFor("jobs", c.reason); n != 1 || len(res.Jobs) != 5 {
			t.Errorf("%s: %d jobs left out, %d kept:\n%s", c.name, n, len(res.Jobs), res.Report)
		}
	}
}

func TestOrderAndRepetitionOfConstraintsDoNotMatter(t *testing.T) {
	rows := "1000000000,2,0,1,ssd,1\n1000000000,2,0,0,k,2\n1000000000,2,1,0,k,2\n1000000000,2,1,1,ssd,1\n1000000000,2,1,0,k,2\n"
	res := importAll(t, constrained(rows, ""))
	if got, want := res.Jobs[1].Constraints, `[["k","=","2"],["ssd","!=","1"]]`; got != want {
		t.Errorf("constraints %s, want %s", got, want)
	}
}

func TestLaterConstraintsAreLeftOut(t *testing.T) {
	rows := "1000000000,1,0,0,ssd,1\n1005000000,1,0,0,ssd,2\n9000000000000,1,0,0,ssd,3\n"
	res := importAll(t, constrained(rows, ""))
	if got, want := res.Jobs[0].Constraints, `[["ssd","=","1"]]`; got != want {
		t.Errorf("constraints %s, want %s", got, want)
	}
	for _, reason := range []string{"task_constraints: listed again later for the task", "task_constraints: after the end of the trace"} {
		if n := res.Report.LeftOutFor("rows", reason); n != 1 {
			t.Errorf("%s: %d rows, want 1", reason, n)
		}
	}
}

func TestTablesThatAreNotAtHandAreNoted(t *testing.T) {
	f := constrained("", "")
	delete(f, consPart)
	delete(f, attrPart)
	res := importAll(t, f)
	for _, what := range []string{"task_constraints is not at hand: no constraints", "machine_attributes is not at hand: no attributes"} {
		if !slices.Contains(res.Report.Notes(), traces.Count{Unit: "tables", What: what, N: 1}) {
			t.Errorf("the report does not say %q:\n%s", what, res.Report)
		}
	}
}

func TestDamagedConstraints(t *testing.T) {
	for _, c := range []struct{ part, rows, want string }{
		{consPart, "1000000000,1,0,x,ssd,y\n", "row 1, column 4"},
		{consPart, "1000000000,1,0,0,ssd,1\n1000000000,1,0,ssd,1,0\n", "row 2, column 4"}, // the layout changes
		{consPart, "1000000000,1,0,4,ssd,5\n", "row 1, column 4"},
		{consPart, "1000000000,1,0,0,,1\n", "row 1, column 5"},
		{consPart, "1000000000,1,0,0,ssd\n", "row 1: 5 columns instead of 6"},
		{attrPart, "0,11,ssd,1,2\n", "row 1, column 5"},
		{attrPart, "0,11,,1,0\n", "row 1, column 3"},
	} {
		f := constrained(schemaRows, attributeRows)
		f[c.part] = c.rows
		if _, err := Import(f.write(t), Options{}); err == nil || errors.Is(err, traces.ErrEmpty) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.rows, err, c.want)
		}
	}
}
