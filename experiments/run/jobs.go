package run

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/traces"
)

// Stream is the jobs of a case that are not held. They are read again from their file for
// each replay and for each table, in order of submission.
type Stream struct {
	Jobs      int // that run
	requested map[string]bool
	all       iter.Seq2[submission, error]
}

// submission is a job of a case, which may be held, with what a task of it demands of the
// links.
type submission struct {
	*traces.Job
	mhz   *float64  // nil: see [Case.LinkDemand], or there is no link
	links []float64 // nil: there is no link
}

// Len returns the number of jobs.
func (c *Case) Len() int {
	if c.Stream != nil {
		return c.Stream.Jobs
	}
	return len(c.Jobs)
}

// submissions iterates over the jobs, by their numbers.
func (c *Case) submissions() iter.Seq2[submission, error] {
	if c.Stream != nil {
		return c.Stream.all
	}
	return func(yield func(submission, error) bool) {
		links := c.linkDemands()
		for i := range c.Jobs {
			if !yield(c.submission(i, links), nil) {
				return
			}
		}
	}
}

// submission is a job that is held.
func (c *Case) submission(i int, links func(job int) []float64) submission {
	s := submission{Job: &c.Jobs[i], links: links(i)}
	if c.Bandwidth != nil {
		s.mhz = &c.Bandwidth[i]
	}
	return s
}

// arrival is a job with its number.
type arrival struct {
	submission
	number int
}

// arrivals iterates over the jobs by time of submission, those of one instant by number.
func (c *Case) arrivals() iter.Seq2[arrival, error] {
	return func(yield func(arrival, error) bool) {
		if c.Stream != nil {
			n := 0
			for s, err := range c.Stream.all {
				if !yield(arrival{s, n}, err) || err != nil {
					return
				}
				n++
			}
			return
		}
		links, order := c.linkDemands(), make([]int32, len(c.Jobs))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.Jobs[a].SubmitUS, c.Jobs[b].SubmitUS) })
		for _, i := range order {
			if !yield(arrival{c.submission(int(i), links), int(i)}, nil) {
				return
			}
		}
	}
}

// userMaker makes users of an environment of the jobs of a case.
type userMaker struct {
	columns []column
	may     *eligibility
}

func (c *Case) userMaker() (*userMaker, error) {
	columns, err := columnsOf(c.Cluster.Resources)
	return &userMaker{columns, newEligibility(c.Cluster)}, err
}

func (m *userMaker) user(s submission) cluster.User {
	demand := make([]float64, len(m.columns))
	for r, of := range m.columns {
		demand[r] = of(s.Job)
	}
	u := cluster.NewUser(s.ID, demand)
	u.LinkDemand, u.Weight, u.Eligible = s.links, s.Weighs(), m.may.of(s.Job)
	return u
}

// simJob is a job as both task models take it.
func (c *Case) simJob(s submission, u cluster.User) sim.Job {
	j := sim.Job{User: u, Arrival: event.Time(s.SubmitUS), Tasks: s.Tasks, Duration: event.Time(s.DurationUS), Priority: s.Priority}
	if c.Tenants {
		j.Tenant = s.User
	}
	return j
}

// feed returns the jobs for a replay, and what ends reading them.
func (c *Case) feed() (feed *sim.Feed, end func(), err error) {
	users, err := c.userMaker()
	if err != nil {
		return nil, nil, err
	}
	feed = &sim.Feed{}
	if feed.Shared, err = c.shared(); err != nil {
		return nil, nil, err
	}
	if canonical, _, _ := IsFIFO(c.Policy); canonical == FIFOByPriority {
		feed.Priorities = map[int64]int{}
		for s, err := range c.submissions() {
			if err != nil {
				return nil, nil, err
			}
			feed.Priorities[s.Priority]++
		}
	}
	next, end := iter.Pull2(c.arrivals())
	feed.Next = func() (*sim.Job, int, error) {
		a, err, ok := next()
		if !ok || err != nil {
			return nil, 0, err
		}
		if err := c.checkRequest(a.Job); err != nil {
			return nil, 0, err
		}
		j := c.simJob(a.submission, users.user(a.submission))
		return &j, a.number, nil
	}
	return feed, end, nil
}

// shared reports whether tenants share, two of whose jobs state the same user. It is an
// error if they state different weights.
func (c *Case) shared() (shared bool, err error) {
	if !c.Tenants {
		return false, nil
	}
	var tenants sim.Tenants
	for s, err := range c.submissions() {
		if err != nil {
			return false, err
		}
		if s.User == "" {
			continue
		}
		n := len(tenants.Names)
		tenant, err := tenants.Tenant(&sim.Job{Tenant: s.User, User: cluster.User{Name: s.ID, Weight: s.Weighs()}})
		if err != nil {
			return false, spec.OfInput(err)
		}
		shared = shared || tenant < n
	}
	return shared, nil
}

// follower hands an observer of a replay the jobs as they are submitted, and holds what it
// notes of those that are in the system.
type follower[S any] struct {
	next func() (arrival, error, bool)
	head arrival
	more bool
	err  error
	here map[int]*S // by number
}

// follow begins to follow; end ends it, and returns what was wrong with the jobs.
func follow[S any](c *Case) (f *follower[S], end func() error) {
	f = &follower[S]{here: map[int]*S{}}
	next, stop := iter.Pull2(c.arrivals())
	f.next = next
	f.advance()
	return f, func() error {
		stop()
		return f.err
	}
}

func (f *follower[S]) advance() {
	f.head, f.err, f.more = f.next()
	f.more = f.more && f.err == nil
}

// until returns the next job that was submitted by a time.
func (f *follower[S]) until(at event.Time) (arrival, bool) {
	if !f.more || event.Time(f.head.SubmitUS) > at {
		return arrival{}, false
	}
	a := f.head
	f.advance()
	return a, true
}

// checkRequest reports a job that requests what the cluster has not.
// [Population.On] counts them; here none can come through uncounted.
func (c *Case) checkRequest(j *traces.Job) error {
	for _, name := range Requests {
		if requests[name](j) > 0 && !slices.Contains(c.Cluster.Resources, name) && !slices.Contains(c.Ignore, name) {
			return spec.OfInput(fmt.Errorf("job %q requests %s, which the cluster has not", j.ID, name))
		}
	}
	return nil
}
