package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/machines"
)

// LinkUnit is the unit of the demand for links that is made of cpu requests, see
// [traces.Bandwidth].
const LinkUnit = "MHz"

// On returns the workload as it runs on a cluster: the same jobs, with what was
// found in comparing the two. It is an [spec.InputError], which names every fault, if
//
//   - jobs request a resource that the cluster has not and that is not in ignore:
//     replayed without it they would be other jobs. A request of 0 is none;
//   - ignore names a resource that the cluster has, so that nothing of it is to be
//     ignored;
//   - the units of a resource that jobs request, or of a link, contradict (see
//     [cluster.CanonicalUnit]).
//
// What is ignored is counted over all jobs of the workload, drawn or not, in
// Ignored. Units that one side does not state can not be compared, and if no job
// requests cpu none needs anything of the links: Notes say so. The cluster is
// called name in errors.
func (p *Population) On(c *cluster.Environment, name string, ignore []string) (*Population, error) {
	if err := CheckResources(c.Resources); err != nil {
		return nil, spec.OfInput(fmt.Errorf("%s: %w", name, err))
	}
	m := meeting{population: p, cluster: c, requested: p.look().requested}
	for _, resource := range ignore {
		if slices.Contains(c.Resources, resource) {
			m.problem("ignore %s: the cluster has it, so that nothing of it is to be ignored", resource)
		}
	}
	met := *p
	met.LeftOut = maps.Clone(p.LeftOut)
	met.Ignored = m.missing(ignore)
	met.Marked = marked(p.Label, met.Ignored)
	m.resources()
	m.links()
	for i, problem := range m.problems {
		m.problems[i] = fmt.Errorf("%s on %s: %w", p.name(), name, problem)
	}
	if err := errors.Join(m.problems...); err != nil {
		return nil, spec.OfInput(err)
	}
	met.Notes = append(slices.Clip(p.Notes), m.notes()...)
	return &met, nil
}

// name is what the workload is called in errors.
func (p *Population) name() string {
	if p.path != "" {
		return p.path
	}
	return "workload " + p.Label
}

// meeting is the comparison of a workload with a cluster.
type meeting struct {
	population *Population
	cluster    *cluster.Environment
	requested  map[string]int // jobs, by resource
	problems   []error
	unstated   []string // what can not be compared, as "cpu (jobs: cores, cluster: not stated)"
	idle       string   // what there is to say of links
}

func (m *meeting) problem(format string, args ...any) {
	m.problems = append(m.problems, fmt.Errorf(format, args...))
}

// missing counts the jobs that request what the cluster has not and is to be
// ignored, and reports those that request what is not; nil if nothing is ignored.
func (m *meeting) missing(ignore []string) map[string]int {
	var ignored map[string]int
	var counts, names []string
	for _, resource := range Requests {
		jobs := m.requested[resource]
		switch {
		case slices.Contains(m.cluster.Resources, resource):
		case slices.Contains(ignore, resource):
			if ignored == nil {
				ignored = map[string]int{}
			}
			ignored[resource] = jobs
		case jobs > 0:
			counts = append(counts, fmt.Sprintf("%d of %d jobs request %s", jobs, m.population.Len(), resource))
			names = append(names, resource)
		}
	}
	if names != nil {
		m.problem("%s, which the cluster has not (it has %s); to run the jobs without, give --ignore %s (in a spec ignore: %s)",
			strings.Join(counts, " and "), strings.Join(m.cluster.Resources, ", "), strings.Join(names, ","), strings.Join(names, "+"))
	}
	return ignored
}

// resources compares the units of the resources that jobs request.
func (m *meeting) resources() {
	for _, resource := range m.cluster.Resources {
		if m.requested[resource] == 0 {
			continue
		}
		jobs, here := traces.UnitOf(m.population.Units, resource), m.cluster.Units[resource]
		if m.differ(resource, jobs, here) {
			m.problem("%s: the jobs count in %q, the cluster in %q%s", resource, jobs, here, converted(jobs, here))
		}
	}
}

