package google2019

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// A small cell in the official layout. Of the collections: 10 has two instances that
// finish, and one without a request; 11 is an alloc set; 12 runs inside it, is evicted,
// goes on, and does not end; 13 is killed before it is scheduled; 14 was submitted before
// the trace; 15 has a synthesised submission only; 16 asks for no cpu; 17 ended by its own
// event alone; an event is after the end of the trace.
const (
	collectionsJSON = `{"time":"700000000","type":"0","collection_id":"10","scheduling_class":"2","collection_type":"0","priority":"103","alloc_collection_id":"0","user":"u1","collection_name":"n"}
{"time":"701000000","type":"3","collection_id":"10","collection_type":"0","priority":"103","user":"u1"}
{"time":"800000000","type":"6","collection_id":"10","collection_type":"0","priority":"103","user":"u1"}
{"time":"0","type":"0","collection_id":"11","collection_type":"1","user":"u2"}
{"time":"710000000","type":"SUBMIT","collection_id":"12","collection_type":"JOB","priority":"0","user":"u2","alloc_collection_id":"11","start_after_collection_ids":["10"]}
{"time":"711000000","type":"SCHEDULE","collection_id":"12"}
{"time":720000000,"type":0,"collection_id":13,"user":"u3"}
{"time":721000000,"type":7,"collection_id":13,"user":"u3"}

{"time":"0","type":"0","collection_id":"14","user":"u3"}
{"time":"730000000","type":"0","collection_id":"15","missing_type":"2"}
{"time":"740000000","type":"0","collection_id":"16","user":null}
{"time":"741000000","type":"3","collection_id":"16"}
{"time":"742000000","type":"6","collection_id":"16"}
{"time":"752000000","type":"5","collection_id":"17","user":"u4","priority":"25"}
{"time":"751000000","type":"3","collection_id":"17","user":"u4","priority":"25"}
{"time":"750000000","type":"0","collection_id":"17","user":"u4","priority":"25"}
{"time":"9223372036854775807","type":"7","collection_id":"12"}
`
	instancesJSON = `{"time":"700000000","type":"0","collection_id":"10","instance_index":"0","resource_request":{"cpus":0.25,"memory":0.5},"constraint":[{"name":"a","value":"b","relation":"0"}]}
{"time":"702000000","type":"3","collection_id":"10","instance_index":"0","resource_request":{"cpus":0.25,"memory":0.5},"machine_id":"9"}
{"time":"712000000","type":"6","collection_id":"10","instance_index":"0","resource_request":{"cpus":0.25,"memory":0.5}}
{"time":"700000000","type":"0","collection_id":"10","instance_index":"1","resource_request":{"cpus":0.125,"memory":0.25},"constraint":[{"name":"a","value":"b","relation":"0"}]}
{"time":"722000000","type":"7","collection_id":"10","instance_index":"1","resource_request":{"cpus":0.125,"memory":0.25}}
{"time":"702000000","type":"3","collection_id":"10","instance_index":"1","resource_request":{"cpus":0.125,"memory":0.25}}
{"time":"700000000","type":"0","collection_id":"10","instance_index":"2"}
{"time":"710000000","type":"0","collection_id":"12","instance_index":"0","resource_request":{"cpus":1,"memory":"1"}}
{"time":"711000000","type":"3","collection_id":"12","instance_index":"0"}
{"time":"715000000","type":"4","collection_id":"12","instance_index":"0"}
{"time":"716000000","type":"0","collection_id":"12","instance_index":"0","resource_request":{"cpus":0.5,"memory":0.5}}
{"time":"717000000","type":"3","collection_id":"12","instance_index":"0"}
{"time":"720000000","type":"0","collection_id":"13","instance_index":"0","resource_request":{"cpus":1,"memory":1}}
{"time":"740000000","type":"0","collection_id":"16","instance_index":"0","resource_request":{"cpus":0,"memory":1}}
{"time":"750000000","type":"0","collection_id":"17","instance_index":"0","resource_request":{"cpus":0.5,"memory":0.25}}
{"time":"750000000","type":"0","collection_id":"11","instance_index":"0","resource_request":{"cpus":0.5,"memory":0.25}}
{"time":"750000000","type":"0","collection_id":"99","instance_index":"0","resource_request":{"cpus":0.5,"memory":0.25}}
`
	machinesJSON = `{"time":"0","machine_id":"20","type":"1","switch_id":"s","capacity":{"cpus":0.5,"memory":0.25},"platform_id":"p"}
{"time":"0","machine_id":"3","type":"ADD","capacity":{"cpus":1,"memory":0.5},"platform_id":"q"}
{"time":"0","machine_id":"4","type":"1"}
{"time":"5","machine_id":"3","type":"2"}
{"time":"6","machine_id":"7","type":"3","capacity":{"cpus":1,"memory":0.5}}
`
)

// official are the files as they are published.
func official() map[string]string {
	return map[string]string{"collection_events-000000000000.json.gz": collectionsJSON, "instance_events-000000000000.json.gz": instancesJSON, "machine_events-000000000000.json.gz": machinesJSON}
}

func imported(t *testing.T, files map[string]string, o Options) *traces.Imported {
	t.Helper()
	res, err := Import(tracetest.Folder(t, files), o)
	return tracetest.Must(t, res, err)
}

var want = []traces.Job{
	// Instance 0 for 10 s, 1 for 20 s.
	{ID: "10", User: "u1", Priority: 103, SubmitUS: 700e6, Tasks: 2, DurationUS: 15e6, CPU: 0.1875, Mem: 0.375, Constraints: `[["a","=","b"]]`},
	// From its schedule to the last event at hand, at 800 s; the first request counts.
	{ID: "12", User: "u2", SubmitUS: 710e6, Tasks: 1, DurationUS: 89e6, CPU: 1, Mem: 1, Censored: true},
	{ID: "17", User: "u4", Priority: 25, SubmitUS: 750e6, Tasks: 1, DurationUS: 1e6, CPU: 0.5, Mem: 0.25},
}

func TestImport(t *testing.T) {
	res := imported(t, official(), DefaultOptions())
	wantReport := `read
            17 rows   collection_events
            17 rows   instance_events
             5 rows   machine_events
kept
             3 jobs   jobs
             2 machines  machines
             4 tasks  tasks
left out
             1 jobs   alloc sets: reservations in which jobs run
             1 jobs   ended before it was scheduled
             1 jobs   submitted outside the time asked for
             1 jobs   zero cpu request
             1 rows   collection_events: after the end of the trace
             1 rows   collection_events: an event that Google synthesised (missing_type)
             1 rows   instance_events: its collection is left out
             1 rows   instance_events: its collection is not in collection_events
             1 rows   instance_events: no request
             1 rows   instance_events: zero cpu request
             1 rows   machine_events: no capacity, or one of 0
noted
             1 jobs   duration: mean over the job's tasks
             1 jobs   duration: the job's schedule to its end (not all tasks finished in the files at hand)
             1 jobs   duration: the job's schedule to the last event at hand (censored)
             1 jobs   had to start after other jobs: submitted when the trace says
             1 jobs   has placement constraints
             1 jobs   runs inside an alloc set
             1 tables  machine_attributes is not at hand: no attributes
`
	tracetest.Same(t, res, want, wantReport)
	wantMachines := []traces.Machine{{ID: "3", CPU: 1, Mem: 0.5, Class: "q-cpu1-mem0.5"}, {ID: "20", CPU: 0.5, Mem: 0.25, Class: "p-cpu0.5-mem0.25"}}
	if d := cmp.Diff(wantMachines, res.Machines); d != "" {
		t.Error(d)
	}
	if res.Meta.Label != "real" || !strings.Contains(res.Meta.Units, "NCU") {
		t.Errorf("%+v", res.Meta)
	}
	res = imported(t, official(), Options{FromUS: 705e6, ToUS: 745e6, MachinesAtUS: 6, KeepZero: true})
	if len(res.Jobs) != 2 || res.Jobs[1].ID != "16" || res.Jobs[1].CPU != 0 || len(res.Machines) != 1 || res.Report.LeftOutFor("rows", "machine_events: update of a machine that is not present") != 1 {
		t.Errorf("%+v\n%s", res.Jobs, res.Report)
	}
}

