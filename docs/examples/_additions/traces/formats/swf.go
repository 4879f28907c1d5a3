package formats

import (
	"bufio"
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
		Name: "swf", Title: "Import a log in the Standard Workload Format",
		About: `Import a log in the Standard Workload Format of the Parallel Workloads Archive. A
job becomes as many tasks of one processor as it had. Nothing is repaired; the
report of what was left out and why goes to standard output.`,
		Example: `  leontief traces import swf KTH-SP2-1996-2.swf --out jobs.parquet`,
		Input:   "FILE", What: "the log, also as .swf.gz", Endings: []string{"swf", "gz"},
		New: func() ([]Option, Import) { return nil, importSWF },
	})
}

// The columns of the format that are read; -1 stands for what is not known.
const (
	swfJob, swfSubmit, swfRun, swfProcessors = 0, 1, 3, 4
	swfColumns                               = 18
)

func importSWF(path string) (*traces.Imported, error) {
	im := &traces.Imported{Report: &traces.Report{}, NoMachines: "the format has no machines"}
	r, sum := rows.New(path, strings.Fields(strings.Repeat("field ", swfColumns))), traces.SourceSum{}
	err := r.Read(filepath.Base(path), &sum, func(text io.Reader) error {
		lines := bufio.NewScanner(text)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), ";") {
				continue
			}
			if err := r.Next(strings.Fields(lines.Text())); err != nil {
				return err
			}
			im.Report.AddRead("jobs", 1)
			if job, reason := swfRow(r); reason != "" {
				im.Report.LeaveOut("jobs", reason, 1)
			} else {
				im.Jobs = append(im.Jobs, job)
			}
			if r.Err() != nil {
				return r.Err()
			}
		}
		return lines.Err()
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(im.Jobs, func(a, b traces.Job) int { return cmp.Compare(a.SubmitUS, b.SubmitUS) })
	im.Report.AddKept("jobs", "jobs", int64(len(im.Jobs)))
	im.Meta = traces.Meta{Source: "Standard Workload Format", Checksum: sum.Sum(), Label: "real", Units: "cpu: processors"}
	return im.Of(path)
}

// swfRow makes a job of a row, or says why it cannot be used.
func swfRow(r *rows.Row) (job traces.Job, reason string) {
	for _, column := range []int{swfRun, swfProcessors} {
		if v := r.Text(column); v == "-1" || v == "0" {
			return job, fmt.Sprintf("no %s", map[int]string{swfRun: "run time", swfProcessors: "processors"}[column])
		}
	}
	return traces.Job{ID: r.Own(swfJob), SubmitUS: r.Integer(swfSubmit) * 1e6, DurationUS: r.Integer(swfRun) * 1e6,
		Tasks: r.Integer(swfProcessors), CPU: 1}, ""
}