// converted says how amounts of memory in the cluster's unit become those of the jobs; ""
// for other units. Importers write GB, whatever the table had, and machines count in GiB.
func converted(jobs, here string) string {
	jobs, here = cluster.CanonicalUnit(jobs), cluster.CanonicalUnit(here)
	if known := machines.MemoryUnits(); !slices.Contains(known, jobs) || !slices.Contains(known, here) {
		return ""
	}
	return fmt.Sprintf(": write the cluster's in %s (1 GiB is 1.073741824 GB)", jobs)
}

// differ reports whether two units contradict, and notes it if one is not known.
func (m *meeting) differ(what, jobs, here string) bool {
	a, b := cluster.CanonicalUnit(jobs), cluster.CanonicalUnit(here)
	if a == "" || b == "" {
		stated := func(text string) string {
			if strings.TrimSpace(text) == "" {
				return "not stated"
			}
			return text
		}
		m.unstated = append(m.unstated, fmt.Sprintf("%s (jobs: %s, cluster: %s)", what, stated(jobs), stated(here)))
		return false
	}
	return a != b
}

// links compares the units of links with that of the demand, and notes if there is
// no demand at all.
func (m *meeting) links() {
	links := m.cluster.Links
	if len(links) == 0 {
		return
	}
	names := make([]string, len(links))
	for e := range links {
		names[e] = links[e].Name
		here := m.cluster.Units[links[e].Name]
		if m.differ(links[e].Name, LinkUnit, here) {
			m.problem("%s: the demand of the jobs is made in %q, the link counts in %q", links[e].Name, LinkUnit, here)
		}
	}
	if m.requested["cpu"] == 0 {
		m.idle = fmt.Sprintf("no job requests cpu, of which the demand for links is made: nothing of %s is needed", strings.Join(names, ", "))
	}
}

// notes are what there is to say of a workload that can run.
func (m *meeting) notes() []string {
	var notes []string
	if m.unstated != nil {
		notes = append(notes, "units that were not compared: "+strings.Join(m.unstated, ", "))
	}
	if m.idle != "" {
		notes = append(notes, m.idle)
	}
	return append(notes, m.placement()...)
}

// Mark is what every result of the workload is marked with: its label and, where
// jobs run without something that they request, what that is, with their number.
func (w *Workload) Mark() string { return cmp.Or(w.Marked, w.Label) }

// Relabel gives a workload that was changed another label.
func (w *Workload) Relabel(label string) { w.Label, w.Marked = label, marked(label, w.Ignored) }

// marked is the label of a workload of which something is ignored; "" if no job
// requests it.
func marked(label string, ignored map[string]int) string {
	var parts []string
	for _, resource := range Requests {
		if jobs := ignored[resource]; jobs > 0 {
			unit := "jobs"
			if jobs == 1 {
				unit = "job"
			}
			parts = append(parts, fmt.Sprintf("%s (%d %s)", resource, jobs, unit))
		}
	}
	if parts == nil {
		return ""
	}
	return label + "; ignored: " + strings.Join(parts, ", ")
}

// IgnoreName is the name of the parameter that [IgnoreParameter] returns.
const IgnoreName = "ignore"

// IgnoreParameter is the parameter that names the resources which jobs may request
// and the cluster has not. Its canonical text is read by [Ignored].
func IgnoreParameter() spec.Parameter {
	return spec.Parameter{Name: IgnoreName, Canonical: spec.Text(canonicalIgnored),
		Doc: "Resources that jobs may request though the cluster has none, separated by commas: " + strings.Join(Requests, ", ") + ". The jobs run without, and every output says so."}
}

// canonicalIgnored checks a list of resources. Its canonical text has them in the
// order of [Requests] with a plus between them: commas separate the parameters of
// a row.
func canonicalIgnored(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var names []string
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '+' }) {
		name = strings.TrimSpace(name)
		if !slices.Contains(Requests, name) {
			return "", fmt.Errorf("%q is not one of %s", name, strings.Join(Requests, ", "))
		}
		if slices.Contains(names, name) {
			return "", fmt.Errorf("%s is named twice", name)
		}
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return slices.Index(Requests, a) - slices.Index(Requests, b) })
	return strings.Join(names, "+"), nil
}

// Ignored splits the canonical text of an [IgnoreParameter].
func Ignored(canonical string) []string {
	if canonical == "" {
		return nil
	}
	return strings.Split(canonical, "+")
}
