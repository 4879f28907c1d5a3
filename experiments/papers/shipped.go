package papers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/leontief-sim/leontief/experiments/spec"
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
