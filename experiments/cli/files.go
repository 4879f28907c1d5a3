package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// printJSON prints v as indented JSON.
func (c *command) printJSON(v any) error {
	enc := json.NewEncoder(c.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return internal(enc.Encode(v))
}

// writeReport writes the report of an import as JSON, if a path is given.
func writeReport(path string, r *traces.Report) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return internal(err)
	}
	return writing(experiments.WriteFile(path, append(data, '\n')))
}

// readEnvironment reads an environment or, without users, a cluster; "-" is
// standard input. Errors name the file.
func (c *command) readEnvironment(path string, read func(io.Reader) (*cluster.Environment, error)) (*cluster.Environment, error) {
	in := c.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	env, err := read(in)
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", path, err)
	}
	return env, nil
}

// output prints data, or writes it to the file at path if one is given.
func (c *command) output(path string, data []byte) error {
	if path != "" {
		return writing(experiments.WriteFile(path, data))
	}
	_, err := c.Out.Write(data)
	return internal(err)
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
