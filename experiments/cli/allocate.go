package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/plots/printable"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

type allocateFlags struct {
	policies    []string
	format, out string
	stream      bool
	workers     int
}

func (c *command) allocate() *cobra.Command {
	f := allocateFlags{}
	cmd := &cobra.Command{
		Use:   "allocate ENV.json",
		Short: "Divide one cluster among its users once",
		Long: `Divide one cluster among its users once. ENV.json holds the resources, servers,
links and users; - reads it from standard input. The JSON that comes out has a
stable form: tasks, share and servers of each user, the utilization of every
resource and link, and the measures of envy-freeness (ef_sat), sharing incentive
(si_sat) and Pareto optimality (domination_factor; 1 iff nobody can gain without
another's loss).

Several rules are set side by side; their JSON is a list, in the order in which they
are named, with {"policy": …, "error": …} for a rule that refuses the environment.
The exit status is 2 if all of them do.

With --stream standard input holds environments, one JSON object a line, and standard
output gets the JSON of each, one line each, in the same order and as soon as it is
there; an environment that is refused gives {"error": …} in its place, and the exit
status is 0. All cores work at once, and memory is bounded.`,
		Example: `  leontief allocate env.json --policy tsf-er
  leontief allocate env.json --policy tsf-er --format json --out allocation.json
  leontief allocate env.json --policy tsf-er,mnw,drf-er
  leontief allocate --stream --policy tsf-er < environments.jsonl > allocations.jsonl
  leontief allocate env.json --rule 'mine=python3 mine.py' --policy tsf-er,mine

  where env.json is, for example,
  {"resources": ["cpu", "mem"],
   "servers": [{"name": "s1", "capacity": [5, 10]}, {"name": "s2", "capacity": [10, 5]}],
   "links": [{"name": "bw", "capacity": 15}],
   "users": [{"name": "u1", "demand": [2, 1], "link_demand": [2.5]},
             {"name": "u2", "demand": [1, 2], "link_demand": [0.5]}]}`,
		Args: func(cmd *cobra.Command, args []string) error { return f.check(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.stream {
				return c.runStream(cmd.Context(), f)
			}
			return c.runAllocate(args[0], f)
		},
	}
	listVar(cmd.Flags(), &f.policies, "policy", "rule, or several rules separated by commas; leontief policies lists them (required)")
	choose(cmd, &f.format, "format", "how to print", "text", "json")
	cmd.Flags().BoolVar(&f.stream, "stream", false, "environments on standard input, one a line; allocations on standard output")
	cmd.Flags().IntVar(&f.workers, "workers", runtime.NumCPU(), "with --stream: allocations at a time; results do not depend on it")
	outputFile(cmd, &f.out, "out", "`FILE` to write instead of standard output", "json", "txt")
	require(cmd, "policy")
	takesPrograms(cmd)
	alsoCalled(cmd, "policies", "policy")
	suggest(cmd, "policy", several(func(*cobra.Command, []string, string) []string { return rules() }))
	cmd.ValidArgsFunction = oneArgument(files("json"))
	return cmd
}

// check checks the arguments and flags of the command.
func (f *allocateFlags) check(cmd *cobra.Command, args []string) error {
	wanted := argument{name: "ENV.json", what: "an environment file (JSON), or - for standard input"}
	if !f.stream {
		if cmd.Flags().Changed("workers") {
			return errors.New("--workers: only --stream has several allocations at a time")
		}
		return takes(wanted)(cmd, args)
	}
	switch {
	case len(args) > 0:
		return fmt.Errorf("--stream: the environments come from standard input, and %q is named", args[0])
	case f.out != "":
		return errors.New("--stream and --out: allocations go to standard output as they are made")
	case f.format == "text" && cmd.Flags().Changed("format"):
		return errors.New("--stream and --format text: a stream is JSON")
	case f.workers < 1:
		return fmt.Errorf("--workers %d: at least one is needed", f.workers)
	}
	return takes()(cmd, args)
}

func (c *command) runAllocate(path string, f allocateFlags) error {
	rules, err := f.rules()
	if err != nil {
		return err
	}
	env, err := c.readEnvironment(path, cluster.ReadEnvironment)
	if err != nil {
		return err
	}
	text, failed := show(f.divideAll(rules, env), f.format == "json")
	if text != nil {
		if err := c.output(f.out, text); err != nil {
			return err
		}
	}
	return failed
}

func (f *allocateFlags) rules() ([]policies.Policy, error) {
	var rules []policies.Policy
	if err := eachOnce(f.policies, policies.Canonical); err != nil {
		return nil, fmt.Errorf("--policy: %w", err)
	}
	for _, name := range f.policies {
		rule, err := policies.New(name)
		if err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// divideAll is what each of the rules makes of an environment.
func (f *allocateFlags) divideAll(rules []policies.Policy, env *cluster.Environment) []division {
	var all []division
	for i, rule := range rules {
		all = append(all, divide(f.policies[i], rule, env))
	}
	return all
}

// division is what one rule makes of an environment: an allocation with its
// measures, or why there is none.
type division struct {
	policy     string
	allocation *cluster.Allocation
	measures   []cluster.Metric
	err        error // marked if the input is not to blame
}

func divide(name string, rule policies.Policy, env *cluster.Environment) division {
	allocation, err := policies.Allocate(rule, env)
	if err != nil {
		return division{policy: name, err: refusedOr(fmt.Errorf("policy %s: %w", name, err))}
	}
	measures, err := judge(env, allocation)
	if err != nil {
		return division{policy: name, err: internal(fmt.Errorf("policy %s: %w", name, err))}
	}
	return division{name, allocation, measures, nil}
}

// show returns what is printed of the divisions, nil if every rule failed, and the
// error with which the command ends: that of the only rule, of all rules, or of
// those that failed though the input is not to blame. Of several rules, one that is
// not defined for the environment is no error: the output says why.
func show(all []division, asJSON bool) ([]byte, error) {
	var failed, ours []error
	for _, d := range all {
		if d.err != nil {
			failed = append(failed, d.err)
		}
		if isOne(d.err, new(internalError)) {
			ours = append(ours, d.err)
		}
	}
	if len(failed) == len(all) {
		return nil, errors.Join(failed...)
	}
	var b bytes.Buffer
	var err error
	switch {
	case asJSON && len(all) == 1:
		err = cluster.WriteAllocation(&b, all[0].policy, all[0].allocation, all[0].measures)
	case asJSON:
		err = comparisonJSON(&b, all)
	case len(all) == 1:
		err = allocationText(&b, all[0].allocation, all[0].measures)
	default:
		err = comparisonText(&b, all)
	}
	if err != nil {
		return nil, internal(err)
	}
	return b.Bytes(), errors.Join(ours...)
}

// judge measures the fairness of an allocation. Users that nothing can host
// are left out: no rule could do anything for them. A measure that is not finite
// is an error: nothing infinite is printed as a result.
func judge(env *cluster.Environment, a *cluster.Allocation) ([]cluster.Metric, error) {
	present := servable(a)
	factor, _, err := solve.Domination(a.Region, a.Tasks)
	if err != nil {
		return nil, err
	}
	figures := []cluster.Metric{
		{Name: "ef_sat", Value: fair.NewJudge(a.Region).MinEFSat(a, present).Sat},
		{Name: "si_sat", Value: fair.NewJudge(env).MinSISat(a, present).Sat},
		{Name: "domination_factor", Value: factor},
	}
	for _, m := range figures {
		if math.IsInf(m.Value, 0) || math.IsNaN(m.Value) {
			return nil, fmt.Errorf("%s is %g: the rule gives nobody anything, or numbers beyond the range of a double", m.Name, m.Value)
		}
	}
	return figures, nil
}

// servable returns the users that somebody can host.
func servable(a *cluster.Allocation) []int {
	present := []int{}
	for j := range a.Tasks {
		if !slices.Contains(a.Unservable, j) {
			present = append(present, j)
		}
	}
	return present
}

func allocationText(b *bytes.Buffer, a *cluster.Allocation, figures []cluster.Metric) error {
	users := text.Numbers("user", append([]string{"tasks", "share"}, each(a.Region.Servers, func(s cluster.Server) string { return "on " + s.Name })...)...)
	for j, u := range a.Region.Users {
		users.Rows = append(users.Rows, append([]string{u.Name, short(a.Tasks[j]), short(a.Share[j])}, each(a.On(j), short)...))
	}
	used := text.Numbers("capacity", "utilization")
	for row, u := range a.Utilization(nil) {
		used.Rows = append(used.Rows, []string{a.Region.RowName(row), short(u)})
	}
	measures := text.Numbers("measure", "value")
	for _, m := range figures {
		measures.Rows = append(measures.Rows, []string{m.Name, short(m.Value)})
	}
	err := writeTables(b, users, used, measures)
	for _, j := range a.Unservable {
		b.WriteString(unhosted(a, j))
	}
	return err
}

// writeTables writes tables with an empty line between them.
func writeTables(b *bytes.Buffer, tables ...text.Table) error {
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := t.WriteText(b); err != nil {
			return err
		}
	}
	return nil
}

// unhosted says that user j can not be hosted.
func unhosted(a *cluster.Allocation, j int) string {
	return fmt.Sprintf("\nNo eligible server can host user %s.\n", printable.Text(a.Region.Users[j].Name))
}

// short writes a number to nine digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }

// comparisonJSON writes a list with the allocation of every rule, or why there is
// none.
func comparisonJSON(b *bytes.Buffer, all []division) error {
	for i, d := range all {
		b.WriteString([]string{"[", ","}[min(i, 1)])
		b.WriteByte('\n')
		var one bytes.Buffer
		if d.err == nil {
			if err := cluster.WriteAllocation(&one, d.policy, d.allocation, d.measures); err != nil {
				return err
			}
		} else if err := json.NewEncoder(&one).Encode(struct {
			Policy string `json:"policy"`
			Error  string `json:"error"`
		}{d.policy, d.reason()}); err != nil {
			return err
		}
		b.Write(bytes.TrimRight(one.Bytes(), "\n"))
	}
	b.WriteString("\n]\n")
	return nil
}

// reason is why there is no allocation, without the name of the rule.
func (d *division) reason() string {
	text := strings.TrimPrefix(d.err.Error(), "policy "+d.policy+": ")
	if isOne(d.err, new(internalError)) {
		text = "internal failure: " + text
	}
	return text
}

// comparisonText writes the divisions for a person, a column a rule: tasks and
// shares of the users, utilizations, measures, and why a column is empty.
func comparisonText(b *bytes.Buffer, all []division) error {
	var users, capacities, measures []string
	for _, d := range all {
		if d.err != nil {
			continue
		}
		if users == nil {
			users = each(d.allocation.Region.Users, func(u cluster.User) string { return u.Name })
			measures = each(d.measures, func(m cluster.Metric) string { return m.Name })
		}
		for row := range d.allocation.Utilization(nil) {
			if name := d.allocation.Region.RowName(row); !slices.Contains(capacities, name) {
				capacities = append(capacities, name)
			}
		}
	}
	err := writeTables(b,
		sideBySide("tasks of", users, all, func(d *division, j int) (float64, bool) { return d.allocation.Tasks[j], true }),
		sideBySide("share of", users, all, func(d *division, j int) (float64, bool) { return d.allocation.Share[j], true }),
		sideBySide("utilization of", capacities, all, func(d *division, i int) (float64, bool) { return d.used(capacities[i]) }),
		sideBySide("measure", measures, all, func(d *division, i int) (float64, bool) { return d.measures[i].Value, true }),
	)
	notes(b, all)
	return err
}

// used is the utilization of a capacity that the rule divides; a rule that pools
// the servers has others.
func (d *division) used(capacity string) (float64, bool) {
	for row, u := range d.allocation.Utilization(nil) {
		if d.allocation.Region.RowName(row) == capacity {
			return u, true
		}
	}
	return 0, false
}

// sideBySide is a table with a column a rule; the cells of a rule that failed, and
// those that it does not have, are a dash.
func sideBySide(what string, rows []string, all []division, value func(d *division, i int) (float64, bool)) text.Table {
	t := text.Numbers(what, each(all, func(d division) string { return d.policy })...)
	for i, name := range rows {
		cells := []string{name}
		for k := range all {
			cells = append(cells, "-")
			if all[k].err != nil {
				continue
			}
			if v, has := value(&all[k], i); has {
				cells[k+1] = short(v)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// notes says why a rule has no allocation, and who cannot be hosted.
func notes(b *bytes.Buffer, all []division) {
	said := map[string]bool{}
	for i := range all {
		if all[i].err != nil {
			fmt.Fprintf(b, "\n%s: %s\n", all[i].policy, printable.Message(all[i].reason()))
			continue
		}
		for _, j := range all[i].allocation.Unservable {
			text := unhosted(all[i].allocation, j)
			if !said[text] {
				said[text] = true
				b.WriteString(text)
			}
		}
	}
}
