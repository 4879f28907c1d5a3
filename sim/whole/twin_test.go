package whole

import (
	"fmt"
	"github.com/leontief-sim/leontief/sim"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/exact"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
)

// twin is the obvious scheduler: it walks through all users and all servers,
// sums what is used from the running tasks each time, and keeps nothing but constants.
type twin struct {
	env           *cluster.Environment
	ledger        *cluster.Ledger // for units and the numbering of servers only
	jobs          []sim.Job
	norm          []*big.Rat // N, nil for +Inf; no list: FIFO
	slot          event.Time
	suspendedLast bool
	clock         event.Time // the last instant; 0: there is none

	needs   []*cluster.Need // per job
	parts   []*big.Int      // per resource: one unit in parts of the total, all on one denominator
	rates   []*big.Rat      // per job: 1/N
	now     event.Time
	queue   [][]twinTask // per job
	running []twinTask   // in order of start
	left    []int64
	here    []bool
	log     []string
	refused int
	late    map[int]bool // jobs that were refused after they had come
}

type twinTask struct {
	job    int
	number int64
	server int
	rest   event.Time
	due    event.Time
	parked bool
}

func (w *twin) fits(j, s int) bool {
	u := &w.jobs[j].User
	class := w.ledger.Class(s)
	if !u.Eligible.Has(class) {
		return false
	}
	free := w.free(s)
	need := w.needs[j]
	for r, d := range need.On(class) {
		if d > free[r] {
			return false
		}
	}
	for e := range w.env.Links {
		if !w.env.Reaches(e, class) {
			continue
		}
		used := need.Link[e]
		for _, t := range w.running {
			if w.env.Reaches(e, w.ledger.Class(t.server)) {
				used += w.needs[t.job].Link[e]
			}
		}
		if used > w.ledger.LinkCapacity()[e] {
			return false
		}
	}
	return true
}

func (w *twin) free(s int) []int64 {
	free := slices.Clone(w.ledger.Capacity(s))
	for _, t := range w.running {
		if t.server == s {
			for r, d := range w.needs[t.job].On(w.ledger.Class(s)) {
				free[r] -= d
			}
		}
	}
	return free
}

// distance is Σ (a − d)², each resource in parts of the total, as a whole number of
// the squared parts.
func (w *twin) distance(j, s int) *big.Int {
	sum := new(big.Int)
	free := w.free(s)
	for r, d := range w.needs[j].On(w.ledger.Class(s)) {
		gap := big.NewInt(free[r] - d)
		gap.Mul(gap, w.parts[r])
		sum.Add(sum, gap.Mul(gap, gap))
	}
	return sum
}

// partsOfTotals returns unit/total of each resource times a number that makes all of
// them whole; 0 for a resource that there is none of.
func (w *twin) partsOfTotals() []*big.Int {
	parts, all := make([]*big.Int, len(w.env.Resources)), big.NewInt(1)
	unit := make([]*big.Rat, len(parts))
	for r := range parts {
		total := new(big.Rat)
		for _, server := range w.env.Servers {
			total.Add(total, new(big.Rat).Mul(exact.Rational(server.Capacity[r]), big.NewRat(int64(server.Count), 1)))
		}
		unit[r] = new(big.Rat)
		if total.Sign() > 0 {
			unit[r].Quo(w.ledger.Grid(r).Unit(), total)
		}
		all.Mul(all, unit[r].Denom())
	}
	for r := range parts {
		parts[r] = new(big.Int).Mul(unit[r].Num(), new(big.Int).Quo(all, unit[r].Denom()))
	}
	return parts
}

// constants sets what does not change in a replay.
func (w *twin) constants() {
	w.parts, w.needs = w.partsOfTotals(), nil
	for j := range w.jobs {
		w.needs = append(w.needs, w.ledger.Need(&w.jobs[j].User))
		if w.norm != nil {
			w.rates = append(w.rates, inverse(w.norm[j]))
		}
	}
}

func (w *twin) count(j int) int {
	n := 0
	for _, t := range w.running {
		if t.job == j {
			n++
		}
	}
	return n
}

// before is the order of Algorithm 2.
func (w *twin) before(a, b int) bool {
	if w.norm == nil {
		return a < b
	}
	if c := w.tenantShare(a).Cmp(w.tenantShare(b)); c != 0 {
		return c < 0
	}
	if c := w.share(a).Cmp(w.share(b)); c != 0 {
		return c < 0
	}
	if c := w.rates[a].Cmp(w.rates[b]); c != 0 {
		return c < 0
	}
	return a < b
}

