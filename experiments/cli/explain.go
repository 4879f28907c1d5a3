package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/explain"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/store"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/spelling"
)

type explainFlags struct {
	policy, at, format, out string
	users                   []string
	lies                    int
	search                  bool // --lies was given
	seed                    uint64
	force                   bool
}

func (c *command) explain() *cobra.Command {
	f := explainFlags{}
	cmd := &cobra.Command{
		Use:   "explain ENV.json|FOLDER",
		Short: "Say why each user has what it has under a rule",
		Long: `Say why each user has what it has under a rule, in words or as JSON:

  limits    which capacities are used up, at which price, and whose tasks stand against
            more for the user. The prices are a proof by duality: with them nobody
            can have more unless somebody has less whose share is no larger (rules that
            equalise a share), or unless anybody has less (all other rules). A price is
            in tasks of the user a unit of the capacity. Where the rule admits no envy
            (cru), who would envy whom, with the price of that, too.
  envy      whose bundle would run more tasks of the user than its own, or nearly as
            many (less by at most 5%), and how many
  alone     what the user would have with the cluster to itself, and in an equal division
  lies      the best that a search finds: what is told, what it brings in true tasks. That
            none is found among so many reports proves nothing. The JSON holds the
            environment with the lie; leontief allocate replays it.

With a FOLDER of leontief simulate and --at, the users are the jobs that were in the
system at that time, and the rule is one of those that were replayed. Of whole tasks,
with simulate --placements, it says what is free on which server, and what the next
task of a job lacks on each class of servers. These have no prices; those called fluid,
and the lies, are of the division that the rule would make of the same users on the
empty cluster if tasks were divisible. --out keeps text, JSON and environment in a folder, of which leontief report
makes a page.`,
		Example: `  leontief explain env.json --policy tsf-er
  leontief explain env.json --policy mnw --user u1 --lies 500 --format json
  leontief explain results/run --at 3600 --policy tsf-er --user job-17
  leontief explain env.json --policy cdrf --out results/why
  leontief report results/why --out why.html`,
		Args: takes(argument{name: "ENV.json|FOLDER", what: "an environment file (JSON), - for standard input, or a folder of leontief simulate"}),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.search = cmd.Flags().Changed("lies")
			return c.runExplain(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.policy, "policy", "", "rule; leontief policies lists them (required, but for a folder with one rule)")
	listVar(cmd.Flags(), &f.users, "user", "users to explain, separated by commas; without it all")
	cmd.Flags().StringVar(&f.at, "at", "", "of a folder: the `TIME` on the clock of the trace, in seconds, or as 90m")
	cmd.Flags().IntVar(&f.lies, "lies", defaultLies, fmt.Sprintf("reports tried for each user in the search for its best lie; 0: no search, as for more than %d users unless the flag is given", mostLiars))
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "of the search for lies")
	choose(cmd, &f.format, "format", "how to print", "text", "json")
	cmd.Flags().StringVar(&f.out, "out", "", "`FOLDER` to write as well: explanation.txt, explanation.json, environment.json")
	outputFolder(cmd, &f.force)
	takesPrograms(cmd)
	alsoCalled(cmd, "policies", "policy")
	suggest(cmd, "policy", fixed(rules()...))
	suggest(cmd, "out", folders)
	cmd.ValidArgsFunction = oneArgument(files("json"))
	return cmd
}

const (
	// defaultLies is the number of reports that are tried for each user, of at most
	// mostLiars users: the search takes longer than all else.
	defaultLies = 60
	mostLiars   = 50
)

// The files that explain writes.
const (
	explanationText = "explanation.txt"
	explanationJSON = "explanation.json"
	environmentFile = "environment.json"
)

// moment is what there is to explain.
type moment struct {
	Environment *cluster.Environment
	Policy      string
	// Of says of a result folder what and when; nil of an environment file.
	Of *momentOf
	// Running is what ran where tasks are whole; nil where they are not.
	Running []run.RunningTasks
}

func (c *command) runExplain(ctx context.Context, path string, f explainFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	m, err := c.moment(path, &f)
	if err != nil {
		return err
	}
	users, err := f.chosen(m.Environment)
	if err != nil {
		return err
	}
	e, err := c.explainMoment(m, &f, users)
	if err != nil {
		return err
	}
	texts, err := m.show(e)
	if err != nil {
		return internal(err)
	}
	if err := f.save(ctx, m, texts); err != nil {
		return err
	}
	if f.format == "json" {
		return c.output("", texts[explanationJSON])
	}
	_, err = c.Out.Write(texts[explanationText])
	return internal(err)
}

