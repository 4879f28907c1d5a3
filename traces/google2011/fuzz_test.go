package google2011

import (
	"testing"

	"github.com/leontief-sim/leontief/traces/tracetest"
)

// FuzzImport imports any texts as the five tables.
func FuzzImport(f *testing.F) {
	for _, cons := range []string{schemaRows, textRows, ""} {
		c := constrained(cons, attributeRows)
		f.Add(c[jobPart], c[taskPart], c[machPart], cons, attributeRows, false)
		f.Add("\ufeff"+c[jobPart], "\xff\xfe"+c[taskPart], "", cons, "", true)
	}
	f.Add("0,,1,0,u,0,n,l\n9223372036854775807,,1,1,u,0,n,l\n", "0,,1,0,,0,u,0,0,1e-320,1e300,1,0\n", "0,5,0,p,NaN,1\n", "0,1,0,\"\n", "\x1b[2J", true)
	f.Fuzz(func(t *testing.T, jobs, tasks, machines, constraints, attributes string, keep bool) {
		dir := folder{jobPart: jobs, taskPart: tasks, machPart: machines, consPart: constraints, attrPart: attributes}
		o := Options{}
		if keep {
			o.ZeroRequests = KeepZero
		}
		res, err := Import(dir.write(t), o)
		tracetest.Check(t, res, err)
		if res == nil {
			return
		}
		if kept := tracetest.Total(res.Report.Kept(), "jobs"); kept != int64(len(res.Jobs)) {
			t.Errorf("the report keeps %d jobs, the result has %d", kept, len(res.Jobs))
		}
		h, err := Hybrid(dir.write(t), SevenHours())
		tracetest.Check(t, h, err)
	})
}
