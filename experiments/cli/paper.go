package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers"
	_ "github.com/leontief-sim/leontief/experiments/papers/magiks" // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/papers/mtp"    // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/papers/psdsf"  // registers its paper
	_ "github.com/leontief-sim/leontief/experiments/papers/tsf"    // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/papers/tsfer"  // registers the paper and its specs
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	_ "github.com/leontief-sim/leontief/experiments/sweeps" // registers kinds
)

type paperFlags struct {
	runFlags
	papers.Request
	ledgerFlags
	options map[string]*string
	out     string

	instancesGiven bool
	force          bool
}

func (c *command) paper(p papers.Paper) *cobra.Command {
	f := &paperFlags{options: map[string]*string{}}
	cmd := &cobra.Command{
		Use: p.Name, Short: p.Title, Long: p.Long, Example: p.Example,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.instancesGiven = cmd.Flags().Changed("instances")
			f.Rules = programNames(cmd)
			return c.runPaper(cmd.Context(), p, f)
		},
	}
	f.runFlags.register(cmd)
	flags := cmd.Flags()
	f.Items = p.Items
	listVar(flags, &f.Items, "item", "what to reproduce")
	choose(cmd, &f.Scale, "scale", "size", p.Scales...)
	flags.IntVar(&f.Instances, "instances", 0, "so many instances of every scenario, instead of a scale's")
	flags.StringVar(&f.out, "out", "results/"+p.Name, "`FOLDER` for the results")
	outputFolder(cmd, &f.force)
	f.ledgerFlags.register(cmd, "text", "markdown")
	if len(p.Shows) > 0 {
		takesPrograms(cmd)
	}
	suggest(cmd, "item", severalOf(p.Items...))
	suggest(cmd, "out", folders)
	for _, o := range p.Options {
		f.options[o.Name] = flags.String(o.Name, o.Default, o.Doc)
		if _, err := o.Canonical("yes"); o.Default == "no" && err == nil {
			flags.Lookup(o.Name).NoOptDefVal = "yes"
		}
		if values := o.Values(); values != nil {
			suggest(cmd, o.Name, fixed(values...))
		}
	}
	return cmd
}

// memoryGoal is what a reproduction asks the runtime to stay below, in bytes, by
// collecting garbage sooner; GOMEMLIMIT in the environment takes its place.
const memoryGoal = 256 << 20

func tidy() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
}

func (c *command) runPaper(ctx context.Context, p papers.Paper, f *paperFlags) error {
	tidy()
	start := time.Now()
	if f.instancesGiven {
		if err := checkInstances(f.Instances); err != nil {
			return err
		}
	}
	f.Seed, f.Options = f.seed, map[string]string{}
	for name, value := range f.options {
		f.Options[name] = *value
	}
	err := errors.Join(f.runFlags.check(), f.ledgerFlags.check(), store.CheckFolder(f.out), p.Check(&f.Request))
	if err != nil {
		return err
	}
	if !f.force {
		if err := store.CheckPlan(f.out, p.Manifest(f.Request)); err != nil {
			return err
		}
	}
	runner, release := c.stored(f, p.Name)
	defer release()
	results, err := p.Reproduce(ctx, f.Request, runner)
	if err != nil {
		return ofSweep(err)
	}
	timing := store.Timing{WallSeconds: time.Since(start).Seconds(), Workers: f.workers}
	if err := results.Write(f.out, timing); err != nil {
		return writing(err)
	}
	return c.printFindings(results, f)
}

// stored runs scenarios through the store of the output folder; release gives the folder
// free, when all has been written.
func (c *command) stored(f *paperFlags, stage string) (runner run.Runner, release func()) {
	k := &kept{c: c, folder: f.out}
	return func(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
		of, err := k.open(ctx)
		if err != nil {
			return nil, err
		}
		show := f.reporter(c.Err)
		return of.Runner(f.workers, func(done, total int) { show(stage, done, total) })(ctx, scenarios)
	}, k.release
}

// kept is an output folder that is made, and locked, when it is first needed: once it is
// known what is to be run.
type kept struct {
	c      *command
	folder string
	lock   *store.FolderLock
	store  *store.Store
}

func (k *kept) open(ctx context.Context) (*store.Store, error) {
	if k.store != nil {
		return k.store, nil
	}
	var err error
	if k.lock, err = store.LockFolder(ctx, k.folder, 0); err != nil {
		return nil, ofSweep(err)
	}
	if k.store, err = store.OpenStore(k.folder, k.lock); err != nil {
		return nil, ofSweep(err)
	}
	k.store.Tell(func(text string) { fmt.Fprintln(k.c.Err, "leontief:", text) })
	return k.store, nil
}

func (k *kept) release() {
	if k.lock != nil {
		k.lock.Close()
	}
}

// printFindings prints the ledger and what there is to say of it.
func (c *command) printFindings(results *papers.Findings, f *paperFlags) error {
	var b bytes.Buffer
	if err := f.ledgerFlags.write(&b, results.Ledger, terminalWidth(c.Out)); err != nil {
		return refusedOr(err)
	}
	b.WriteByte('\n')
	if len(results.Labels) > 0 {
		fmt.Fprintf(&b, "workload: %s.", strings.Join(results.Labels, "; "))
		if slices.ContainsFunc(results.Ledger.Entries, func(e ledger.Entry) bool { return e.FittedTo }) {
			b.WriteString(" A verdict marked * is on a value that the workload was fitted to.")
		}
		b.WriteByte('\n')
	}
	for _, note := range results.Notes {
		fmt.Fprintln(&b, note)
	}
	return c.say("%s%s. Results in %s\n", &b, results.Ledger.Tally(), f.out)
}

func (c *command) reproduce() *cobra.Command {
	cmd := group("reproduce", "Compute a paper's numbers beside the published ones",
		`Compute a paper's numbers and print them beside the published ones, with an
interval, the difference and a verdict: reproduced (the published value lies in
our interval, or the number that tests a claim in words holds), differs (with
the reason as far as it is known), refuted (the paper's own definitions
contradict its number) or not run.`)
	for _, p := range papers.Papers() {
		cmd.AddCommand(c.paper(p))
	}
	cmd.AddCommand(c.reproduceAll())
	return cmd
}
