package google2019

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// submission is the rows of a job of one instance for each text of a column constraint.
func submission(id int, columns ...string) (collection, instances string) {
	collection = fmt.Sprintf(`{"time":"700000000","type":"0","collection_id":"%d","user":"u"}
{"time":"700000001","type":"3","collection_id":"%d"}
{"time":"700000010","type":"6","collection_id":"%d"}
`, id, id, id)
	for i, column := range columns {
		if column != "" {
			column = `,"constraint":` + column
		}
		instances += fmt.Sprintf(`{"time":"700000000","type":"0","collection_id":"%d","instance_index":"%d","resource_request":{"cpus":0.5,"memory":0.25}%s}
`, id, i, column)
	}
	return collection, instances
}

func TestConstraints(t *testing.T) {
	for _, c := range []struct{ first, second, want, reason string }{
		{`[{"name":"a","value":"b","relation":"0"}]`, `[{"relation":0,"value":"b","name":"a"}]`, `[["a","=","b"]]`, ""},
		{`[{"name":"a","value":"b","relation":"NOT_EQUAL"}]`, "", "", "its tasks differ in their constraints"},
		{`[{"name":"a","value":"b"},{"name":"c","relation":1}]`, `[{"name":"c","value":"","relation":1},{"name":"a","value":"b","relation":null}]`, `[["a","=","b"],["c","!=",""]]`, ""},
		{`[{"name":"a","value":3,"relation":2},{"name":"a","value":"1","relation":"GREATER_THAN"}]`, `[{"name":"a","value":"1","relation":3},{"name":"a","value":"3","relation":"2"}]`, "[[\"a\",\"\\u003c\",\"3.0\"],[\"a\",\"\\u003e\",\"1.0\"]]", ""},
		{`[{"name":"a","value":"1.5","relation":4}]`, `[{"name":"a","value":"1.5","relation":"LESS_THAN_EQUAL"}]`, "[[\"a\",\"\\u003c=\",\"1.5\"]]", ""},
		{`[{"name":"a","value":"x","relation":5}]`, `[{"name":"a","value":"x","relation":"5"}]`, "[[\"a\",\"\\u003e=\",\"x\"]]", ""},
		{`[{"name":"a","value":"x","relation":6}]`, `[{"name":"a","relation":"PRESENT"}]`, `[["a","present"]]`, ""},
		{`[{"name":"a","relation":7}]`, `[{"name":"a","value":null,"relation":"7"}]`, `[["a","not present"]]`, ""},
		{`[]`, `null`, "", ""},
		{`[]`, `"[{'name': 'a'}]"`, "", ""}, // not JSON: noted
	} {
		collection, instances := submission(1, c.first, c.second)
		other, others := submission(2, "")
		res := imported(t, map[string]string{"collection_events.json": collection + other, "instance_events.json": instances + others}, DefaultOptions())
		if c.reason != "" {
			if len(res.Jobs) != 1 || res.Report.LeftOutFor("jobs", c.reason) != 1 {
				t.Errorf("%s and %s: %+v\n%s", c.first, c.second, res.Jobs, res.Report)
			}
			continue
		}
		if len(res.Jobs) != 2 || res.Jobs[0].Constraints != c.want || res.Jobs[1].Constraints != "" {
			t.Errorf("%s and %s: %+v, want %s", c.first, c.second, res.Jobs, c.want)
		}
		unread := noted(res, "has placement constraints in another form than JSON: not applied")
		if n := noted(res, "has placement constraints"); (n == 1) != (c.want != "") || (unread == 1) != strings.Contains(c.second, "'") {
			t.Errorf("%s and %s: noted of %d jobs, and unread of %d", c.first, c.second, n, unread)
		}
	}
	for column, want := range map[string]string{
		`5`: "not a list of constraints", `[{"value":"a"}]`: "without the name", `[{"name":""}]`: "without the name", `["a"]`: "not a list",
		`[{"name":"a","relation":8}]`: `relation "8" is not from 0 to 7`, `[{"name":"a","relation":"LIKE"}]`: `relation "LIKE"`, `[{"name":"a","relation":-1}]`: "is not from 0",
	} {
		collection, instances := submission(1, column)
		if _, err := Import(tracetest.Folder(t, map[string]string{"collection_events.json": collection, "instance_events.json": instances}), DefaultOptions()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "row 1, column 8 (constraint)") {
			t.Errorf("%s: %v, want %s", column, err, want)
		}
	}
}

// noted returns of how many jobs something was noted.
func noted(res *traces.Imported, what string) int64 {
	return tracetest.Total(slices.DeleteFunc(res.Report.Notes(), func(c traces.Count) bool { return c.What != what }), "jobs")
}

// relation is one of the trace, and twin what the comment on MachineConstraint says of it.
type relation struct {
	name, value string
	number      int
}

