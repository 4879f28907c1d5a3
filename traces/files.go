package traces

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// WriteJobs writes jobs.parquet. The file appears under its name only when it is
// complete; an invalid job is an error that names its row.
func WriteJobs(path string, jobs []Job, meta Meta) error {
	return WriteJobStream(path, slices.Values(jobs), meta)
}

// WriteJobStream is [WriteJobs] of jobs that are made one by one: memory does not
// grow with their number.
func WriteJobStream(path string, jobs iter.Seq[Job], meta Meta) error {
	return write(path, "jobs", jobs, meta)
}

// WriteMachines writes machines.parquet as [WriteJobs] writes jobs.
func WriteMachines(path string, machines []Machine, meta Meta) error {
	return write(path, "machines", slices.Values(machines), meta)
}

// ReadJobs reads all jobs of a file. Its checksum is compared first; a damaged
// file, one of other columns or another version is an error that names it, and so
// is a file without jobs, by an error that wraps [ErrEmpty].
func ReadJobs(path string) ([]Job, Meta, error) {
	jobs, meta, err := read[Job](path, "jobs")
	if err == nil && len(jobs) == 0 {
		err = fmt.Errorf("%s: %w", path, ErrEmpty)
	}
	if err != nil {
		return nil, Meta{}, err
	}
	return jobs, meta, nil
}

// JobFile is an open file of jobs, which are read as often as they are needed.
type JobFile struct {
	Meta Meta

	path string
	in   *parquet.Reader
}

// OpenJobs opens a file of jobs, with the checks of [ReadJobs] but for those of single jobs.
func OpenJobs(path string) (*JobFile, error) {
	in, meta, err := open[Job](path, "jobs")
	if err == nil && in.Rows() == 0 {
		err = errors.Join(fmt.Errorf("%s: %w", path, ErrEmpty), in.Close())
	}
	if err != nil {
		return nil, err
	}
	return &JobFile{meta, path, in}, nil
}

// Len returns the number of jobs.
func (f *JobFile) Len() int { return int(f.in.Rows()) }

// All iterates over the jobs, each checked, in the order of the file: a batch of rows is
// held. After an error it ends. Several passes may be under way.
func (f *JobFile) All() iter.Seq2[Job, error] { return checked[Job](f.path, f.in) }

// Close closes the file.
func (f *JobFile) Close() error { return f.in.Close() }

// ReadMachines reads machines.parquet. A file without machines is no error
// here: a cluster can also be described in a scenario.
func ReadMachines(path string) ([]Machine, Meta, error) { return read[Machine](path, "machines") }

// MachinesOf is [ReadMachines] of a file of which all bytes were read already. Its name
// is for errors.
func MachinesOf(name string, data []byte) ([]Machine, Meta, error) {
	in, err := parquet.OpenBytes(name, data, parquet.LayoutOf[Machine]().Columns)
	if errors.Is(err, parquet.ErrSchema) {
		if _, jobs := parquet.OpenBytes(name, data, parquet.LayoutOf[Job]().Columns); jobs == nil {
			err = fmt.Errorf("%s: a file of jobs, where one of machines is wanted: %w", name, parquet.ErrSchema)
		}
	}
	if err != nil {
		return nil, Meta{}, err
	}
	meta, err := parseMeta("machines", in.Meta())
	if err != nil {
		return nil, Meta{}, fmt.Errorf("%s: %w", name, err)
	}
	all, err := rowsOf[Machine](name, in)
	return all, meta, err
}

// valid is a row that can be checked.
type valid[T any] interface {
	*T
	Validate() error
}

func write[T any, P valid[T]](path, kind string, rows iter.Seq[T], meta Meta) error {
	return parquet.WriteRows(path, func(yield func(T, error) bool) {
		for row := range rows {
			if !yield(row, P(&row).Validate()) {
				return
			}
		}
	}, meta.pairs(kind))
}

func read[T any, P valid[T]](path, kind string) (all []T, meta Meta, err error) {
	in, meta, err := open[T](path, kind)
	if err != nil {
		return nil, Meta{}, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	all, err = rowsOf[T, P](path, in)
	return all, meta, err
}

// open opens a table of a kind.
func open[T any](path, kind string) (*parquet.Reader, Meta, error) {
	in, err := parquet.Open(path, parquet.LayoutOf[T]().Columns)
	if err != nil {
		return nil, Meta{}, mistaken(path, kind, err)
	}
	meta, err := parseMeta(kind, in.Meta())
	if err != nil {
		return nil, Meta{}, errors.Join(fmt.Errorf("%s: %w", path, err), in.Close())
	}
	return in, meta, nil
}

// rowsOf reads all rows of a table.
func rowsOf[T any, P valid[T]](path string, in *parquet.Reader) ([]T, error) {
	all := make([]T, 0, in.Rows())
	for row, err := range checked[T, P](path, in) {
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}

// checked iterates over the rows of a table, each of which is checked.
func checked[T any, P valid[T]](path string, in *parquet.Reader) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for row, err := range parquet.RowsOf[T](in) {
			if n++; err == nil {
				if err = P(&row).Validate(); err != nil {
					err = fmt.Errorf("%s: row %d: %w", path, n, err)
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
