package machines

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Known answers: the examples of Kubernetes' documentation of resource units, and the
// limits of their forms.
func TestQuantities(t *testing.T) {
	for text, want := range map[string]string{
		"0.5": "1/2", "3920m": "98/25", "1": "1", "128974848": "128974848", "129e6": "129000000", "129M": "129000000", "128974848000m": "128974848",
		"123Mi": "128974848", "16Gi": "17179869184", "1500k": "1500000", "1E": "1000000000000000000", "1E3": "1000", "1e-3": "1/1000", "1Ei": "1152921504606846976",
		"100n": "1/10000000", "2u": "1/500000", ".5Ki": "512", "5.": "5", "0": "0", "1Ti": "1099511627776", "1.5Pi": "1688849860263936",
	} {
		got, err := parseQuantity(text)
		if err != nil || got.RatString() != want {
			t.Errorf("%s is %v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1KB", "1K", "1gi", "Gi", "1 Gi", "0x10", "1e", "1e1000", "1_000", "1/2", "Inf", "1Mi5", "1mm"} {
		if got, err := parseQuantity(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// node is one of kubectl's.
func node(name, spec, allocatable, ready string) string {
	return fmt.Sprintf(`{"kind":"Node","metadata":{"name":%q,"labels":{"zone":"a"}},"spec":{%s},"status":{"allocatable":{%s},"conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":%q}]}}`,
		name, spec, allocatable, ready)
}

func kubectl(nodes ...string) string {
	return `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(nodes, ",") + "]}"
}

// A cluster with something of everything: what is counted, and what is left out.
func TestKubernetesNodes(t *testing.T) {
	const plain = `"cpu":"3920m","memory":"16Gi","pods":"110"`
	text := kubectl(
		node("a", "", plain+`,"ephemeral-storage":"47093746742","hugepages-2Mi":"0"`, "True"),
		node("b", `"taints":[{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"},{"key":"soft","effect":"PreferNoSchedule"}]`, plain+`,"nvidia.com/gpu":"4","amd.com/gpu":2,"example.com/fpga":"1"`, "True"),
		node("c", `"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]`, plain, "True"),
		node("d", "", plain, "False"),
		node("e", "", plain, "Unknown"),
		node("f", `"taints":[{"key":"node.kubernetes.io/disk-pressure","effect":"NoSchedule"}]`, plain, "True"),
		`{"kind":"Node","metadata":{"name":"g"},"status":{"allocatable":{"cpu":"1","memory":"1"}}}`,
		node("h", "", `"cpu":"0","memory":"0"`, "True"),
	)
	const want = `{
  "resources": ["cpu", "mem", "gpu"],
  "units": {"cpu": "cores", "mem": "GiB", "gpu": "GPUs"},
  "servers": [
    {"name": "c3.92-m16", "capacity": [3.92, 16, 0]},
    {"name": "c3.92-m16-g6", "capacity": [3.92, 16, 6], "taints": ["nvidia.com/gpu=present:NoSchedule"]}
  ]
}
`
	if diff := cmp.Diff(want, environmentOf(t, []byte(text), View{})); diff != "" {
		t.Error(diff)
	}
	inGB := environmentOf(t, []byte(text), View{Memory: "GB"})
	if !strings.Contains(inGB, `"mem": "GB"`) || !strings.Contains(inGB, "[3.92, 17.179869184, 0]") {
		t.Errorf("in GB: %s", inGB)
	}
	inv, err := Read("nodes.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	const report = `read
             8 rows   nodes.json
kept
             2 machines  machines
left out
             1 machines  cordoned (unschedulable)
             1 machines  no capacity
             1 machines  no condition Ready
             2 machines  not ready
             1 machines  taint node.kubernetes.io/disk-pressure
noted
             1 machines  with ephemeral-storage, which no job of a trace requests
             1 machines  with example.com/fpga, which no job of a trace requests
             2 machines  with pods, which no job of a trace requests
             1 machines  with the taint nvidia.com/gpu=present:NoSchedule
             1 machines  with the taint soft:PreferNoSchedule, which keeps nothing off
`
	if diff := cmp.Diff(report, inv.Report.String()); diff != "" {
		t.Error(diff)
	}
}

// Nodes of Slurm in all states, and every form of Gres.
func TestSlurmNodes(t *testing.T) {
	of := func(name, rest string) string {
		return fmt.Sprintf(`{"name":%q,"cpus":8,"real_memory":15000,%s}`, name, rest)
	}
	for _, c := range []struct{ rest, reason string }{
		{`"state":"idle","state_flags":[]`, ""},
		{`"state":"allocated","state_flags":["COMPLETING"]`, ""},
		{`"state":"mixed"`, ""},
		{`"state":["IDLE","CLOUD","POWERED_DOWN"]`, ""},
		{`"state":["IDLE","PLANNED"]`, ""},
		{`"state":"idle","state_flags":["DRAIN"]`, "drained"},
		{`"state":["IDLE","DRAIN"]`, "drained"},
		{`"state":"IDLE+DRAIN"`, "drained"},
		{`"state":["DOWN","DRAIN","NOT_RESPONDING"]`, "down"},
		{`"state":"DOWN*"`, "down"},
		{`"state":"IDLE*"`, "not responding"},
		{`"state":["IDLE","RESERVED"]`, "reserved"},
		{`"state":["MIXED","MAINTENANCE","RESERVED"]`, "in maintenance"},
		{`"state":"IDLE$"`, "in maintenance"},
		{`"state":"idle","state_flags":["INVALID_REG"]`, "invalid registration"},
		{`"state":["FUTURE"]`, "planned for the future"},
		{`"state":"unknown"`, "unknown state"},
	} {
		inv, err := Read("file", []byte(`{"nodes":[`+of("keeps", `"state":"idle"`)+","+of("n", c.rest)+"]}"))
		if err != nil {
			t.Errorf("%s: %v", c.rest, err)
			continue
		}
		if left := inv.Report.LeftOutFor("machines", c.reason); (c.reason == "") != (len(inv.Machines) == 2) || c.reason != "" && left != 1 {
			t.Errorf("%s: %d machines; %s", c.rest, len(inv.Machines), &inv.Report)
		}
	}
	for gres, want := range map[string]float64{
		"": 0, "(null)": 0, "N/A": 0, "gpu": 1, "gpu:2": 2, "gpu:v100:2": 2, "gpu:v100": 1, "gpu:a100:4(S:0-1)": 4, "gpu:a100:2(S:0,1),gpu:t4:1(S:0)": 3, "gpu:no_consume:tesla:3": 3,
		"craynetwork:4": 0, "mps:100,gpu:2,shard:8": 2, "gpu:1k": 1024,
	} {
		inv := &Inventory{}
		if got, err := inv.gres(gres); err != nil || got != want {
			t.Errorf("gres %s: %v GPUs, %v", gres, got, err)
		}
	}
	inv, err := Read("file", []byte(`{"nodes":[`+of("a", `"state":"idle","gres":"gpu:2,mps:100"`)+"]}"))
	if err != nil || !strings.Contains(inv.Report.String(), "1 machines  with gres mps, which no job of a trace requests") {
		t.Errorf("%v %s", err, &inv.Report)
	}
	if m := inv.Machines[0]; m.CPU != 8 || m.GPU != 2 || m.Bytes.Cmp(new(big.Rat).SetInt64(15000<<20)) != 0 {
		t.Errorf("%+v", m)
	}
	// 15000 MiB is 14.6484375 GiB, exactly.
	if text := environmentOf(t, []byte(`{"nodes":[`+of("a", `"state":"idle"`)+"]}"), View{}); !strings.Contains(text, "[8, 14.6484375]") {
		t.Error(text)
	}
}

// What can not be read is an error with its path, and nothing is guessed.
func TestWhatIsRefused(t *testing.T) {
	slurm := func(rest string) string { return `{"nodes":[{"name":"n"` + rest + `}]}` }
	for text, message := range map[string]string{
		kubectl(): "f: no machine that takes work",
		kubectl(node("a", `"unschedulable":true`, `"cpu":"1","memory":"1"`, "True")):                              "1 machines  cordoned (unschedulable)",
		kubectl(node("a", "", `"cpu":"1","memory":"1 GB"`, "True")):                                               `f: items[0]: node "a": status.allocatable["memory"]: "1 GB" is not a quantity`,
		kubectl(node("a", "", `"cpu":"-1","memory":"1"`, "True")):                                                 `status.allocatable["cpu"]: "-1" is not a quantity`,
		kubectl(node("a", "", `"cpu":"1"`, "True")):                                                               `f: items[0]: node "a": status.allocatable["memory"]: missing`,
		kubectl(node("a", "", `"cpu":"1","memory":"1"`, "True"), node("a", "", `"cpu":"1","memory":"1"`, "True")): `f: items[1]: node "a" is there twice`,
		kubectl(node("a", `"taints":[{"key":"k","effect":"Never"}]`, `"cpu":"1","memory":"1"`, "True")):           `f: items[0]: spec.taints[0]: "k:Never" is not a taint`,
		kubectl(`{"kind":"Pod","metadata":{"name":"p"}}`):                                                         `f: items[0]: kind "Pod", where nodes are wanted: kubectl get nodes -o json`,
		kubectl(`{"kind":"Node"}`):        "f: items[0]: metadata.name: missing",
		kubectl(`7`):                      "f: items[0]: json: cannot unmarshal number",
		`{"items":7}`:                     "f: json: cannot unmarshal number",
		slurm(""):                         `f: nodes[0]: node "n": state "" is not one of Slurm's`,
		slurm(`,"state":"idle"`):          `f: nodes[0]: node "n": cpus: missing`,
		slurm(`,"state":"idle","cpus":8`): `real_memory: missing`,
		slurm(`,"state":"idle","cpus":{"set":false,"infinite":false,"number":0},"real_memory":1`): `cpus: missing`,
		slurm(`,"state":"idle","cpus":{"set":true,"infinite":true,"number":0},"real_memory":1`):   `infinite`,
		slurm(`,"state":"idle","cpus":-8,"real_memory":1`):                                        `-8 is not a whole number from 0`,
		slurm(`,"state":"idle","cpus":8,"real_memory":1,"specialized_memory":2`):                  `specialized_memory 2 MiB of real_memory 1`,
		slurm(`,"state":"idle","cpus":8,"real_memory":1,"gres":"gpu:many:of:"`):                   `gres: "gpu:many:of:" is not name:type:count`,
		slurm(`,"state":["IDLE","HIBERNATING"],"cpus":8,"real_memory":1,"gres":7`):                `cannot unmarshal number`,
		slurm(`,"state":"hibernating"`):                                                           `state "hibernating" is not one of Slurm's`,
		`{"nodes":[{"state":"idle"}]}`:                                                            "f: nodes[0]: name: missing",
		`{"sinfo":[]}`:                                                                            "use scontrol show nodes --json",
		"NodeName=a CPUTot=2 State=IDLE":                                                          `f: node 1: node "a": real_memory: missing`,
		"NodeName=a CPUTot=two RealMemory=1 State=IDLE":                                           `node "a": CPUTot: two is not a whole number from 0`,
		"PAR1":             "f: ",
		"":                 "f: not JSON",
		`{"resources":[]}`: "servers: missing",
		`{"a":1}`:          "a: unknown key",
		`[]`:               "must be an object, is a list",
	} {
		if inv, err := Read("f", []byte(text)); err == nil || !strings.Contains(err.Error(), message) || !strings.HasPrefix(err.Error(), "f: ") && !strings.HasPrefix(err.Error(), "f:\n") {
			t.Errorf("%s\nis %v: %v\nwant %s", text, inv, err, message)
		}
	}
}

// Whatever the text, reading ends, and what is read is an environment.
func FuzzRead(f *testing.F) {
	f.Add([]byte(kubectl(node("a", `"taints":[{"key":"k","effect":"NoExecute"}]`, `"cpu":"3920m","memory":"16Gi","nvidia.com/gpu":"1"`, "True"))))
	f.Add([]byte(`{"nodes":[{"name":"n","cpus":{"set":true,"number":8},"real_memory":15000,"state":["IDLE"],"gres":"gpu:a:2(S:0)","features":"a,b"}]}`))
	f.Add([]byte("NodeName=a CPUTot=2 RealMemory=10 State=IDLE+CLOUD Gres=gpu:2\n\nNodeName=b State=DOWN* Reason=it broke"))
	f.Add([]byte(`{"resources":["cpu"],"servers":[{"name":"s","capacity":[1]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		inv, err := Read("f", data)
		if err != nil {
			return
		}
		classes, err := inv.Classes(View{Attributes: []string{"a"}})
		if err != nil {
			return
		}
		machines := 0
		for _, s := range classes.Servers {
			machines += s.Count
		}
		if inv.Environment == nil && machines != len(inv.Machines) {
			t.Errorf("%d machines in classes, of %d", machines, len(inv.Machines))
		}
		environmentOf(t, data, View{Attributes: []string{"a"}})
	})
}
