package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments"
	_ "github.com/leontief-sim/leontief/experiments/magiks" // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/mtp"    // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/psdsf"  // registers its paper
	_ "github.com/leontief-sim/leontief/experiments/sweeps" // registers kinds and specs
	_ "github.com/leontief-sim/leontief/experiments/tsf"    // registers the paper
	"github.com/leontief-sim/leontief/experiments/tsfer"
)

func (c *command) reproduce() *cobra.Command {
	cmd := group("reproduce", "Compute a paper's numbers beside the published ones",
		`Compute a paper's numbers and print them beside the published ones, with an
interval, the difference and a verdict: reproduced (the published value lies in
our interval, or the number that tests a claim in words holds), differs (with
the reason as far as it is known), refuted (the paper's own definitions
contradict its number) or not run.`, c.reproduceTSFER())
	for _, p := range experiments.Papers() {
		cmd.AddCommand(c.paper(p))
	}
	return cmd
}

// reproduceFlags are the flags of reproduce tsf-er.
type reproduceFlags struct {
	runFlags
	workloadFlags
	items              []string
	instancesGiven     bool
	scale, out, format string
	alibaba            string
	instances          int
	verify             bool
}

func (c *command) reproduceTSFER() *cobra.Command {
	f := reproduceFlags{}
	cmd := &cobra.Command{
		Use:   "tsf-er",
		Short: "The TSF-ER paper: worked examples, tables 3-5, figures 3-10",
		Long: `Reproduce the experiments of the TSF-ER paper: the worked examples, table 3 and
figures 3 and 4 in the fluid model; table 4, with every reading of what the paper
leaves open, and figures 5 to 10 (table 5's 20 servers) with whole tasks. At the
quick scale figures 5 to 10 take two days of submissions and three slots, at the
paper's 14 days and six (minutes on the synthetic workload, seconds on hybrid).

Without --trace the jobs come from an embedded synthetic workload, which every
output says. "fitted" has the request mix and job sizes of the Google trace, and
durations whose median was fitted to one value of table 3 (TSF-ER at n=15, ρ=0.7,
2 MHz); all other values are predictions. "google" has the real jobs' arrivals
and durations as well. Table 4 has a workload of its own, "two-parameter", fitted to
two values of TSF-ER. Figures 5 to 10 run on a synthetic workload with the
marginals of Alibaba's PAI trace, or with --alibaba DIR on the real submissions,
durations and gangs of its sample ("hybrid"). With --trace jobs.parquet the jobs are sampled from the
first 1,000 submissions of that file.

--out receives the result tables (Parquet), the figures made from them (PDF, SVG,
PNG), ledger.json and manifest.json. The ledger is printed. --verify checks after
every event with whole tasks that nothing is overcommitted, that no task is lost or
runs twice, and that its time adds up; one that does not ends the run, and the
results are otherwise the same.`,
		Example: `  leontief reproduce tsf-er
  leontief reproduce tsf-er --item table3 --scale paper --out results/table3
  leontief reproduce tsf-er --trace jobs.parquet --out results/google`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.instancesGiven = cmd.Flags().Changed("instances")
			return c.runTSFER(cmd.Context(), f)
		},
	}
	f.runFlags.register(cmd)
	f.workloadFlags.register(cmd)
	cmd.Flags().StringSliceVar(&f.items, "item", tsfer.Items, "what to reproduce")
	cmd.Flags().StringVar(&f.scale, "scale", tsfer.Scales[0].Name, "quick (under a minute) or paper (the published number of instances)")
	cmd.Flags().IntVar(&f.instances, "instances", 0, "so many instances of every setting, instead of a scale's")
	cmd.Flags().StringVar(&f.out, "out", "results/tsf-er", "folder for the results")
	cmd.Flags().StringVar(&f.alibaba, "alibaba", "", "folder of Alibaba files with the sample of PAI's GPU tasks, for figures 5-10; without it their workload is synthetic")
	cmd.Flags().BoolVar(&f.verify, "verify", false, "re-check every invariant of whole tasks (table 4, figures 5-10) after every event, slowly")
	cmd.Flags().StringVar(&f.format, "format", "text", "how to print the ledger: text or markdown")
	return cmd
}