// share returns x/(w·N) as a rational number.
func (w *twin) share(j int) *big.Rat {
	x := new(big.Rat).SetInt64(int64(w.count(j)))
	x.Mul(x, w.rates[j])
	return x.Quo(x, exact.Rational(w.jobs[j].User.Weight))
}

// tenantShare returns the mean of the shares of the jobs of a tenant that are here, each
// at an equal part of the tenant's weight. Every sum is made anew.
func (w *twin) tenantShare(j int) *big.Rat {
	if w.jobs[j].Tenant == "" {
		return w.share(j)
	}
	var jobs []int
	for i := range w.jobs {
		if w.here[i] && w.jobs[i].Tenant == w.jobs[j].Tenant {
			jobs = append(jobs, i)
		}
	}
	sum, k := new(big.Rat), big.NewRat(int64(len(jobs)), 1)
	for _, i := range jobs {
		weight := new(big.Rat).Quo(exact.Rational(w.jobs[i].User.Weight), k)
		x := new(big.Rat).SetInt64(int64(w.count(i)))
		x.Mul(x, w.rates[i])
		sum.Add(sum, x.Quo(x, weight))
	}
	return sum.Quo(sum, k)
}

// inverse returns 1/N; nil stands for N = +Inf.
func inverse(n *big.Rat) *big.Rat {
	if n == nil {
		return new(big.Rat)
	}
	return new(big.Rat).Inv(n)
}

func (w *twin) serve() {
	for {
		who, where := -1, -1
		for j := range w.jobs {
			if !w.here[j] || len(w.queue[j]) == 0 || who >= 0 && !w.before(j, who) {
				continue
			}
			if server := w.best(j); server >= 0 {
				who, where = j, server
			}
		}
		if who < 0 {
			return
		}
		w.start(who, where)
	}
}

// best returns the first of the servers with the smallest distance; -1 if j fits on none.
func (w *twin) best(j int) int {
	server, least := -1, new(big.Int)
	for s := range w.ledger.Servers() {
		if !w.fits(j, s) {
			continue
		}
		if d := w.distance(j, s); server < 0 || d.Cmp(least) < 0 {
			server, least = s, d
		}
	}
	return server
}

func (w *twin) start(j, s int) {
	at := 0
	for i, t := range w.queue[j] {
		if t.parked != w.suspendedLast {
			at = i
			break
		}
	}
	t := w.queue[j][at]
	w.queue[j] = slices.Delete(w.queue[j], at, at+1)
	t.server, t.due = s, w.now+t.rest
	w.running = append(w.running, t)
	w.note("start", t, t.rest)
}

func (w *twin) note(what string, t twinTask, rest event.Time) {
	w.log = append(w.log, fmt.Sprintf("%d %s %s.%d on %d, rest %d", w.now, what, w.jobs[t.job].User.Name, t.number, t.server, rest))
}

// byEnd orders tasks by their end, then by their start.
func (w *twin) byEnd() []twinTask {
	tasks := slices.Clone(w.running)
	slices.SortStableFunc(tasks, func(a, b twinTask) int { return int(a.due - b.due) })
	return tasks
}

func (w *twin) run() {
	n := len(w.jobs)
	w.queue, w.left, w.here = make([][]twinTask, n), make([]int64, n), make([]bool, n)
	w.late = map[int]bool{}
	w.constants()
	next, changed := 0, false
	for {
		at := event.Never
		for _, t := range w.running {
			at = min(at, t.due)
		}
		if next < n {
			at = min(at, w.jobs[next].Arrival)
		}
		if w.slot > 0 && changed {
			boundary := (w.now/w.slot + 1) * w.slot
			at = min(at, boundary)
		}
		if at == event.Never || next == n && !slices.Contains(w.here, true) {
			return
		}
		w.now = at
		event := false
		for _, t := range w.byEnd() {
			if t.due == w.now {
				event = true
				w.end(t)
			}
		}
		for ; next < n && w.jobs[next].Arrival == w.now; next++ {
			event = w.arrive(next) || event
		}
		changed = changed || event
		if w.slot > 0 && w.now%w.slot == 0 && changed {
			changed = false
			w.suspend()
		}
		w.dropLate()
		w.serve()
	}
}

func (w *twin) end(t twinTask) {
	w.note("end", t, 0)
	w.running = slices.DeleteFunc(w.running, func(o twinTask) bool { return o == t })
	if w.left[t.job]--; w.left[t.job] == 0 {
		w.here[t.job] = false
	}
}

