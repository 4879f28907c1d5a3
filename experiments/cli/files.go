package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/machines"
	"github.com/leontief-sim/leontief/traces/output"
)

// say prints a text for a person.
func (c *command) say(format string, args ...any) error {
	_, err := fmt.Fprintf(c.Out, format, args...)
	return internal(err)
}

func (c *command) printJSON(v any) error {
	enc := json.NewEncoder(c.data)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return internal(enc.Encode(v))
}

// checkFiles checks that the files that flags name can be written, each another one.
func checkFiles(flags *pflag.FlagSet) (err error) {
	var before []*pflag.Flag
	flags.VisitAll(func(f *pflag.Flag) {
		path := f.Value.String()
		if _, file := f.Annotations[writesFile]; !file || path == "" || err != nil {
			return
		}
		if err = output.CheckFile(path); err != nil {
			err = fmt.Errorf("--%s: %w", f.Name, err)
			return
		}
		for _, other := range before {
			if sameName(other.Value.String(), path) {
				err = fmt.Errorf("--%s and --%s: both name %s", other.Name, f.Name, path)
			}
		}
		before = append(before, f)
	})
	return err
}

// sameName reports whether two paths of files, which need not be there, are one.
func sameName(a, b string) bool {
	one, errA := os.Stat(a)
	two, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(one, two)
	}
	one, errA = os.Stat(filepath.Dir(a))
	two, errB = os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(one, two) && filepath.Base(a) == filepath.Base(b)
}

// waitToWrite is how long a command that has computed everything waits for a
// folder into which another process writes.
var waitToWrite = time.Minute

// writing classifies an error of writing a file: a path that can not be
// written to is bad input.
func writing(err error) error {
	if isOne(err, new(*os.PathError), new(*os.LinkError)) {
		return err
	}
	return internal(err)
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
	return writing(output.WriteFile(path, append(data, '\n')))
}

// readEnvironment reads an environment or, without users, a cluster; "-" is
// standard input. It is held in memory as a whole and so bounded
// ([input.TextLimit]). Errors name the file.
func (c *command) readEnvironment(path string, read func(io.Reader) (*cluster.Environment, error)) (*cluster.Environment, error) {
	text, err := c.readText(path)
	if err != nil {
		return nil, err
	}
	return parseEnvironment(input.Path(path), text, read)
}

// parseEnvironment reads an environment or a cluster from a text. Errors begin with
// the name.
func parseEnvironment(name string, text []byte, read func(io.Reader) (*cluster.Environment, error)) (*cluster.Environment, error) {
	env, err := read(bytes.NewReader(text))
	if err != nil {
		return nil, machines.NamedProblems(name, err)
	}
	return env, nil
}

// readMachines reads a cluster in one of the forms that package machines knows; "-" is
// standard input.
func (c *command) readMachines(path string) (*machines.Inventory, error) {
	data, err := c.readAll(path)
	if err != nil {
		return nil, err
	}
	return machines.Read(path, data)
}

// readText returns a text without the byte order mark that some programs write
// first; "-" is standard input.
func (c *command) readText(path string) (text []byte, err error) {
	if text, err = c.readAll(path); err != nil {
		return nil, err
	}
	if text, err = input.TrimMark(text); err != nil {
		return nil, fmt.Errorf("%s: %w", input.Path(path), err)
	}
	return text, nil
}

// readAll returns all bytes of a file that may be a pipe, at most [input.TextLimit]; "-" is
// standard input.
func (c *command) readAll(path string) (data []byte, err error) {
	if path != "-" {
		return input.ReadText(path)
	}
	if data, err = input.ReadAll(c.In); err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return data, nil
}

// output prints data, or writes it to the file at path if one is given.
func (c *command) output(path string, data []byte) error {
	if path != "" {
		return writing(output.WriteFile(path, data))
	}
	_, err := c.data.Write(data)
	return internal(err)
}

// each is what of makes of each of a list.
func each[T, R any](list []T, of func(T) R) []R {
	var all []R
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
