package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// MetricLoad is how much of a lane of servers is in use over time, in the rows of
// [PlacementRows].
const MetricLoad = "server_load"

// How much of a table of placements a figure shows.
const (
	mostLanes    = 100 // servers; of more than that some share a lane
	mostNamed    = 8   // users who have a colour each
	leastPeriods = 240
	mostPeriods  = 960
	lanePeriods  = 24_000 // lanes times periods, between those two
)

func init() {
	results.RegisterMetrics(results.Metric{Name: MetricLoad, Unit: results.UnitRatio, High: 1,
		Definition: "Part of a server that is in use: of the resource of which most is. Mean over a period, and over the servers that share a lane of a figure; in the rows of one user its part of that, in proportion to what it holds of its largest resource there.",
		Formula:    "max over r of Σ_j x[j,s]·d[j,r] / c[s,r]"})
	results.RegisterColumns(results.Column{Name: "server", Label: "Servers"})
}

// PlacementView says which placements [PlacementRows] reads, and what a row is of.
type PlacementView struct {
	// Where are columns of the table with the values, lists or ranges wanted of them, see
	// [results.Wanted]; time_s is a range of times in s.
	Where map[string]string
	// Who is the column that tells users apart, user, job_id or tenant; "" for none, which is
	// also the case where it has too many values.
	Who string
}

// PlacementRows returns the table of [WritePlacements] in path as rows of the metric
// server_load: of each rule, each server and each of a few users how much of the server it
// holds, a row a stretch of time with the same value, and one of 0 for a server that is
// never in use. The column server is the lane: a
// server or, of more than a hundred, so many of one class that follow each other;
// servers counts them, class names theirs, and lane is the lane's number from 0. A row
// is from time_s to until_s and stands on what others hold, from base up. The column
// users counts those who run anywhere, where they are too many to tell apart. Times are
// those of periods, of period_s, over which values are means.
func PlacementRows(path string, v PlacementView) ([]results.Row, error) {
	where := maps.Clone(v.Where)
	r := &placementReader{view: v, path: path, from: math.MinInt64, to: math.MaxInt64}
	if span, given := where[timeColumn]; given {
		low, high, ok := results.Interval(span)
		if !ok {
			return nil, fmt.Errorf("%s=%s: a range of times is needed, as 100..200", timeColumn, span)
		}
		r.from, r.to = microseconds(low), microseconds(high)
		delete(where, timeColumn)
	}
	known := names(PlacementColumns())
	for column := range where {
		if err := spelling.Check("column", column, append(known, timeColumn)); err != nil {
			return nil, err
		}
	}
	r.where = where
	if err := r.survey(); err != nil {
		return nil, err
	}
	return r.rows()
}

const timeColumn = "time_s"

// microseconds is a time in µs, as near as there is one.
func microseconds(s float64) int64 {
	return int64(max(-1e18, min(1e18, math.Round(s*1e6))))
}

// placementReader makes rows of a table of placements in two passes over it.
type placementReader struct {
	view  PlacementView
	where map[string]string
	path  string

	from, to int64 // that is drawn, in µs
	policies []string
	who      map[string]int // number of the user; nil where they are too many
	users    int
	lanes    []lane
	at       map[unit]int // lane of a server, or of a class of fluid tasks
	workload string
}

// unit is what has a lane: a server or, with number −1, a class.
type unit struct {
	class  string
	number int64
}

// lane is one or more units that follow each other.
type lane struct {
	name, class string
	units       int
	servers     int
}

// each calls f with the placements that are wanted, cut to the time that is.
func (r *placementReader) each(table *parquet.Reader, f func(*Placement) error) error {
	for p, err := range parquet.RowsOf[Placement](table) {
		if err != nil {
			return err
		}
		p.StartUS, p.EndUS = max(p.StartUS, r.from), min(p.EndUS, r.to)
		if p.StartUS >= p.EndUS || !r.wanted(&p) {
			continue
		}
		if err := f(&p); err != nil {
			return err
		}
	}
	return nil
}

// wanted reports whether a placement has the values that are wanted.
func (r *placementReader) wanted(p *Placement) bool {
	for column, value := range r.where {
		if !results.Wanted(value, p.text(column)) {
			return false
		}
	}
	return true
}

