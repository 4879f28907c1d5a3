package cli

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/traces"
)

// workloadFlags choose the jobs of a run and how their bandwidth is
// synthesised.
type workloadFlags struct {
	trace, workload, gamma string
}

func (f *workloadFlags) register(cmd *cobra.Command) {
	names := run.WorkloadNames()
	cmd.Flags().StringVar(&f.trace, "trace", "", "Parquet `FILE` of jobs, from traces import or generate")
	cmd.Flags().StringVar(&f.workload, "workload", "", "embedded synthetic `WORKLOAD`: "+joinOr(names)+" (default "+names[0]+", unless --trace is given)")
	choose(cmd, &f.gamma, "gamma", "reading of the Gamma distribution's second parameter, for the bandwidth", string(traces.GammaScale), string(traces.GammaRate))
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

func (f *workloadFlags) load() (*run.Population, error) {
	if f.trace != "" {
		return run.TraceWorkload(f.trace)
	}
	return run.NamedWorkload(cmp.Or(f.workload, run.WorkloadNames()[0]))
}

func (f *workloadFlags) bandwidth() traces.Bandwidth {
	b := traces.DefaultBandwidth()
	b.Parameter = traces.GammaParameter(f.gamma)
	return b
}

// joinOr lists names in a sentence: a, b or c.
func joinOr(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
