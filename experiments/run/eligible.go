package run

import (
	"fmt"
	"maps"
	"slices"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/constraints"
)

// eligibility finds the servers that may run a job: those that satisfy its placement
// constraints and whose taints it tolerates. Constraints are applied where some server
// states attributes; taints always. A text that can not be read asks for nothing and
// tolerates nothing. What is not applied [Population.On] says.
type eligibility struct {
	matcher *constraints.Matcher   // nil: every server may run every job
	stated  bool                   // the servers' attributes
	known   map[string]cluster.Set // by the text of constraints
}

func newEligibility(c *cluster.Environment) *eligibility {
	stated := slices.ContainsFunc(c.Servers, func(s cluster.Server) bool { return s.Attributes != nil })
	if !stated && !slices.ContainsFunc(c.Servers, func(s cluster.Server) bool { return len(s.Taints) > 0 }) {
		return &eligibility{}
	}
	return &eligibility{constraints.NewServerMatcher(c.Servers), stated, map[string]cluster.Set{}}
}

// of returns the servers that may run a job; nil for all. The set is shared and must not
// be changed.
func (e *eligibility) of(j *traces.Job) cluster.Set {
	if e.matcher == nil {
		return nil
	}
	if set, known := e.known[j.Constraints]; known {
		return set
	}
	text := j.Constraints
	list, tolerations, err := constraints.Parse(text)
	switch {
	case err != nil:
		text = ""
	case list != nil && !e.stated:
		text = constraints.Format(nil, tolerations...)
	}
	set, err := e.matcher.Eligible(text)
	if err != nil {
		panic(err) // it was parsed
	}
	e.known[j.Constraints] = set
	return set
}

// placement notes what constraints and taints do to the jobs, and what of them is not
// applied.
func (m *meeting) placement() (notes []string) {
	if len(m.cluster.Servers) == 0 {
		return nil // who asks has the servers, and places the jobs
	}
	jobs := m.population.look().constraints
	unread, example, asking := 0, "", 0
	asked, tolerations := map[string]int{}, []constraints.Toleration{}
	for text, n := range jobs {
		list, tolerated, err := constraints.Parse(text)
		if err != nil {
			unread += n
			if example == "" || text < example {
				example = text
			}
			continue
		}
		tolerations = append(tolerations, tolerated...)
		if list != nil {
			asking += n
		}
		names := map[string]bool{}
		for _, c := range list {
			names[c.Attribute] = true
		}
		for name := range names {
			asked[name] += n
		}
	}
	if unread > 0 {
		notes = append(notes, fmt.Sprintf("placement constraints of %d of %d jobs are not applied: they are in the trace's own words, as %q (docs/clusters.md says how they are written)", unread, m.population.Len(), example))
	}
	if e := newEligibility(m.cluster); asking > 0 && !e.stated {
		notes = append(notes, fmt.Sprintf("placement constraints of %d of %d jobs are not applied: the cluster states no attributes of its servers", asking, m.population.Len()))
	} else {
		notes = append(notes, m.nowhere(asked)...)
	}
	return append(notes, m.untolerated(tolerations)...)
}

// nowhere notes attributes that constraints name and no server has.
func (m *meeting) nowhere(asked map[string]int) (notes []string) {
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if !slices.ContainsFunc(m.cluster.Servers, func(s cluster.Server) bool { _, has := s.Attributes[name]; return has }) {
			notes = append(notes, fmt.Sprintf("attribute %q, which constraints of %d jobs name, is on no server", name, asked[name]))
		}
	}
	return notes
}

// untolerated notes the taints that no job tolerates.
func (m *meeting) untolerated(by []constraints.Toleration) (notes []string) {
	servers := map[string]int{}
	for _, s := range m.cluster.Servers {
		for _, taint := range s.Taints {
			if !slices.ContainsFunc(by, func(t constraints.Toleration) bool { return t.Tolerates(taint) }) {
				servers[taint.String()] += s.Count
			}
		}
	}
	for _, taint := range slices.Sorted(maps.Keys(servers)) {
		notes = append(notes, fmt.Sprintf("no job tolerates the taint %s: %d servers stand idle, and count in every total", taint, servers[taint]))
	}
	return notes
}

// Constraints are the distinct texts of the placement constraints of the jobs, sorted.
func (p *Population) Constraints() []string {
	all := slices.Sorted(maps.Keys(p.look().constraints))
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}

// MayRun counts, for each class of servers, the jobs that it is large enough for, whose
// constraints it satisfies and that tolerate its taints.
func MayRun(c *cluster.Environment, jobs []traces.Job) []int {
	counts, places := make([]int, len(c.Servers)), newEligibility(c)
	for i := range jobs {
		may := places.of(&jobs[i])
		for s := range c.Servers {
			if may.Has(s) && holds(c, s, &jobs[i]) {
				counts[s]++
			}
		}
	}
	return counts
}
