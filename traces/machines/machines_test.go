package machines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// madeUp is one machine of a made-up cluster: cores, MiB and GPUs.
type madeUp struct {
	name          string
	cpu, mib, gpu int64
	features      []string
}

// draw makes a cluster of a few kinds in any order.
func draw(rng *rand.Rand) []madeUp {
	var list []madeUp
	for i := range 1 + rng.IntN(60) {
		m := madeUp{name: fmt.Sprintf("n%03d", i), cpu: 4 << rng.IntN(4), mib: 1000 * (1 + rng.Int64N(40)), gpu: rng.Int64N(3) * rng.Int64N(2)}
		for _, feature := range []string{"ssd", "ib"} {
			if rng.IntN(2) == 0 {
				m.features = append(m.features, feature)
			}
		}
		list = append(list, m)
	}
	return list
}

// asParquet writes machines.parquet, asKubectl the list of kubectl, and asScontrol that
// of scontrol.
func asParquet(t *testing.T, list []madeUp) []byte {
	t.Helper()
	var machines []traces.Machine
	for _, m := range list {
		attributes := map[string]string{}
		for _, f := range m.features {
			attributes[f] = "1"
		}
		machines = append(machines, traces.Machine{ID: m.name, CPU: float64(m.cpu), Mem: float64(m.mib) / 1024, GPU: float64(m.gpu),
			Attributes: constraints.FormatAttributes(attributes)})
	}
	path := filepath.Join(t.TempDir(), "machines.parquet")
	if err := traces.WriteMachines(path, machines, traces.Meta{Source: "made up", Units: "cpu: cores; mem: GiB; gpu: GPUs"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func asKubectl(list []madeUp, rng *rand.Rand) []byte {
	var items []any
	for _, m := range list {
		labels := map[string]string{"kubernetes.io/hostname": m.name}
		for _, f := range m.features {
			labels[f] = "1"
		}
		allocatable := map[string]any{
			"cpu":    []any{fmt.Sprint(m.cpu), fmt.Sprintf("%dm", m.cpu*1000), fmt.Sprintf("%de-1", m.cpu*10)}[rng.IntN(3)],
			"memory": []any{fmt.Sprintf("%dMi", m.mib), fmt.Sprintf("%dKi", m.mib<<10), fmt.Sprint(m.mib << 20)}[rng.IntN(3)],
			"pods":   "110",
		}
		if m.gpu > 0 {
			allocatable["nvidia.com/gpu"] = fmt.Sprint(m.gpu)
		}
		items = append(items, map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": m.name, "labels": labels},
			"status": map[string]any{"allocatable": allocatable, "conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}})
	}
	return asJSON(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

func asScontrol(list []madeUp, layout int) []byte {
	var nodes []any
	for _, m := range list {
		gres := ""
		if m.gpu > 0 {
			gres = fmt.Sprintf("gpu:v100:%d(S:0-1)", m.gpu)
		}
		node := map[string]any{"name": m.name, "cpus": m.cpu, "real_memory": m.mib, "gres": gres,
			"features": strings.Join(m.features, ","), "state": "idle", "state_flags": []any{}, "partitions": []any{"main"}}
		if layout == 1 { // Slurm 23.11 and later
			node["cpus"], node["effective_cpus"], node["real_memory"] = m.cpu+1, m.cpu, m.mib+512
			node["specialized_memory"] = map[string]any{"set": true, "infinite": false, "number": 512}
			node["features"], node["active_features"], node["state"] = m.features, m.features, []any{"IDLE", "CLOUD"}
			delete(node, "state_flags")
		}
		nodes = append(nodes, node)
	}
	return asJSON(map[string]any{"meta": map[string]any{}, "errors": []any{}, "nodes": nodes})
}

// asText is the text of scontrol show nodes.
func asText(list []madeUp) []byte {
	var b bytes.Buffer
	for _, m := range list {
		features, gres := "(null)", "(null)"
		if m.features != nil {
			features = strings.Join(m.features, ",")
		}
		if m.gpu > 0 {
			gres = fmt.Sprintf("gpu:%d", m.gpu)
		}
		fmt.Fprintf(&b, "NodeName=%s Arch=x86_64 CoresPerSocket=1 \n   CPUAlloc=0 CPUEfctv=%d CPUTot=%[2]d CPULoad=5.77\n   AvailableFeatures=%s\n   ActiveFeatures=%[3]s\n"+
			"   Gres=%s\n   OS=Linux 6.1 #1 SMP @0 \n   RealMemory=%d AllocMem=0 Sockets=8 Boards=1\n   State=IDLE ThreadsPerCore=1\n   Partitions=main \n   Comment=State=DOWN by hand\n\n",
			m.name, m.cpu, features, gres, m.mib)
	}
	return b.Bytes()
}

func asJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func environmentOf(t *testing.T, data []byte, v View) string {
	t.Helper()
	inv, err := Read("file", data)
	if err != nil {
		t.Fatal(err)
	}
	classes, err := inv.Classes(v)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := cluster.WriteEnvironment(&b, classes.Environment); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A cluster is the same environment, byte for byte, from whichever source it comes and
// in whichever order its machines are listed; and the file reads back as the same.
func TestEverySourceGivesTheSameEnvironment(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	for range 50 {
		list := draw(rng)
		for _, v := range []View{{}, {Constraints: []string{`[["ssd","=","1"]]`, `[["ib","!=","1"],["ssd","=","1"]]`}}, {Attributes: []string{"ib"}},
			{Constraints: []string{`[["ssd","present"]]`, `[["ib","not in",["1","2"]],["ssd",">=","1"]]`}}} {
			want := environmentOf(t, asParquet(t, list), v)
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for source, data := range map[string][]byte{"kubectl": asKubectl(list, rng), "sinfo 22.05": asScontrol(list, 0), "scontrol 23.11": asScontrol(list, 1), "scontrol's text": asText(list)} {
				if diff := cmp.Diff(want, environmentOf(t, data, v)); diff != "" {
					t.Fatalf("%s, %+v (-parquet +%[1]s):\n%s", source, v, diff)
				}
			}
			if again := environmentOf(t, []byte(want), View{}); again != want {
				t.Fatalf("read back: %s\nnot %s", again, want)
			}
		}
	}
}

func TestClassesAreEqualMachines(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 2))
	list := draw(rng)
	inv, err := Read("file", asParquet(t, list))
	if err != nil {
		t.Fatal(err)
	}
	classes, err := inv.Classes(View{})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]float64{}
	for s, names := range classes.Machines {
		if len(names) != classes.Servers[s].Count {
			t.Errorf("%s: %d machines of %d", classes.Servers[s].Name, len(names), classes.Servers[s].Count)
		}
		for _, name := range names {
			of[name] = classes.Servers[s].Capacity
		}
	}
	for _, m := range list {
		want := []float64{float64(m.cpu), float64(m.mib) / 1024, float64(m.gpu)}[:len(classes.Resources)]
		if !slices.Equal(of[m.name], want) {
			t.Errorf("%s is in a class of %v, not %v", m.name, of[m.name], want)
		}
	}
	for s := range classes.Servers {
		for u := range s {
			if slices.Equal(classes.Servers[s].Capacity, classes.Servers[u].Capacity) {
				t.Errorf("%v and %v are two classes", classes.Servers[s], classes.Servers[u])
			}
		}
	}
}

// What the classes say of a job is what each machine says of it: random attributes and
// constraints, by the definition of a match.
func TestClassesAreEligibleAsTheirMachinesAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 3))
	names, values := []string{"a", "b"}, []string{"", "1", "2", "10", "x"}
	fewer := 0
	for range 300 {
		inv := &Inventory{}
		for i := range 40 {
			m := Machine{Name: fmt.Sprint(i), CPU: float64(1 + rng.IntN(2)), Attributes: map[string]string{}}
			for _, name := range names {
				if rng.IntN(4) > 0 { // it may be there and empty
					m.Attributes[name] = values[rng.IntN(len(values))]
				}
			}
			if rng.IntN(3) == 0 {
				m.Taints = []cluster.Taint{{Key: "t", Value: values[1+rng.IntN(2)], Effect: "NoSchedule"}}
			}
			inv.Machines = append(inv.Machines, m)
		}
		v := View{}
		for range 1 + rng.IntN(3) {
			var list []constraints.Constraint
			for range rng.IntN(3) {
				c := constraints.Constraint{Attribute: names[rng.IntN(2)], Op: constraints.Operator(rng.IntN(10)), Value: values[rng.IntN(len(values))]}
				switch c.Op {
				case constraints.Present, constraints.NotPresent:
					c.Value = ""
				case constraints.In, constraints.NotIn:
					c.Value = constraints.List(values[rng.IntN(len(values))], c.Value)
				}
				list = append(list, c)
			}
			var tolerations []constraints.Toleration
			if rng.IntN(2) == 0 {
				tolerations = append(tolerations, constraints.Toleration{Key: "t", Value: values[1+rng.IntN(2)]})
			}
			v.Constraints = append(v.Constraints, constraints.Format(list, tolerations...))
		}
		classes, err := inv.Classes(v)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := inv.Classes(View{Attributes: names})
		if err != nil {
			t.Fatal(err)
		}
		if len(classes.Servers) < len(raw.Servers) {
			fewer++
		}
		matcher := constraints.NewServerMatcher(classes.Servers)
		for _, text := range v.Constraints {
			may, err := matcher.Eligible(text)
			if err != nil {
				t.Fatal(err)
			}
			list, tolerations, err := constraints.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for s, members := range classes.Machines {
				for _, name := range members {
					m := &inv.Machines[slices.IndexFunc(inv.Machines, func(m Machine) bool { return m.Name == name })]
					want := !slices.ContainsFunc(list, func(c constraints.Constraint) bool {
						value, there := m.Attributes[c.Attribute]
						return !c.Match(value, there)
					}) &&
						!slices.ContainsFunc(m.Taints, func(taint cluster.Taint) bool {
							return !slices.ContainsFunc(tolerations, func(of constraints.Toleration) bool { return of.Tolerates(taint) })
						})
					if may.Has(s) != want {
						t.Fatalf("%s on machine %v: its class says %v", text, m, may.Has(s))
					}
				}
			}
		}
	}
	if fewer < 200 {
		t.Errorf("machines that the jobs do not tell apart became one class in %d of 300 clusters only", fewer)
	}
}

func TestNamesOfClasses(t *testing.T) {
	for want, capacity := range map[string][3]float64{
		"c96-m384-g8": {96, 384, 8}, "c3.92-m15.5": {3.92, 15.5, 0}, "c0.5-m0.2493": {0.5, 0.24927, 0}, "c104-m1048576": {104, 1048576, 0}, "c1-m1008": {1, 1007.6, 0}, "c1e-05-m1": {0.00001, 1, 0},
	} {
		if got := className([]int{0, 1, 2}, capacity); got != want {
			t.Errorf("%v is %s, want %s", capacity, got, want)
		}
	}
	inv := &Inventory{Machines: []Machine{{Name: "a", CPU: 1.00001}, {Name: "b", CPU: 1}, {Name: "c", CPU: 1, Taints: []cluster.Taint{{Key: "t", Effect: "NoSchedule"}}}}}
	classes, err := inv.Classes(View{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range classes.Servers {
		names = append(names, s.Name)
	}
	if want := []string{"c1", "c1#2", "c1#3"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if diff := cmp.Diff([]string{"cpu"}, classes.Resources); diff != "" {
		t.Errorf("resources that no machine has: %s", diff)
	}
}
