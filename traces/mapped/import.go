package mapped

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

// maxPriority bounds priorities: whole numbers that doubles, as which tables have
// them, tell apart.
const maxPriority = 1 << 53

// longestUS bounds times, in µs, so that sums stay inside 64 bits.
const longestUS = 1e17

// Import reads a table by a mapping, which [ReadMapping] has checked. With all
// rows left out the error wraps [traces.ErrEmpty], and the result's report says
// why.
func Import(path string, m *Mapping) (*traces.Imported, error) { return ImportBeside(path, m, nil) }

// Beside reads the machines from a table that stands beside the jobs', adds its bytes to
// the sum, and what it reads and leaves out to the report; none where there is no such table.
type Beside func(sum *traces.SourceSum, report *traces.Report) ([]traces.Machine, error)

// ImportBeside is Import with machines.
func ImportBeside(path string, m *Mapping, beside Beside) (*traces.Imported, error) {
	im := &importing{m: m, seen: map[string]bool{}, place: map[string][]int{}}
	var columns []string
	place := func(quantity string, names []string) {
		for _, name := range names {
			k := slices.Index(columns, name)
			if k < 0 {
				k = len(columns)
				columns = append(columns, name)
			}
			im.place[quantity] = append(im.place[quantity], k)
		}
	}
	for _, name := range quantities {
		place(name, m.Columns[name].names())
	}
	if m.Only != nil {
		place(only, []string{m.Only.Column})
	}
	var sum traces.SourceSum
	if err := read(path, columns, m.CSV, &sum, im.row); err != nil {
		return nil, err
	}
	im.finish()
	im.report.AddRead(filepath.Base(path), im.rows)
	im.report.AddKept("jobs", "jobs", int64(len(im.jobs)))
	var list []traces.Machine
	if beside != nil {
		var err error
		if list, err = beside(&sum, &im.report); err != nil {
			return nil, err
		}
	}
	res := &traces.Imported{Jobs: im.jobs, Machines: list, Report: &im.report, Meta: traces.Meta{
		Source: cmp.Or(m.Source, filepath.Base(path)), Checksum: sum.Sum(), Options: traces.OptionsText(m), Label: m.Label, Units: m.unitsText()}}
	return res.Of(path)
}

// importing is an import under way.
type importing struct {
	m      *Mapping
	place  map[string][]int // where the values of a quantity stand in a row
	rows   int64
	seen   map[string]bool
	jobs   []traces.Job
	report traces.Report

	zoned, unzoned int64 // times of the unit datetime

	values map[string]string // of the row
	err    error             // its first
}

// row takes in a row.
func (im *importing) row(number int64, values []string) error {
	im.rows++
	im.err, im.values = nil, map[string]string{}
	for name, c := range im.m.Columns {
		im.values[name] = c.Value
	}
	for name, at := range im.place {
		im.values[name] = im.m.Columns[name].value(values, at)
	}
	for name, value := range im.values {
		if !utf8.ValidString(value) {
			im.fail(name, errors.New("not UTF-8"))
			return im.err
		}
	}
	job, reason := traces.Job{}, ""
	if o := im.m.Only; o != nil && !slices.Contains(o.Is, im.values[only]) {
		reason = "the " + input.Line(o.Column) + " is not one that counts"
	} else {
		job, reason = im.job(number)
	}
	if im.err != nil {
		return im.err
	}
	if reason == "" && im.seen[job.ID] {
		reason = "an id a second time: the first row counts"
	}
	if reason != "" {
		im.report.LeaveOut("rows", reason, 1)
		return nil
	}
	im.seen[job.ID] = true
	im.jobs = append(im.jobs, job)
	return nil
}

// only is the place of the column that says whether a row counts.
const only = "only"

// value returns the value of a quantity in a row, "" where it is missing.
func (c Column) value(row []string, at []int) string {
	if len(at) == 1 {
		if slices.Contains(c.Missing, row[at[0]]) {
			return ""
		}
		return row[at[0]]
	}
	parts := make([]string, len(at))
	for i, k := range at {
		if parts[i] = row[k]; parts[i] == "" || slices.Contains(c.Missing, parts[i]) {
			return ""
		}
	}
	return strings.Join(parts, "/")
}

// job reads a row. The reason for which it is left out is "" if it is not.
func (im *importing) job(number int64) (traces.Job, string) {
	job := traces.Job{ID: im.values["id"], Tasks: 1, Constraints: im.values["constraints"], User: im.values["user"]}
	if !im.m.has("id") {
		job.ID = "row-" + strconv.FormatInt(number, 10)
	} else if job.ID == "" {
		return job, "no id"
	}
	var ok bool
	if job.SubmitUS, ok = im.time("submit"); !ok {
		return job, "no submission time"
	}
	duration, reason := im.duration(job.SubmitUS)
	if reason != "" {
		return job, reason
	}
	job.DurationUS = duration
	if im.m.has("tasks") {
		tasks, ok := im.number("tasks")
		if tasks != math.Trunc(tasks) || tasks > math.MaxInt32 {
			im.fail("tasks", errors.New("not a whole number in range"))
		}
		if job.Tasks = int64(tasks); !ok {
			return job, "no number of tasks"
		}
		if job.Tasks == 0 {
			return job, "no tasks"
		}
	}
	if reason := im.requests(&job); reason != "" {
		return job, reason
	}
	return job, im.standing(&job)
}

