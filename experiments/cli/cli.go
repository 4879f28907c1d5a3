// Package cli is the command line of leontief.
//
// Exit status: 0 for success, 2 for bad input (a flag, a file, an environment
// that a rule is not defined for), 1 for a failure of leontief itself or of
// the machine, 130 after an interrupt. Results go to standard output or to
// files, and appear whole or not at all; progress and messages go to standard
// error.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/plots/printable"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/program"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// The exit statuses. A panic has one that nothing else has: left to itself, Go ends
// with 2.
const (
	statusOK          = 0
	statusInternal    = 1 // what was asked for could not be done, and the input is not to blame
	statusInput       = 2
	statusFault       = 70 // a panic; EX_SOFTWARE of sysexits.h
	statusInterrupted = 130
)

var errInterrupted = errors.New("interrupted: nothing was written")

// internalError marks an error that the input is not to blame for.
type internalError struct{ error }

func (e internalError) Unwrap() error { return e.error }

// internal marks err as one that the input is not to blame for. Unmarked
// errors count as bad input.
func internal(err error) error {
	if err == nil {
		return nil
	}
	return internalError{err}
}

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs one command line and returns its exit status. The first interrupt
// ends ctx's work between two runs; the second ends the process.
func Main(args []string, s Streams) int {
	// What the runtime itself ends (out of memory, a deadlock) can not be caught. It
	// is to abort (134 in a shell), and not to end with 2 like bad input.
	debug.SetTraceback("crash")
	ballast()
	out, errs := printable.NewWriter(s.Out), printable.NewWriter(s.Err)
	c := &command{Streams: Streams{s.In, out, errs}, data: s.Out}
	if isTerminal(s.Out) {
		c.data = out
	}
	ctx, stop := onInterrupt(errs)
	defer stop()
	root := c.root()
	root.SetArgs(joinLists(root, args))
	if completing(args) {
		root.SetOut(c.data)
	}
	err := run.Guard(func() error { return root.ExecuteContext(ctx) })
	c.closePrograms()
	if flushed := errors.Join(out.Flush(), errs.Flush()); err == nil {
		err = internal(flushed)
	}
	text, status := ending(args, err)
	if status != statusOK {
		fmt.Fprintln(errs, printable.Message("leontief: "+oneLineEach(args, text)))
	}
	if status == statusFault && os.Getenv(traceVariable) != "" {
		printStacks(errs, err)
	}
	return status
}

// ending returns what is said at the end of a command, and its exit status.
func ending(args []string, err error) (text string, status int) {
	var stopped *store.StoppedError
	var cut *cutError
	switch {
	case err == nil:
		return "", statusOK
	case len(run.Faults(err)) > 0:
		return faultLine(args, err), statusFault
	case errors.As(err, &stopped) && errors.Is(err, errInterrupted):
		return fmt.Sprintf("interrupted: %d of %d scenarios are done; the same command goes on with the others", stopped.Done, stopped.Total), statusInterrupted
	case errors.As(err, &cut):
		return cut.Error(), statusInterrupted
	case errors.Is(err, errInterrupted):
		return errInterrupted.Error(), statusInterrupted
	case isOne(err, new(internalError)):
		return "internal failure: " + err.Error(), statusInternal
	}
	return plainly(err), statusInput
}

// plainly is the text of an error about a file without the name of the call that
// the system refused: "x.json: no such file or directory".
func plainly(err error) string {
	text := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) && slices.Contains([]string{"open", "stat", "lstat", "read"}, path.Op) {
		text = strings.ReplaceAll(text, path.Op+" "+path.Path+": ", path.Path+": ")
		text = strings.ReplaceAll(text, path.Op+" "+strconv.Quote(path.Path)+": ", strconv.Quote(path.Path)+": ")
	}
	return text
}

// oneLineEach returns a message in which the line breaks that came with an
// argument, a file's name say, are escaped: every other one begins a problem.
func oneLineEach(args []string, text string) string {
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, part := range append(strings.Split(arg, ","), arg, value) {
			for path := part; strings.Contains(path, "\n"); path = filepath.Dir(path) { // a message may be of a folder above
				text = strings.ReplaceAll(text, path, printable.Text(path))
			}
		}
	}
	return text
}

