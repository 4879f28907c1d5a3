package formats

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// The rows of the trace's own description, one of two nodes, one without a GPU and one
// that never started.
const heliosLog = `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0
1425512,uVMrF,vchbv,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0
1425513,uzqls,vcpDC,16,96,2,CANCELLED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-17 14:15:21,675233,0
1425514,uzqls,vcpDC,0,4,1,COMPLETED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-09 18:41:29,1,0
1425515,uzqls,vcpDC,0,4,1,CANCELLED,2020-06-09 18:41:28,None,2020-06-09 18:41:29,0,0
`

func TestHelios(t *testing.T) {
	want := []traces.Job{
		{ID: "1425511", User: "vcJkd", SubmitUS: 0, Tasks: 1, DurationUS: 36848e6, CPU: 1, GPU: 1},
		{ID: "1425512", User: "vchbv", SubmitUS: 26e6, Tasks: 1, DurationUS: 249e6, CPU: 16, GPU: 4},
		{ID: "1425513", User: "vcpDC", SubmitUS: 27e6, Tasks: 2, DurationUS: 675233e6, CPU: 48, GPU: 8},
		{ID: "1425514", User: "vcpDC", SubmitUS: 27e6, Tasks: 1, DurationUS: 1e6, CPU: 4},
	}
	read := format(t, "helios", func(o map[string]any) { *o["tenant"].(*string) = "vc" })
	res, err := read(tracetest.File(t, "cluster_log.csv", heliosLog))
	tracetest.Must(t, res, err)
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Error(d)
	}
	if n := res.Report.LeftOutFor("rows", "a duration of less than 1 µs"); n != 1 || res.Meta.Units != "cpu: cores; gpu: GPUs" {
		t.Errorf("%+v\n%s", res.Meta, res.Report)
	}
	if res, err = format(t, "helios", nil)(tracetest.File(t, "cluster_log.csv", heliosLog)); err != nil || res.Jobs[0].User != "uXBbc" {
		t.Errorf("by user: %v", err)
	}
}

// Times with a zone, which exports of data frames have, are the same instants in UTC; beside
// times without one they are said.
func TestHeliosTimesWithAZone(t *testing.T) {
	rows := func(first, second string) string {
		return "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n" +
			"1,u,v,1,1,1,COMPLETED," + first + ",x,x,10,0\n2,u,v,1,1,1,TIMEOUT," + second + ",x,x,10.0,0\n3,u,v,1,1,1,NODE_FAIL," + second + ",None,None,None,0\n"
	}
	for _, c := range []struct {
		first, second string
		noted         bool
	}{
		{"2020-06-09 18:41:01", "2020-06-09 18:41:11", false},
		{"2020-06-09 18:41:01+08:00", "2020-06-09 18:41:11+08:00", false},
		{"2020-06-09T18:41:01Z", "2020-06-09 20:41:11.000+02:00", false},
		{"2020-06-09 18:41:01", "2020-06-09 20:41:11+02:00", true},
	} {
		res, err := format(t, "helios", nil)(tracetest.File(t, "cluster_log.csv.gz", rows(c.first, c.second)))
		tracetest.Must(t, res, err)
		noted := tracetest.Total(res.Report.Notes(), "times")
		if len(res.Jobs) != 2 || res.Jobs[1].SubmitUS != 10e6 || (noted > 0) != c.noted {
			t.Errorf("%s, %s: %+v\n%s", c.first, c.second, res.Jobs, res.Report)
		}
		tracetest.LeftOutOnce(t, res, "rows", "no duration")
	}
	res, err := format(t, "helios", nil)(tracetest.File(t, "cluster_log.csv", rows("2020-06-09 18:41:01 CST", "2020-06-09 18:41:01")))
	tracetest.Refused(t, res, err, `"2020-06-09 18:41:01 CST": not a time of the form`)
}
