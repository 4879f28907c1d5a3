package formats

import (
	"embed"
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/mapped"
)

// The shipped mappings: traces that are one table with a row a job.
//
//go:embed mappings
var mappings embed.FS

// shipped imports a table by a shipped mapping, which change, if any, has changed, and
// machines beside it, if beside is not nil.
func shipped(name, path string, change func(*mapped.Mapping), beside mapped.Beside) (*traces.Imported, error) {
	if strings.HasSuffix(path, ".tar.gz") {
		return nil, fmt.Errorf("%s: an archive: unpack it first (tar xzf)", input.Path(path))
	}
	file := "mappings/" + name + ".yaml"
	text, err := mappings.ReadFile(file)
	if err != nil {
		panic(err) // it is part of the program
	}
	m, err := mapped.Parse(file, text)
	if err != nil {
		panic(err)
	}
	if change != nil {
		change(m)
	}
	return mapped.ImportBeside(path, m, beside)
}
