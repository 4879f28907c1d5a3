package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// seedName is the name by which a spec varies the seed.
const seedName = "seed"

// mostScenarios is the number of scenarios beyond which a block is taken for a
// mistake.
const mostScenarios = 1_000_000

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number >= 0", text)
	}
	return seed, nil
}

// checkSeed is the check of a seed that is given like a parameter.
func checkSeed(text string) (results.Value, error) {
	seed, err := parseSeed(text)
	return seedValue(seed), err
}

// scenario makes a scenario of a block, which may have a seed of its own.
func (s *Spec) scenario(b *Block, values map[string]string) (Scenario, error) {
	seed := s.Seed
	if text, ok := values[seedName]; ok {
		var err error
		if seed, err = parseSeed(text); err != nil {
			return Scenario{}, fmt.Errorf("%s: %w", seedName, err)
		}
		values = maps.Clone(values)
		delete(values, seedName)
	}
	return NewScenario(b.Experiment, values, seed, b.Instances)
}

// Parameter finds what a spec may give to a kind.
func (k *Kind) Parameter(name string) (Parameter, error) {
	for _, p := range k.Parameters {
		if p.Name == name {
			return p, nil
		}
	}
	if name == seedName {
		return Parameter{Name: seedName, Canonical: checkSeed}, nil
	}
	return Parameter{}, fmt.Errorf("%s has no such parameter%s", k.Name, spelling.Hint(name, append(k.names(), seedName)))
}

// checkValues checks every value of a block by itself, where it stands, and
// finds the files that values name.
func (p *specParser) checkValues(b *Block, path string) {
	kind, err := KindNamed(b.Experiment)
	if err != nil {
		p.problemAt(p.place(path+".experiment", b.At), path+".experiment", "%v", err)
		return
	}
	given := map[string]string{} // where a parameter is given, by name
	p.checkMap(&kind, b.Set, path+".set")
	for name := range b.Set {
		given[name] = "set"
	}
	for i, point := range b.Points {
		p.checkMap(&kind, point, fmt.Sprintf("%s.points[%d]", path, i))
		for _, name := range slices.Sorted(maps.Keys(point)) {
			p.once(given, name, "points", fmt.Sprintf("%s.points[%d]", path, i), b.At)
		}
	}
	combinations := max(1, len(b.Points))
	for _, axis := range b.Axes {
		p.once(given, axis.Name, "axes", path+".axes", p.place(fmt.Sprintf("%s.axes.%s[0]", path, axis.Name), b.At))
		p.checkAxis(&kind, axis, path+".axes."+axis.Name)
		combinations *= max(1, min(len(axis.Values), mostScenarios))
		if combinations > mostScenarios {
			p.problemAt(b.At, path+".axes", "more than %d scenarios", mostScenarios)
			return
		}
	}
}

// once reports a parameter that is given in two ways.
func (p *specParser) once(given map[string]string, name, by, path string, at place) {
	if before, again := given[name]; again && before != by {
		p.problemAt(p.place(path+"."+name, at), path+"."+name, "also given by %s", before)
		return
	}
	given[name] = by
}

// place is where the value at a path stands.
func (p *specParser) place(path string, otherwise place) place {
	return cmp.Or(p.places[path], otherwise)
}

func (p *specParser) checkMap(kind *Kind, values map[string]string, path string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := path + "." + name
		text, _, err := p.check(kind, name, values[name])
		if err != nil {
			p.problemAt(p.places[at], at, "%v", err)
		}
		values[name] = text
	}
}

// checkAxis also reports a value that is there twice.
func (p *specParser) checkAxis(kind *Kind, axis Axis, path string) {
	first := map[string]int{}
	for i, value := range axis.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		text, canonical, err := p.check(kind, axis.Name, value)
		if k, again := first[canonical]; again && err == nil {
			err = fmt.Errorf("the same value as %s[%d]", axis.Name, k)
		}
		if err != nil {
			p.problemAt(p.places[at], at, "%v", err)
			continue
		}
		first[canonical], axis.Values[i] = i, text
	}
}

// check returns a value, a file's name from where the program runs, and its
// canonical text.
func (p *specParser) check(kind *Kind, name, text string) (value, canonical string, err error) {
	of, err := kind.Parameter(name)
	if err != nil {
		return text, "", err
	}
	if _, chosen := p.choice.Set[name]; chosen && of.File != nil {
		return text, text, nil // another takes its place, so that it need not be there
	}
	if of.File != nil && of.File(text) && !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(p.file), text)
	}
	checked, err := of.Canonical(text)
	if err != nil {
		return text, "", errors.New(err.Error()) // one line a problem
	}
	return text, checked.String(), nil
}

// combine returns every combination of the values of the axes, the last axis
// varying fastest.
func combine(axes []Axis) []map[string]string {
	if len(axes) == 0 {
		return []map[string]string{{}}
	}
	last := axes[len(axes)-1]
	var all []map[string]string
	for _, before := range combine(axes[:len(axes)-1]) {
		for _, v := range last.Values {
			values := maps.Clone(before)
			values[last.Name] = v
			all = append(all, values)
		}
	}
	return all
}

func joinOnce(problems []error) error {
	var once []error
	seen := map[string]bool{}
	for _, p := range problems {
		if p != nil && !seen[p.Error()] {
			seen[p.Error()] = true
			once = append(once, p)
		}
	}
	return errors.Join(once...)
}
