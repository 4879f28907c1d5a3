package spec

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/strictyaml"
)

// ParseSpec reads a spec, in the YAML of [strictyaml]. Unknown keys, keys given
// twice and values of the wrong form are errors; all are reported at once, each
// with its line, its column and its path. file is its name in messages.
func ParseSpec(file string, data []byte, c Choice) (*Spec, error) {
	top, twice := strictyaml.Parse(file, data)
	if top == nil {
		return nil, twice
	}
	forgetChecksums()
	p := &specParser{file: file, choice: c, places: map[string]place{}}
	spec := p.spec(top)
	spec.File = specFile(file)
	p.checkChosen(spec)
	for i := range spec.Blocks {
		if spec.Blocks[i].bad || p.withoutRules {
			continue
		}
		all, err := spec.Expand(i)
		if err == nil {
			spec.Blocks[i].remember(spec.Seed, all)
			continue
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			p.problems = append(p.problems, fmt.Errorf("%s:%s", file, line))
		}
	}
	return spec, joinOnce(append(p.problems, twice))
}

// specParser turns YAML nodes into a spec and collects what is wrong.
type specParser struct {
	file     string
	choice   Choice
	scales   []string
	scale    string
	places   map[string]place // of values, by path
	problems []error
	// withoutRules says that a rule of the spec is not there: its name is no mistake.
	withoutRules bool
}

func (p *specParser) problem(n *strictyaml.Node, path, format string, args ...any) {
	p.problemAt(placeOf(n), path, format, args...)
}

// place is where something stands in a file, counted from 1.
type place struct{ line, column int }

func placeOf(n *strictyaml.Node) place { return place{n.Line, n.Column} }

// String writes LINE:COLUMN.
func (at place) String() string { return fmt.Sprintf("%d:%d", at.line, at.column) }

func (p *specParser) problemAt(at place, path, format string, args ...any) {
	problem := fmt.Errorf(format, args...)
	if path != "" {
		problem = fmt.Errorf("%s: %w", path, problem)
	}
	p.problems = append(p.problems, fmt.Errorf("%s:%v: %w", p.file, at, problem))
}

// fields calls the function of each key of a mapping; other keys are problems.
func (p *specParser) fields(n *strictyaml.Node, path string, known map[string]func(v *strictyaml.Node, path string)) {
	p.each(n, path, func(key string, v *strictyaml.Node, path string) {
		if f, ok := known[key]; ok {
			f(v, path)
			return
		}
		p.problem(v, path, "unknown key%s", spelling.Hint(key, slices.Sorted(maps.Keys(known))))
	})
}

// each calls f for each entry of a mapping, in its order.
func (p *specParser) each(n *strictyaml.Node, path string, f func(key string, v *strictyaml.Node, path string)) {
	if n.Kind != strictyaml.Mapping {
		p.problem(n, path, "not a mapping")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i].Value, strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
		f(key, n.Content[i+1], at)
	}
}

func (p *specParser) spec(n *strictyaml.Node) *Spec {
	s := &Spec{Seed: 1}
	// The scales come first, as all else may depend on them.
	if n.Kind == strictyaml.Mapping {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "scales" {
				p.scales = p.list(n.Content[i+1], "scales")
			}
		}
	}
	p.chooseScale(n)
	s.Scale = p.scale
	var blocks *strictyaml.Node
	p.fields(n, "", map[string]func(*strictyaml.Node, string){
		"name":   func(v *strictyaml.Node, path string) { s.Name = p.text(v, path) },
		"title":  func(v *strictyaml.Node, path string) { s.Title = p.text(v, path) },
		"scales": func(*strictyaml.Node, string) {},
		"rules":  func(v *strictyaml.Node, path string) { p.each(v, path, p.rule) },
		"seed": func(v *strictyaml.Node, path string) {
			s.Seed = parsed(p, v, path, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }, "not a whole number >= 0")
		},
		"blocks": func(v *strictyaml.Node, path string) {
			if blocks = v; v.Kind != strictyaml.List || len(v.Content) == 0 {
				p.problem(v, path, "not a list of blocks")
				return
			}
			for i, b := range v.Content {
				s.Blocks = append(s.Blocks, p.block(b, fmt.Sprintf("%s[%d]", path, i)))
			}
		},
	})
	if blocks == nil {
		p.problem(n, "blocks", "not given")
	}
	if p.choice.Seed != nil {
		s.Seed = *p.choice.Seed
	}
	return s
}

// rule starts a rule that is a program.
func (p *specParser) rule(name string, n *strictyaml.Node, path string) {
	before := len(p.problems)
	command := p.text(n, path)
	switch {
	case len(p.problems) > before:
	case p.choice.Rule == nil:
		p.problem(n, path, "no rules that are programs are run here")
	default:
		if err := p.choice.Rule(name, command, filepath.Dir(p.file)); err != nil {
			p.problem(n, path, "%w", err)
		}
	}
	p.withoutRules = p.withoutRules || len(p.problems) > before
}

// chooseScale finds the scale that the spec is read for.
func (p *specParser) chooseScale(n *strictyaml.Node) {
	switch {
	case p.choice.Scale != "" && len(p.scales) == 0:
		p.problem(n, "scales", "unknown scale %q: the spec has none", p.choice.Scale)
	case p.choice.Scale != "" && !slices.Contains(p.scales, p.choice.Scale):
		p.problem(n, "scales", "%w", spelling.Check("scale", p.choice.Scale, p.scales))
	case p.choice.Scale != "":
		p.scale = p.choice.Scale
	case len(p.scales) > 0:
		p.scale = p.scales[0]
	}
}