func (r relation) twin(machine map[string]string) bool {
	have, there := machine[r.name]
	x, errX := strconv.ParseFloat(have, 64)
	y, errY := strconv.ParseFloat(r.value, 64)
	numbers := errX == nil && errY == nil
	return [...]bool{have == r.value, have != r.value, numbers && x < y, numbers && x > y, numbers && x <= y, numbers && x >= y, there, !there}[r.number]
}

// Random machines and random constraints in the official layout, rows in any order: a job
// may run exactly where the twin says.
func TestWhichJobMayRunWhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 19))
	values, names := []string{"", "a", "b", "1", "2", "2.5", "-3", "10"}, []string{"p", "q", "r"}
	pick := func() (name, value string) { return names[rng.IntN(len(names))], values[rng.IntN(len(values))] }
	somewhere, nowhere := 0, 0
	for range 60 {
		machines := map[string]map[string]string{}
		var machineRows, attributeRows, instanceRows []string
		for i := range 5 {
			id := fmt.Sprint(100 + i)
			machines[id] = map[string]string{}
			machineRows = append(machineRows, fmt.Sprintf(`{"time":"0","machine_id":"%s","type":"1","capacity":{"cpus":1,"memory":1}}`, id))
			for k := range rng.IntN(5) { // an attribute may change, or be deleted
				name, value := pick()
				deleted := rng.IntN(4) == 0
				attributeRows = append(attributeRows, fmt.Sprintf(`{"time":"%d","machine_id":"%s","name":"%s","value":"%s","deleted":%t}`, k, id, name, value, deleted))
				if machines[id][name] = value; deleted {
					delete(machines[id], name)
				}
			}
			attributeRows = append(attributeRows, fmt.Sprintf(`{"time":"9","machine_id":"%s","name":"p","value":"later"}`, id))
		}
		collections, asked := "", map[string][]relation{}
		for id := 1; id <= 6; id++ {
			var texts []string
			for range rng.IntN(4) {
				name, value := pick()
				r := relation{name, value, rng.IntN(8)}
				asked[fmt.Sprint(id)] = append(asked[fmt.Sprint(id)], r)
				texts = append(texts, fmt.Sprintf(`{"name":"%s","value":"%s","relation":"%s"}`, name, value, []string{fmt.Sprint(r.number), relationNames[r.number]}[rng.IntN(2)]))
			}
			collection, instance := submission(id, "["+strings.Join(texts, ",")+"]")
			collections += collection
			instanceRows = append(instanceRows, strings.TrimSpace(instance))
		}
		rng.Shuffle(len(attributeRows), func(i, k int) { attributeRows[i], attributeRows[k] = attributeRows[k], attributeRows[i] })
		res := imported(t, map[string]string{"collection_events.json": collections, "instance_events.json": strings.Join(instanceRows, "\n"),
			"machine_events.json": strings.Join(machineRows, "\n"), "machine_attributes-0.json.gz": strings.Join(attributeRows, "\n")}, Options{MachinesAtUS: 8})
		if len(res.Jobs) != 6 || len(res.Machines) != 5 {
			t.Fatalf("%d jobs, %d machines\n%s", len(res.Jobs), len(res.Machines), res.Report)
		}
		matcher, err := constraints.NewMatcher(res.Machines)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range res.Jobs {
			set, err := matcher.Eligible(j.Constraints)
			if err != nil {
				t.Fatal(err)
			}
			if matcher.Count(set) == 0 {
				nowhere++
			} else if set != nil {
				somewhere++
			}
			for i, m := range res.Machines {
				want := !slices.ContainsFunc(asked[j.ID], func(r relation) bool { return !r.twin(machines[m.ID]) })
				if set.Has(i) != want {
					t.Fatalf("%+v (%s) on %v: %v, want %v", asked[j.ID], j.Constraints, machines[m.ID], set.Has(i), want)
				}
			}
		}
	}
	if somewhere < 50 || nowhere < 20 {
		t.Errorf("%d jobs may run on some machines, %d on none: the draws say little", somewhere, nowhere)
	}
}

func TestMachineAttributes(t *testing.T) {
	files := official()
	files["machine_attributes.csv"] = "name,machine_id,time,value,deleted\na,20,0,x,false\nb,20,0,1,\nb,20,3,,true\nb,20,3,2,false\na,3,0,z,0\nc,20,4,,TRUE\na,77,0,y,\na,20,9,late,\n"
	res := imported(t, files, Options{MachinesAtUS: 4})
	want := []traces.Machine{{ID: "3", CPU: 1, Mem: 0.5, Class: "q-cpu1-mem0.5", Attributes: `{"a":"z"}`}, {ID: "20", CPU: 0.5, Mem: 0.25, Class: "p-cpu0.5-mem0.25", Attributes: `{"a":"x","b":"2"}`}}
	if d := cmp.Diff(want, res.Machines); d != "" || res.Report.LeftOutFor("rows", "machine_attributes: of a machine that is not present") != 1 {
		t.Errorf("%s\n%s", d, res.Report)
	}
	for row, want := range map[string]string{"a,20,0,x,maybe": `column 5 (deleted): "maybe": neither true nor false`, ",20,0,x,": "an attribute without a name"} {
		files["machine_attributes.csv"] = "name,machine_id,time,value,deleted\n" + row + "\n"
		if _, err := Import(tracetest.Folder(t, files), DefaultOptions()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", row, err)
		}
	}
}