func (c *command) runTSFER(ctx context.Context, f reproduceFlags) error {
	start := time.Now()
	plan, err := f.plan()
	if err != nil {
		return err
	}
	lock, store, err := c.openStore(ctx, f.out)
	if err != nil {
		return err
	}
	defer lock.Close()
	plan.Store = store
	results, err := tsfer.Reproduce(ctx, plan, f.workers, f.reporter(c.Err))
	if err != nil {
		return ofSweep(err)
	}
	timing := experiments.Timing{WallSeconds: time.Since(start).Seconds(), Workers: f.workers}
	if err := results.Write(f.out, plan, timing); err != nil {
		return writing(err)
	}
	ledger := experiments.NewLedger(results.Entries)
	var b bytes.Buffer
	if f.format == "markdown" {
		err = ledger.WriteMarkdown(&b)
	} else {
		err = ledger.WriteText(&b)
	}
	if err != nil {
		return refusedOr(err)
	}
	fmt.Fprintf(&b, "\nworkload: %s.", strings.Join(plan.Labels(), "; "))
	if plan.Fitted() {
		b.WriteString(" A verdict marked * is on a value that the workload was fitted to.")
	}
	if results.Refused > 0 {
		fmt.Fprintf(&b, "\n%d of %d drawn jobs were refused, since nothing can host them or the clock ends before they would: they are in no mean.", results.Refused, results.Drawn)
	}
	if f.verify {
		fmt.Fprintf(&b, "\nEvery invariant of whole tasks was checked after %d instants, and held.", results.Verified)
	}
	fmt.Fprintf(&b, "\n%s. Results in %s\n", ledger.Tally(), f.out)
	_, err = c.Out.Write(b.Bytes())
	return refusedOr(err)
}

// plan checks the flags and reads the workload.
func (f *reproduceFlags) plan() (*tsfer.Plan, error) {
	if f.instancesGiven {
		if err := checkInstances(f.instances); err != nil {
			return nil, err
		}
	}
	err := errors.Join(f.runFlags.check(), f.workloadFlags.check(), oneOf("format", f.format, "text", "markdown"),
		experiments.CheckFolder(f.out))
	if err != nil {
		return nil, err
	}
	scale, err := tsfer.ScaleNamed(f.scale)
	if err != nil {
		return nil, err
	}
	if f.instances != 0 {
		scale = tsfer.Scale{Name: "custom", Table3: f.instances, Figures: f.instances, Table4: f.instances, Cloud: scale.Cloud}
	}
	plan := &tsfer.Plan{Items: f.items, Scale: scale, Bandwidth: f.bandwidth(), Seed: f.seed, Verify: f.verify}
	if err := plan.CheckSize(); err != nil {
		return nil, err
	}
	if err := f.workloads(plan); err != nil {
		return nil, err
	}
	return plan, plan.Check()
}

// workloads reads the workloads of the plan: the one that the flags name for
// all items, or each item's default.
func (f *reproduceFlags) workloads(plan *tsfer.Plan) (err error) {
	if f.trace != "" {
		plan.Workload, err = tsfer.TraceWorkload(f.trace)
	} else {
		plan.Workload, err = tsfer.NamedWorkload(f.name())
	}
	if err != nil {
		return err
	}
	plan.Whole = plan.Workload
	if f.trace == "" && f.workload == "" {
		if plan.Whole, err = tsfer.Table4Workload(); err != nil {
			return err
		}
	}
	if f.trace != "" {
		plan.Cloud, err = tsfer.CloudTrace(f.trace)
	} else {
		plan.Cloud, err = tsfer.CloudWorkload(f.alibaba)
	}
	return err
}
