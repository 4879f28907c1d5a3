package spec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// Kind is a family of scenarios: an experiment with parameters. What a paper
// reproduces and what a sweep runs are scenarios of registered kinds.
type Kind struct {
	Name       string // in lower case, as "fluid" or "magiks-moves"
	Title      string // one line
	Parameters []Parameter
	// Check returns what is wrong with parameters that are right one by one. May
	// be nil.
	Check func(s Scenario) error
	// Open prepares a scenario that [NewScenario] made: it reads its workload,
	// say. It is called once a scenario.
	Open func(ctx context.Context, s Scenario) (Instances, error)

	sorted      []string // the names of the parameters
	columns, of []string // see setColumns
}

// Instances runs the independent instances of one scenario.
type Instances interface {
	// Instance returns the rows of instance i, from 0: of each the metric, the value,
	// and what the scenario does not say of it ([Opened] adds the rest). It is
	// called on several goroutines at a time and depends on the scenario and i alone.
	Instance(ctx context.Context, i int) ([]results.Row, error)
}

// Parameter is one parameter of a kind. What a parameter may be is said in
// text; its canonical text is what a scenario holds, so that .70 and 0.7 are one
// scenario.
type Parameter struct {
	Name string // as in spec files
	Unit string // "" for text, "1" for a pure number
	Doc  string // one sentence
	// Default is the value where none is given; Required says that there is
	// none.
	Default  string
	Required bool
	// File reports whether a value names a file or a folder ([PathLike],
	// [AnyPath]); nil if none does. Specs find such a name from their own folder,
	// and the canonical text is the checksum of the content.
	File func(text string) bool
	// Canonical checks a value and types it.
	Canonical Check
	// NoColumn marks what changes no number, and so is no column of result tables:
	// which metrics are wanted, whether invariants are checked.
	NoColumn bool
	// As is the name of its column where its own is taken: every table has a column
	// workload, of labels. "" for its own.
	As string
}

// Scenario is one point of an experiment: with the program, everything that its
// results depend on. It is made by [NewScenario], and its parameters are not changed.
type Scenario struct {
	Kind       string                   `json:"kind"`
	Parameters map[string]results.Value `json:"parameters"` // all of the kind's
	Seed       uint64                   `json:"seed"`
	Instances  int                      `json:"instances"`
	// Rule is what the policy is where it is a program beside leontief; nil where it
	// is compiled in.
	Rule *policies.Program `json:"rule,omitempty"`

	made made
}

// made is the id that a scenario has with this seed and these instances: it is asked for
// many times.
type made struct {
	seed      uint64
	instances int
	id        string
}

var kinds = map[string]Kind{}

// RegisterKind makes a kind known by its name. It panics if the name is taken
// or empty, if a parameter has no description or check, or if there is no Open:
// all are programming errors.
func RegisterKind(k Kind) {
	if k.Name == "" || k.Title == "" || k.Open == nil {
		panic(fmt.Sprintf("spec: unusable kind %q", k.Name))
	}
	if _, dup := kinds[k.Name]; dup {
		panic(fmt.Sprintf("spec: kind %q is registered twice", k.Name))
	}
	for _, p := range k.Parameters {
		if p.Name == "" || p.Doc == "" || p.Canonical == nil || p.Name != policyName && results.Reserved(p.Column()) {
			panic(fmt.Sprintf("spec: kind %q: unusable parameter %q", k.Name, p.Name))
		}
	}
	k.sorted = slices.Sorted(slices.Values(k.names()))
	k.setColumns()
	kinds[k.Name] = k
}

