package traces

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// jobColumns is the layout of jobs.parquet. Times are microseconds; cpu, mem
// and gpu are in the units of the file's metadata.
var jobColumns = []parquet.Column{
	{Name: "job_id", Kind: parquet.String},
	{Name: "submit_us", Kind: parquet.Int64},
	{Name: "tasks", Kind: parquet.Int64},
	{Name: "duration_us", Kind: parquet.Int64},
	{Name: "cpu", Kind: parquet.Float64},
	{Name: "mem", Kind: parquet.Float64},
	{Name: "gpu", Kind: parquet.Float64},
	{Name: "censored", Kind: parquet.Bool},
	{Name: "constraints", Kind: parquet.String},
}

// appendJob adds the row of a job to a batch of jobColumns.
func appendJob(b []parquet.Values, j *Job) {
	b[0].Strings = append(b[0].Strings, j.ID)
	b[1].Ints = append(b[1].Ints, j.SubmitUS)
	b[2].Ints = append(b[2].Ints, j.Tasks)
	b[3].Ints = append(b[3].Ints, j.DurationUS)
	b[4].Floats = append(b[4].Floats, j.CPU)
	b[5].Floats = append(b[5].Floats, j.Mem)
	b[6].Floats = append(b[6].Floats, j.GPU)
	b[7].Bools = append(b[7].Bools, j.Censored)
	b[8].Strings = append(b[8].Strings, j.Constraints)
}

// jobAt returns row i of a batch of jobColumns.
func jobAt(b []parquet.Values, i int) Job {
	return Job{
		ID: b[0].Strings[i], SubmitUS: b[1].Ints[i], Tasks: b[2].Ints[i], DurationUS: b[3].Ints[i],
		CPU: b[4].Floats[i], Mem: b[5].Floats[i], GPU: b[6].Floats[i],
		Censored: b[7].Bools[i], Constraints: b[8].Strings[i],
	}
}

// JobWriter writes jobs.parquet row by row. The file appears under its name
// when Close has succeeded.
type JobWriter struct {
	path  string
	out   *parquet.Writer
	batch []parquet.Values
	row   int64
}

// CreateJobs starts a file of jobs. The caller must call Close or Abort.
func CreateJobs(path string, meta Meta) (*JobWriter, error) {
	out, err := parquet.Create(path, jobColumns, meta.pairs("jobs"))
	if err != nil {
		return nil, err
	}
	return &JobWriter{path: path, out: out, batch: make([]parquet.Values, len(jobColumns))}, nil
}

// Write adds one job. An invalid job is an error and is not written.
func (w *JobWriter) Write(job Job) error {
	if err := job.Validate(); err != nil {
		return fmt.Errorf("%s: row %d: %w", w.path, w.row+1, err)
	}
	appendJob(w.batch, &job)
	w.row++
	if len(w.batch[0].Strings) < parquet.RowGroup {
		return nil
	}
	return w.flush()
}

// flush writes the batch as one row group and empties it.
func (w *JobWriter) flush() error {
	err := w.out.Write(w.batch)
	w.batch = make([]parquet.Values, len(jobColumns))
	return err
}

// Close completes the file and gives it its name.
func (w *JobWriter) Close() error {
	if err := w.flush(); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.out.Close()
}

// Abort discards the file. After Close it does nothing.
func (w *JobWriter) Abort() error { return w.out.Abort() }

// WriteJobs writes jobs.parquet at once.
func WriteJobs(path string, jobs []Job, meta Meta) error {
	w, err := CreateJobs(path, meta)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if err := w.Write(j); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return w.Close()
}

// JobReader reads jobs.parquet with bounded memory: one row group at a time.
type JobReader struct {
	path string
	in   *parquet.Reader
	meta Meta
}

// OpenJobs opens a file of jobs. Its checksum is compared first; a damaged
// file, one of other columns or another version is an error that names it.
func OpenJobs(path string) (*JobReader, error) {
	in, err := parquet.Open(path, jobColumns)
	if err != nil {
		return nil, mistaken(path, "jobs", err)
	}
	meta, err := parseMeta("jobs", in.Meta())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), in.Close())
	}
	return &JobReader{path: path, in: in, meta: meta}, nil
}

// Meta returns where the jobs come from.
func (r *JobReader) Meta() Meta { return r.meta }

// Rows returns the number of jobs.
func (r *JobReader) Rows() int64 { return r.in.Rows() }

// All iterates over the jobs that have not been read yet, in the order of the
// file. After an error, which comes with the zero Job, it ends.
func (r *JobReader) All() iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		row := int64(0)
		for {
			batch, err := r.in.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Job{}, err)
				return
			}
			for i := range batch[0].Strings {
				row++
				job := jobAt(batch, i)
				if err := job.Validate(); err != nil {
					yield(Job{}, fmt.Errorf("%s: row %d: %w", r.path, row, err))
					return
				}
				if !yield(job, nil) {
					return
				}
			}
		}
	}
}

// Close closes the file.
func (r *JobReader) Close() error { return r.in.Close() }

// ReadJobs reads all jobs of a file. A file without jobs is an error that
// wraps [ErrEmpty].
func ReadJobs(path string) (jobs []Job, meta Meta, err error) {
	r, err := OpenJobs(path)
	if err != nil {
		return nil, Meta{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	jobs = make([]Job, 0, r.Rows())
	for job, err := range r.All() {
		if err != nil {
			return nil, Meta{}, err
		}
		jobs = append(jobs, job)
	}
	if len(jobs) == 0 {
		return nil, Meta{}, fmt.Errorf("%s: %w", path, ErrEmpty)
	}
	return jobs, r.Meta(), nil
}
