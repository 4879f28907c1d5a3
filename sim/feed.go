package sim

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/event"
)

// Feed hands out the jobs of a replay one by one, so that no more of them need be held
// than are in the system. It is used up by one replay.
type Feed struct {
	// Next returns the next job, by time of arrival, and its number: from 0 up, each once.
	// A nil job is the end. The job is not changed, and held until it has left.
	Next func() (*Job, int, error)
	// Shared says whether two of the jobs have the same tenant, see [Tenants].
	Shared bool
	// Priorities counts the jobs by [Job.Priority]. Rules by priority need it.
	Priorities map[int64]int
}

// FeedOf returns the feed of jobs that are held, numbered as they are. It checks them all
// first.
func FeedOf(jobs []Job) (*Feed, error) {
	arrivals, err := NewArrivals(jobs)
	if err != nil {
		return nil, err
	}
	tenants, err := NewTenants(jobs)
	if err != nil {
		return nil, err
	}
	f := &Feed{Shared: tenants != nil, Priorities: map[int64]int{}}
	for j := range jobs {
		f.Priorities[jobs[j].Priority]++
	}
	f.Next = func() (*Job, int, error) {
		_, number, ok := arrivals.Next()
		if !ok {
			return nil, 0, nil
		}
		return &jobs[number], int(number), nil
	}
	return f, nil
}

// Coming is the jobs of a feed that are still to arrive. It has read the next one, and while
// an engine hands it out the one after it.
type Coming struct {
	First   event.Time // arrival of the first job; 0 if there are no jobs
	Horizon event.Time // the last instant of the clock

	feed *Feed
	read []numbered
	last event.Time
	err  error
}

type numbered struct {
	job    *Job
	number int
}

// Begin reads the first job of a feed.
func (f *Feed) Begin() (*Coming, error) {
	c := &Coming{feed: f, last: event.Earliest}
	if c.advance() {
		c.First = c.read[0].job.Arrival
	}
	c.Horizon = event.Horizon(c.First)
	return c, c.err
}

// advance reads a job, and reports whether there is one.
func (c *Coming) advance() bool {
	j, number, err := c.feed.Next()
	if err != nil || j == nil {
		c.err = err
		return false
	}
	if c.err = j.check(); c.err != nil {
		return false
	}
	if j.Arrival < c.last {
		c.err = fmt.Errorf("job %s: arrives at %d µs, after a job that arrives at %d µs", j.User.Name, j.Arrival, c.last)
		return false
	}
	c.read, c.last = append(c.read, numbered{j, number}), j.Arrival
	return true
}

// Feed returns what feeds an [event.Engine] with the arrivals, by the numbers of the jobs;
// it is called once. Where it ends, [Coming.Err] says whether these were all.
func (c *Coming) Feed() func() (event.Time, int32, bool) {
	begun := false
	return func() (event.Time, int32, bool) {
		if begun && !c.advance() || len(c.read) == 0 {
			return 0, 0, false
		}
		begun = true
		next := c.read[len(c.read)-1]
		return next.job.Arrival, int32(next.number), true
	}
}

// Take returns the job that has arrived: the first of those that were not taken.
func (c *Coming) Take() (*Job, int) {
	next := c.read[0]
	c.read = c.read[:copy(c.read, c.read[1:])]
	return next.job, next.number
}

// Left reports whether jobs are still to arrive.
func (c *Coming) Left() bool { return len(c.read) > 0 }

// Err is what was wrong with a job that was read.
func (c *Coming) Err() error { return c.err }
