package formats

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/rows"
)

func init() {
	Register(Format{
		Name: "gwf", Title: "Import a log in the Grid Workload Format",
		About: `Import a log in the Grid Workload Format of the Grid Workloads Archive. A job
becomes as many tasks of one processor as it had. Nothing is repaired; the report
of what was left out and why goes to standard output.`,
		Example: `  leontief traces import gwf das2.gwf --out jobs.parquet`,
		Input:   "FILE", What: "the log, also as .gwf.gz", Endings: []string{"gwf", "gz"},
		New: func() ([]Option, Import) { return nil, importGWF },
	})
}

// The columns of the format that are read; -1 stands for what is not known.
const (
	gwfJob, gwfSubmit, gwfRun, gwfProcessors = 0, 1, 3, 4
	gwfColumns                               = 29
)

func importGWF(path string) (*traces.Imported, error) {
	im := &traces.Imported{Report: &traces.Report{}, NoMachines: "the format has no machines"}
	r, sum := rows.New(path, strings.Fields(strings.Repeat("field ", gwfColumns))), traces.SourceSum{}
	err := r.Read(filepath.Base(path), &sum, func(text io.Reader) error {
		return r.Lines(text, func(line string) error {
			if strings.HasPrefix(line, "#") {
				r.Skip()
				return nil
			}
			if err := r.Next(strings.Fields(line)); err != nil {
				return err
			}
			im.Report.AddRead("jobs", 1)
			if job, reason := gwfRow(r); reason != "" {
				im.Report.LeaveOut("jobs", reason, 1)
			} else {
				im.Jobs = append(im.Jobs, job)
			}
			return r.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(im.Jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	im.Report.AddKept("jobs", "jobs", int64(len(im.Jobs)))
	im.Meta = traces.Meta{Source: "Grid Workload Format", Checksum: sum.Sum(), Label: "real", Units: "cpu: cores"}
	return im.Of(path)
}

// gwfRow makes a job of a row, or says why it cannot be used.
func gwfRow(r *rows.Row) (job traces.Job, reason string) {
	for _, column := range []int{gwfRun, gwfProcessors} {
		if v := r.Text(column); v == "-1" || v == "0" {
			return job, fmt.Sprintf("no %s", map[int]string{gwfRun: "run time", gwfProcessors: "processors"}[column])
		}
	}
	return traces.Job{ID: r.Own(gwfJob), SubmitUS: r.Integer(gwfSubmit) * 1e6, DurationUS: r.Integer(gwfRun) * 1e6,
		Tasks: r.Integer(gwfProcessors), CPU: 1}, ""
}