// flat writes objects with flat names, and as CSV.
func flat(t *testing.T, text, separator string) (jsonText, csvText string) {
	t.Helper()
	names := map[string]bool{}
	var rows []map[string]any
	for _, line := range strings.Split(text, "\n") {
		if line == "" {
			continue
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		for name, value := range object {
			switch v := value.(type) {
			case map[string]any:
				for inner, value := range v {
					row[name+separator+inner] = value
				}
			case []any: // TO_JSON_STRING(constraint)
				text, _ := json.Marshal(v)
				row[name] = string(text)
			case nil:
			default:
				row[name] = v
			}
		}
		for name := range row {
			names[name] = true
		}
		line, _ := json.Marshal(row)
		jsonText += string(line) + "\n"
		rows = append(rows, row)
	}
	var header []string
	for name := range names {
		header = append(header, name)
	}
	csvText = strings.Join(header, ",") + "\n"
	for _, row := range rows {
		var fields []string
		for _, name := range header {
			field := ""
			switch v := row[name].(type) {
			case nil:
			case float64:
				field = fmt.Sprintf("%.9f", v)
			default:
				field = fmt.Sprint(v)
			}
			fields = append(fields, `"`+strings.ReplaceAll(field, `"`, `""`)+`"`)
		}
		csvText += strings.Join(fields, ",") + "\n"
	}
	return jsonText, csvText
}

// The same trace in every form of export, in any order of rows and division into files,
// gives the same jobs.
func TestFormsOfExports(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, separator := range []string{".", "_"} {
		cj, cc := flat(t, collectionsJSON, separator)
		ij, ic := flat(t, instancesJSON, separator)
		mj, mc := flat(t, machinesJSON, separator)
		for _, files := range []map[string]string{
			{"collection_events.jsonl": cj, "instance_events/bq-000.ndjson": ij, "machine_events.json": mj},
			{"collection_events_a.csv": cc, "instance_events.csv.gz": ic, "machine_events.csv": mc},
		} {
			if d := cmp.Diff(want, imported(t, files, DefaultOptions()).Jobs); d != "" {
				t.Errorf("%q: %s", separator, d)
			}
		}
	}
	for range 20 {
		files := map[string]string{}
		for name, text := range map[string]string{"collection_events": collectionsJSON, "instance_events": instancesJSON} {
			lines := strings.SplitAfter(text, "\n")
			rng.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
			cut := rng.IntN(len(lines))
			files[name+"-0.json"], files[name+"-1.json"] = strings.Join(lines[:cut], ""), strings.Join(lines[cut:], "")
		}
		if d := cmp.Diff(want, imported(t, files, DefaultOptions()).Jobs); d != "" {
			t.Fatal(d)
		}
	}
}

func TestFilesThatAreNotInTheFormat(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"collection_events-000000000000.json.gz", "{\"time\":", "collection_events-000000000000.json.gz:row 1: not a JSON object a line"},
		{"collection_events-000000000000.json.gz", "{\"time\":\"\xff\"}\n", "row 1: not a JSON object a line: not UTF-8"},
		{"collection_events-000000000000.json.gz", "[]\n", "row 1: not a JSON object a line"},
		{"collection_events-000000000000.json.gz", "\n{\"time\":1,\"type\":0}\n", "row 2, collection_id: not there"},
		{"collection_events-000000000000.json.gz", `{"time":-1,"type":0,"collection_id":1}`, `row 1, column 1 (time): "-1": not a time of the trace`},
		{"collection_events-000000000000.json.gz", `{"time":1,"type":11,"collection_id":1}`, `column 2 (type): "11": not from 0 to 10`},
		{"collection_events-000000000000.json.gz", `{"time":1,"type":"DIE","collection_id":1}`, `"DIE": invalid syntax`},
		{"collection_events-000000000000.json.gz", `{"time":1,"type":0,"collection_id":{"a":1}}`, "invalid syntax"},
		{"instance_events-000000000000.json.gz", `{"time":1,"type":0,"collection_id":1,"instance_index":1.5}`, "column 4 (instance_index)"},
		{"instance_events-000000000000.json.gz", `{"time":1,"type":0,"collection_id":1,"instance_index":1,"resource_request":5}`, "resource_request.cpus: not a structure"},
		{"instance_events-000000000000.json.gz", `{"time":1,"type":0,"collection_id":1,"instance_index":1,"resource_request":{"cpus":-1}}`, `column 5 (resource_request.cpus): "-1": negative`},
		{"instance_events-000000000000.json.gz", `{"time":1,"type":0,"collection_id":1,"instance_index":1,"resource_request":{"cpus":1e10}}`, "not a normalised amount"},
		{"machine_events-000000000000.json.gz", `{"time":1,"type":4,"machine_id":1}`, "not from 0 to 3"},
		{"instance_events.csv", "", "instance_events.csv: empty"},
		{"instance_events.csv", "time,type\n", "no column collection_id (columns: \"time\", \"type\")"},
		{"instance_events.csv", "time,type,collection_id,instance_index\n1,0,1\n", "instance_events.csv:row 2:"},
		{"instance_events.csv", "\xff\xfet\x00", "UTF-16"},
	} {
		files := official()
		files[c.name] = c.text
		res, err := Import(tracetest.Folder(t, files), DefaultOptions())
		tracetest.Refused(t, res, err, c.want)
	}
	for _, name := range []string{"collection_events-000000000000.json.gz", "instance_events-000000000000.json.gz"} {
		files := official()
		delete(files, name)
		if _, err := Import(tracetest.Folder(t, files), DefaultOptions()); !errors.Is(err, ErrNoFiles) || !strings.Contains(err.Error(), "events") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	files := official()
	delete(files, "machine_events-000000000000.json.gz")
	if res := imported(t, files, DefaultOptions()); len(res.Machines) != 0 || res.NoMachines == "" {
		t.Errorf("%+v", res.Machines)
	}
	if _, err := Import(tracetest.Folder(t, official()), Options{FromUS: 5, ToUS: 5}); err == nil {
		t.Error("an empty window")
	}
	if res, err := Import(tracetest.Folder(t, official()), Options{FromUS: 1e13}); !errors.Is(err, traces.ErrEmpty) || res == nil {
		t.Errorf("no job: %v", err)
	}
}

// FuzzImport imports any texts: every collection becomes a job or is left out.
func FuzzImport(f *testing.F) {
	f.Add(collectionsJSON, instancesJSON, machinesJSON, true)
	f.Add("\ufeff"+collectionsJSON, instancesJSON, "", false)
	f.Add("{\"time\":1,\"type\":0,\"collection_id\":1,\"user\":\"\x1b\xff\"}\n", "{}", "{", true)
	f.Fuzz(func(t *testing.T, collections, instances, machines string, keep bool) {
		files := map[string]string{"collection_events.json": collections, "instance_events.json": instances, "machine_events.json": machines}
		res, err := Import(tracetest.Folder(t, files), Options{KeepZero: keep})
		tracetest.Check(t, res, err)
		if res != nil && tracetest.Total(res.Report.Kept(), "jobs") != int64(len(res.Jobs)) {
			t.Errorf("%d jobs\n%s", len(res.Jobs), res.Report)
		}
	})
}
