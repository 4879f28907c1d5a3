package alibaba

import "fmt"

// Window is a span of submission times, on the clock of the trace.
type Window struct {
	FromUS int64 `json:"from_us"` // first submission time wanted; >= 0
	// ToUS is the first submission time no longer wanted; 0: no limit.
	ToUS int64 `json:"to_us"`
}

// Validate returns what is wrong with the window, or nil.
func (w Window) Validate() error {
	if w.FromUS < 0 || w.ToUS < 0 || w.ToUS != 0 && w.ToUS <= w.FromUS {
		return fmt.Errorf("no submission is in [%d, %d) µs", w.FromUS, w.ToUS)
	}
	return nil
}

// Holds reports whether a submission at time t is in the window.
func (w Window) Holds(t int64) bool { return t >= w.FromUS && (w.ToUS == 0 || t < w.ToUS) }

// outside is the reason for leaving out what the window does not hold.
const outside = "submitted outside the time asked for"
