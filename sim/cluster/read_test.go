package cluster

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// specification is the example of the specification's section 2.
const specification = `{
  "resources": ["cpu", "mem"],
  "servers": [{"name": "s1", "capacity": [5, 10], "count": 1}],
  "links":   [{"name": "bw", "capacity": 15, "servers": ["s1"]}],
  "users":   [{"name": "u1", "demand": [2, 1], "link_demand": [2.5], "weight": 1, "tasks": 40,
               "servers": ["s1"], "demand_on": {"s1": [2, 1]}}]
}`

func TestTheSpecificationsExampleIsRead(t *testing.T) {
	got, err := ReadEnvironment(strings.NewReader(specification))
	if err != nil {
		t.Fatal(err)
	}
	want := &Environment{
		Resources: []string{"cpu", "mem"},
		Servers:   []Server{{Name: "s1", Capacity: []float64{5, 10}, Count: 1}},
		Links:     []Link{{"bw", 15, NewSet(1, 0)}},
		Users:     []User{{"u1", []float64{2, 1}, []float64{2.5}, 1, 40, NewSet(1, 0), map[int][]float64{0: {2, 1}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAbsentKeysHaveTheirDefaults(t *testing.T) {
	got, err := ReadEnvironment(strings.NewReader(`{"resources":["cpu"],
		"servers":[{"name":"s","capacity":[1e0]},{"name":"t","capacity":[-0.0],"count":2e1}],
		"links":[{"name":"l","capacity":1,"servers":[]}],
		"users":[{"name":"u","demand":[0.25],"demand_on":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Environment{
		Resources: []string{"cpu"},
		Servers:   []Server{{Name: "s", Capacity: []float64{1}, Count: 1}, {Name: "t", Capacity: []float64{0}, Count: 20}},
		Links:     []Link{{"l", 1, NewSet(2)}},
		Users:     []User{NewUser("u", []float64{0.25})},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if math.Signbit(got.Servers[1].Capacity[0]) {
		t.Error("a capacity of -0")
	}
}

func TestAClusterFileHasNoUsers(t *testing.T) {
	const cluster = `{"resources":["cpu"],"servers":[{"name":"s","capacity":[1]}]`
	if env, err := ReadCluster(strings.NewReader(cluster + "}")); err != nil || len(env.Servers) != 1 {
		t.Error(env, err)
	}
	expect(t, ReadCluster, cluster+`,"users":[]}`, "users: a cluster's file has none: the users are the jobs of a workload")
	expect(t, ReadEnvironment, cluster+`,"users":[]}`, "users: empty: there is nobody to allocate to")
	expect(t, ReadEnvironment, cluster+"}", "users: missing")
}

// A file may say what the numbers of a resource or a link count.
func TestUnitsAreReadAndShared(t *testing.T) {
	file := strings.Replace(specification, `["cpu", "mem"],`, `["cpu", "mem"], "units": {"bw": "MHz", "cpu": "cores"},`, 1)
	env, err := ReadEnvironment(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"cpu": "cores", "bw": "MHz"}
	for _, e := range []*Environment{env, env.With(nil), env.Subset([]int{0}), env.Clone()} {
		if diff := cmp.Diff(want, e.Units); diff != "" {
			t.Error(diff)
		}
	}
	env.Units["cpu"] = "\xff"
	if err := Validate(env); err == nil || err.Error() != `units["cpu"]: "\xff" is not valid UTF-8` {
		t.Error(err)
	}
}

// What a unit is called is free; a few spellings of the usual ones are the same.
func TestUnitsAreComparedByName(t *testing.T) {
	for _, same := range [][]string{
		{"cores", "core", "Cores", " cores ", "vCPUs"}, {"GPUs", "gpus", "GPU"}, {"B", "bytes"}, {"KB", "kB"},
		{"fraction", "fraction of the largest machine", "Fraction of  the largest machine"}, {"", "unknown", "Unknown", " "},
		{"standard nodes", "standard  nodes"}, {"MHz"}, {"mHz"}, {"GB"}, {"GiB"}, {"Gb"}, {"millicores"}, {"slots"}, {"Slots"},
	} {
		for _, name := range same {
			if got := CanonicalUnit(name); got != CanonicalUnit(same[0]) {
				t.Errorf("%q is %q, not %q", name, got, CanonicalUnit(same[0]))
			}
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"cores", "millicores", "percent", "GPUs", "B", "KB", "KiB", "MB", "MiB", "GB", "GiB", "Gb", "TB", "TiB", "MHz", "mHz", "GHz", "fraction", "", "slots", "Slots"} {
		if other, taken := seen[CanonicalUnit(name)]; taken {
			t.Errorf("%q and %q are one unit", name, other)
		}
		seen[CanonicalUnit(name)] = name
	}
}

func expect(t *testing.T, read func(io.Reader) (*Environment, error), file string, lines ...string) {
	t.Helper()
	env, err := read(strings.NewReader(file))
	var problems Problems
	if !errors.As(err, &problems) || env != nil {
		t.Errorf("%s\nread as %+v with %v", file, env, err)
		return
	}
	if diff := cmp.Diff(lines, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("%s\n%s", file, diff)
	}
}

// Each case replaces a part of the specification's example.
func TestEveryProblemIsNamedWithItsPath(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"resources"`, `"resource": [], "resources"`, `resource: unknown key: did you mean resources? (known: resources, units, servers, links, users)`},
		{`"count": 1`, `"Count": 1`, `servers[0].Count: unknown key: did you mean count? (known: name, capacity, count, attributes, taints)`},
		{`"count": 1`, `"a.b": 1`, `servers[0]["a.b"]: unknown key (known: name, capacity, count, attributes, taints)`},
		{`"tasks": 40`, `"tasks": 40, "tasks": 40`, `users[0].tasks: the key is given twice`},
		{`{"s1": [2, 1]}`, `{"s1": [2, 1], "s1": [2, 1]}`, `users[0].demand_on["s1"]: the server is given twice`},
		{`{"s1": [2, 1]}`, `{"s.2": [2, 1]}`, `users[0].demand_on["s.2"]: unknown server "s.2"`},
		{`{"s1": [2, 1]}`, `{"s1": [2, "1"]}`, `users[0].demand_on["s1"][1]: must be a number, is a string`},
		{`{"s1": [2, 1]}`, `{"s1": [2, -1]}`, `users[0].demand_on["s1"][1]: must not be negative, is -1`},
		{`{"s1": [2, 1]}`, `[2, 1]`, `users[0].demand_on: must be an object, is a list`},
		{`"capacity": [5, 10]`, `"capacity": [5, -10]`, `servers[0].capacity[1]: must not be negative, is -10`},
		{`"capacity": [5, 10]`, `"capacity": [5]`, `servers[0].capacity: has 1 entries for 2 resources`},
		{`"capacity": [5, 10]`, `"capacity": [1e309, 10]`, `servers[0].capacity[0]: must be 0 or from 1e-150 to 1e150, is 1e309`},
		{`"capacity": [5, 10]`, `"capacity": [1.1e150, 9e-151]`, `servers[0].capacity[0]: must be 0 or from 1e-150 to 1e150, is 1.1e150` + "\n" +
			`servers[0].capacity[1]: must be 0 or from 1e-150 to 1e150, is 9e-151`},
		{`"capacity": 15`, `"capacity": 1e-310`, `links[0].capacity: must be 0 or from 1e-150 to 1e150, is 1e-310`},
		{`"weight": 1`, `"weight": 1e-200`, `users[0].weight: must be 0 or from 1e-150 to 1e150, is 1e-200`},
		{`"tasks": 40`, `"tasks": 1e200`, `users[0].tasks: must be 0 or from 1e-150 to 1e150, is 1e200`},
		{`{"s1": [2, 1]}`, `{"s1": [2, -1e300]}`, `users[0].demand_on["s1"][1]: must be 0 or from 1e-150 to 1e150, is -1e300`},
		{`"tasks": 40`, `"tasks": 1` + strings.Repeat("0", 400), `users[0].tasks: must be 0 or from 1e-150 to 1e150, is 1000000000000000000000000…0000000000`},
		{`"count": 1`, `"count": 0`, `servers[0].count: must be at least 1, is 0`},
		{`"count": 1`, `"count": 1.5`, `servers[0].count: must be a whole number up to 2147483647, is 1.5`},
		{`"count": 1`, `"count": 1e10`, `servers[0].count: must be a whole number up to 2147483647, is 1e10`},
		{`"name": "s1", `, ``, `servers[0].name: missing` + "\n" + `links[0].servers[0]: unknown server "s1"` + "\n" +
			`users[0].servers[0]: unknown server "s1"` + "\n" + `users[0].demand_on["s1"]: unknown server "s1"`},
		{`"name": "bw"`, `"name": "s1"`, `links[0].name: name "s1" is taken by servers[0].name`},
		{`"name": "bw"`, `"name": ""`, `links[0].name: empty name`},
		{`["cpu", "mem"]`, `["cpu", "cpu"]`, `resources[1]: name "cpu" is taken by resources[0]`},
		{`["cpu", "mem"]`, `["cpu", 7]`, `resources[1]: must be a string, is a number`},
		{`["cpu", "mem"],`, `["cpu", "mem"], "units": {"cpu": "cores", "gpu": "GPUs"},`, `units["gpu"]: names no resource and no link`},
		{`["cpu", "mem"],`, `["cpu", "mem"], "units": {"u1": "1", "s1": "1"},`, `units["s1"]: names no resource and no link` + "\n" + `units["u1"]: names no resource and no link`},
		{`["cpu", "mem"],`, `["cpu", "mem"], "units": {"mem": ""},`, `units["mem"]: empty unit`},
		{`["cpu", "mem"],`, `["cpu", "mem"], "units": {"mem": " \t"},`, `units["mem"]: empty unit`},
		{`["cpu", "mem"],`, `["cpu", "mem"], "units": {"mem": 7},`, `units["mem"]: must be a string, is a number`},
		{`["cpu", "mem"],`, `["cpu", "mem"], "units": {"bw": "MHz", "bw": "MHz"},`, `units["bw"]: the unit is given twice`},
		{`["cpu", "mem"],`, `["cpu", "mem"], "units": ["cores", "GB"],`, `units: must be an object, is a list`},
		{`["cpu", "mem"],`, `["cpu", "bw"], "units": {"bw": "MHz"},`, `units["bw"]: names a resource and a link: call one of them otherwise`},
		{`["cpu", "mem"]`, `[]`, `resources: empty: at least one resource is needed`},
		{`["cpu", "mem"]`, `null`, `resources: must be a list, is null`},
		{`"servers": ["s1"]}]`, `"servers": ["s1", "s2", "s1"]}]`, `links[0].servers[1]: unknown server "s2"` + "\n" + `links[0].servers[2]: server "s1" is named twice`},
		{`"link_demand": [2.5]`, `"link_demand": [2.5, 1]`, `users[0].link_demand: has 2 entries for 1 links`},
		{`"link_demand": [2.5]`, `"link_demand": [1e-400]`, `users[0].link_demand[0]: must be 0 or from 1e-150 to 1e150, is 1e-400`},
		{`"weight": 1`, `"weight": 0`, `users[0].weight: must be positive and finite, is 0`},
		{`"weight": 1`, `"weight": true`, `users[0].weight: must be a number, is true or false`},
		{`"tasks": 40`, `"tasks": -1`, `users[0].tasks: must not be negative, is -1`},
		{`"tasks": 40`, `"tasks": null`, `users[0].tasks: must be a number, is null`},
		{`"demand": [2, 1], "link_demand": [2.5], "weight": 1, "tasks": 40,
               "servers": ["s1"], "demand_on": {"s1": [2, 1]}`, `"demand": [0, 0]`,
			`users[0]: needs nothing on server "s1": no resource or link demand is positive there, so it could run infinitely many tasks`},
		{`"demand": [2, 1], "link_demand": [2.5], "weight": 1, "tasks": 40,
               "servers": ["s1"], "demand_on": {"s1": [2, 1]}`, `"demand": [1e-308, 0]`,
			`users[0].demand[0]: must be 0 or from 1e-150 to 1e150, is 1e-308`},
		{`"demand": [2, 1], "link_demand": [2.5], "weight": 1, "tasks": 40,
               "servers": ["s1"], "demand_on": {"s1": [2, 1]}`, `"demand": ["2", 0]`,
			`users[0].demand[0]: must be a number, is a string`}, // and not that the user needs nothing
		{`"demand": [2, 1]`, `"demand": {}`, `users[0].demand: must be a list, is an object`},
		{`}]
}`, `}]
} 7`, `not JSON: invalid character '7' after top-level value (line 7, column 3)`},
		{`"links"`, `links`, `not JSON: invalid character 'l' looking for beginning of object key string (line 4, column 3)`},
		{`"links"`, "\"li\xffnks\"", `not valid UTF-8`},
	} {
		file := strings.Replace(specification, c.old, c.new, 1)
		if file == specification {
			t.Fatalf("%q does not occur", c.old)
		}
		expect(t, ReadEnvironment, file, strings.Split(c.want, "\n")...)
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	expect(t, ReadEnvironment, `{
		"resources": ["cpu", ""], "colour": "blue",
		"servers": [{"name": "a", "capacity": [1]}, {"name": "a", "capacity": [-1, "x"], "count": 0}],
		"users": [{"name": "u", "demand": [0, 0]}, {"demand": [1, null], "weight": -2}, 3]}`,
		`colour: unknown key (known: resources, units, servers, links, users)`,
		`servers[1].capacity[1]: must be a number, is a string`,
		`users[1].name: missing`,
		`users[1].demand[1]: must be a number, is null`,
		`users[2]: must be an object, is a number`,
		`resources[1]: empty name`,
		`servers[0].capacity: has 1 entries for 2 resources`,
		`servers[1].name: name "a" is taken by servers[0].name`,
		`servers[1].capacity[0]: must not be negative, is -1`,
		`servers[1].count: must be at least 1, is 0`,
		`users[0]: needs nothing on server "a": no resource or link demand is positive there, so it could run infinitely many tasks`,
		`users[1].weight: must be positive and finite, is -2`,
	)
}

func TestFilesThatAreNoObject(t *testing.T) {
	expect(t, ReadEnvironment, ``, `not JSON: unexpected end of JSON input (line 1, column 1)`)
	expect(t, ReadEnvironment, `[]`, `must be an object, is a list`)
	expect(t, ReadEnvironment, `{}`, `resources: missing`, `servers: missing`, `users: missing`)
	expect(t, ReadEnvironment, "{\n \"resources\": [\"cpu\",]}", `not JSON: invalid character ']' looking for beginning of value (line 2, column 22)`)
	deep := strings.Repeat("[", 100_000)
	if _, err := ReadEnvironment(strings.NewReader(deep)); err == nil || !strings.Contains(err.Error(), "depth") {
		t.Errorf("100,000 brackets: %v", err)
	}
}

func TestAFailingReaderIsNotAProblemOfTheFile(t *testing.T) {
	broken := errors.New("broken pipe")
	if _, err := ReadEnvironment(iotest.ErrReader(broken)); err != broken {
		t.Errorf("%v", err)
	}
}

func TestValidateChecksWhatNoFileCanHold(t *testing.T) {
	env := figure2()
	env.Resources[0] = "c\xff"
	env.Servers[0].Capacity[0] = math.Inf(1)
	env.Links[0].Servers = NewSet(70, 1, 2, 69)
	env.Users[0].Demand[0], env.Users[0].Weight = math.NaN(), math.Inf(1)
	env.Users[0].Tasks = math.NaN()
	env.Users[1].DemandOn = map[int][]float64{9: {1, 1}, -1: nil, 1: {1}}
	want := []string{
		`resources[0]: name "c\xff" is not valid UTF-8`,
		`servers[0].capacity[0]: must be finite, is +Inf`,
		`links[0].servers: server index 2 of 2 servers`,
		`links[0].servers: server index 69 of 2 servers`,
		`users[0].demand[0]: must be finite, is NaN`,
		`users[0].weight: must be positive and finite, is +Inf`,
		`users[0].tasks: must not be negative, is NaN`,
		`users[1].demand_on: server index -1 of 2 servers`,
		`users[1].demand_on["s2"]: has 1 entries for 2 resources`,
		`users[1].demand_on: server index 9 of 2 servers`,
	}
	if diff := cmp.Diff(want, strings.Split(Validate(env).Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// What is out of range in an environment that a program built is named as in a file.
func TestValidateKnowsTheRangeOfNumbers(t *testing.T) {
	env := figure2()
	env.Servers[0].Capacity[1], env.Servers[1].Capacity[0] = 1e-310, 1e151
	env.Links[0].Capacity = math.SmallestNonzeroFloat64
	env.Users[0].Demand[0], env.Users[0].LinkDemand[0] = 9.9e-151, 1e300
	env.Users[1].Weight, env.Users[1].Tasks = 1e-160, 1e160
	want := []string{
		`servers[0].capacity[1]: must be 0 or from 1e-150 to 1e150, is 1e-310`,
		`servers[1].capacity[0]: must be 0 or from 1e-150 to 1e150, is 1e+151`,
		`links[0].capacity: must be 0 or from 1e-150 to 1e150, is 5e-324`,
		`users[0].demand[0]: must be 0 or from 1e-150 to 1e150, is 9.9e-151`,
		`users[0].link_demand[0]: must be 0 or from 1e-150 to 1e150, is 1e+300`,
		`users[1].weight: must be 0 or from 1e-150 to 1e150, is 1e-160`,
		`users[1].tasks: must be 0 or from 1e-150 to 1e150, is 1e+160`,
	}
	if diff := cmp.Diff(want, strings.Split(Validate(env).Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// The ends of the range are in it, and a product that leaves doubles is named.
func TestTheEndsOfTheRange(t *testing.T) {
	env := figure2()
	env.Users[0].Weight, env.Users[1].Weight, env.Links[0].Capacity = 1e-150, 1e150, 0
	env.Servers[0].Capacity[0], env.Servers[1].Capacity[0] = 1e150, 1e150
	if err := Validate(env); err != nil {
		t.Error(err)
	}
	env.Links[0].Capacity = 1e150
	env.Servers[0] = Server{Name: "s1", Capacity: []float64{1e150, 1e150}, Count: math.MaxInt32}
	env.Users[0].Demand, env.Users[0].LinkDemand = []float64{1e-150, 1e-150}, nil
	const want = `users[0]: demands are so small that the tasks that it could run are beyond the range of a double`
	if err := Validate(env); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestValidateAllowsWhatIsMerelyUnusual(t *testing.T) {
	env := figure2()
	env.Users = append(env.Users, NewUser("nowhere", []float64{0, 0}))
	env.Users[2].Eligible = NewSet(2)
	env.Servers[0].Capacity = []float64{0, 0}
	env.Links = append(env.Links, Link{"to nothing", 0, NewSet(2)})
	for j := range env.Users {
		env.Users[j].LinkDemand = nil
	}
	for _, env := range []*Environment{env, env.With(nil)} {
		if err := Validate(env); err != nil {
			t.Error(err)
		}
	}
}

func FuzzReadEnvironment(f *testing.F) {
	f.Add([]byte(specification))
	f.Add([]byte(`{"resources":["cpu"],"servers":[{"name":"s","capacity":[1e-310]}],"users":[{"name":"u","demand":[1]}]}`))
	f.Add([]byte(`{"resources":["cpu"],"servers":[{"name":"s","capacity":[4e+300],"count":2147483647}],"users":[{"name":"u","demand":[1e-150],"weight":1e150}]}`))
	f.Add([]byte(`{"resources":["cpu"],"servers":[{"name":"a","capacity":[1]},{"name":"b","capacity":[1]}],"users":[{"name":"u","demand":[1],"link_demand":[1]}],"links":[{"name":"l","capacity":0,"servers":["b"]}]}`))
	f.Add([]byte(`{"resources":["a\u0000"],"servers":[{"name":"\ud800","capacity":[1e-3]}],"users":[{"name":"<","demand":[1E5]}]}`))
	f.Add([]byte(`{"resources":[],"servers":{},"links":null,"users":[{"demand_on":{"":[]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		env, err := ReadEnvironment(bytes.NewReader(data))
		if err != nil {
			if env != nil || err.Error() == "" {
				t.Fatalf("%v with %q", env, err)
			}
			return
		}
		var written bytes.Buffer
		if err := WriteEnvironment(&written, env); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := ReadEnvironment(&written)
		if diff := cmp.Diff(env, back); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}

// A class may say what placement constraints look at, and whom it keeps off.
func TestAttributesAndTaints(t *testing.T) {
	const file = `{"resources":["cpu"],"servers":[
		{"name":"a","capacity":[1],"attributes":{"zone":"z1","ssd":""},"taints":["dedicated=gpu:NoSchedule","old:NoExecute"]},
		{"name":"b","capacity":[1],"attributes":{}},
		{"name":"c","capacity":[1],"taints":[]}]}`
	got, err := ReadCluster(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []Server{
		{Name: "a", Capacity: []float64{1}, Count: 1, Attributes: map[string]string{"zone": "z1", "ssd": ""},
			Taints: []Taint{{"dedicated", "gpu", "NoSchedule"}, {"old", "", "NoExecute"}}},
		{Name: "b", Capacity: []float64{1}, Count: 1, Attributes: map[string]string{}},
		{Name: "c", Capacity: []float64{1}, Count: 1},
	}
	if diff := cmp.Diff(want, got.Servers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got, got.Clone()); diff != "" {
		t.Errorf("a clone: %s", diff)
	}
	for entry, message := range map[string]string{
		`"attributes":{"":"x"}`:                    `servers[0].attributes[""]: an attribute without a name`,
		`"attributes":{"a":1}`:                     `servers[0].attributes["a"]: must be a string, is a number`,
		`"attributes":{"a":"1","a":"1"}`:           `servers[0].attributes["a"]: the attribute is given twice`,
		`"attributes":["a"]`:                       `servers[0].attributes: must be an object, is a list`,
		`"taints":["a:NoSchedule","a:NoSchedule"]`: `servers[0].taints[1]: name "a:NoSchedule" is taken by servers[0].taints[0]`,
		`"taints":["a"]`:                           `servers[0].taints[0]: "a" is not a taint, key=value:NoSchedule or key=value:NoExecute`,
		`"taints":["a:PreferNoSchedule"]`:          `servers[0].taints[0]: "a:PreferNoSchedule" is not a taint, key=value:NoSchedule or key=value:NoExecute`,
		`"taints":["=b:NoSchedule"]`:               `servers[0].taints[0]: "=b:NoSchedule" is not a taint, key=value:NoSchedule or key=value:NoExecute`,
		`"taints":[7]`:                             `servers[0].taints[0]: must be a string, is a number`,
	} {
		expect(t, ReadCluster, `{"resources":["cpu"],"servers":[{"name":"a","capacity":[1],`+entry+`}]}`, message)
	}
}
