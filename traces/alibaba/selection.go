package alibaba

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/leontief-sim/leontief/traces"
)

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

// Selection is a part of a workload: a share of the submissions in a window.
type Selection struct {
	Window
	// Fraction is the share of the submissions that are drawn, uniformly and
	// without replacement; in (0, 1]. The TSF-ER paper: 0.04 of two weeks.
	Fraction float64 `json:"fraction"`
}

// Submission returns the submission that a job belongs to: what is before the
// first slash of its id. The task rows of one PAI submission have it in
// common; the id of a job of its own is its submission.
func Submission(jobID string) string {
	name, _, _ := strings.Cut(jobID, "/")
	return name
}

// Draw returns the jobs of the drawn submissions, in the order of jobs, with
// times of submission counted from the start of the window. Of n submissions
// in the window the integer nearest to Fraction·n are drawn, at least one; all
// jobs of a drawn submission are taken. Jobs is not changed. A window without
// jobs is an error that wraps [traces.ErrEmpty].
func (s Selection) Draw(rng *rand.Rand, jobs []traces.Job) ([]traces.Job, error) {
	if err := s.Window.Validate(); err != nil {
		return nil, err
	}
	if !(s.Fraction > 0 && s.Fraction <= 1) {
		return nil, fmt.Errorf("a fraction of %v: a number above 0 and up to 1 is needed, such as 0.04", s.Fraction)
	}
	drawn := map[string]bool{}
	var first []traces.Job // of each submission
	for _, j := range jobs {
		name := Submission(j.ID)
		if _, known := drawn[name]; !known && s.Holds(j.SubmitUS) {
			drawn[name] = false
			first = append(first, j)
		}
	}
	n := max(1, int(math.Round(s.Fraction*float64(len(first)))))
	sample, err := traces.Sample(rng, first, n)
	if err != nil {
		return nil, fmt.Errorf("submissions in [%d, %d) µs: %w", s.FromUS, s.ToUS, err)
	}
	for _, j := range sample {
		drawn[Submission(j.ID)] = true
	}
	var out []traces.Job
	for _, j := range jobs {
		if drawn[Submission(j.ID)] && s.Holds(j.SubmitUS) {
			j.SubmitUS -= s.FromUS
			out = append(out, j)
		}
	}
	return out, nil
}

// Note returns the options of a workload's metadata, as JSON, with the
// selection and the seed of the draw beside the options of the whole.
func (s Selection) Note(seedNumber int64, options string) string {
	return traces.OptionsText(struct {
		Selection
		Seed int64  `json:"seed"`
		Of   string `json:"of"`
	}{s, seedNumber, options})
}