// isTerminal reports whether a person sees what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// onInterrupt returns a context that the first interrupt ends. The second one
// ends the process.
func onInterrupt(errs io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	// A shell starts what it runs in the background with interrupts ignored; those
	// sent to us alone count nevertheless.
	ignored := signal.Ignored(os.Interrupt)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		select {
		case <-signals:
			if !ignored {
				signal.Stop(signals)
			}
			fmt.Fprintln(errs, "\nleontief: stopping when the runs under way have ended; interrupt again to stop at once")
			cancel(errInterrupted)
		case <-ctx.Done():
			return
		}
		if ignored {
			<-signals
			os.Exit(statusInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// command is the state that all commands share. What it prints for a person goes
// to Out and Err, where nothing that a terminal obeys gets through, whoever wrote
// the text.
type command struct {
	Streams
	data io.Writer // for programs: standard output byte for byte, unless it is a terminal

	programs  []*program.Rule // that were started
	ruleLimit time.Duration   // for an answer of one; 0: the default
}

// Command returns the command line, for documentation.
func Command() *cobra.Command { return (&command{}).root() }

func (c *command) root() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "leontief",
		Short: "A simulator for fair multi-resource allocation",
		Long: `leontief divides the resources of a cluster among its users under the fair
allocation rules of the literature, replays traces of jobs under them, and
reproduces the experiments of the papers.

  leontief policies                             the rules
  leontief allocate ENV.json --policy tsf-er    divide one cluster once
  leontief explain ENV.json --policy tsf-er     why each user has what it has
  leontief traces generate --out jobs.parquet   make a workload
  leontief simulate --workload fitted --cluster cluster.json --policies tsf-er,mnw --out results/run
  leontief compare --trace jobs.parquet --cluster nodes.json --out which
  leontief reproduce tsf-er                     a paper's numbers beside ours

Exit status: 0 all was done; 2 what was given can not be used, and nothing was
written; 1 it could not be done, and what was given is not to blame; 130
interrupted; 70 a fault of leontief, whose stack is in the file that the message
names (with LEONTIEF_TRACE=1 in the environment also on standard error). A process
that Go's runtime ends, out of memory say, aborts (134 in a shell).`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSubcommand,
		// No command has one of its own, which would take its place.
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := checkValues(cmd, args); err != nil {
				return err
			}
			if err := c.checkOutputs(cmd, args); err != nil {
				return err
			}
			return c.openPrograms(cmd)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return c.runVersion()
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version, as leontief version does")
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(usage)
	root.SetHelpCommand(c.help(root))
	root.AddCommand(c.completion(), c.allocate(), c.explain(), c.audit(), c.cluster(), c.policies(), c.traces(), c.simulate(), c.compare(), c.sweep(), c.merge(), c.experiments(), c.reproduce(), c.plot(), c.export(), c.report(), c.ledger(), c.version())
	return root
}

// subcommands are those that a help lists.
func subcommands(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(sub *cobra.Command) bool { return !sub.IsAvailableCommand() })
}

// noSubcommand refuses an argument of a command that has only subcommands.
func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	known := each(subcommands(cmd), (*cobra.Command).Name)
	return fmt.Errorf("%s%w", of(cmd), spelling.Check("command", args[0], known))
}

// help is the command that shows the help of another one.
func (c *command) help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does",
		Long:  "Show what a command does, its flags and examples, as COMMAND --help does.",
		Example: `  leontief help allocate
  leontief help traces import`,
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err == nil {
				err = noSubcommand(cmd, rest)
			}
			if err != nil {
				return err
			}
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			cmd, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return each(subcommands(cmd), func(sub *cobra.Command) string { return sub.Name() + "\t" + sub.Short }), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func group(use, short, long string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: noSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(subs...)
	return cmd
}

const mayBeEmpty = "may be empty"

// checkValues refuses what is wrong in every command: empty arguments and empty
// values of flags, which come from an unset variable of a script as a rule (--trace
// "$TRACE" would otherwise be a run without a trace), and times that the clock of
// microseconds does not know (--to 1ns would otherwise be 0, no limit).
func checkValues(cmd *cobra.Command, args []string) error {
	if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil // what is to be completed may be empty
	}
	var err error
	for i, arg := range args {
		if arg == "" {
			err = errors.Join(err, fmt.Errorf("%sargument %d is empty", of(cmd), i+1))
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		_, allowed := f.Annotations[mayBeEmpty]
		list, isList := f.Value.(pflag.SliceValue)
		empty := f.Value.String() == "" || isList && len(list.GetSlice()) == 0
		if empty && !allowed {
			err = errors.Join(err, fmt.Errorf("--%s: the value is empty; leave the flag out if it is not wanted", f.Name))
		}
		if d, bad := time.ParseDuration(f.Value.String()); f.Value.Type() == "duration" && bad == nil {
			err = errors.Join(err, checkTime(f.Name, d))
		}
	})
	return err
}

// refusedOr classifies an error of a policy or a replay. That a policy is not
// defined for the environment, or starves users, is a property of the input, as
// is a file that can not be used or that changes while it is, and a rule's program
// that does not answer as it should; all else is a
// failure of ours.
func refusedOr(err error) error {
	if isOne(err, new(*policies.UnsupportedError), new(*program.Error), new(*sim.StarvedError), new(spec.InputError)) ||
		errors.Is(err, spec.ErrChanged) || errors.Is(err, solve.ErrPrecision) {
		return err
	}
	return internal(err)
}

// isOne reports whether an error is of one of the types that targets, as those of
// [errors.As], point to.
func isOne(err error, targets ...any) bool {
	return slices.ContainsFunc(targets, func(target any) bool { return errors.As(err, target) })
}

func (c *command) version() *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Print the version, the commit it was built from (where the build says) and the Go
release; as JSON also the version of the protocol that it speaks with other programs.`,
		Example: "  leontief version\n  leontief version --format json",
		Args:    takes(),
		RunE: func(*cobra.Command, []string) error {
			if format == "json" {
				return c.versionJSON()
			}
			return c.runVersion()
		},
	}
	choose(cmd, &format, "format", "how to print", "text", "json")
	return cmd
}

// versionJSON prints what another program asks before it speaks with this one.
func (c *command) versionJSON() error {
	build := store.ThisBuild()
	version, _ := build.Leontief()
	return c.printJSON(struct {
		Protocol int    `json:"leontief"`
		Version  string `json:"version"`
		Commit   string `json:"commit"`
		Go       string `json:"go"`
	}{program.Protocol, version, build.Commit, build.Go})
}

func (c *command) runVersion() error {
	build := store.ThisBuild()
	commit := cmp.Or(build.Commit, "unknown")
	if build.Modified && build.Commit != "" {
		commit += " (modified)"
	}
	version, inside := build.Leontief()
	if inside {
		version += "\nin a program of version " + build.Version
	}
	return c.say("leontief %s\ncommit %s\n%s\n", version, commit, build.Go)
}
