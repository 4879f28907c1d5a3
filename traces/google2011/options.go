package google2011

import "fmt"

// The trace's clock, in µs.
const (
	TraceStartUS = 600_000_000       // the first event that is not a snapshot
	TraceEndUS   = 2_506_200_000_000 // jobs that run on are cut here
)

// Options choose the jobs by their submission, and the instant of the
// machines.
type Options struct {
	FromUS int64 `json:"from_us"` // first submission time wanted
	// ToUS is the first submission time no longer wanted; 0: no limit.
	ToUS int64 `json:"to_us"`
	// First limits the import to that many submissions, in order of time, ties
	// in order of the file; 0: no limit. Submissions whose jobs are left out
	// later count: they are among the first ones all the same.
	First int `json:"first"`
	// MachinesAtUS is the time at which a machine must be present.
	MachinesAtUS int64 `json:"machines_at_us"`
	// ZeroRequests says what becomes of tasks that request no cpu or no memory.
	ZeroRequests ZeroRequests `json:"zero_requests"`
}

// ZeroRequests says what becomes of the SUBMIT rows of tasks whose cpu or
// memory request is zero. Rows in which both are zero are always left out. The
// model allows a zero demand, which never constrains; the trace does not say
// whether such a task needs nothing of the resource or whether its request is
// unknown. So they are left out unless asked for.
type ZeroRequests bool

// The two choices.
const (
	DropZero ZeroRequests = false // left out and counted
	KeepZero ZeroRequests = true  // kept as they are, and noted
)

// MarshalText implements [encoding.TextMarshaler]: "drop" or "keep".
func (z ZeroRequests) MarshalText() ([]byte, error) {
	if z {
		return []byte("keep"), nil
	}
	return []byte("drop"), nil
}

// DefaultOptions takes all submissions from the trace's start on, without
// those of time 0, which happened at an unknown time before it, and the
// machines of time 0.
func DefaultOptions() Options { return Options{FromUS: TraceStartUS} }

// Validate returns what is wrong with the options, or nil.
func (o Options) Validate() error {
	switch {
	case o.FromUS < 0:
		return fmt.Errorf("google 2011: submissions from %d µs: negative", o.FromUS)
	case o.ToUS < 0 || o.ToUS != 0 && o.ToUS <= o.FromUS:
		return fmt.Errorf("google 2011: no submission is in [%d, %d) µs", o.FromUS, o.ToUS)
	case o.First < 0:
		return fmt.Errorf("google 2011: the first %d submissions: a number of 0 (all of them) or more is needed", o.First)
	case o.MachinesAtUS < 0:
		return fmt.Errorf("google 2011: machines at %d µs: negative", o.MachinesAtUS)
	}
	return nil
}

// wants reports whether a submission at time t is in the window.
func (o Options) wants(t int64) bool { return t >= o.FromUS && (o.ToUS == 0 || t < o.ToUS) }