// standing reads the weight and the priority of a job, and notes what is not stated.
func (im *importing) standing(job *traces.Job) string {
	if im.m.has("weight") {
		weight, stated := im.number("weight")
		if stated && weight == 0 {
			return "zero weight"
		}
		if job.Weight = weight; stated && !cluster.InRange(weight) {
			im.fail("weight", fmt.Errorf("must be from %g to %g", cluster.LeastNumber, cluster.MostNumber))
		}
	}
	if text := im.values["priority"]; text != "" {
		priority, err := strconv.ParseFloat(text, 64)
		if err != nil || priority != math.Trunc(priority) || math.Abs(priority) > maxPriority {
			im.fail("priority", fmt.Errorf("not a whole number from %d to %d", -maxPriority, maxPriority))
		}
		job.Priority = int64(priority)
	}
	for _, name := range []string{"user", "weight", "priority"} {
		if im.err == nil && im.m.has(name) && im.values[name] == "" {
			im.report.Note("rows", "no "+name+" stated", 1)
		}
	}
	return ""
}

// duration returns how long a task runs, in µs.
func (im *importing) duration(submitUS int64) (int64, string) {
	if im.m.has("duration") {
		us, ok := im.time("duration")
		switch {
		case !ok:
			return 0, "no duration"
		case us == 0:
			return 0, "a duration of less than 1 µs"
		case us < 0:
			im.fail("duration", errors.New("negative"))
		}
		return us, ""
	}
	start := submitUS
	if im.m.has("start") {
		us, ok := im.time("start")
		if !ok {
			return 0, "never started"
		}
		if us < submitUS {
			return 0, "start before submission"
		}
		start = us
	}
	end, ok := im.time("end")
	switch {
	case !ok:
		return 0, "no end"
	case end < start:
		return 0, "end before start"
	case end == start:
		return 0, "a duration of less than 1 µs"
	}
	return end - start, ""
}

// requests reads what a task requests.
func (im *importing) requests(job *traces.Job) string {
	for _, q := range []struct {
		name string
		to   *float64
	}{{"cpu", &job.CPU}, {"mem", &job.Mem}, {"gpu", &job.GPU}} {
		c, mapped := im.m.Columns[q.name]
		if !mapped {
			continue
		}
		v, ok := im.number(q.name)
		if !ok {
			return "no " + q.name + " request"
		}
		*q.to = v * amounts[q.name][c.Unit].factor
		if c.Total {
			*q.to /= float64(job.Tasks)
		}
		if !cluster.InRange(*q.to) {
			im.fail(q.name, fmt.Errorf("in %s it must be 0 or from %g to %g", amounts[q.name][c.Unit].name, cluster.LeastNumber, cluster.MostNumber))
		}
		if v == 0 && q.name != "gpu" && im.m.ZeroRequests == "drop" {
			return "zero " + q.name + " request"
		}
	}
	if job.CPU == 0 && job.Mem == 0 && job.GPU == 0 {
		return "requests nothing"
	}
	return ""
}

// number reads a number, which must be finite and not negative, and whether it
// is there.
func (im *importing) number(name string) (float64, bool) {
	text := im.values[name]
	if text == "" {
		return 0, false
	}
	v, err := rows.Number(text)
	var syntax *strconv.NumError
	if errors.As(err, &syntax) {
		err = errors.New("not a number")
	}
	im.fail(name, err)
	return v, true
}

// time reads a time or a duration, in µs, and whether it is there.
func (im *importing) time(name string) (int64, bool) {
	text := im.values[name]
	if text == "" {
		return 0, false
	}
	if im.m.Columns[name].Unit == rfc3339 {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			im.fail(name, errors.New("not a time of the form 2006-01-02T15:04:05Z"))
		}
		return at.UnixMicro(), true
	}
	if im.m.Columns[name].Unit == datetime {
		return im.date(name, text), true
	}
	v, err := strconv.ParseFloat(text, 64)
	us := v * times[im.m.Columns[name].Unit]
	switch {
	case err != nil:
		err = errors.New("not a number")
	case !(math.Abs(us) <= longestUS):
		err = errors.New("beyond the clock")
	}
	im.fail(name, err)
	if err != nil {
		return 0, true
	}
	return int64(math.Round(us)), true
}

// date reads a time in UTC, or in the zone that stands behind it.
func (im *importing) date(name, text string) int64 {
	text = strings.Replace(text, "T", " ", 1)
	at, err := time.Parse(time.DateTime, text)
	if err == nil {
		im.unzoned++
		return at.UnixMicro()
	}
	at, err = time.Parse(time.DateTime+"Z07:00", text)
	if err != nil {
		im.fail(name, errors.New("not a time of the form 2006-01-02 15:04:05, or with a zone as +02:00 or Z behind it"))
	}
	im.zoned++
	return at.UnixMicro()
}

// fail records the row's first error.
func (im *importing) fail(name string, err error) {
	if err == nil || im.err != nil {
		return
	}
	where := "columns." + name
	if c := im.m.Columns[name].Column; c != "" {
		where = "column " + input.Quote(c)
	}
	im.err = fmt.Errorf("%s: %s: %w", where, input.Quote(im.values[name]), err)
}

// finish orders the jobs and sets the clock's zero.
func (im *importing) finish() {
	if im.zoned > 0 && im.unzoned > 0 {
		im.report.Note("times", "without a zone, in UTC, beside times with one", im.unzoned)
	}
	slices.SortStableFunc(im.jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	if len(im.jobs) == 0 {
		return
	}
	if im.m.Origin == "first" {
		zero := im.jobs[0].SubmitUS
		for i := range im.jobs {
			im.jobs[i].SubmitUS -= zero
		}
		return
	}
	early := 0
	for early < len(im.jobs) && im.jobs[early].SubmitUS < 0 {
		early++
	}
	im.report.LeaveOut("rows", "submitted before the clock's zero", int64(early))
	im.jobs = im.jobs[early:]
}