// text is what a placement says in a column.
func (p *Placement) text(column string) string {
	whole := func(v *int64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatInt(*v, 10)
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch column {
	case "policy":
		return p.Policy
	case "job_id":
		return p.JobID
	case "user":
		return p.User
	case "tenant":
		return p.Tenant
	case "task":
		return whole(p.Task)
	case "tasks":
		return number(p.Tasks)
	case "class":
		return p.Class
	case "server":
		return whole(p.Server)
	case "start_us":
		return whole(&p.StartUS)
	case "end_us":
		return whole(&p.EndUS)
	case "ended":
		return p.Ended
	case "workload":
		return p.Workload
	}
	if v := *p.fraction(column[:len("cpu")]); v != nil {
		return number(*v)
	}
	return ""
}

// name is the user that a row is of.
func (r *placementReader) name(p *Placement) string {
	switch r.view.Who {
	case "":
		return ""
	case "job_id":
		return p.JobID
	case "tenant":
		return p.Tenant
	}
	return p.User
}

// survey is the first pass: who and what there is, and from when to when.
func (r *placementReader) survey() error {
	table, err := parquet.Open(r.path, PlacementColumns())
	if err != nil {
		return err
	}
	defer table.Close()
	classes, err := serversIn(table.Meta())
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	r.who = map[string]int{}
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	together := map[string]bool{} // classes of fluid tasks
	err = r.each(table, func(p *Placement) error {
		begin, end = min(begin, p.StartUS), max(end, p.EndUS)
		if !slices.Contains(r.policies, p.Policy) {
			r.policies = append(r.policies, p.Policy)
		}
		if _, known := r.who[r.name(p)]; !known {
			r.who[r.name(p)] = len(r.who)
		}
		if !slices.ContainsFunc(classes, func(c serverClass) bool { return c.Name == p.Class }) {
			classes = append(classes, serverClass{p.Class, 1})
		}
		together[p.Class] = together[p.Class] || p.Server == nil
		r.workload = p.Workload
		return nil
	})
	if err != nil {
		return err
	}
	if begin > end {
		return fmt.Errorf("%s: no placement has all of the values asked for", r.path)
	}
	if wanted, given := r.where["class"]; given {
		classes = slices.DeleteFunc(classes, func(c serverClass) bool { return !results.Wanted(wanted, c.Name) })
	}
	r.from, r.to = begin, end
	if r.users = len(r.who); r.users > mostNamed || r.view.Who == "" {
		r.who = nil
	}
	r.lay(classes, together)
	return nil
}

// serverClass is a class of servers as the table's metadata has it.
type serverClass struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// serversKey is the key of the metadata that lists the servers of the cluster, also
// those on which nothing runs.
const serversKey = "leontief.servers"

func serversIn(meta []parquet.KeyValue) (classes []serverClass, err error) {
	for _, m := range meta {
		if m.Key == serversKey {
			err = json.Unmarshal([]byte(m.Value), &classes)
		}
	}
	for _, c := range classes {
		if c.Count < 1 || c.Count > 1<<24 {
			return nil, errors.New("its servers are not those of a cluster")
		}
	}
	return classes, err
}

// lay gives each server a lane: for itself or, where there are too many, with as few as
// possible of its class. Where there are too many classes, servers of several share one.
func (r *placementReader) lay(classes []serverClass, together map[string]bool) {
	var units []unit
	count := map[string]int{} // units of a class
	servers := map[string]int{}
	for _, c := range classes {
		wanted, chosen := r.where["server"]
		if servers[c.Name] = 1; together[c.Name] {
			units, count[c.Name], servers[c.Name] = append(units, unit{c.Name, -1}), 1, c.Count
			continue
		}
		for k := range c.Count {
			if !chosen || results.Wanted(wanted, strconv.Itoa(k)) {
				units = append(units, unit{c.Name, int64(k)})
				count[c.Name]++
			}
		}
	}
	group, apart := 1, len(count) <= mostLanes
	for lanes := len(units); lanes > mostLanes; {
		if !apart {
			group = (len(units) + mostLanes - 1) / mostLanes
			break
		}
		group++
		lanes = 0
		for _, n := range count {
			lanes += (n + group - 1) / group
		}
	}
	r.at = map[unit]int{}
	for k, u := range units {
		last := len(r.lanes) - 1
		if k == 0 || r.lanes[last].units == group || apart && r.lanes[last].class != u.class {
			r.lanes = append(r.lanes, lane{name: u.name(count[u.class]), class: u.class})
			last++
		}
		r.lanes[last].units++
		r.lanes[last].servers += servers[u.class]
		r.at[u] = last
	}
}

// name is what the lane of a unit is called, of so many of its class.
func (u unit) name(of int) string {
	if u.number < 0 || of == 1 {
		return u.class
	}
	return u.class + "/" + strconv.FormatInt(u.number, 10)
}
