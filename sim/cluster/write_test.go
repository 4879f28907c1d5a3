package cluster

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEnvironmentFileByExample(t *testing.T) {
	env := figure2()
	env.Servers[1].Count = 3
	env.Users[0].Weight, env.Users[0].Tasks = 1.5, 40
	env.Users[1].Eligible = NewSet(2, 0)
	env.Users[1].DemandOn = map[int][]float64{1: {1e-7, 0}, 0: {0.1, 2}}
	env.Units = map[string]string{"bw": "MHz", "mem": "GiB"}
	const want = `{
  "resources": ["cpu", "mem"],
  "units": {"mem": "GiB", "bw": "MHz"},
  "servers": [
    {"name": "s1", "capacity": [5, 10]},
    {"name": "s2", "capacity": [10, 5], "count": 3}
  ],
  "links": [
    {"name": "bw", "capacity": 15}
  ],
  "users": [
    {"name": "u1", "demand": [2, 1], "link_demand": [2.5], "weight": 1.5, "tasks": 40},
    {"name": "u2", "demand": [1, 2], "link_demand": [0.5], "servers": ["s1"], "demand_on": {"s1": [0.1, 2], "s2": [1e-07, 0]}}
  ]
}
`
	var got bytes.Buffer
	if err := WriteEnvironment(&got, env); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func drawEnvironment(t *rapid.T) *Environment {
	amount := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(LeastNumber, 1e60), rapid.Float64Range(0.5, 10))
	positive := rapid.OneOf(rapid.Float64Range(1e-100, 1e60), rapid.Float64Range(0.5, 10))
	label := rapid.StringN(0, 6, -1)
	resources, servers := rapid.IntRange(1, 3).Draw(t, "resources"), rapid.IntRange(1, 70).Draw(t, "servers")
	links, users := rapid.IntRange(0, 3).Draw(t, "links"), rapid.IntRange(1, 5).Draw(t, "users")
	set := func() Set {
		if rapid.Bool().Draw(t, "all") {
			return nil
		}
		return NewSet(servers, rapid.SliceOf(rapid.IntRange(0, servers-1)).Draw(t, "set")...)
	}
	vector := func() []float64 {
		v := rapid.SliceOfN(amount, resources, resources).Draw(t, "vector")
		v[0] = positive.Draw(t, "positive")
		return v
	}
	env := &Environment{}
	for r := range resources {
		env.Resources = append(env.Resources, fmt.Sprint(label.Draw(t, "name"), r))
	}
	for s := range servers {
		env.Servers = append(env.Servers, Server{Name: fmt.Sprint(label.Draw(t, "name"), "s", s), Capacity: vector(), Count: rapid.IntRange(1, 3).Draw(t, "count")})
		if rapid.Bool().Draw(t, "attributes stated") {
			env.Servers[s].Attributes = rapid.MapOf(rapid.StringN(1, 3, -1), rapid.StringN(0, 3, -1)).Draw(t, "attributes")
		}
		env.Servers[s].Taints = rapid.SampledFrom([][]Taint{nil, {{"a", "", "NoSchedule"}}, {{"x.io/b", "v", "NoExecute"}, {"a", "", "NoSchedule"}}}).Draw(t, "taints")
	}
	for e := range links {
		env.Links = append(env.Links, Link{fmt.Sprint(label.Draw(t, "name"), "e", e), amount.Draw(t, "capacity"), set()})
	}
	for _, name := range append(env.Resources, linkNames(env)...) {
		twice := slices.Contains(env.Resources, name) && slices.Contains(linkNames(env), name)
		if !twice && rapid.Bool().Draw(t, "stated") {
			if env.Units == nil {
				env.Units = map[string]string{}
			}
			env.Units[name] = "unit " + label.Draw(t, "unit")
		}
	}
	for j := range users {
		u := User{fmt.Sprint(label.Draw(t, "name"), j), vector(), nil, positive.Draw(t, "weight"), Inf, set(), nil}
		if links > 0 && rapid.Bool().Draw(t, "link demand") {
			u.LinkDemand = rapid.SliceOfN(amount, links, links).Draw(t, "link demand")
		}
		if rapid.Bool().Draw(t, "cap") {
			u.Tasks = amount.Draw(t, "tasks")
		}
		for range rapid.IntRange(0, 2).Draw(t, "differing") {
			if u.DemandOn == nil {
				u.DemandOn = map[int][]float64{}
			}
			u.DemandOn[rapid.IntRange(0, servers-1).Draw(t, "server")] = vector()
		}
		env.Users = append(env.Users, u)
	}
	return env
}