// arrive queues the tasks of a job, if one of them fits into the empty cluster.
func (w *twin) arrive(j int) bool {
	running := w.running
	w.running = nil
	possible := false
	for s := range w.ledger.Servers() {
		possible = possible || w.fits(j, s)
	}
	w.running = running
	if !possible || w.clock > 0 && w.alone(j) > w.clock {
		w.refused++
		return false
	}
	for i := range w.jobs[j].Tasks {
		w.queue[j] = append(w.queue[j], twinTask{job: j, number: i, rest: w.jobs[j].Duration})
	}
	w.left[j], w.here[j] = w.jobs[j].Tasks, true
	return true
}

// alone returns when a job would be done if nobody else were there.
func (w *twin) alone(j int) event.Time {
	solo := &twin{env: w.env, ledger: w.ledger, jobs: w.jobs[j : j+1]}
	solo.run()
	return solo.now
}

// dropLate takes the queue of every job away that cannot be done on the clock.
func (w *twin) dropLate() {
	for j, queue := range w.queue {
		late := slices.ContainsFunc(queue, func(t twinTask) bool { return w.now+t.rest > w.clock })
		if w.clock == 0 || !late {
			continue
		}
		w.left[j] -= int64(len(queue))
		w.queue[j] = nil
		w.here[j] = w.left[j] > 0
		w.late[j] = true
	}
}

func (w *twin) suspend() {
	for _, t := range w.byEnd() {
		rest := t.due - w.now + SuspendCost
		w.note("suspend", t, rest)
		w.running = slices.DeleteFunc(w.running, func(o twinTask) bool { return o == t })
		t.rest, t.parked, t.server, t.due = rest, true, 0, 0
		// Behind the suspended ones that wait already, before the fresh ones.
		at := 0
		for at < len(w.queue[t.job]) && w.queue[t.job][at].parked {
			at++
		}
		w.queue[t.job] = slices.Insert(w.queue[t.job], at, t)
	}
}

// logger writes task events as the twin does.
func logger(jobs []sim.Job, log *[]string) func(*Event) {
	return func(ev *Event) {
		if ev.Kind > TaskEnd {
			return
		}
		what := [...]string{TaskStart: "start", TaskSuspend: "suspend", TaskEnd: "end"}[ev.Kind]
		*log = append(*log, fmt.Sprintf("%d %s %s.%d on %d, rest %d", ev.At, what, jobs[ev.Job].User.Name, ev.Task, ev.Server, ev.Rest))
	}
}

// step handles the events of the next instant; false if there is none.
func step(e *run) (bool, error) {
	for {
		ev, ok := e.engine.Next()
		if !ok {
			if !e.schedule() {
				return false, nil
			}
			continue
		}
		if err := e.handle(ev); err != nil || ev.Phase == phaseAllocation {
			return err == nil, err
		}
	}
}

// randomEnv is a cluster of small round numbers, so that ties abound.
func randomEnv(rng *rand.Rand, plain bool) *cluster.Environment {
	env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}[:2+rng.IntN(2)]}
	for s := range 1 + rng.IntN(4) {
		capacity := make([]float64, len(env.Resources))
		for r := range capacity {
			capacity[r] = float64(2+rng.IntN(6)) / 10
		}
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Capacity: capacity, Count: 1 + rng.IntN(3)})
	}
	for e := range rng.IntN(3) {
		link := cluster.Link{Name: fmt.Sprint("l", e), Capacity: float64(1+rng.IntN(20)) / 10}
		if !plain && rng.IntN(2) == 0 {
			link.Servers = cluster.NewSet(len(env.Servers), rng.IntN(len(env.Servers)), rng.IntN(len(env.Servers)))
		}
		env.Links = append(env.Links, link)
	}
	return env
}

func randomJobs(rng *rand.Rand, env *cluster.Environment, n int, plain bool) []sim.Job {
	var jobs []sim.Job
	at := event.Time(0)
	for j := range n {
		vector := func(n int) []float64 {
			d := make([]float64, n)
			for r := range d {
				d[r] = float64(rng.IntN(4)) / 10
			}
			return d
		}
		u := cluster.NewUser(fmt.Sprint("u", j), vector(len(env.Resources)), vector(len(env.Links))...)
		u.Demand[0] += 0.1
		u.Weight = float64(1+rng.IntN(3)) / 2
		if !plain && rng.IntN(3) == 0 {
			u.Eligible = cluster.NewSet(len(env.Servers), rng.IntN(len(env.Servers)), rng.IntN(len(env.Servers)))
		}
		if !plain && rng.IntN(5) == 0 {
			u.DemandOn = map[int][]float64{rng.IntN(len(env.Servers)): append(vector(len(env.Resources)-1), 0.1)}
		}
		if rng.IntN(3) > 0 {
			at += event.Time(rng.IntN(4)) * 1e6
		}
		jobs = append(jobs, sim.Job{User: u, Arrival: at, Tasks: 1 + rng.Int64N(9), Duration: event.Time(1+rng.IntN(6)) * 1e6})
	}
	return jobs
}

