package cli

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/run"
)

// workloadFlags choose the jobs of a run.
type workloadFlags struct{ trace, workload string }

func (f *workloadFlags) register(cmd *cobra.Command) {
	names := run.WorkloadNames()
	cmd.Flags().StringVar(&f.trace, "trace", "", "Parquet `FILE` of jobs, from traces import or generate")
	cmd.Flags().StringVar(&f.workload, "workload", "", "embedded synthetic `WORKLOAD`: "+joinOr(names)+" (default "+names[0]+", unless --trace is given)")
	suggest(cmd, "trace", files("parquet"))
	suggest(cmd, "workload", fixed(names...))
}

func (f *workloadFlags) check() error {
	if f.trace != "" && f.workload != "" {
		return errors.New("--trace and --workload exclude each other")
	}
	if f.workload == "" {
		return nil
	}
	return among("--workload", "workload", []string{f.workload}, run.WorkloadNames())
}

// load reads the jobs. The name is that of an embedded workload.
func (f *workloadFlags) load() (name string, p *run.Population, err error) {
	if f.trace != "" {
		p, err = run.TraceWorkload(f.trace)
		return "", p, err
	}
	name = cmp.Or(f.workload, run.WorkloadNames()[0])
	p, err = run.NamedWorkload(name)
	return name, p, err
}

// joinOr lists names in a sentence: a, b or c.
func joinOr(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