func (p *specParser) block(n *strictyaml.Node, path string) Block {
	b := Block{Instances: 1, Set: map[string]string{}, At: placeOf(n)}
	before := len(p.problems)
	var counted *strictyaml.Node // the number of instances
	p.fields(n, path, map[string]func(*strictyaml.Node, string){
		"name":       func(v *strictyaml.Node, path string) { b.Name = p.text(v, path) },
		"experiment": func(v *strictyaml.Node, path string) { b.Experiment = p.text(v, path) },
		"instances": func(v *strictyaml.Node, path string) {
			counted = v
			b.Instances = parsed(p, p.scaled(v, path), path, strconv.Atoi, "not a whole number")
		},
		"deterministic": func(v *strictyaml.Node, path string) {
			b.Deterministic = parsed(p, v, path, strconv.ParseBool, "not true or false")
		},
		"set":    func(v *strictyaml.Node, path string) { b.Set = p.values(v, path) },
		"points": func(v *strictyaml.Node, path string) { b.Points = p.points(v, path) },
		"axes": func(v *strictyaml.Node, path string) {
			p.each(v, path, func(key string, v *strictyaml.Node, path string) {
				b.Axes = append(b.Axes, Axis{key, p.list(v, path)})
			})
		},
	})
	if b.Deterministic && counted != nil {
		p.problem(counted, path+".instances", "a deterministic block has one")
	}
	p.checkValues(&b, path)
	p.choose(&b)
	b.bad = len(p.problems) > before
	return b
}

func (p *specParser) points(v *strictyaml.Node, path string) []map[string]string {
	v = p.scaled(v, path)
	if v.Kind != strictyaml.List || len(v.Content) == 0 {
		p.problem(v, path, "not a list of points")
		return nil
	}
	var points []map[string]string
	for i, one := range v.Content {
		points = append(points, p.values(one, fmt.Sprintf("%s[%d]", path, i)))
	}
	return points
}

// choose puts what is chosen outside the file in the place of the block's own.
func (p *specParser) choose(b *Block) {
	if p.choice.Instances > 0 && !b.Deterministic {
		b.Instances = p.choice.Instances
	}
	kind, err := KindNamed(b.Experiment)
	if err != nil {
		return // expanding reports it
	}
	for _, name := range kind.names() {
		text, chosen := p.choice.Set[name]
		if !chosen {
			continue
		}
		for _, point := range b.Points {
			delete(point, name)
		}
		b.Axes = slices.DeleteFunc(b.Axes, func(a Axis) bool { return a.Name == name })
		b.Set[name] = text
	}
}

// checkChosen reports values that were chosen and are wrong, each once, and what
// was chosen for a parameter that no block has: a misspelt one would otherwise
// change nothing, and not be noticed.
func (p *specParser) checkChosen(spec *Spec) {
	known := map[string]bool{}
	for i := range spec.Blocks {
		b := &spec.Blocks[i]
		kind, err := KindNamed(b.Experiment)
		if err != nil {
			return // expanding reports it
		}
		for _, of := range kind.Parameters {
			known[of.Name] = true
			text, chosen := p.choice.Set[of.Name]
			if !chosen {
				continue
			}
			if _, err := of.Canonical(text); err != nil {
				b.bad = true // expanding would report it for every block
				p.problems = append(p.problems, fmt.Errorf("%s: %s, which was chosen: %w", p.file, of.Name, err))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.choice.Set)) {
		if !known[name] {
			p.problems = append(p.problems, fmt.Errorf("%s: %s is chosen for it, but no experiment of the spec has that parameter%s",
				p.file, name, spelling.Hint(name, slices.Sorted(maps.Keys(known)))))
		}
	}
}

func (p *specParser) values(n *strictyaml.Node, path string) map[string]string {
	values := map[string]string{}
	p.each(p.scaled(n, path), path, func(key string, v *strictyaml.Node, path string) { values[key] = p.text(p.scaled(v, path), path) })
	return values
}

func (p *specParser) list(n *strictyaml.Node, path string) []string {
	n = p.scaled(n, path)
	if n.Kind != strictyaml.List || len(n.Content) == 0 {
		p.problem(n, path, "not a list of values")
		return nil
	}
	var all []string
	for i, v := range n.Content {
		all = append(all, p.text(v, fmt.Sprintf("%s[%d]", path, i)))
	}
	return all
}

// text reads a plain value as it is written.
func (p *specParser) text(n *strictyaml.Node, path string) string {
	if n.Kind != strictyaml.Scalar || n.Tag == "!!null" {
		p.problem(n, path, "not a plain value")
		return ""
	}
	p.places[path] = placeOf(n)
	return n.Value
}

// scaled returns the part of a mapping by scale that the spec is read for, or
// the node itself where it is none.
func (p *specParser) scaled(n *strictyaml.Node, path string) *strictyaml.Node {
	if n.Kind != strictyaml.Mapping || len(p.scales) == 0 || len(n.Content) == 0 {
		return n
	}
	var chosen *strictyaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(p.scales, n.Content[i].Value) {
			return n
		}
		if n.Content[i].Value == p.scale {
			chosen = n.Content[i+1]
		}
	}
	if len(n.Content) != 2*len(p.scales) || chosen == nil {
		p.problem(n, path, "not given for all scales (%s)", strings.Join(p.scales, ", "))
		return n
	}
	return chosen
}

// parsed reads a plain value by its text, as the values of parameters are read:
// numbers are decimal, whatever YAML makes of 010 or 1_000.
func parsed[T any](p *specParser, n *strictyaml.Node, path string, parse func(string) (T, error), problem string) (v T) {
	if n.Kind != strictyaml.Scalar {
		p.problem(n, path, "%s", problem)
		return v
	}
	v, err := parse(n.Value)
	if err != nil {
		p.problem(n, path, "%q is %s", n.Value, problem)
	}
	return v
}
