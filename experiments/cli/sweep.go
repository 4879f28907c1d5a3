package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/input"
)

type sweepFlags struct {
	runFlags
	store.SweepOptions
	spec.Choice
	seedGiven, instancesGiven bool
	dryRun, show, prune       bool
	shard, plan, format       string
}

func (c *command) sweep() *cobra.Command {
	f := sweepFlags{}
	cmd := &cobra.Command{
		Use:   "sweep SPEC.yaml|NAME",
		Short: "Run every scenario of a spec, and go on where a run was ended",
		Long: `Run every scenario of a spec: the grid that its axes span over the parameters of
an experiment. The spec is a file, or one that is shipped: ` + strings.Join(papers.ShippedSpecs(), ", ") + `
(--show prints it, to start one's own from). docs/sweeps.md describes the format.

--out receives a table of every block (Parquet), plan.json and manifest.json, and
in scenarios/ the result of each scenario, stored as soon as it is there. The
command can be ended at any moment, by an interrupt, kill -9 or a full disk: the
same command goes on with the scenarios that are missing. A scenario is known by
its content, so that a value added to an axis runs what it adds and nothing else.
The first interrupt finishes the scenarios under way, the second ends at once.

--dry-run prints what would be run and about how long it takes. --shard I/N runs
the Ith of N parts, on any machine; leontief merge makes one result of them.

--prune runs nothing: of the results in the folder it keeps those of the plan by
this version of leontief, and removes those of other versions and those that are
not in the plan, also if another spec or leontief reproduce put them there. It says
how many; with --dry-run it says how many it would remove.`,
		Example: `  leontief sweep tsf-er-table3 --show > mine.yaml
  leontief sweep mine.yaml --dry-run
  leontief sweep mine.yaml --out results/mine
  leontief sweep mine.yaml --shard 2/8 --out parts/2 --set bandwidth=3`,
		Args: takes(argument{name: "SPEC.yaml|NAME", what: "a YAML file, or a spec that is shipped"}),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seedGiven, f.instancesGiven = cmd.Flags().Changed("seed"), cmd.Flags().Changed("instances")
			return c.runSweep(cmd.Context(), args[0], f)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *sweepFlags) register(cmd *cobra.Command) {
	f.runFlags.register(cmd)
	flags := cmd.Flags()
	flags.Lookup("seed").Usage = "seed of all random draws, instead of the spec's"
	flags.StringVar(&f.Folder, "out", "", "`FOLDER` for the results (default results/NAME, the spec's name)")
	outputFolder(cmd, &f.Force)
	takesPrograms(cmd)
	flags.StringVar(&f.Scale, "scale", "", "`SCALE`, one of the spec's (default: its first)")
	flags.IntVar(&f.Instances, "instances", 0, "so many instances of every scenario, instead of the spec's")
	flags.Var(pairs{&f.Set}, "set", "value of a parameter, instead of the spec's, as policy=mnw (leontief experiments lists them)")
	flags.StringVar(&f.shard, "shard", "", "run only part I of N: `I/N`, such as 2/8")
	flags.StringVar(&f.plan, "plan", "", "refuse to run unless the plan has this `HASH`")
	flags.DurationVar(&f.Wait, "wait", 0, "wait so long for the folder if another process works in it")
	flags.BoolVar(&f.AnyProgram, "any-version", false, "take stored results of other versions of leontief as they are")
	flags.BoolVar(&f.prune, "prune", false, "remove stored results of other versions of leontief and of scenarios that are not in the plan, and run nothing")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and an estimate of the time, and run nothing more")
	flags.BoolVar(&f.show, "show", false, "print the spec itself")
	choose(cmd, &f.format, "format", "how --dry-run prints", "text", "json")
	suggest(cmd, "out", folders)
	suggest(cmd, "set", several(parameters))
	suggest(cmd, "scale", f.scales)
	cmd.ValidArgsFunction = oneArgument(specs)
}

// scales completes the scales of the spec that the command line names.
func (f *sweepFlags) scales(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var unknown *spelling.UnknownError
	if len(args) > 0 {
		if data, err := readSpec(args[0]); err == nil {
			_, err = spec.ParseSpec(args[0], data, spec.Choice{Scale: "?"})
			errors.As(err, &unknown)
		}
	}
	if unknown == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return unknown.Known, cobra.ShellCompDirectiveNoFileComp
}

func readSpec(name string) ([]byte, error) {
	data, err := input.ReadText(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	if data, ok := papers.ShippedSpec(name); ok {
		return data, nil
	}
	return nil, fmt.Errorf("%s: no such file, and no spec that is shipped%s", name, spelling.Hint(name, papers.ShippedSpecs()))
}

func (c *command) runSweep(ctx context.Context, name string, f sweepFlags) error {
	data, err := readSpec(name)
	if err != nil {
		return err
	}
	if f.show {
		_, err := c.data.Write(data)
		return internal(err)
	}
	f.Rule = c.openProgram
	plan, err := f.prepare(name, data)
	switch {
	case err != nil:
		return err
	case f.prune:
		return c.prune(ctx, plan, f.SweepOptions, f.dryRun)
	case f.dryRun:
		return c.dryRun(ctx, plan, f.SweepOptions, f.format)
	}
	show := f.reporter(c.Err)
	f.Progress = func(done, total int) { show(plan.Name, done, total) }
	f.Warn = func(text string) { fmt.Fprintln(c.Err, "leontief:", text) }
	result, err := plan.Run(ctx, f.SweepOptions)
	if err != nil {
		return saidOnce(ofSweep(err))
	}
	return c.printSweep(result, f.SweepOptions)
}

func (f *sweepFlags) check() (err error) {
	if f.shard != "" {
		if f.Shard, err = store.ParseShard(f.shard); err != nil {
			err = fmt.Errorf("--shard: %w", err)
		}
	}
	err = errors.Join(f.runFlags.check(), err)
	if f.instancesGiven {
		err = errors.Join(err, checkInstances(f.Instances))
	}
	if f.prune && (f.shard != "" || f.AnyProgram) {
		err = errors.Join(err, errors.New("--prune is of the whole plan and of this version: it takes no --shard and no --any-version"))
	}
	for _, flag := range []string{"seed", "instances", "scale"} {
		if _, chosen := f.Set[flag]; chosen {
			err = errors.Join(err, fmt.Errorf("--set %s: no parameter of an experiment; use --%[1]s", flag))
		}
	}
	return err
}

// prepare checks the flags, reads the spec and completes the options.
func (f *sweepFlags) prepare(name string, data []byte) (*store.Sweep, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.seedGiven {
		f.Seed = &f.seed
	}
	spec, err := spec.ParseSpec(name, data, f.Choice)
	if err != nil {
		return nil, err
	}
	if spec.Name == "" {
		spec.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	plan, err := store.NewSweep(spec)
	if err == nil && f.plan != "" && plan.Hash() != f.plan {
		err = fmt.Errorf("%s: the plan is %s, not %s: the spec, a file that it names, or a flag has changed", name, plan.Hash(), f.plan)
	}
	if f.Folder == "" && plan != nil {
		f.Folder = filepath.Join("results", plan.Name)
	}
	f.Workers = f.workers
	return plan, err
}

func checkInstances(n int) error {
	if n < 1 {
		return fmt.Errorf("--instances %d: at least one instance is needed", n)
	}
	if n > spec.MaxInstances {
		return fmt.Errorf("--instances %d: at most %d", n, spec.MaxInstances)
	}
	return nil
}

func (c *command) printSweep(r *store.SweepResult, o store.SweepOptions) error {
	for _, note := range r.Notes {
		fmt.Fprintln(c.Err, "leontief:", note)
	}
	what, tables := "scenarios", ""
	if o.Shard.Count > 0 {
		what = fmt.Sprintf("scenarios of shard %d/%d", o.Shard.Index, o.Shard.Count)
	}
	if len(r.Tables) > 0 {
		tables = ": " + strings.Join(r.Tables, ", ")
	}
	return c.say("%d %s: %d were run, %d were there. Results in %s%s\n", r.Scenarios, what, r.Run, r.Scenarios-r.Run, o.Folder, tables)
}

func (c *command) dryRun(ctx context.Context, plan *store.Sweep, o store.SweepOptions, format string) error {
	if err := store.CheckFolder(o.Folder); err != nil {
		return err
	}
	outlook, err := plan.Look(ctx, o.Folder, o.Workers)
	if err != nil {
		return ofSweep(err)
	}
	if format == "json" {
		return c.printJSON(outlook)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %d scenarios, %d instances\n", plan.Name, outlook.Scenarios, outlook.Instances)
	for _, block := range plan.Blocks {
		fmt.Fprintf(&b, "  %s.parquet: %d scenarios\n", block.Name, len(block.Scenarios))
	}
	fmt.Fprintf(&b, "in %s: %d scenarios are done\n", o.Folder, outlook.Done)
	if outlook.Missing > 0 {
		fmt.Fprintf(&b, "the %d missing instances take about %s with %d workers", outlook.Missing, roughly(outlook.Seconds/float64(o.Workers)), o.Workers)
		if outlook.Measured > 0 {
			fmt.Fprintf(&b, " (by %d that were run now)", outlook.Measured)
		}
		b.WriteByte('\n')
	}
	return c.say("%splan %s\n", &b, outlook.Plan)
}

// roughly writes a time in two digits.
func roughly(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.0f min", math.Ceil(seconds/60))
	}
	return fmt.Sprintf("%.2g h", seconds/3600)
}

// ofSweep classifies an error of a sweep or a merge.
func ofSweep(err error) error {
	if isOne(err, new(*store.StoppedError), new(*store.BusyError), new(*store.ForeignFolderError), new(*store.MissingError), new(*store.OtherRunError), new(*os.PathError)) {
		return err
	}
	if isOne(err, new(run.WriteError)) {
		return writing(err)
	}
	return refusedOr(err)
}

// prune removes results that the sweep does not use, or says which it would.
func (c *command) prune(ctx context.Context, plan *store.Sweep, o store.SweepOptions, dryRun bool) error {
	counts, err := plan.Prune(ctx, o.Folder, o.Wait, !dryRun)
	if counts == nil {
		return ofSweep(err)
	}
	what := "were removed"
	if dryRun {
		what = "would be removed"
	}
	text := fmt.Sprintf("%d results of other versions of leontief and %d that are not in the plan %s; %d of the plan stay. Folder %s\n",
		counts.Others, counts.Unplanned, what, counts.Kept, o.Folder)
	if counts.Strange > 0 {
		text += fmt.Sprintf("%d folders or files with the name of a result hold something else and are left alone\n", counts.Strange)
	}
	if err != nil {
		fmt.Fprint(c.Err, "leontief: not all was seen to: ", text)
		return ofSweep(err)
	}
	return c.say("%s", text)
}

func (c *command) merge() *cobra.Command {
	var o store.SweepOptions
	var progress runFlags
	cmd := &cobra.Command{
		Use:   "merge DIR… --out DIR",
		Short: "Make one result of the shards of a sweep",
		Long: `Make one result of the folders that the shards of a sweep wrote. They must be of
one plan and of this version of leontief, and hold every scenario of the plan
undamaged; results that two of them have must be equal. The output has the same
bytes as that of a run on one machine; nothing is written unless everything is
there.`,
		Example: `  leontief merge parts/* --out results/mine`,
		Args:    takes(argument{name: "DIR", what: "the folder of a shard", many: true}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runMerge(cmd.Context(), args, o, &progress)
		},
	}
	cmd.Flags().StringVar(&o.Folder, "out", "", "`FOLDER` for the results (required)")
	cmd.Flags().DurationVar(&o.Wait, "wait", 0, "wait so long for the folder if another process works in it")
	progress.registerProgress(cmd)
	outputFolder(cmd, &o.Force)
	require(cmd, "out")
	suggest(cmd, "out", folders)
	cmd.ValidArgsFunction = folders
	return cmd
}

func (c *command) runMerge(ctx context.Context, folders []string, o store.SweepOptions, f *runFlags) error {
	show := f.reporter(c.Err)
	o.Progress = func(done, total int) { show("merge", done, total) }
	result, err := store.Merge(ctx, folders, o)
	if err != nil {
		return err // what the folders hold is the input
	}
	return c.printSweep(result, o)
}

func (c *command) experiments() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "experiments [NAME]",
		Short: "List the experiments that a spec can name, or the parameters of one",
		Long: `List the experiments that a spec of leontief sweep can name, or the parameters of
one: each can be set, and each can be an axis.`,
		Example: "  leontief experiments\n  leontief experiments fluid",
		Args:    takes(argument{name: "NAME", optional: true}),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.printTable(kinds(), format)
			}
			kind, err := spec.KindNamed(args[0])
			if err != nil {
				return fmt.Errorf("experiments: %w", err)
			}
			return c.printTable(parametersOf(kind), format)
		},
	}
	choose(cmd, &format, "format", "how to print", "text", "markdown")
	cmd.ValidArgsFunction = oneArgument(fixed(each(spec.Kinds(), func(k spec.Kind) string { return k.Name + "\t" + k.Title })...))
	return cmd
}

func kinds() text.Table {
	table := text.Table{Header: []string{"experiment", "what it runs", "parameters"}}
	for _, k := range spec.Kinds() {
		table.Rows = append(table.Rows, []string{k.Name, k.Title, fmt.Sprint(len(k.Parameters))})
	}
	return table
}

func parametersOf(k spec.Kind) text.Table {
	table := text.Table{Header: []string{"parameter", "default", "unit", "what it is"}}
	for _, p := range k.Parameters {
		value := cmp.Or(p.Default, "none")
		if p.Required {
			value = "required"
		}
		table.Rows = append(table.Rows, []string{p.Name, value, strings.TrimPrefix(p.Unit, "1"), p.Doc})
	}
	return table
}
