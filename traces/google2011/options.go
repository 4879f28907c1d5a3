package google2011

import (
	"encoding/json"
	"fmt"
)

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
		return fmt.Errorf("google 2011: the first %d submissions", o.First)
	case o.MachinesAtUS < 0:
		return fmt.Errorf("google 2011: machines at %d µs: negative", o.MachinesAtUS)
	}
	return nil
}

// wants reports whether a submission at time t is in the window.
func (o Options) wants(t int64) bool { return t >= o.FromUS && (o.ToUS == 0 || t < o.ToUS) }

// String returns the options as JSON, as the metadata of the files has them.
func (o Options) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // integers always marshal
	}
	return string(text)
}
