// Package formats knows the published traces that leontief imports. Each is one
// file here: an init function that calls [Register]. Nothing else names a format;
// leontief traces import offers every one that is registered.
//
// A format whose reader is more than a file has a package of its own below traces
// and a file here.
package formats

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/leontief-sim/leontief/traces"
)

// Format is a published trace.
type Format struct {
	// Name is that of the command: leontief traces import NAME. Title, About and
	// Example are its help.
	Name, Title, About, Example string
	// Input is the name of the command's argument (DIR or FILE), What says what it
	// is, and Endings are those of the file; none for a folder.
	Input, What string
	Endings     []string
	Machines    bool // whether the trace may hold machines
	// New returns the options of an import with their defaults, and the import. It
	// reads the options when it is called.
	New func() ([]Option, Import)
}

// Import reads the trace at a path, streaming. It never repairs a row: one that
// cannot be used is counted in the report under a reason that a person can read.
// A file that is not in the format is an error with file, row and column; with all
// jobs left out the error wraps [traces.ErrEmpty], and the result is returned, too.
type Import func(path string) (*traces.Imported, error)

// Option is an option of an import: --NAME of the command.
type Option struct {
	Name, Usage string
	// Value holds the default and receives what is given: a *bool, *int, *int64,
	// *string or *time.Duration.
	Value any
	// Choices are what a text may be, the default first; none for any text.
	Choices []string
}

var registered = map[string]Format{}

// Register makes a format known. It panics if its name is taken.
func Register(f Format) {
	if _, taken := registered[f.Name]; taken {
		panic(fmt.Sprintf("formats: %s is registered twice", f.Name))
	}
	registered[f.Name] = f
}

// All returns the formats by name.
func All() []Format {
	var all []Format
	for _, f := range registered {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Format) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// micros is a time of a trace as a flag has it.
func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }
