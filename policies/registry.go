package policies

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// Claim says what the papers claim of one property: that the rule has it, or
// that it lacks it. A property that no paper speaks of has no entry.
type Claim struct {
	Property Property
	Holds    bool
}

// Params are the parameters of a rule in its text form, name[k=v,…].
type Params map[string]string

// Refuse returns an error unless there are no parameters.
func (p Params) Refuse() error {
	if len(p) == 0 {
		return nil
	}
	return fmt.Errorf("it takes no parameters, and %s was given", Format("", p))
}

// UnsupportedError is returned by a rule that is not defined for the
// environment that it is asked about.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }

// Meta describes a rule to the registry.
type Meta struct {
	Name   string // as on the command line, in lower case
	Label  string // as the papers print it; "" for the name
	Look   Look   // in figures
	Title  string // one line
	Paper  string // where the rule is defined
	Family Family
	// Definition says what is computed, with the formula, in the symbols of the
	// documentation of package cluster: x tasks, w weight, d demand, c capacity.
	Definition string
	// Refuses lists the environments for which the rule is not defined, in words;
	// "" where there are none.
	Refuses    string
	Parameters []Parameter
	Claims     []Claim
	// Outside lists, per property, the features of environments for which the
	// papers do not claim it: their own assumptions.
	Outside map[Property]cluster.Feature
	// Unbounded says that the rule is defined for unbounded tasks only.
	Unbounded bool
	// Program says what a rule is that is a program beside leontief (package
	// program); nil for one that is compiled in.
	Program *Program
	New     func(Params) (Policy, error)
}

// Program is what results know a rule by that is a program beside leontief.
type Program struct {
	Command string `json:"command"`
	// Files are the SHA-256 checksums of the files that the command names, by the
	// words that name them.
	Files   map[string]string `json:"files,omitempty"`
	Version string            `json:"version,omitempty"` // as the program states it
}

// NotClaimedWith returns the features of environments, in words, with which no
// paper claims a property of the rule: a claim is one for environments that have
// none of them. MAGIKS, say, has no weights, and with weights its 2EF and MMS do
// not hold.
func (m Meta) NotClaimedWith(p Property) []string { return m.Outside[p].Names() }

var registry = map[string]Meta{}

// plainName is what a rule may be called: its name is an argument, and a part of
// names of files.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`)

// Register makes a rule known by its name. It panics if the name is taken,
// empty or not plain, if the look is not of the palette, or if there is no New:
// all are programming errors.
func Register(m Meta) {
	if !plainName.MatchString(m.Name) || m.New == nil {
		panic(fmt.Sprintf("policies: unusable registration %q", m.Name))
	}
	if err := m.Look.check(); err != nil {
		panic(fmt.Sprintf("policies: %q has %v", m.Name, err))
	}
	if _, dup := registry[m.Name]; dup || m.Name == FIFO {
		panic(fmt.Sprintf("policies: %q is registered twice", m.Name))
	}
	registry[m.Name] = m
}

// Add makes a rule known that comes with a command line or a spec, until remove is
// called. A name that is taken or not plain is an error. No rule may be looked up
// meanwhile.
func Add(m Meta) (remove func(), err error) {
	switch _, taken := registry[m.Name]; {
	case !plainName.MatchString(m.Name):
		return nil, fmt.Errorf("%q can not be the name of a rule: letters, digits, '.', '_', '+' and '-' can, up to 100, the first a letter or a digit", m.Name)
	case taken || m.Name == FIFO:
		return nil, fmt.Errorf("there is a rule of the name %s already", m.Name)
	}
	registry[m.Name] = m
	return func() { delete(registry, m.Name) }, nil
}

// All returns what is registered, by name.
func All() []Meta {
	all := make([]Meta, 0, len(registry))
	for _, m := range registry {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Meta) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Names returns the names of all registered rules, sorted.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}

// UnknownError is returned for a name that is not registered.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return (&spelling.UnknownError{Kind: "policy", Name: e.Name, Known: Names()}).Error()
}

// Lookup returns the registration of name.
func Lookup(name string) (Meta, error) {
	m, ok := registry[name]
	if !ok {
		return Meta{}, &UnknownError{name}
	}
	return m, nil
}

// New returns the rule that text names: name or name[k=v,…].
func New(text string) (Policy, error) {
	name, params, err := Parse(text)
	if err != nil {
		return nil, err
	}
	m, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	p, err := m.New(params)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", text, err)
	}
	return p, nil
}

// Parse splits the text form of a rule, name[k=v,…], into its parts.
// [Format] is its inverse.
func Parse(text string) (string, Params, error) {
	name, rest, found := strings.Cut(text, "[")
	if !found {
		if strings.ContainsAny(text, "]=, ") {
			return "", nil, fmt.Errorf("policy %q: not of the form name[k=v,…]", text)
		}
		return name, Params{}, nil
	}
	body, ok := strings.CutSuffix(rest, "]")
	if !ok || strings.ContainsAny(body, "[]") {
		return "", nil, fmt.Errorf("policy %q: not of the form name[k=v,…]", text)
	}
	params := Params{}
	for _, pair := range strings.Split(body, ",") {
		k, v, ok := strings.Cut(pair, "=")
		if !ok || k == "" || v == "" || strings.Contains(v, "=") {
			return "", nil, fmt.Errorf("policy %q: parameter %q is not of the form k=v", text, pair)
		}
		if _, dup := params[k]; dup {
			return "", nil, fmt.Errorf("policy %q: parameter %q is given twice", text, k)
		}
		params[k] = v
	}
	return name, params, nil
}

// Canonical returns the one text form of a rule: parameters in order of their names,
// those left out that say what the rule does without them, whole numbers without
// leading zeros. Errors are those of [New].
func Canonical(text string) (string, error) {
	rule, err := New(text)
	if err != nil {
		return "", err
	}
	name, params, err := Parse(text)
	if err != nil {
		return "", err
	}
	same := func(of Params) bool {
		other, err := New(Format(name, of))
		return err == nil && reflect.DeepEqual(rule, other)
	}
	for _, k := range slices.Sorted(maps.Keys(params)) {
		without := maps.Clone(params)
		delete(without, k)
		if same(without) {
			params = without
			continue
		}
		if n, err := strconv.ParseUint(params[k], 10, 64); err == nil {
			short := maps.Clone(params)
			short[k] = strconv.FormatUint(n, 10)
			if same(short) {
				params = short
			}
		}
	}
	return Format(name, params), nil
}

// Format writes a rule's text form with its parameters in order of key.
func Format(name string, params Params) string {
	if len(params) == 0 {
		return name
	}
	var pairs []string
	for k, v := range params {
		pairs = append(pairs, k+"="+v)
	}
	slices.Sort(pairs)
	return name + "[" + strings.Join(pairs, ",") + "]"
}