// Exports are in no order: events of one time, as of an instance that is evicted and
// submitted again at once, and rows that are there twice, give one job in every order.
func TestEventsOfOneTimeInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	row := func(us int, kind string) string {
		return fmt.Sprintf(`{"time":"%d","type":"%s","collection_id":"1","instance_index":"0","resource_request":{"cpus":0.5,"memory":0.5}}`, us, kind)
	}
	rowsOf := func(events ...any) (rows []string) {
		for i := 0; i < len(events); i += 2 {
			rows = append(rows, row(700e6+events[i].(int), events[i+1].(string)))
		}
		return rows
	}
	for name, c := range map[string]struct {
		rows []string
		us   int64 // of the instance; 0: it does not finish, and the collection's counts
	}{
		"evicted and submitted again at once":            {rowsOf(0, "SUBMIT", 5, "SCHEDULE", 10, "EVICT", 10, "SUBMIT", 20, "SCHEDULE", 40, "FINISH"), 35},
		"evicted, submitted, scheduled at once":          {rowsOf(0, "SUBMIT", 5, "SCHEDULE", 10, "EVICT", 10, "SUBMIT", 10, "SCHEDULE", 40, "FINISH"), 35},
		"evicted and submitted, not scheduled again":     {rowsOf(0, "SUBMIT", 5, "SCHEDULE", 10, "EVICT", 10, "SUBMIT"), 0},
		"evicted while pending":                          {rowsOf(0, "SUBMIT", 4, "EVICT", 4, "SUBMIT", 5, "SCHEDULE", 9, "KILL"), 4},
		"submitted and scheduled at once":                {rowsOf(0, "SUBMIT", 0, "QUEUE", 0, "ENABLE", 0, "SCHEDULE", 7, "FINISH", 3, "UPDATE_RUNNING", 0, "UPDATE_PENDING"), 7},
		"each row twice":                                 {rowsOf(0, "SUBMIT", 0, "SUBMIT", 5, "SCHEDULE", 5, "SCHEDULE", 9, "FAIL", 9, "FAIL"), 4},
		"failed and submitted again: to the first end":   {rowsOf(0, "SUBMIT", 5, "SCHEDULE", 9, "FAIL", 9, "SUBMIT", 12, "SCHEDULE", 20, "FINISH"), 4},
		"failed and submitted again, which does not end": {rowsOf(0, "SUBMIT", 5, "SCHEDULE", 9, "FAIL", 9, "SUBMIT"), 0},
		"failed, submitted again, killed before it runs": {rowsOf(0, "SUBMIT", 5, "SCHEDULE", 9, "FAIL", 9, "SUBMIT", 12, "KILL"), 4},
	} {
		for range 30 {
			rng.Shuffle(len(c.rows), func(i, k int) { c.rows[i], c.rows[k] = c.rows[k], c.rows[i] })
			cut := rng.IntN(len(c.rows) + 1)
			collection, _ := submission(1)
			collection = strings.Replace(collection, `"700000010","type":"6"`, `"700001000","type":"6"`, 1)
			res := imported(t, map[string]string{"collection_events.json": collection, "instance_events-0.json": strings.Join(c.rows[:cut], "\n"), "instance_events-1.json": strings.Join(c.rows[cut:], "\n")}, DefaultOptions())
			us := c.us
			if us == 0 {
				us = 999
			}
			if len(res.Jobs) != 1 || res.Jobs[0].DurationUS != us {
				t.Fatalf("%s: %+v, want %d µs\n%s", name, res.Jobs, us, strings.Join(c.rows, "\n"))
			}
		}
	}
}

func TestLivesWithinAnInstant(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for name, c := range map[string]struct {
		events   []event
		finished bool
	}{
		"all at once":                     {[]event{{5, submit}, {5, schedule}, {5, kill}}, true},
		"scheduled and killed":            {[]event{{1, submit}, {5, schedule}, {5, kill}}, true},
		"submitted and killed":            {[]event{{1, submit}, {2, schedule}, {3, evict}, {5, submit}, {5, kill}}, true},
		"evicted and submitted":           {[]event{{1, submit}, {2, schedule}, {5, evict}, {5, submit}}, false},
		"failed, submitted and scheduled": {[]event{{1, submit}, {2, schedule}, {5, fail}, {5, submit}, {5, schedule}}, false},
		"evicted, with no submission":     {[]event{{2, schedule}, {5, evict}, {5, schedule}, {9, finish}}, true},
	} {
		for range 20 {
			rng.Shuffle(len(c.events), func(i, k int) { c.events[i], c.events[k] = c.events[k], c.events[i] })
			if l := live(slices.Clone(c.events)); l.finished() != c.finished {
				t.Fatalf("%s: %+v of %v", name, l, c.events)
			}
		}
	}
}
