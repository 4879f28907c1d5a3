package mapped

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/traces"
)

// inDir writes a file into a folder of the test's and returns its path.
func inDir(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func mapping(t *testing.T, text string) *Mapping {
	t.Helper()
	m, err := ReadMapping(inDir(t, "map.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const seconds = `
source: a test
columns:
  id: {column: job}
  submit: {column: at, unit: s}
  duration: {column: runtime, unit: min}
  tasks: {column: n}
  cpu: {column: mcpu, unit: millicores}
  mem: {column: bytes, unit: MiB}
`

func TestCSVByMapping(t *testing.T) {
	// A column that no mapping names, another order, blanks, rows out of order.
	path := inDir(t, "jobs.csv", "job,owner,at,runtime,n,bytes,mcpu\n"+
		"b,x,20.5,2, 3 ,1024,500\n"+
		"a,\"y,z\",10,0.5,1,2048,1500\n")
	res, err := Import(path, mapping(t, seconds))
	if err != nil {
		t.Fatal(err)
	}
	want := []traces.Job{
		{ID: "a", SubmitUS: 0, Tasks: 1, DurationUS: 30_000_000, CPU: 1.5, Mem: 2.147483648},
		{ID: "b", SubmitUS: 10_500_000, Tasks: 3, DurationUS: 120_000_000, CPU: .5, Mem: 1.073741824},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if res.Meta.Source != "a test" || res.Meta.Label != "unlabelled" || res.Meta.Units != "cpu: cores; mem: GB" || len(res.Meta.Checksum) != 64 {
		t.Errorf("metadata %+v", res.Meta)
	}
}

func TestUserWeightAndPriority(t *testing.T) {
	form := "columns:\n  submit: {value: \"0\", unit: s}\n  duration: {value: \"1\", unit: s}\n  cpu: {value: \"1\", unit: cores}\n" +
		"  user: {column: account}\n  weight: {column: shares}\n  priority: {column: prio}\n"
	res, err := Import(inDir(t, "jobs.csv", "account,shares,prio\nann,2.5,100\nbob,1,-3\nann,,7.0\n,0.5,\nbob,0,1\n"), mapping(t, form))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []traces.Job{
		{User: "ann", Weight: 2.5, Priority: 100}, {User: "bob", Weight: 1, Priority: -3}, {User: "ann", Priority: 7}, {Weight: .5},
	} {
		if j := res.Jobs[i]; j.User != want.User || j.Weight != want.Weight || j.Priority != want.Priority {
			t.Errorf("job %d: %+v, want %+v", i, j, want)
		}
	}
	if n := res.Report.LeftOutFor("rows", "zero weight"); n != 1 || len(res.Jobs) != 4 {
		t.Errorf("%d rows of zero weight are left out, %d jobs", n, len(res.Jobs))
	}
	for _, name := range []string{"user", "weight", "priority"} {
		if !strings.Contains(res.Report.String(), "1 rows   no "+name+" stated") {
			t.Errorf("%s: %s", name, res.Report)
		}
	}
	for _, bad := range []string{"ann,-1,1", "ann,1,1.5", "ann,1,high", "ann,1,1e300", "ann,NaN,1", "ann,1e-200,1"} {
		if _, err := Import(inDir(t, "jobs.csv", "account,shares,prio\n"+bad+"\n"), mapping(t, form)); err == nil || !strings.Contains(err.Error(), "jobs.csv: row 2: column") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}

func TestEveryReasonIsCounted(t *testing.T) {
	path := inDir(t, "jobs.csv", "id,sub,beg,end,n,cpu\n"+
		"ok,100,110,120,1,1\n"+
		"ok,100,110,120,1,1\n"+ // again
		",100,110,120,1,1\n"+ // no id
		"1,,110,120,1,1\n"+ // no submission
		"2,100,,120,1,1\n"+ // never started
		"3,100,90,120,1,1\n"+ // start before submission
		"4,100,110,,1,1\n"+ // no end
		"5,100,110,105,1,1\n"+ // end before start
		"6,100,110,110,1,1\n"+ // no time
		"7,100,110,120,,1\n"+ // no tasks given
		"8,100,110,120,0,1\n"+ // none
		"9,100,110,120,1,\n"+ // no cpu
		"10,100,110,120,1,0\n"+ // zero cpu
		"11,-5,110,120,1,1\n") // before zero
	res, err := Import(path, mapping(t, `
origin: none
columns:
  id: {column: id}
  submit: {column: sub, unit: s}
  start: {column: beg, unit: s}
  end: {column: end, unit: s}
  tasks: {column: n}
  cpu: {column: cpu, unit: cores}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Jobs) != 1 || res.Jobs[0] != (traces.Job{ID: "ok", SubmitUS: 100_000_000, Tasks: 1, DurationUS: 10_000_000, CPU: 1}) {
		t.Errorf("jobs %+v", res.Jobs)
	}
	for _, reason := range []string{
		"an id a second time: the first row counts", "no id", "no submission time", "never started", "start before submission",
		"no end", "end before start", "a duration of less than 1 µs", "no number of tasks", "no tasks", "no cpu request", "zero cpu request",
		"submitted before the clock's zero",
	} {
		if n := res.Report.LeftOutFor("rows", reason); n != 1 {
			t.Errorf("%d rows left out for %q, want 1\n%s", n, reason, res.Report)
		}
	}
}

func TestDatesAndConstants(t *testing.T) {
	path := inDir(t, "jobs.csv", "from;to\n# a remark\n2026-10-01T00:00:00+02:00;2026-10-01T01:00:00+02:00\n2026-09-30T22:00:01.5Z;2026-09-30T22:00:02Z\n")
	res, err := Import(path, mapping(t, `
label: made up (synthetic)
columns:
  submit: {column: from, unit: rfc3339}
  end: {column: to, unit: rfc3339}
  gpu: {value: "50", unit: percent}
csv: {delimiter: ";", comment: "#"}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []traces.Job{
		{ID: "row-3", SubmitUS: 0, Tasks: 1, DurationUS: 3_600_000_000, GPU: .5},
		{ID: "row-4", SubmitUS: 1_500_000, Tasks: 1, DurationUS: 500_000, GPU: .5},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" || res.Meta.Label != "made up (synthetic)" {
		t.Errorf("label %q, jobs (-want +got):\n%s", res.Meta.Label, d)
	}
}

func TestParquetByMapping(t *testing.T) {
	const path = "testdata/arrow.parquet" // three made-up rows, no trace: columns of 32 bits, timestamps and a null, by Arrow for Go 15
	res, err := Import(path, mapping(t, `
columns:
  id: {column: name}
  submit: {column: at, unit: rfc3339}
  duration: {column: ms, unit: ms}
  mem: {column: gib, unit: GiB}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []traces.Job{
		{ID: "first", SubmitUS: 0, Tasks: 1, DurationUS: 1_000, Mem: 1.073741824 * .5},
		{ID: "third", SubmitUS: 1_000_001, Tasks: 1, DurationUS: 3_000, Mem: 1.073741824 * 2},
	}
	if d := cmp.Diff(want, res.Jobs); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	if n := res.Report.LeftOutFor("rows", "no mem request"); n != 1 {
		t.Errorf("the row with a null was not counted:\n%s", res.Report)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 5, len(data) / 2, len(data) - 1} {
		if _, err := Import(inDir(t, "cut.parquet", string(data[:cut])), mapping(t, seconds)); err == nil || !strings.Contains(err.Error(), "cut.parquet") {
			t.Errorf("cut to %d bytes: error %v", cut, err)
		}
	}
}

func TestUnreadableValuesNameTheirPlace(t *testing.T) {
	head := "job,at,runtime,n,bytes,mcpu\na,1,1,1,1,1\n"
	for want, text := range map[string]string{
		`jobs.csv: row 3: column "runtime": "long": not a number`:                    head + "b,1,long,1,1,1\n",
		`jobs.csv: row 3: column "n": "1.5": not a whole number in range`:            head + "b,1,1,1.5,1,1\n",
		`jobs.csv: row 3: column "mcpu": "-1": negative`:                             head + "b,1,1,1,1,-1\n",
		`jobs.csv: row 3: column "at": "1e99": beyond the clock`:                     head + "b,1e99,1,1,1,1\n",
		`jobs.csv: row 3: column "runtime": "-2": negative`:                          head + "b,1,-2,1,1,1\n",
		`jobs.csv: row 3: wrong number of fields`:                                    head + "b,1\n",
		`jobs.csv: no column "mcpu" (columns: "job", "at", "runtime", "n", "bytes")`: "job,at,runtime,n,bytes\n",
		`jobs.csv: two columns "at"`:                                                 "job,at,at,runtime,n,bytes,mcpu\n",
		`jobs.csv: the file is empty`:                                                "",
		`jobs.csv: the trace holds no jobs that could be used`:                       "job,at,runtime,n,bytes,mcpu\n",
		`jobs.csv: row 3: column "bytes": "NaN": not finite`:                         head + "b,1,1,1,NaN,1\n",
	} {
		_, err := Import(inDir(t, "jobs.csv", text), mapping(t, seconds))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err := Import(filepath.Join(t.TempDir(), "absent.csv"), mapping(t, seconds))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func TestTruncatedGzip(t *testing.T) {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte("job,at,runtime,n,bytes,mcpu\na,1,1,1,1,1\n" + strings.Repeat("b,1,1,1,1,1\n", 1000))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if res, err := Import(inDir(t, "jobs.csv.gz", b.String()), mapping(t, seconds)); err != nil || len(res.Jobs) != 2 {
		t.Fatalf("the whole file: %v", err)
	}
	_, err := Import(inDir(t, "jobs.csv.gz", b.String()[:b.Len()-4]), mapping(t, seconds))
	if err == nil || !strings.Contains(err.Error(), "the file ends in the middle") {
		t.Errorf("error %v", err)
	}
}

func TestMappingReportsAllProblems(t *testing.T) {
	_, err := ReadMapping(inDir(t, "map.yaml", `
columns:
  colour: {column: c}
  submit: {column: at}
  end: {column: e, unit: fortnights}
  duration: {column: d, unit: s}
  start: {column: s, unit: s}
  tasks: {column: n, unit: s}
  cpu: {column: c, value: "1", unit: cores}
origin: last
zero_requests: repair
csv: {delimiter: ";;"}
`))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"columns.colour: not a quantity of a job (known: id, submit", "columns.submit: unit: not given (known: h, min, ms, s, us, rfc3339, datetime)",
		`columns.end: unit: "fortnights" is not one of`, "columns: either duration or end is needed, and not both",
		"columns.start: of no use beside duration", `columns.tasks: unit: "s", but this has none`, "columns.cpu: either column or value is needed",
		`origin: "last" is not one of first, none`, `zero_requests: "repair" is not one of drop, keep`, `csv.delimiter: ";;" is not one character`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q:\n%v", want, err)
		}
	}
	if _, err := ReadMapping(inDir(t, "map.yaml", "colums: {}\n")); err == nil || !strings.Contains(err.Error(), "colums") {
		t.Errorf("unknown key: %v", err)
	}
	if _, err := ReadMapping(inDir(t, "map.yaml", "columns: {}\n")); err == nil || !strings.Contains(err.Error(), "at least one of cpu, mem, gpu") {
		t.Errorf("no columns: %v", err)
	}
}

// TestForeignParquetByMapping imports files that other programs wrote: a row group
// in BYTE_STREAM_SPLIT and data pages of version 2, numbers that are all doubles.
func TestForeignParquetByMapping(t *testing.T) {
	const folder = "../parquet/testdata/foreign/"
	m := mapping(t, `
columns:
  submit:   {column: submitted, unit: s}
  duration: {column: secs, unit: s}
  cpu:      {column: cores, unit: cores}
`)
	res, err := Import(folder+"case-mixed.parquet", m)
	if err != nil || len(res.Jobs) != 8192 {
		t.Fatalf("%v; the footer says 8192 rows", err)
	}
	m = mapping(t, `
columns:
  id:       {column: job}
  submit:   {column: submitted, unit: s}
  end:      {column: finished, unit: s}
  tasks:    {column: replicas}
  cpu:      {column: mcpu, unit: millicores}
  mem:      {column: mem_bytes, unit: B}
`)
	for file, want := range map[string]traces.Job{
		"case-alldouble.parquet": {ID: "1", Tasks: 2, DurationUS: 101e6, CPU: 100.5 * 1e-3, Mem: 1000000.25 * 1e-9},
		"case-verV2.parquet":     {ID: "job1", Tasks: 2, DurationUS: 101e6, CPU: 100 * 1e-3, Mem: 1000000 * 1e-9},
	} {
		res, err := Import(folder+file, m)
		if err != nil || len(res.Jobs) != 40 {
			t.Fatalf("%s: %v", file, err)
		}
		if d := cmp.Diff(want, res.Jobs[0]); d != "" {
			t.Errorf("%s: first job (-want +got):\n%s", file, d)
		}
	}
}

func TestNestedColumnsAreRefusedByName(t *testing.T) {
	m := mapping(t, "columns:\n  submit: {column: x, unit: s}\n  duration: {value: \"1\", unit: s}\n  cpu: {value: \"1\", unit: cores}\n")
	_, err := Import("../parquet/testdata/foreign/duck-24-refused-nested.parquet", m)
	if err == nil || !strings.Contains(err.Error(), `column "x": nested or repeated`) {
		t.Errorf("error %v", err)
	}
}

// TestTextsOfOtherPrograms: a byte order mark is no part of the first name, UTF-16
// is named, and so is what is not UTF-8 where it matters.
func TestTextsOfOtherPrograms(t *testing.T) {
	const row = "a,10,1,1,1024,500\n"
	m := mapping(t, "\ufeff"+seconds)
	for name, head := range map[string]string{"mark": "\ufeff", "quoted": "\ufeff\"job\",at,runtime,n,bytes,mcpu\n", "plain": ""} {
		if !strings.Contains(head, "at") {
			head += "job,at,runtime,n,bytes,mcpu\n"
		}
		res, err := Import(inDir(t, "jobs.csv", head+row), m)
		if err != nil || len(res.Jobs) != 1 || res.Jobs[0].ID != "a" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, text := range map[string]string{
		"UTF-16":                                 "\xff\xfej\x00o\x00b\x00",
		`row 2: column "job": "\xff": not UTF-8`: "job,at,runtime,n,bytes,mcpu\n\xff,10,1,1,1024,500\n",
		`no column "job" (columns: "\x1b[2J")`:   "\x1b[2J\n1\n",
		"row 3: longer than 1 MiB":               "job,at,runtime,n,bytes,mcpu\n" + row + "\"" + strings.Repeat("x\n", 1<<20),
		`column "mcpu": "1e-149": in cores it must be 0 or from 1e-150`: "job,at,runtime,n,bytes,mcpu\na,10,1,1,1024,1e-149\n",
	} {
		_, err := Import(inDir(t, "jobs.csv", text), m)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestMappingsAreTexts: a byte order mark is passed over, UTF-16 is named, and
// nothing in a message acts on a terminal.
func TestMappingsAreTexts(t *testing.T) {
	for want, text := range map[string]string{
		"a second document":   seconds + "---\n" + seconds,
		"is not one of first": strings.Replace(seconds, "columns:", "origin: \"\\e[2J\"\ncolumns:", 1),
		"UTF-16":              "\xff\xfec\x00",
	} {
		_, err := ReadMapping(inDir(t, "map.yaml", text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// A file without a line of names, an id of two columns, texts for missing values, rows
// that count.
func TestTablesWithoutNames(t *testing.T) {
	const mapping = `label: real
columns:
  id: {columns: [job, task]}
  user: {column: job}
  submit: {column: at, unit: s, missing: ["0", "-1"]}
  duration: {column: t, unit: s}
  cpu: {column: c, unit: cores}
  mem: {column: m, unit: percent}
only: {column: state, is: [done]}
csv: {names: [job, task, state, at, t, c, m]}
`
	m, err := parseMapping("map.yaml", []byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "jobs.csv")
	text := "a,1,done,10,5,1,50\na,2,done,12,5,1,100\na,3,open,12,5,1,100\nb,1,done,0,5,1,1\nb,2,done,-1,5,1,1\n,2,done,1,5,1,1\na,1,done,11,5,1,50\n"
	for _, head := range []string{"", "job,task,state,at,t,c,m\n"} {
		if err := os.WriteFile(path, []byte(head+text), 0o600); err != nil {
			t.Fatal(err)
		}
		res, err := Import(path, m)
		check(t, res, err)
		if err != nil || len(res.Jobs) != 2 || res.Jobs[1] != (traces.Job{ID: "a/2", User: "a", SubmitUS: 2e6, Tasks: 1, DurationUS: 5e6, CPU: 1, Mem: 1}) {
			t.Errorf("%v: %+v", err, res)
			continue
		}
		for reason, n := range map[string]int64{"no submission time": 2, "no id": 1, "the state is not one that counts": 1, "an id a second time: the first row counts": 1} {
			if got := res.Report.LeftOutFor("rows", reason); got != n {
				t.Errorf("%q: %d times\n%s", reason, got, res.Report)
			}
		}
	}
	total := "columns:\n  submit: {column: at, unit: datetime}\n  end: {column: end, unit: datetime}\n  tasks: {column: n}\n  cpu: {column: c, unit: cores, total: true}\n"
	if m, err = parseMapping("map.yaml", []byte(total)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("at,end,n,c\n2020-06-09 18:41:01,2020-06-10T04:55:09,4,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res, err := Import(path, m); err != nil || res.Jobs[0] != (traces.Job{ID: "row-2", Tasks: 4, DurationUS: 36848e6, CPU: 0.5}) {
		t.Errorf("%v: %+v", err, res)
	}
	if err := os.WriteFile(path, []byte("at,end,n,c\n2020-06-09,2020-06-10T04:55:09,4,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(path, m); err == nil || !strings.Contains(err.Error(), `"2020-06-09": not a time of the form`) {
		t.Errorf("%v", err)
	}
	for wrong, want := range map[string]string{
		"columns: {tasks: {column: a, total: true}}": "columns.tasks: total: of cpu, mem and gpu only",
		"only: {column: state}":                      "only: a column and the texts",
		"csv: {names: [a, a]}":                       "csv.names[1]: empty, or a second time",
		"columns: {cpu: {columns: [a, b]}}":          "columns.cpu: columns: only id, user, constraints",
		"columns: {id: {columns: [a, \"\"]}}":        "columns.id: columns: one without a name",
		"columns: {id: {column: a, columns: []}}":    "",
		"columns: {id: {columns: []}}":               "columns.id: either column or value",
	} {
		if _, err := parseMapping("map.yaml", []byte(wrong)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", wrong, err, want)
		}
	}
}