func linkNames(env *Environment) []string {
	var names []string
	for e := range env.Links {
		names = append(names, env.Links[e].Name)
	}
	return names
}

func TestWrittenEnvironmentsReadBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := drawEnvironment(t)
		var first, second bytes.Buffer
		if err := WriteEnvironment(&first, env); err != nil {
			t.Fatal(err)
		}
		back, err := ReadEnvironment(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("%v\n%s", err, first.String())
		}
		if diff := cmp.Diff(env, back); diff != "" {
			t.Fatal(diff)
		}
		if err := WriteEnvironment(&second, back); err != nil || first.String() != second.String() {
			t.Fatalf("written again: %v\n%s", err, second.String())
		}
	})
}

func TestAnUnsoundEnvironmentIsNotWritten(t *testing.T) {
	env := figure2()
	env.Users[0].Demand[0] = math.NaN()
	var got bytes.Buffer
	if err := WriteEnvironment(&got, env); err == nil || got.Len() > 0 {
		t.Errorf("wrote %q with %v", got.String(), err)
	}
}

func TestAllocationFileByExample(t *testing.T) {
	env := figure2()
	env.Links = append(env.Links, Link{"dead", 0, NewSet(2)})
	env.Users[0].LinkDemand = []float64{2.5, 0}
	env.Users[1].LinkDemand = []float64{0.5, 0}
	a := allocate(env, []float64{2.5, 2.5}, []float64{0, 1.25})
	a.Share = []float64{5. / 6, 1.25 / 7.5}
	const users = `{
  "policy": "tsf-er",
  "users": [
    {"name": "u1", "tasks": 5, "share": 0.8333333333333334, "by_server": {"s1": 2.5, "s2": 2.5}},
    {"name": "u2", "tasks": 1.25, "share": 0.16666666666666666, "by_server": {"s2": 1.25}}
  ],
  "utilization": {"s1": {"cpu": 1, "mem": 0.25}, "s2": {"cpu": 0.625, "mem": 1}, "bw": 0.875, "dead": 0}`
	var got bytes.Buffer
	if err := WriteAllocation(&got, "tsf-er", a, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(users+"\n}\n", got.String()); diff != "" {
		t.Error(diff)
	}
	a.Prices = []float64{0.5, 0, 0, 1e-9, 0, 0}
	a.Unservable = []int{1}
	got.Reset()
	if err := WriteAllocation(&got, "tsf-er", a, []Metric{{"ef_sat", 1}, {"si_sat", 0.5}}); err != nil {
		t.Fatal(err)
	}
	const rest = `,
  "prices": {"s1": {"cpu": 0.5, "mem": 0}, "s2": {"cpu": 0, "mem": 1e-09}, "bw": 0, "dead": 0},
  "metrics": {"ef_sat": 1, "si_sat": 0.5},
  "unservable": ["u2"]
}
`
	if diff := cmp.Diff(users+rest, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestAnAllocationToNobodyIsStillJSON(t *testing.T) {
	a := allocate(figure2().With(nil))
	var got bytes.Buffer
	if err := WriteAllocation(&got, "p", a, nil); err != nil {
		t.Fatal(err)
	}
	if _, problem := parseJSON(got.Bytes()); problem != nil || !strings.Contains(got.String(), `"users": []`) {
		t.Errorf("%v: %s", problem, got.String())
	}
}

func TestANumberThatIsNotFiniteIsNotWritten(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		a := allocate(figure2(), []float64{1, 0}, []float64{0, 1})
		a.Share[1] = bad
		var got bytes.Buffer
		err := WriteAllocation(&got, "p", a, nil)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("cannot write %g, which is not a number of JSON, after {\"name\": \"u2\", \"tasks\": 1, \"share\":", bad)) || got.Len() > 0 {
			t.Errorf("wrote %q with %v", got.String(), err)
		}
	}
}
