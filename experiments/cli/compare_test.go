package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/parquet"
	"github.com/leontief-sim/leontief/traces/tracetest"
)

// call runs a command that must succeed.
func call(t *testing.T, args ...string) {
	t.Helper()
	var said bytes.Buffer
	if status := Main(args, Streams{In: strings.NewReader(""), Out: io.Discard, Err: &said}); status != 0 {
		t.Fatalf("leontief %s: exit status %d\n%s", strings.Join(args, " "), status, &said)
	}
}

// Every number of a comparison is computed again from the tables of completions, of
// placements and of moments alone, in both task models, with jobs and tenants as users, at 7
// moments; in the long form at all.
func TestAComparisonIsWhatItsTablesSay(t *testing.T) {
	dir := t.TempDir()
	env := filepath.Join(dir, "cluster.json")
	if err := os.WriteFile(env, []byte(`{"resources": ["cpu", "mem"], "servers": [{"name": "s1", "capacity": [4, 8], "count": 2}, {"name": "s2", "capacity": [8, 8]}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(dir, "jobs.parquet")
	writeTenants(t, dir, trace)
	for name, flags := range map[string]string{
		"whole":   "--policies fifo,drfh,tsf,cmmf-mem --block 20m --moments 7",
		"tenants": "--policies fifo,drfh,tsf --users tenant --block 20m --baseline drfh --moments 7",
		"slots":   "--policies fifo,drfh,utilitarian --slot 5m --block 20m --moments 7",
		"fluid":   "--policies eq,drfh,cru,utilitarian --model fluid --block 20m --moments 7",
		"shared":  "--policies eq,drfh,mnw --model fluid --users tenant --block 20m --moments 7",
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, name)
			args := append([]string{"compare", "--trace", trace, "--cluster", env, "--out", out, "--progress", "none"}, strings.Fields(flags)...)
			if long() {
				args = slices.DeleteFunc(args, func(arg string) bool { return arg == "--moments" || arg == "7" })
			}
			call(t, args...)
			newChecker(t, out).all()
			again := filepath.Join(dir, name+"-again")
			args[slices.Index(args, "--out")+1] = again
			call(t, append(args, "--workers", "1")...)
			for _, file := range []string{"rules", "gains", "moments", "violations", "nodes"} {
				a, err1 := os.ReadFile(filepath.Join(out, file+".parquet"))
				b, err2 := os.ReadFile(filepath.Join(again, file+".parquet"))
				if err1 != nil || err2 != nil || string(a) != string(b) {
					t.Errorf("%s.parquet differs with one worker: %v %v", file, err1, err2)
				}
			}
		})
	}
}

// The same of the logs that are at hand, each from file to page in two commands.
func TestARealComparisonIsWhatItsTablesSay(t *testing.T) {
	if !long() {
		t.Skip("replays thousands of jobs: make test-long")
	}
	for name, of := range map[string]struct{ path, imported, compared string }{
		"hpc2n":   {"swf/hpc2n-part.swf", "swf --memory none", "--users tenant"},
		"gpu2023": {"alibaba/gpu2023", "alibaba-gpu2023", ""},
	} {
		t.Run(name, func(t *testing.T) {
			published, dir := tracetest.AtHand(t, of.path), t.TempDir()
			trace, nodes, out := filepath.Join(dir, "jobs.parquet"), filepath.Join(dir, "nodes.parquet"), filepath.Join(dir, "out")
			call(t, append(append([]string{"traces", "import"}, strings.Fields(of.imported)...), published, "--out", trace, "--machines", nodes)...)
			call(t, append([]string{"compare"}, append(strings.Fields(of.compared), "--trace", trace, "--cluster", nodes, "--policies", "fifo,tsf", "--moments", "20", "--out", out, "--progress", "none")...)...)
			newChecker(t, out).all()
		})
	}
}

// writeTenants writes a trace of 150 jobs of three tenants over four hours.
func writeTenants(t *testing.T, dir, path string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,submit,duration,tasks,cpu,mem,user\n")
	state := uint64(42)
	draw := func(n uint64) uint64 {
		state = state*6364136223846793005 + 1442695040888963407
		return (state >> 33) % n
	}
	for i := range 150 {
		fmt.Fprintf(&b, "j%d,%d,%d,%d,%d,%d,%s\n", i, draw(14400), 20+draw(400), 1+draw(20), 1+draw(4), 1+draw(6), []string{"ada", "bob", "cy"}[draw(3)*draw(2)])
	}
	table, mapping := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "map.yaml")
	text := "columns:\n  id: {column: id}\n  submit: {column: submit, unit: s}\n  duration: {column: duration, unit: s}\n  tasks: {column: tasks}\n  cpu: {column: cpu, unit: cores}\n  mem: {column: mem, unit: GiB}\n  user: {column: user}\n"
	if err := os.WriteFile(table, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mapping, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	call(t, "traces", "import", "--map", mapping, table, "--out", path)
}

// checker computes the numbers of a folder again, slowly.
type checker struct {
	t        *testing.T
	dir      string
	env      *cluster.Environment
	whole    bool
	tenants  bool
	baseline string
	jobs     map[string]map[string]run.Completion // by rule and job
	tables   map[string][]results.Row
	moments  map[string]map[float64]map[string]float64 // by rule, time and metric
	had      map[ruleTime]*cluster.Allocation          // what at has rebuilt
}

// ruleTime is a moment of a rule.
type ruleTime struct {
	rule string
	s    float64
}

func newChecker(t *testing.T, dir string) *checker {
	t.Helper()
	c := &checker{t: t, dir: dir, jobs: map[string]map[string]run.Completion{}, tables: map[string][]results.Row{}, moments: map[string]map[float64]map[string]float64{}, had: map[ruleTime]*cluster.Allocation{}}
	raw, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Spec struct {
			Cluster json.RawMessage
			Tasks   map[string]any
			Tenants bool
		}
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	c.whole, c.tenants = said.Spec.Tasks != nil, said.Spec.Tenants
	if c.env, err = cluster.ReadCluster(strings.NewReader(string(said.Spec.Cluster))); err != nil {
		t.Fatal(err)
	}
	r, err := parquet.Open(filepath.Join(dir, completionsFile), run.CompletionColumns())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for row, err := range parquet.RowsOf[run.Completion](r) {
		if err != nil {
			t.Fatal(err)
		}
		if c.jobs[row.Policy] == nil {
			c.jobs[row.Policy] = map[string]run.Completion{}
		}
		c.jobs[row.Policy][row.JobID] = row
	}
	for _, name := range []string{"rules", "gains", "moments", "violations", "nodes"} {
		c.tables[name] = rowsAsTheyAre(t, filepath.Join(dir, name+".parquet"))
	}
	c.baseline = c.tables["rules"][0].Is("baseline")
	for _, row := range c.tables["moments"] {
		if c.moments[row.Policy] == nil {
			c.moments[row.Policy] = map[float64]map[string]float64{}
		}
		if c.moments[row.Policy][row.TimeS] == nil {
			c.moments[row.Policy][row.TimeS] = map[string]float64{}
		}
		c.moments[row.Policy][row.TimeS][row.Metric] = row.Value
	}
	return c
}

func rowsAsTheyAre(t *testing.T, path string) []results.Row {
	t.Helper()
	rows, err := results.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func (c *checker) all() {
	c.t.Helper()
	checked := map[string]int{}
	for _, name := range []string{"rules", "gains", "violations"} {
		for _, row := range c.tables[name] {
			metric, of, _ := strings.Cut(row.Metric, ":")
			if strings.HasSuffix(metric, "_low") || strings.HasSuffix(metric, "_high") {
				c.end(name, row)
				checked["ends"]++
				continue
			}
			if want, known := c.want(row, metric, of); !known {
				c.t.Errorf("%s: nothing is known of %s", name, row.Metric)
			} else if math.Abs(row.Value-want) > 1e-9*max(1, math.Abs(want)) {
				c.t.Errorf("%s: %s %s of %q is %v, want %v", name, row.Policy, row.Metric, row.User, row.Value, want)
			}
			checked[metric]++
		}
	}
	for policy := range c.moments {
		for at := range c.moments[policy] {
			c.moment(policy, at)
			checked["moments"]++
		}
	}
	c.nodes()
	c.t.Log(checked)
}

// end checks that an end of an interval is on its side of the value.
func (c *checker) end(name string, row results.Row) {
	for _, other := range c.tables[name] {
		metric, of, _ := strings.Cut(row.Metric, ":")
		low := strings.HasSuffix(metric, "_low")
		metric = strings.TrimSuffix(strings.TrimSuffix(metric, "_low"), "_high")
		if of != "" {
			metric += ":" + of
		}
		if other.Metric == metric && other.Policy == row.Policy && other.User == row.User {
			if low && row.Value > other.Value+1e-12 || !low && row.Value < other.Value-1e-12 {
				c.t.Errorf("%s: %s %s is %v, the value %v", row.Policy, row.Metric, row.User, row.Value, other.Value)
			}
			return
		}
	}
	c.t.Errorf("%s: %s %s is an end of no value", row.Policy, row.Metric, row.User)
}

// value is what a metric says of a job.
func value(metric string, j run.Completion) float64 {
	jct := float64(*j.CompletionUS-j.SubmitUS) / 1e6
	alone := *j.StandaloneUS / 1e6
	switch metric {
	case "mean_waiting_time":
		return float64(*j.FirstStartUS-j.SubmitUS) / 1e6
	case "mean_completion_time":
		return jct
	case "mean_bounded_slowdown":
		return math.Max(1, jct/math.Max(alone, 10))
	}
	return alone / jct
}

// mean of what a metric says over jobs.
func (c *checker) mean(rule, metric string, both string, of func(run.Completion) bool) (mean, sum float64) {
	n := 0.0
	for id, j := range c.jobs[rule] {
		if j.Refused || c.jobs[both][id].Refused || !of(j) {
			continue
		}
		sum += value(metric, j)
		n++
	}
	return sum / n, sum
}

func everybody(run.Completion) bool { return true }

// want is the value of a row of rules, gains or violations.
func (c *checker) want(row results.Row, metric, of string) (float64, bool) {
	plain, less := strings.CutSuffix(metric, "_difference")
	switch plain {
	case "mean_waiting_time", "mean_completion_time", "mean_bounded_slowdown", "jct_factor":
		if !less {
			v, _ := c.mean(row.Policy, plain, row.Policy, everybody)
			return v, true
		}
		a, _ := c.mean(row.Policy, plain, c.baseline, everybody)
		b, _ := c.mean(c.baseline, plain, row.Policy, everybody)
		return a - b, true
	case "moments_utilization", "moments_min_ef_sat", "moments_min_si_sat", "moments_jain_index":
		if row.Point.Text("at_s") != "" {
			return c.worst(row), true
		}
		if of != "" {
			plain += ":" + of
		}
		if !less {
			return c.overMoments(row.Policy, row.Policy, plain), true
		}
		return c.overMoments(row.Policy, c.baseline, plain) - c.overMoments(c.baseline, row.Policy, plain), true
	case "moments_domination_factor":
		return c.worst(row), true
	case "time_unfilled":
		return row.Value, c.fits(row)
	case "allocations", "allocations_looked_at", "allocations_violated", "time_violated":
		return row.Value, c.counted(row, of) // scripts/page_oracle.py counts them
	case "replay_price_of_fairness":
		return 1 - c.work(row.Policy)/c.work(of), true
	case "completion_change":
		in := func(j run.Completion) bool {
			return of == "tenant" && j.Tenant == row.User || of == "size" && size(j) == row.User
		}
		_, a := c.mean(row.Policy, "mean_completion_time", c.baseline, in)
		_, b := c.mean(c.baseline, "mean_completion_time", row.Policy, in)
		return a/b - 1, true
	case "work_throughput":
		return c.work(row.Policy), true
	case "price_of_fairness":
		has, best := "moments_tasks", "moments_most_tasks"
		if of == "cru" {
			has, best = "moments_shares", "moments_most_shares"
		}
		a, b := 0.0, 0.0
		for _, m := range c.momentsOf(row.Policy) {
			if m[best] > 0 {
				a, b = a+m[has], b+m[best]
			}
		}
		return 1 - a/b, true
	case "price_share":
		sum, n := 0.0, 0.0
		for _, m := range c.momentsOf(c.baseline) {
			if v, priced := m[row.Metric]; priced {
				sum, n = sum+v, n+1
			}
		}
		return sum / n, true
	case "moments_used_up":
		n := 0.0
		all := c.momentsOf(c.baseline)
		for at := range all {
			if c.usedUp(c.baseline, at, of) {
				n++
			}
		}
		return n / float64(len(all)), true
	}
	return 0, false
}

// momentsOf are the moments of a rule, or of the one whose outcome it shares.
func (c *checker) momentsOf(rule string) map[float64]map[string]float64 {
	if of := c.moments[rule]; of != nil {
		return of
	}
	for other, of := range c.moments {
		same := true
		for id, j := range c.jobs[rule] {
			o := c.jobs[other][id]
			same = same && j.Refused == o.Refused && (j.Refused || math.Abs(float64(*j.CompletionUS-*o.CompletionUS)) <= 2+1e-6*float64(*o.CompletionUS-o.SubmitUS))
		}
		if same {
			return of
		}
	}
	c.t.Fatalf("there are no moments of %s", rule)
	return nil
}

func (c *checker) overMoments(rule, both, metric string) float64 {
	sum, n := 0.0, 0.0
	there := c.momentsOf(both)
	for at, m := range c.momentsOf(rule) {
		if there[at] != nil {
			sum, n = sum+m[metric], n+1
		}
	}
	return sum / n
}

// worst is the value at the allocation that a violation names, which no moment exceeds.
func (c *checker) worst(row results.Row) float64 {
	at := c.since(row)
	env, a := c.at(row.Policy, at)
	v := c.measure(env, a)[row.Metric]
	if row.Metric == "moments_domination_factor" {
		v, _, _ = solve.Domination(env, a.Tasks)
	}
	for _, m := range c.momentsOf(row.Policy) {
		if row.Metric == "moments_domination_factor" && m[row.Metric] > v+1e-9 || row.Metric != "moments_domination_factor" && m[row.Metric] < v-1e-9 {
			c.t.Errorf("%s: %s is %v at %v s and %v at a moment", row.Policy, row.Metric, v, at, m[row.Metric])
		}
	}
	return v
}

// since is when the allocation that a row names is in force.
func (c *checker) since(row results.Row) float64 {
	at, err := strconv.ParseFloat(row.Point.Text("at_s"), 64)
	if err != nil {
		c.t.Fatal(err)
	}
	return at
}

// fits reports whether a task of the user of a row waits and fits in a class of servers.
func (c *checker) fits(row results.Row) bool {
	env, a := c.at(row.Policy, c.since(row))
	j := slices.IndexFunc(env.Users, func(u cluster.User) bool { return u.Name == row.User })
	s := slices.IndexFunc(env.Servers, func(s cluster.Server) bool { return s.Name == row.Point.Text("of") })
	if j < 0 || s < 0 || a.Tasks[j] >= env.Users[j].Tasks {
		c.t.Errorf("%s: no task of %s waits", row.Policy, row.User)
		return false
	}
	for r, d := range env.Users[j].Demand { // on one of the servers there is as much as on average at least
		if (1-used(env, a, r, s))*float64(env.Servers[s].Count)*env.Servers[s].Capacity[r] < d-1e-9 {
			c.t.Errorf("%s: a task of %s does not fit on %s", row.Policy, row.User, env.Servers[s].Name)
		}
	}
	return true
}

// counted reports whether counts of allocations can be those of the moments.
func (c *checker) counted(row results.Row, property string) bool {
	of := map[string]float64{}
	for _, other := range c.tables["violations"] {
		if metric, what, _ := strings.Cut(other.Metric, ":"); what == property && other.Policy == row.Policy {
			of[metric] = other.Value
		}
	}
	looked, violated, part := of["allocations_looked_at"], of["allocations_violated"], of["time_violated"]
	if looked > of["allocations"] || violated > looked || (violated > 0) != (part > 0) || (violated == looked) != (part == 1) {
		c.t.Errorf("%s %s: %v", row.Policy, property, of)
	}
	return true
}

func size(j run.Completion) string {
	work := float64(j.Tasks) * float64(j.DurationUS) / 1e6
	for k, most := range []float64{1e2, 1e3, 1e4, 1e5, 1e6} {
		if work < most {
			return []string{"<1e2", "1e2-1e3", "1e3-1e4", "1e4-1e5", "1e5-1e6"}[k]
		}
	}
	return ">=1e6"
}

func (c *checker) work(rule string) float64 {
	work, first, last := 0.0, math.Inf(1), 0.0
	for _, j := range c.jobs[rule] {
		if !j.Refused {
			work += float64(j.Tasks) * float64(j.DurationUS) / 1e6
			first, last = math.Min(first, float64(j.SubmitUS)/1e6), math.Max(last, float64(*j.CompletionUS)/1e6)
		}
	}
	return work / (last - first)
}

// at rebuilds from the tables who had what at a moment: x by user and class, with the users
// as the cluster's, their tasks capped by what is left of whole ones.
func (c *checker) at(rule string, s float64) (*cluster.Environment, *cluster.Allocation) {
	if a := c.had[ruleTime{rule, s}]; a != nil {
		return a.Region, a
	}
	env, a := c.rebuilt(rule, s)
	had := *a
	had.Region = env
	c.had[ruleTime{rule, s}] = &had
	return env, &had
}

func (c *checker) rebuilt(rule string, s float64) (*cluster.Environment, *cluster.Allocation) {
	m, err := run.MomentOf(filepath.Join(c.dir, completionsFile), rule, c.env, int64(math.Round(s*1e6)), c.tenants)
	if err != nil {
		c.t.Fatal(err)
	}
	env := m.Environment
	if !c.whole {
		a, err := policies.AllocateBy(rule, env)
		if err != nil {
			c.t.Fatal(err)
		}
		return env, a
	}
	running, err := m.Running(filepath.Join(c.dir, placementsFile))
	if err != nil {
		c.t.Fatal(err)
	}
	a := &cluster.Allocation{Region: env, Tasks: make([]float64, len(env.Users)), X: make([]float64, len(env.Users)*len(env.Servers))}
	for j := range env.Users {
		for server, n := range running[j].On {
			for s := range env.Servers {
				if server < env.Servers[s].Count {
					a.X[j*len(env.Servers)+s] += float64(n)
					break
				}
				server -= env.Servers[s].Count
			}
			a.Tasks[j] += float64(n)
		}
	}
	return env, a
}

// used is used/total of a capacity of a class, or of a resource on all servers.
func used(env *cluster.Environment, a *cluster.Allocation, r int, classes ...int) float64 {
	have, total := 0.0, 0.0
	for _, s := range classes {
		total += float64(env.Servers[s].Count) * env.Servers[s].Capacity[r]
		for j := range env.Users {
			have += a.X[j*len(env.Servers)+s] * env.Users[j].Demand[r]
		}
	}
	return have / total
}

func (c *checker) usedUp(rule string, at float64, capacity string) bool {
	env, a := c.at(rule, at)
	for s := range env.Servers {
		for r, name := range env.Resources {
			if env.Servers[s].Name+"/"+name == capacity {
				return used(env, a, r, s) > 1-1e-9
			}
		}
	}
	c.t.Fatalf("there is no capacity %s", capacity)
	return false
}

// moment computes all of a moment again.
func (c *checker) moment(rule string, at float64) {
	env, a := c.at(rule, at)
	want := c.measure(env, a)
	got := c.moments[rule][at]
	for metric, v := range want {
		if math.Abs(got[metric]-v) > 1e-6*math.Max(1, v) {
			c.t.Errorf("%s at %v s: %s is %v, want %v", rule, at, metric, got[metric], v)
		}
	}
	prices := 0.0
	for metric, v := range got {
		if strings.HasPrefix(metric, "price_share:") {
			prices += v
		}
	}
	if prices != 0 && math.Abs(prices-1) > 1e-9 {
		c.t.Errorf("%s at %v s: the prices are %v in all", rule, at, prices)
	}
}

// measure computes what an allocation is like from its definitions.
func (c *checker) measure(env *cluster.Environment, a *cluster.Allocation) map[string]float64 {
	classes := make([]int, len(env.Servers))
	for s := range classes {
		classes[s] = s
	}
	want := map[string]float64{"moments_min_ef_sat": 1, "moments_min_si_sat": 1}
	for r, name := range env.Resources {
		want["moments_utilization:"+name] = used(env, a, r, classes...)
	}
	eta, sum, squares, weights := env.EtasEligible(nil), 0.0, 0.0, 0.0
	for _, u := range env.Users {
		weights += u.Weight
	}
	for j, u := range env.Users {
		r := a.Tasks[j] / (u.Weight * eta[j])
		sum, squares = sum+r, squares+r*r
		want["moments_tasks"] += u.Weight * a.Tasks[j]
		want["moments_shares"] += u.Weight * a.Tasks[j] / eta[j]
		want["moments_min_si_sat"] = math.Min(want["moments_min_si_sat"], a.Tasks[j]/math.Min(u.Weight/weights*eta[j], u.Tasks))
		for i, v := range env.Users {
			worth := 0.0 // what j runs with the bundle of i
			for s := range env.Servers {
				least := math.Inf(1)
				for r := range env.Resources {
					if u.Demand[r] > 0 {
						least = math.Min(least, v.Demand[r]/u.Demand[r])
					}
				}
				worth += a.X[i*len(env.Servers)+s] * least
			}
			if worth = math.Min(worth*u.Weight/v.Weight, u.Tasks); i != j && worth > 0 {
				want["moments_min_ef_sat"] = math.Min(want["moments_min_ef_sat"], a.Tasks[j]/worth)
			}
		}
	}
	want["moments_jain_index"] = 1
	if squares > 0 {
		want["moments_jain_index"] = sum * sum / (float64(len(env.Users)) * squares)
	}
	best, err := policies.AllocateBy("utilitarian", env)
	if err != nil {
		c.t.Fatal(err)
	}
	for j, u := range env.Users {
		want["moments_most_tasks"] += u.Weight * best.Tasks[j]
	}
	return want
}

// nodes replays with one more node by simulate and a cluster of its own.
func (c *checker) nodes() {
	for s := range c.env.Servers {
		more := *c.env
		more.Servers = slices.Clone(c.env.Servers)
		more.Servers[s].Count++
		row := c.node(more.Servers[s].Name)
		if len(row) == 0 && len(c.env.Servers) > mostNodes {
			continue
		}
		path := filepath.Join(c.t.TempDir(), "more.json")
		f, err := os.Create(path)
		if err == nil {
			err = cluster.WriteEnvironment(f, &more)
			f.Close()
		}
		if err != nil {
			c.t.Fatal(err)
		}
		again := c.replayed(path)
		a, b, n := 0.0, 0.0, 0.0
		wait := 0.0
		for id, j := range again.jobs[c.baseline] {
			base := c.jobs[c.baseline][id]
			a, b, n = a+value("mean_completion_time", j), b+value("mean_completion_time", base), n+1
			wait += value("mean_waiting_time", j) - value("mean_waiting_time", base)
		}
		if math.Abs(row["one_node_completion_change"]-(a/b-1)) > 1e-9 || math.Abs(row["one_node_waiting_difference"]-wait/n) > 1e-6 {
			c.t.Errorf("one more %s: %v, want %v and %v", more.Servers[s].Name, row, a/b-1, wait/n)
		}
	}
}

func (c *checker) node(class string) map[string]float64 {
	all := map[string]float64{}
	for _, row := range c.tables["nodes"] {
		if row.User == class {
			all[row.Metric] = row.Value
		}
	}
	return all
}

// replayed runs the baseline on another cluster.
func (c *checker) replayed(env string) *checker {
	out := filepath.Join(c.t.TempDir(), "again")
	args := []string{"compare", "--trace", filepath.Join(filepath.Dir(c.dir), "jobs.parquet"), "--cluster", env, "--policies", c.baseline, "--what-if", "none", "--moments", "1", "--out", out, "--progress", "none"}
	if c.whole {
		var said struct {
			Spec struct{ Tasks map[string]any }
		}
		raw, _ := os.ReadFile(filepath.Join(c.dir, "manifest.json"))
		if err := json.Unmarshal(raw, &said); err != nil {
			c.t.Fatal(err)
		}
		args = append(args, "--slot", fmt.Sprintf("%vs", said.Spec.Tasks["slot_s"]))
	} else {
		args = append(args, "--model", "fluid")
	}
	if c.tenants {
		args = append(args, "--users", "tenant")
	}
	call(c.t, args...)
	other := &checker{t: c.t, jobs: map[string]map[string]run.Completion{}}
	r, err := parquet.Open(filepath.Join(out, completionsFile), run.CompletionColumns())
	if err != nil {
		c.t.Fatal(err)
	}
	defer r.Close()
	for row, err := range parquet.RowsOf[run.Completion](r) {
		if err != nil {
			c.t.Fatal(err)
		}
		if other.jobs[row.Policy] == nil {
			other.jobs[row.Policy] = map[string]run.Completion{}
		}
		other.jobs[row.Policy][row.JobID] = row
	}
	return other
}
