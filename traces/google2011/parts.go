package google2011

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
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
	machineEvents = table{"machine_events", []string{"time", "machine ID", "event type", "platform ID", "CPUs", "Memory"}}
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
func (t *tableParts) each(p part, sum *traces.SourceSum, f func(*row)) (rows int64, err error) {
	file, err := os.Open(p.path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var raw io.Reader = file
	if sum != nil {
		raw = sum.Reader(t.name+"/"+filepath.Base(p.path), file)
	}
	r := &row{file: p.path, columns: t.columns}
	if err := r.scan(raw, f); err != nil {
		return r.number, err
	}
	// Bytes that the decompressor did not need belong to the checksum too.
	_, err = io.Copy(io.Discard, raw)
	return r.number, err
}

// scan reads the rows of one file.
func (r *row) scan(raw io.Reader, f func(*row)) error {
	in := raw
	if strings.HasSuffix(r.file, ".gz") {
		unzip, err := gzip.NewReader(raw)
		if err != nil {
			return r.readError(err)
		}
		in = unzip
	}
	lines := csv.NewReader(in)
	lines.ReuseRecord, lines.FieldsPerRecord = true, -1
	for {
		fields, err := lines.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.readError(err)
		}
		r.number++
		r.fields = fields
		if len(fields) != len(r.columns) {
			return fmt.Errorf("%s:row %d: %d columns instead of %d", r.file, r.number, len(fields), len(r.columns))
		}
		if f(r); r.err != nil {
			return r.err
		}
	}
}

// readError describes an error of reading the row after the last one.
func (r *row) readError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return fmt.Errorf("%s:row %d: the file ends in the middle (truncated gzip): %w", r.file, r.number+1, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s:row %d: %w", r.file, r.number+1, err)
}
