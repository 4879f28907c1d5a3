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
