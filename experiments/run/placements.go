package run

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/whole"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// Placement is a row of the table of placements: tasks of a job that ran on a server
// from one time to another. Times are on the clock of the trace.
type Placement struct {
	Policy      string   `parquet:"policy"`       // the rule, in its text form
	JobID       string   `parquet:"job_id"`       // the job's name in the trace
	User        string   `parquet:"user"`         // the user that the rule sees
	Tenant      string   `parquet:"tenant"`       // whose job it is: the user that the trace states; job_id where it states none
	Task        *int64   `parquet:"task"`         // the task's number within its job, from 0; null with fluid tasks
	Tasks       float64  `parquet:"tasks"`        // how many tasks ran: 1, or a part or multiple of it with fluid tasks
	Class       string   `parquet:"class"`        // the servers' name in the cluster; a class of several equal ones has one name
	Server      *int64   `parquet:"server"`       // which server of the class, from 0; null where fluid tasks are spread over a class of several
	StartUS     int64    `parquet:"start_us"`     // when they began to run there
	EndUS       int64    `parquet:"end_us"`       // when that ended; always later
	Ended       string   `parquet:"ended"`        // why: completed (the task; fluid: the job), suspended (whole tasks, at a slot), reallocated (fluid: the job has another number of tasks there from then on) or refused (fluid: the job could not be done on the clock)
	CPUFraction *float64 `parquet:"cpu_fraction"` // the part of the server's capacity that they held, of the whole class's where server is null; null if the cluster has no cpu
	MemFraction *float64 `parquet:"mem_fraction"` // likewise
	GPUFraction *float64 `parquet:"gpu_fraction"` // likewise
	Workload    string   `parquet:"workload"`     // label of the workload, with what of it was ignored; synthetic ones say so
}

// PlacementColumns returns the columns of the table of placements, in their order.
func PlacementColumns() []parquet.Column { return parquet.LayoutOf[Placement]().Columns }

// ended are the reasons for which a placement ends, as the table has them.
var ended = []string{"completed", "suspended", "reallocated", "refused"}

// The numbers of the reasons.
const (
	endCompleted = iota
	endSuspended
	endReallocated
	endRefused
)

// Placements records who runs where in one replay. What has ended is kept in a
// temporary file without a name: memory is bounded by what runs at one time.
type Placements struct {
	env   *cluster.Environment // whose servers are meant
	spill spill

	// Of fluid tasks: what each user present holds of each class, since when, and up to
	// when that was observed.
	present []int
	held    [][]holding // by job; nil for one that is not present
	until   event.Time
}

// holding is the tasks of a user on a class.
type holding struct {
	tasks float64
	since event.Time
}

// open begins a record of a replay on a cluster.
func (p *Placements) open(env *cluster.Environment) { p.env = env }

// event takes an event of whole tasks.
func (p *Placements) event(ev *whole.Event) {
	why := endCompleted
	switch ev.Kind {
	case whole.TaskSuspend:
		why = endSuspended
	case whole.TaskEnd:
	default:
		return
	}
	p.spill.put(spilled{job: ev.Job, task: ev.Task, server: ev.Server, single: true, tasks: 1, start: int64(ev.Since), end: int64(ev.At), why: why})
}

// Observe implements [sim.Observer], with fluid tasks.
func (p *Placements) Observe(iv *sim.Interval) error {
	p.env = iv.Allocation.Region // another one where a rule pools the servers
	if p.held == nil {
		p.held = make([][]holding, len(iv.Here))
	}
	for _, j := range p.present {
		if !iv.Here[j] {
			p.end(j, p.until, endCompleted)
		}
	}
	for _, j := range iv.Present {
		x := iv.Allocation.On(j)
		if p.held[j] == nil {
			p.held[j] = make([]holding, len(x))
		}
		for s, tasks := range x {
			if h := &p.held[j][s]; h.tasks != tasks {
				p.endOn(j, s, iv.From, endReallocated)
				*h = holding{tasks, iv.From}
			}
		}
	}
	p.present = append(p.present[:0], iv.Present...)
	p.until = iv.To
	return p.spill.err
}

// end ends all that a fluid user holds.
func (p *Placements) end(j int, at event.Time, why int) {
	for s := range p.held[j] {
		p.endOn(j, s, at, why)
	}
	p.held[j] = nil
}

func (p *Placements) endOn(j, s int, at event.Time, why int) {
	if h := p.held[j][s]; h.tasks > 0 {
		p.spill.put(spilled{job: j, task: -1, server: s, tasks: h.tasks, start: int64(h.since), end: int64(at), why: why})
	}
}