func mustPolicy(t testing.TB, name string) policies.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustOrdered(t testing.TB, name string) Rule {
	t.Helper()
	if name == "fifo" {
		return FIFO()
	}
	rule, err := ShareOrdered(mustPolicy(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

// several is how many of n random instances a test takes: half of them in make test, all
// in make test-long.
func several(n int) int {
	if os.Getenv("LEONTIEF_LONG") != "" {
		return n
	}
	return n / 2
}

// logDiff is what two logs differ in. To find that of equal ones [cmp.Diff] takes as long as
// the replays.
func logDiff(want, got []string) string {
	if slices.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

func TestTheSlowSchedulerDecidesTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	names := []string{"tsf-er", "drf-er", "fifo", "egalitarian", "tsf", "cdrf", "drfh", "drf", "cmmf-cpu", "cmmf-mem"}
	var c comparison
	for k := range several(1500) {
		env := randomEnv(rng, k%3 == 0)
		jobs := randomJobs(rng, env, 1+rng.IntN(12), k%3 == 0)
		slot := []event.Time{0, 2e6, 5e6}[rng.IntN(3)]
		c.run(t, fmt.Sprint("workload ", k), env, jobs, names[k%len(names)], slot, k%7 == 0)
		if len(env.Links) > 1 {
			c.several++
		}
	}
	if c.starts < several(20000) || c.suspensions < several(3000) || c.refused < several(100) || c.several < several(300) {
		t.Errorf("only %d starts, %d suspensions, %d refused, %d replays with two links", c.starts, c.suspensions, c.refused, c.several)
	}
}

// comparison replays workloads and compares what happens with the twin.
type comparison struct{ starts, suspensions, refused, several int }

func (c *comparison) run(t *testing.T, what string, env *cluster.Environment, jobs []sim.Job, name string, slot event.Time, suspendedLast bool) {
	t.Helper()
	w := &twin{env: env, ledger: cluster.NewLedger(env), jobs: jobs, slot: slot, suspendedLast: suspendedLast}
	if name != "fifo" {
		for i := range jobs {
			w.norm = append(w.norm, defined(t, name, env, &jobs[i].User))
		}
	}
	w.run()
	for _, scan := range []bool{true, false} {
		var log []string
		r := &Replay{
			Env: env, Jobs: jobs, Rule: mustOrdered(t, name), Slot: slot, SuspendedLast: suspendedLast,
			Verify: true, OnEvent: logger(jobs, &log), indexed: new(!scan),
		}
		result, err := r.Run(t.Context())
		if err != nil {
			t.Fatalf("%s, %s: %v", what, name, err)
		}
		if diff := logDiff(w.log, log); diff != "" {
			t.Fatalf("%s, %s, slot %d, scan %v:\n%s", what, name, slot, scan, diff)
		}
		c.starts += int(result.Placements)
		c.suspensions += int(result.Suspensions)
		c.refused += result.Refused
	}
}

// Many servers and users, so that the boxes are deep: the scan is the twin.
func TestTheIndexFindsWhatTheScanFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for k := range several(12) {
		env := &cluster.Environment{Resources: []string{"cpu", "mem", "gpu"}}
		for s := range 6 {
			env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprint("s", s), Count: 5 + rng.IntN(60),
				Capacity: []float64{float64(4 + rng.IntN(60)), 1 + 9*rng.Float64(), float64(rng.IntN(9))}})
		}
		env.Links = []cluster.Link{{Name: "l", Capacity: 200 * rng.Float64()}}
		var jobs []sim.Job
		for j := range 800 {
			u := cluster.NewUser(fmt.Sprint("u", j), []float64{math.Round(1 + 12*rng.Float64()), 3 * rng.Float64(), float64(rng.IntN(3))}, rng.Float64())
			if k%2 == 0 && rng.IntN(4) == 0 {
				u.Eligible = cluster.NewSet(6, rng.IntN(6))
			}
			jobs = append(jobs, sim.Job{User: u, Arrival: event.Time(j) * 1e4, Tasks: 1 + rng.Int64N(30), Duration: event.Time(1 + rng.IntN(5e7))})
		}
		var logs [2][]string
		for i := range logs {
			r := &Replay{Env: env, Jobs: jobs, Rule: mustOrdered(t, "tsf-er"), Slot: 20e6, OnEvent: logger(jobs, &logs[i]), indexed: new(i == 1)}
			if _, err := r.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := logDiff(logs[0], logs[1]); diff != "" {
			t.Fatal(diff)
		}
		if len(logs[0]) < 5000 {
			t.Errorf("only %d events", len(logs[0]))
		}
	}
}
