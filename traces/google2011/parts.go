package google2011

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/rows"
)

// table is one of the trace's tables: its folder and its columns.
type table struct {
	name    string
	columns []string
}

var (
	jobEvents = table{"job_events", []string{"time", "missing info", "job ID", "event type",
		"user", "scheduling class", "job name", "logical job name"}}
	taskEvents = table{"task_events", []string{"time", "missing info", "job ID", "task index", "machine ID", "event type",
		"user", "scheduling class", "priority", "CPU request", "memory request", "disk space request",
		"different machines restriction"}}
	machineAttributes = table{"machine_attributes", []string{"time", "machine ID", "attribute name", "attribute value", "attribute deleted"}}
	machineEvents     = table{"machine_events", []string{"time", "machine ID", "event type", "platform ID", "CPUs", "Memory"}}
)

// part is one file of a table.
type part struct {
	path          string
	number, total int
}

// tableParts are the files of one table at hand, in the order of their
// numbers.
type tableParts struct {
	table
	parts []part
	// complete says that no part of the table is missing.
	complete bool
}

// ErrNoParts is the error of a folder without a file of a table that is
// needed.
var ErrNoParts = errors.New("no parts found")

var partName = regexp.MustCompile(`^part-(\d{5})-of-(\d{5})\.csv(\.gz)?$`)

// findParts lists the parts of a table in dir/<table>. It is an error if
// there are none, if a part is there twice, if the parts are of different
// divisions of the table, or if a name begins like a part's and is none.
func findParts(dir string, t table) (tableParts, error) {
	folder := filepath.Join(dir, t.name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return tableParts{}, fmt.Errorf("%s: %w: %w", folder, ErrNoParts, err)
		}
		return tableParts{}, err
	}
	found := tableParts{table: t}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "part-") {
			continue
		}
		p, err := parsePart(folder, e.Name())
		if err != nil {
			return tableParts{}, err
		}
		found.parts = append(found.parts, p)
	}
	return found, found.check(folder)
}

// parsePart reads the numbers in a part's name.
func parsePart(folder, name string) (part, error) {
	p := part{path: filepath.Join(folder, name)}
	m := partName.FindStringSubmatch(name)
	if m == nil {
		return p, fmt.Errorf("%s: not a name of the form part-?????-of-?????.csv or .csv.gz", p.path)
	}
	// Five digits always fit.
	p.number, _ = strconv.Atoi(m[1])
	p.total, _ = strconv.Atoi(m[2])
	if p.number >= p.total {
		return p, fmt.Errorf("%s: part %d of only %d", p.path, p.number, p.total)
	}
	return p, nil
}

// check sorts the parts and looks for contradictions among them.
func (t *tableParts) check(folder string) error {
	if len(t.parts) == 0 {
		return fmt.Errorf("%s: %w", folder, ErrNoParts)
	}
	slices.SortFunc(t.parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.path, b.path))
	})
	for i, p := range t.parts[1:] {
		before := t.parts[i]
		if p.total != before.total {
			return fmt.Errorf("%s and %s: parts of different divisions of the table", before.path, p.path)
		}
		if p.number == before.number {
			return fmt.Errorf("%s and %s: the same part twice", before.path, p.path)
		}
	}
	t.complete = len(t.parts) == t.parts[0].total
	return nil
}

// each calls f for every row of a part, in order. The row is valid during the
// call only. A sum that is not nil receives the bytes of the file.
func (t *tableParts) each(p part, sum *traces.SourceSum, f func(row)) (n int64, err error) {
	r := rows.New(p.path, t.columns)
	err = r.Read(t.name+"/"+filepath.Base(p.path), sum, func(text io.Reader) error {
		n, err = r.CSV(text, false, func() { f(row{r}) })
		return err
	})
	return n, err
}

// scan calls f for every row of a table, part after part, and counts the rows.
func (im *importer) scan(t tableParts, f func(row)) error {
	for _, p := range t.parts {
		n, err := t.each(p, &im.sum, f)
		im.report.AddRead(t.name, n)
		if err != nil {
			return err
		}
	}
	return nil
}

// optional finds the parts of a table that need not be at hand: there are none
// then, and the report says what is missing without it.
func (im *importer) optional(dir string, t table, without string) (tableParts, error) {
	parts, err := findParts(dir, t)
	if errors.Is(err, ErrNoParts) {
		im.report.Note("tables", t.name+" is not at hand: "+without, 1)
		return tableParts{}, nil
	}
	return parts, err
}

// row is one row of a table; [tableParts.each] stops at its first error.
type row struct{ *rows.Row }

// event returns a field that holds one of the event types 0 … last.
func (r row) event(column int, last int64) event {
	v := r.Integer(column)
	if v > last {
		r.Fail(column, fmt.Errorf("not an event type from 0 to %d", last))
	}
	return event(v)
}

// missing reports whether the row is marked as reconstructed by the makers of
// the trace (field 2 of the event tables).
func (r row) missing() bool { return r.Text(1) != "" }