// Kinds returns what is registered, by name.
func Kinds() []Kind {
	return slices.SortedFunc(maps.Values(kinds), func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
}

// KindNamed returns the kind of a name; one that is not known is an error that
// lists the known ones.
func KindNamed(name string) (Kind, error) {
	if k, ok := kinds[name]; ok {
		return k, nil
	}
	return Kind{}, &spelling.UnknownError{Kind: "experiment", Name: name, Known: slices.Sorted(maps.Keys(kinds))}
}

// MaxInstances bounds the instances of a scenario: their rows are in memory until
// it is stored.
const MaxInstances = 10_000_000

// NewScenario checks the values and adds the defaults. All problems are
// reported at once, each with the name of its parameter.
func NewScenario(kind string, values map[string]string, seed uint64, instances int) (Scenario, error) {
	k, err := KindNamed(kind)
	if err != nil {
		return Scenario{}, err
	}
	s := Scenario{Kind: kind, Parameters: make(map[string]results.Value, len(k.Parameters)), Seed: seed, Instances: instances}
	var problems []error
	if instances < 1 || instances > MaxInstances {
		problems = append(problems, fmt.Errorf("instances: %d is not in [1, %d]", instances, MaxInstances))
	}
	for _, p := range k.Parameters {
		text, given := values[p.Name]
		if !given {
			text = p.Default
		}
		if !given && p.Required {
			problems = append(problems, fmt.Errorf("%s: not given", p.Name))
			continue
		}
		canonical, err := p.Canonical(text)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", p.Name, err))
		}
		s.Parameters[p.Name] = canonical
	}
	for _, name := range k.unknown(values) {
		problems = append(problems, fmt.Errorf("%s: %s has no such parameter%s", name, kind, spelling.Hint(name, k.names())))
	}
	if name, _, err := policies.Parse(s.Parameters[policyName].String()); err == nil {
		if rule, err := policies.Lookup(name); err == nil {
			s.Rule = rule.Program
		}
	}
	if len(problems) == 0 && k.Check != nil {
		problems = append(problems, k.Check(s))
	}
	s.made = made{s.Seed, s.Instances, s.ID()}
	return s, errors.Join(problems...)
}

// unknown returns the names that are of no parameter, in order.
func (k *Kind) unknown(values map[string]string) (names []string) {
	for name := range values {
		if _, known := slices.BinarySearch(k.sorted, name); !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (k *Kind) names() []string {
	var names []string
	for _, p := range k.Parameters {
		names = append(names, p.Name)
	}
	return names
}

// ID is a hash of the scenario's content, 16 hexadecimal digits: it stays the
// same when others come to be run beside it.
func (s Scenario) ID() string {
	if s.made.id != "" && s.made.seed == s.Seed && s.made.instances == s.Instances {
		return s.made.id
	}
	return Digest(s.JSON())[:16]
}

// Open prepares the scenario.
func (s Scenario) Open(ctx context.Context) (*Opened, error) {
	k, err := KindNamed(s.Kind)
	if err != nil {
		return nil, err
	}
	instances, err := k.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Opened{instances, s, s.Point()}, nil
}

// Opened is a scenario that is ready to run.
type Opened struct {
	Instances
	scenario Scenario
	point    results.Point
}

// Instance implements [Instances]: its rows are complete. What a row does not say
// itself it has from the scenario (its parameters and its rule) and from its metric
// (the unit).
func (o *Opened) Instance(ctx context.Context, i int) ([]results.Row, error) {
	rows, err := o.Instances.Instance(ctx, i)
	last, stamped := results.Point{}, o.point
	for k := range rows {
		r := &rows[k]
		if r.Point != last {
			last, stamped = r.Point, o.point.Under(r.Point)
		}
		r.Point, r.Instance, r.Unit = stamped, int64(i), results.UnitOf(r.Metric)
		if v, ok := o.scenario.Parameters[policyName]; ok && r.Policy == "" {
			r.Policy = v.String()
		}
	}
	return rows, err
}

// String writes the parameters as [k=v,…] in order of name.
func (s Scenario) String() string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		pairs = append(pairs, name+"="+s.Parameters[name].String())
	}
	return "[" + strings.Join(pairs, ",") + "]"
}
