package google2019

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

// table is one of the trace's tables: its name and the columns that are read, of which
// the first ones are needed.
type table struct {
	name    string
	columns []string
	needed  int
}

var (
	collectionEvents = table{"collection_events", []string{"time", "type", "collection_id", "collection_type", "missing_type", "priority", "user",
		"alloc_collection_id", "start_after_collection_ids", "max_per_machine", "max_per_switch"}, 3}
	instanceEvents = table{"instance_events", []string{"time", "type", "collection_id", "instance_index", "resource_request.cpus", "resource_request.memory",
		"missing_type", "constraint"}, 4}
	machineEvents     = table{"machine_events", []string{"time", "type", "machine_id", "capacity.cpus", "capacity.memory", "platform_id"}, 3}
	machineAttributes = table{"machine_attributes", []string{"time", "machine_id", "name", "value", "deleted"}, 3}
)

// ErrNoFiles is the error of a folder without a file of a table.
var ErrNoFiles = errors.New("no file of the table")

var endings = regexp.MustCompile(`^([-_.].*)?\.(json|jsonl|ndjson|csv)(\.gz)?$`)

// files lists the table's files in a folder, by name.
func (t table) files(dir string) ([]string, error) {
	var found []string
	for _, folder := range []string{dir, filepath.Join(dir, t.name)} {
		entries, err := os.ReadDir(folder)
		if errors.Is(err, os.ErrNotExist) && folder != dir {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			rest, ours := strings.CutPrefix(e.Name(), t.name)
			if !e.IsDir() && (ours && endings.MatchString(rest) || folder != dir && endings.MatchString("-"+e.Name())) {
				found = append(found, filepath.Join(folder, e.Name()))
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w %s (looked for %s*.json, .jsonl, .ndjson and .csv, packed by gzip or not)", input.Path(dir), ErrNoFiles, t.name, t.name)
	}
	return found, nil
}

// each calls f for every row of the table's files, and returns their number.
func (t table) each(dir string, sum *traces.SourceSum, f func(row)) (n int64, err error) {
	paths, err := t.files(dir)
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		r := row{rows.New(path, t.columns)}
		take := func(values []string) error {
			if err := r.Next(values); err != nil {
				return err
			}
			n++
			f(r)
			return r.Err()
		}
		err := r.Read(t.name+"/"+filepath.Base(path), sum, func(text io.Reader) error {
			if strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".csv") {
				return t.csv(path, r, text, take)
			}
			return t.json(path, r, text, take)
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// json reads an object a line.
func (t table) json(path string, r row, text io.Reader, take func([]string) error) error {
	var of object
	values := make([]string, len(t.columns))
	return r.Lines(text, func(line string) error {
		clear(of.fields)
		of.outer = ""
		if strings.TrimSpace(line) == "" {
			r.Skip()
			return nil
		}
		err := json.Unmarshal([]byte(line), &of.fields)
		if !utf8.ValidString(line) {
			err = errors.New("not UTF-8")
		}
		if err != nil {
			return fmt.Errorf("%s:row %d: not a JSON object a line: %s", input.Path(path), r.Number()+1, input.Line(err.Error()))
		}
		for i, column := range t.columns {
			value, err := of.lookUp(column)
			if err == nil && value == "" && i < t.needed {
				err = errors.New("not there")
			}
			if err != nil {
				return fmt.Errorf("%s:row %d, %s: %w", input.Path(path), r.Number()+1, column, err)
			}
			values[i] = value
		}
		return take(values)
	})
}

// object is a row of JSON: its fields, and those of the structure that was looked into
// last.
type object struct {
	fields map[string]json.RawMessage
	outer  string
	inner  map[string]json.RawMessage
}

// lookUp returns a field of an object as text, "" where it is not there: nested, or with
// a flat name.
func (o *object) lookUp(column string) (string, error) {
	raw, ok := o.fields[column]
	if outer, inner, dotted := strings.Cut(column, "."); !ok && dotted {
		if raw, ok = o.fields[outer+"_"+inner]; !ok {
			if err := o.open(outer); err != nil {
				return "", err
			}
			raw = o.inner[inner]
		}
	}
	text := string(raw)
	switch {
	case text == "null", text == "[]":
		return "", nil
	case !strings.HasPrefix(text, `"`):
		return text, nil
	case !strings.Contains(text, `\`): // nothing to unescape
		return text[1 : len(text)-1], nil
	}
	var value string
	err := json.Unmarshal(raw, &value)
	return value, err
}

// open looks into a structure.
func (o *object) open(outer string) error {
	if o.outer == outer {
		return nil
	}
	o.outer, o.inner = outer, nil
	if len(o.fields[outer]) == 0 {
		return nil
	}
	if err := json.Unmarshal(o.fields[outer], &o.inner); err != nil {
		return errors.New("not a structure")
	}
	return nil
}

// csv reads a line of names and the rows below it.
func (t table) csv(path string, r row, text io.Reader, take func([]string) error) error {
	text, err := input.Text(text)
	if err != nil {
		return r.Broken(err)
	}
	limited := &rows.Limited{R: text}
	lines := csv.NewReader(limited)
	lines.ReuseRecord = true
	var place []int
	values := make([]string, len(t.columns))
	for {
		limited.Next()
		fields, err := lines.Read()
		if err == io.EOF && place != nil {
			return nil
		}
		if err == io.EOF {
			return fmt.Errorf("%s: empty, without the names of the columns", input.Path(path))
		}
		if err != nil {
			return r.Broken(err)
		}
		if place == nil {
			if place, err = t.place(path, fields); err != nil {
				return err
			}
			r.Skip()
			continue
		}
		for i, p := range place {
			if values[i] = ""; p >= 0 {
				values[i] = fields[p]
			}
		}
		if err := take(values); err != nil {
			return err
		}
	}
}

// place returns where the columns stand, -1 for one that need not be there and is not.
func (t table) place(path string, names []string) ([]int, error) {
	place := make([]int, len(t.columns))
	for i, column := range t.columns {
		place[i] = slices.IndexFunc(names, func(name string) bool {
			return strings.ReplaceAll(strings.TrimSpace(name), ".", "_") == strings.ReplaceAll(column, ".", "_")
		})
		if place[i] < 0 && i < t.needed {
			return nil, fmt.Errorf("%s: no column %s (columns: %s)", input.Path(path), column, input.Names(names))
		}
	}
	return place, nil
}