// explainMoment explains what was read.
func (c *command) explainMoment(m *moment, f *explainFlags, users []int) (*explain.Explanation, error) {
	if n := len(m.Environment.Users); users == nil && n > mostLiars && !f.search {
		f.lies = 0
		fmt.Fprintf(c.Err, "leontief: no search for lies of %d users: --user names some, or --lies asks for it\n", n)
	}
	if m.Running != nil {
		return m.whole(f, users)
	}
	rule, err := audit.Named(m.Policy)
	if err != nil {
		return nil, fmt.Errorf("--policy: %w", err)
	}
	e, err := explain.Explain(rule, m.Environment, explain.Options{Users: users, Lies: f.lies, Seed: f.seed})
	if err != nil {
		return nil, refusedOr(fmt.Errorf("policy %s: %w", m.Policy, err))
	}
	return e, nil
}

// whole explains whole tasks.
func (m *moment) whole(f *explainFlags, users []int) (*explain.Explanation, error) {
	var named *audit.Rule
	var rule policies.Policy
	title := "users are served in order of arrival"
	if _, fifo, err := run.IsFIFO(m.Policy); err != nil || !fifo {
		r, err := audit.Named(m.Policy)
		if err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
		named, rule, title = &r, r.Policy, r.Meta.Title
	} else if !f.search {
		f.lies = 0
	}
	held := each(m.Running, func(r run.RunningTasks) explain.Held { return explain.Held(r) })
	e, err := explain.Whole(m.Policy, title, rule, m.Environment, held, users)
	if err == nil {
		err = e.WithFluid(named, m.Environment, explain.Options{Users: users, Lies: f.lies, Seed: f.seed})
	}
	if errors.Is(err, explain.ErrNoDivision) {
		return nil, fmt.Errorf("--lies: policy %s: %w", m.Policy, err)
	}
	if err != nil {
		return nil, refusedOr(fmt.Errorf("policy %s: %w", m.Policy, err))
	}
	return e, nil
}

// check checks the flags.
func (f *explainFlags) check() error {
	var err error
	if f.lies < 0 {
		err = fmt.Errorf("--lies %d: the number of reports can not be negative", f.lies)
	}
	if f.out != "" {
		err = errors.Join(err, store.CheckOutput(f.out))
	}
	return err
}

// moment reads what is to be explained.
func (c *command) moment(path string, f *explainFlags) (*moment, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return f.replayed(path)
	}
	switch {
	case f.at != "":
		return nil, errors.New("--at: an environment has no time; it is for a folder of leontief simulate")
	case f.policy == "":
		return nil, errors.New("--policy is missing: the rule")
	}
	env, err := c.readEnvironment(path, cluster.ReadEnvironment)
	return &moment{Environment: env, Policy: f.policy}, err
}

// chosen finds the users that are asked for; nil for all.
func (f *explainFlags) chosen(env *cluster.Environment) (users []int, err error) {
	index, names := map[string]int{}, make([]string, len(env.Users))
	for j, u := range env.Users {
		index[u.Name], names[j] = j, u.Name
	}
	for _, name := range f.users {
		if bad := spelling.Check("user", name, names); bad != nil {
			err = errors.Join(err, fmt.Errorf("--user: %w", bad))
		}
		users = append(users, index[name])
	}
	return users, err
}

// show writes the files of an explanation.
func (m *moment) show(e *explain.Explanation) (map[string][]byte, error) {
	var words, env bytes.Buffer
	if m.Of != nil {
		words.WriteString(m.Of.String())
	}
	data, err := results.IndentedJSON(struct {
		*momentOf
		*explain.Explanation
	}{m.Of, e})
	err = errors.Join(err, e.WriteText(&words), cluster.WriteEnvironment(&env, m.Environment))
	return map[string][]byte{explanationText: words.Bytes(), explanationJSON: data, environmentFile: env.Bytes()}, err
}

// explainSpec is what the manifest says.
type explainSpec struct {
	Policies []string  `json:"policies"`
	Users    []string  `json:"users,omitempty"` // nil: all
	Lies     int       `json:"lies"`
	Of       *momentOf `json:"of,omitempty"`
	// Rules are the policies that are programs.
	Rules map[string]*policies.Program `json:"rules,omitempty"`
}

// save writes the folder, if one is asked for.
func (f *explainFlags) save(ctx context.Context, m *moment, texts map[string][]byte) error {
	if f.out == "" {
		return nil
	}
	of := []string{m.Policy}
	manifest := store.NewManifest("explain", f.seed, explainSpec{of, f.users, f.lies, m.Of, programsOf(of)}, run.Workload{})
	if !f.force {
		if err := store.CheckRun(f.out, manifest); err != nil {
			return err
		}
	}
	lock, err := store.LockFolder(ctx, f.out, waitToWrite)
	if err != nil {
		return ofSweep(err)
	}
	defer lock.Close()
	folder, err := store.OpenFolder(f.out, manifest)
	if err != nil {
		return writing(err)
	}
	for _, name := range sortedKeys(texts) {
		if err := folder.Write(name, texts[name]); err != nil {
			return writing(err)
		}
	}
	return writing(folder.Close(manifest))
}
