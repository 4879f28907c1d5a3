package alibaba

import (
	"strings"
	"testing"
)

const paiJobNames = "job_name,inst_id,user,status,start_time,end_time"

// TestAByteOrderMarkIsNoName: the first line is one of names, with a mark before
// it or not, and no row is lost.
func TestAByteOrderMarkIsNoName(t *testing.T) {
	for _, mark := range []string{"", "\ufeff"} {
		f := basic()
		for name, head := range map[string]string{"pai_job_table.csv": paiJobNames,
			"pai_task_table.csv": "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type"} {
			f[name] = mark + head + "\n" + f[name]
		}
		f["pai_instance_table.csv"] = mark + f["pai_instance_table.csv"]
		f["pai_machine_spec.csv"] = lines("m1,T4,64,512,2")
		f["pai_machine_spec.header"] = mark + "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\r\n"
		res := importPAI(t, f)
		if len(res.Jobs) != 1 || res.Jobs[0].DurationUS != 185e6 || len(res.Machines) != 1 || len(res.Report.LeftOut()) != 0 {
			t.Errorf("mark %q: %d jobs, %d machines\n%s", mark, len(res.Jobs), len(res.Machines), res.Report)
		}
	}
	dir := folder{
		"openb_pod_list_default.csv":   "\ufeff" + lines(podHeader, "p0,12000,16384,1,460,,LS,Running,100,500,150"),
		"openb_node_list_all_node.csv": "\ufeff" + lines("sn,cpu_milli,memory_mib,gpu,model", "n0,32000,262144,0,"),
	}.write(t)
	res, err := ImportGPU2023(dir, DefaultGPU2023())
	if err != nil || len(res.Jobs) != 1 || len(res.Machines) != 1 || len(res.Report.LeftOut()) != 0 {
		t.Errorf("GPU 2023: %v\n%s", err, res.Report)
	}
}

// TestNothingIsWithoutAName: a row without the name of what it is about is an error
// with its place; a machine that is listed twice counts once.
func TestNothingIsWithoutAName(t *testing.T) {
	pods := folder{"openb_pod_list_default.csv": lines(podHeader, "p0,12000,16384,1,460,,LS,Running,100,500,150")}
	for _, c := range []struct{ file, row, want string }{
		{"pai_machine_spec.csv", "m1,T4,64,512,2\n,T4,64,512,2\n", `pai_machine_spec.csv:row 2, column 1 (machine): "": a machine without a name`},
		{"pai_job_table.csv", ",i1,u1,Terminated,1000.0,1300.0\n", `pai_job_table.csv:row 1, column 1 (job_name): "": a submission without a name`},
		{"pai_task_table.csv", ",worker,2.0,Terminated,1010.0,1290.0,600.0,29,50.0,T4\n", `pai_task_table.csv:row 1, column 1 (job_name): "": a submission without a name`},
		{"openb_node_list_all_node.csv", "n0,32000,262144,0,\n,32000,262144,0,\n", `openb_node_list_all_node.csv:row 2, column 1 (sn): "": a machine without a name`},
		{"openb_pod_list_default.csv", ",12000,16384,1,460,,LS,Running,100,500,150\n", `openb_pod_list_default.csv:row 1, column 1 (name): "": a pod without a name`},
	} {
		f := basic()
		for name, text := range pods {
			f[name] = text
		}
		f[c.file] = c.row
		var err error
		if strings.HasPrefix(c.file, "pai") {
			_, err = ImportPAI(f.write(t), Window{})
		} else {
			_, err = ImportGPU2023(f.write(t), DefaultGPU2023())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	f := basic()
	f["pai_machine_spec.csv"] = lines("m1,T4,64,512,2", "m1,T4,96,512,2")
	res := importPAI(t, f)
	wantLeftOut(t, res.Report, "rows", "pai_machine_spec: a machine a second time: the first row counts", 1)
	if len(res.Machines) != 1 || res.Machines[0].CPU != 64 {
		t.Errorf("machines %+v", res.Machines)
	}
}
