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
	return rowsOf[Machine](name, "machines", in)
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
	in, err := parquet.Open(path, parquet.LayoutOf[T]().Columns)
	if err != nil {
		return nil, Meta{}, mistaken(path, kind, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return rowsOf[T, P](path, kind, in)
}

// rowsOf reads all rows of a table of a kind.
func rowsOf[T any, P valid[T]](path, kind string, in *parquet.Reader) (all []T, meta Meta, err error) {
	if meta, err = parseMeta(kind, in.Meta()); err != nil {
		return nil, Meta{}, fmt.Errorf("%s: %w", path, err)
	}
	all = make([]T, 0, in.Rows())
	for row, err := range parquet.RowsOf[T](in) {
		if err != nil {
			return nil, Meta{}, err
		}
		if err := P(&row).Validate(); err != nil {
			return nil, Meta{}, fmt.Errorf("%s: row %d: %w", path, len(all)+1, err)
		}
		all = append(all, row)
	}
	return all, meta, nil
}
