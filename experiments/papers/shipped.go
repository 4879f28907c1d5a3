package papers

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/plots"
)

var shipped = map[string][]byte{}

// RegisterSpec makes the text of a spec known by a name: what the command "sweep
// NAME" runs without a file. It panics if the name is taken or empty, or if
// there is no text: all are programming errors.
func RegisterSpec(name string, text []byte) {
	if name == "" || len(text) == 0 {
		panic(fmt.Sprintf("papers: unusable spec %q", name))
	}
	if _, dup := shipped[name]; dup {
		panic(fmt.Sprintf("papers: spec %q is registered twice", name))
	}
	shipped[name] = text
}

// ShippedSpecs returns the names of the registered specs, in order.
func ShippedSpecs() []string { return slices.Sorted(maps.Keys(shipped)) }

// ShippedSpec returns the text of a registered spec, and whether there is one of
// that name.
func ShippedSpec(name string) ([]byte, bool) {
	text, ok := shipped[name]
	return text, ok
}

// Spec reads the registered spec of a paper for a request: its scale, seed and
// instances. set holds values that take the place of the file's, as in
// [spec.Choice]. Errors are those of [spec.ParseSpec]; it panics if no spec has the name.
func (r *Request) Spec(name string, set map[string]string) (*spec.Spec, error) {
	text, ok := ShippedSpec(name)
	if !ok {
		panic(fmt.Sprintf("papers: no spec %q is registered", name))
	}
	return spec.ParseSpec(name, text, spec.Choice{Scale: r.Scale, Seed: &r.Seed, Instances: r.Instances, Set: set})
}

// drawn are the texts of the figures, by paper/item.
var drawn = map[string][]byte{}

// RegisterFigures makes the files figures/ITEM.yaml known as the figures of a paper:
// what "reproduce" draws of the item's table, and what "plot --spec PAPER/ITEM" draws of
// any other. They are read when they are asked for; a test reads them all.
func RegisterFigures(paper string, files fs.FS) {
	found, err := fs.Glob(files, "figures/*.yaml")
	if err != nil || len(found) == 0 {
		panic(fmt.Sprintf("papers: no figures of %s (%v)", paper, err))
	}
	for _, name := range found {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(fmt.Sprintf("papers: %s of %s: %v", name, paper, err))
		}
		drawn[paper+"/"+strings.TrimSuffix(path.Base(name), ".yaml")] = text
	}
}

// ShippedFigures returns the names of the registered figures, in order.
func ShippedFigures() []string { return slices.Sorted(maps.Keys(drawn)) }

// ShippedFigure returns the text of a registered figure, and whether there is one.
func ShippedFigure(name string) ([]byte, bool) {
	text, ok := drawn[name]
	return text, ok
}

// FigureOf returns the figure of an item, and whether it has one: that of its name or,
// for a reading (fig9-hour), that of what it is a reading of.
func FigureOf(paper, item string) (plots.View, bool) {
	base, _, _ := strings.Cut(item, "-")
	for _, name := range []string{item, base} {
		if text, ok := drawn[paper+"/"+name]; ok {
			view, err := plots.ReadView(name, text)
			if err != nil {
				panic(err) // a test reads all of them
			}
			view.Name = paper + "-" + item
			return view, true
		}
	}
	return plots.View{}, false
}