// close ends a record with the replay, whose result it is. A nil record is none.
func (p *Placements) close(result *sim.Result) error {
	if p == nil {
		return nil
	}
	for _, j := range p.present {
		why := endCompleted
		if result.Jobs[j].Refused {
			why = endRefused
		}
		p.end(j, p.until, why)
	}
	return p.spill.flush()
}

// Discard removes what was recorded. A nil record is none.
func (p *Placements) Discard() {
	if p != nil {
		p.spill.discard()
	}
}

// WritePlacements writes what the cases, whose jobs are of the workload, have recorded:
// case by case, in the order in which the placements ended. outcomes[i] is that of cases[i].
func WritePlacements(path string, workload *Workload, cases []Case, outcomes []*Outcome) error {
	return parquet.WriteRows(path, func(yield func(Placement, error) bool) {
		for i := range cases {
			for row, err := range cases[i].placements(workload.Mark(), outcomes[i]) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}, []parquet.KeyValue{{Key: "leontief.kind", Value: "placements"}, {Key: serversKey, Value: serversText(cases)}})
}

// serversText lists the servers of the cluster that all cases have.
func serversText(cases []Case) string {
	all := []serverClass{}
	if len(cases) > 0 {
		for _, s := range cases[0].Cluster.Servers {
			all = append(all, serverClass{s.Name, s.Count})
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // names and numbers
	}
	return string(text)
}

// placements are the rows of one case.
func (c *Case) placements(workload string, o *Outcome) iter.Seq2[Placement, error] {
	return func(yield func(Placement, error) bool) {
		users, err := c.userMaker()
		if err != nil {
			yield(Placement{}, err)
			return
		}
		jobs := &placedJobs{users: users, here: map[int]*placedJob{}}
		var end func()
		jobs.next, end = iter.Pull2(c.fates(o))
		defer end()
		region := c.Placements.env
		single := singles(region)
		for p, err := range c.Placements.spill.all() {
			var job *placedJob
			if err == nil {
				job, err = jobs.of(&p)
			}
			if err != nil {
				yield(Placement{}, err)
				return
			}
			tenant, _ := job.Tenant()
			row := Placement{Policy: c.Policy, JobID: job.ID, User: job.user.Name, Tenant: tenant, Tasks: p.tasks,
				StartUS: p.start, EndUS: p.end, Ended: ended[p.why], Workload: workload}
			class, number := p.server, int64(0)
			if p.single {
				class, number = single[p.server].class, single[p.server].number
				row.Task = &p.task
			}
			servers := &region.Servers[class]
			parts := p.tasks
			if row.Class = servers.Name; p.single || servers.Count == 1 {
				row.Server = &number
			} else {
				parts /= float64(servers.Count)
			}
			for r, demand := range job.user.Demand {
				part := 0.0
				if demand > 0 {
					part = parts * demand / servers.Capacity[r]
				}
				*row.fraction(region.Resources[r]) = &part
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// placedJobs finds the jobs of placements, which come in the order in which they end. Held
// are those that were submitted and have tasks, of whole ones, that have not ended.
type placedJobs struct {
	users *userMaker
	next  func() (fate, error, bool)
	read  int // jobs
	here  map[int]*placedJob
}

type placedJob struct {
	fate
	user cluster.User
	left int64
}

// of returns the job of a placement, the next one.
func (w *placedJobs) of(p *spilled) (*placedJob, error) {
	for ; w.read <= p.job; w.read++ {
		f, err, ok := w.next()
		if err == nil && !ok {
			err = fmt.Errorf("a placement of job %d, of %d", p.job, w.read)
		}
		if err != nil {
			return nil, err
		}
		if !f.Refused || f.BeyondClock { // some of its tasks may have run
			w.here[w.read] = &placedJob{f, w.users.user(f.submission), f.Tasks}
		}
	}
	j := w.here[p.job]
	if p.single && p.why == endCompleted {
		if j.left--; j.left == 0 {
			delete(w.here, p.job)
		}
	}
	return j, nil
}

// fraction is the column of a resource.
func (p *Placement) fraction(resource string) **float64 {
	switch resource {
	case "cpu":
		return &p.CPUFraction
	case "mem":
		return &p.MemFraction
	}
	return &p.GPUFraction
}

// serverOf is a single server: its class, and its number within it.
type serverOf struct {
	class  int
	number int64
}

// singles lists the single servers of a cluster, in the order of [cluster.Ledger].
func singles(env *cluster.Environment) []serverOf {
	var all []serverOf
	for class := range env.Servers {
		for number := range env.Servers[class].Count {
			all = append(all, serverOf{class, int64(number)})
		}
	}
	return slices.Clip(all)
}
