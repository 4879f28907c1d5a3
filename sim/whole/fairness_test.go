package whole

import (
	"fmt"
	"github.com/leontief-sim/leontief/sim"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
)

// allocation is what the users in the system hold, as package fair sees it.
func allocation(e *run, caps Caps) (*cluster.Environment, *cluster.Allocation) {
	env := e.Env.With(nil)
	a := &cluster.Allocation{}
	at := map[int32]int{}
	for i := range e.users {
		u := &e.users[i]
		if u.left == 0 {
			continue
		}
		who := u.kind.user
		who.Weight, who.Tasks = e.weight(u), float64(u.Tasks)
		if caps == CapLeft {
			who.Tasks = float64(u.left)
		}
		at[int32(i)] = len(env.Users)
		env.Users = append(env.Users, who)
		a.Tasks = append(a.Tasks, float64(u.running))
	}
	a.X = make([]float64, len(env.Users)*len(env.Servers))
	for _, b := range e.batches {
		if b.user >= 0 {
			a.X[at[b.user]*len(env.Servers)+e.servers.Class(int(b.server))] += float64(b.count)
		}
	}
	a.Region = env
	return env, a
}

// Both figures are held against package fair at every instant, on environments
// of one group and on those with constraints, differing demands and links over
// some of the servers.
func TestFairnessIsThatOfPackageFair(t *testing.T) {
	for _, plain := range []bool{true, false} {
		t.Run(fmt.Sprint("plain=", plain), func(t *testing.T) { fairnessIsThatOfPackageFair(t, plain) })
	}
}

func fairnessIsThatOfPackageFair(t *testing.T, plain bool) {
	rng := rand.New(rand.NewPCG(51, 52))
	instants, envious, deprived, zero, grouped := 0, 0, 0, 0, 0
	for k := range 400 {
		env := randomEnv(rng, plain)
		jobs := randomJobs(rng, env, 2+rng.IntN(25), plain)
		if k%4 > 1 {
			jobs = tenanted(rng, jobs)
		}
		if k%2 == 0 { // room for all: the figures are mostly positive then
			for s := range env.Servers {
				for r := range env.Servers[s].Capacity {
					env.Servers[s].Capacity[r] *= 30
				}
			}
			for e := range env.Links {
				env.Links[e].Capacity *= 30
			}
		}
		var e *run
		f := &Fairness{Caps: Caps(k % 3 % 2)}
		f.OnInterval = func(_, _ event.Time, ef, si float64) error {
			there, a := allocation(e, f.Caps)
			judge := fair.NewJudge(there)
			wantEF, wantSI := judge.MinEFSat(a, nil).Sat, judge.MinSISat(a, nil).Sat
			if math.Abs(ef-wantEF) > 1e-12 || math.Abs(si-wantSI) > 1e-12 {
				t.Fatalf("workload %d at %d: EF %v, want %v; SI %v, want %v", k, e.now, ef, wantEF, si, wantSI)
			}
			instants++
			if f.envy.groups.count > 1 {
				grouped++
			}
			if ef > 0 && ef < 1 {
				envious++
			}
			if si > 0 && si < 1 {
				deprived++
			}
			if ef == 0 {
				zero++
			}
			return nil
		}
		r := &Replay{Env: env, Jobs: jobs, Rule: mustOrdered(t, "tsf-er"), Slot: 3e6, Fairness: []*Fairness{f}}
		var err error
		if e, err = r.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			if more, err = step(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if instants < 3000 || envious < 500 || deprived < 300 || zero < 500 || (grouped < 2000) != plain {
		t.Errorf("%d instants, of which %d with envy, %d below the equal share, %d at 0, %d with several groups", instants, envious, deprived, zero, grouped)
	}
}

// Many users at once, so that the boxes are deep.
func TestFairnessOfManyUsers(t *testing.T) {
	for _, of := range populations {
		t.Run(of.name, func(t *testing.T) { fairnessOfManyUsers(t, of.user) })
	}
}

func fairnessOfManyUsers(t *testing.T, user func(*rand.Rand, int) cluster.User) {
	rng := rand.New(rand.NewPCG(53, 54))
	f := benchFairness(t, rng, 400, user)
	for range 60 {
		f.event()
		there, a := allocation(f.e, CapSubmitted)
		judge := fair.NewJudge(there)
		if want := judge.MinEFSat(a, nil).Sat; math.Abs(f.ef-want) > 1e-12 {
			t.Fatalf("EF %v, want %v", f.ef, want)
		}
		if want := judge.MinSISat(a, nil).Sat; math.Abs(f.si-want) > 1e-12 {
			t.Fatalf("SI %v, want %v", f.si, want)
		}
	}
	if f.ef <= 0 || f.ef >= 1 || f.si <= 0 {
		t.Errorf("EF %v, SI %v: the test shows little", f.ef, f.si)
	}
}

// populations are users for benchFairness. The constrained ones may run on some
// of the four classes, and every fifth needs more on one of them.
var populations = []struct {
	name string
	user func(*rand.Rand, int) cluster.User
}{
	{"plain", benchUser},
	{"alike", func(rng *rand.Rand, i int) cluster.User {
		u := benchUser(rand.New(rand.NewPCG(57, uint64(i%10))), i)
		u.Weight = float64(1 + rng.IntN(2))
		return u
	}},
	{"constrained", func(rng *rand.Rand, i int) cluster.User {
		u := benchUser(rng, i)
		u.Eligible = cluster.NewSet(4, rng.IntN(4), rng.IntN(4), rng.IntN(4))
		if i%5 == 0 {
			on := slices.Clone(u.Demand)
			on[0] *= 1 + rng.Float64()
			u.DemandOn = map[int][]float64{rng.IntN(4): on}
		}
		return u
	}},
}

// watched is a replay in which all users hold something, one event at a time.
type watched struct {
	e      *run
	ef, si float64
}

func (w *watched) event() {
	if _, err := step(w.e); err != nil {
		panic(err)
	}
	if err := w.e.Fairness[0].elapse(0); err != nil {
		panic(err)
	}
}

func benchFairness(t testing.TB, rng *rand.Rand, users int, user func(*rand.Rand, int) cluster.User) *watched {
	w := &watched{}
	f := &Fairness{OnInterval: func(_, _ event.Time, ef, si float64) error {
		w.ef, w.si = ef, si
		return nil
	}}
	jobs := make([]sim.Job, users)
	for i := range jobs {
		u := user(rng, i)
		jobs[i] = sim.Job{User: u, Tasks: 1 << 30, Duration: event.Time(1e6 + rng.IntN(1e8))}
	}
	r := &Replay{Env: benchCluster(20 + users), Jobs: jobs, Rule: mustOrdered(t, "tsf-er"), Fairness: []*Fairness{f}}
	e, err := r.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.e = e
	for range 3 {
		w.event()
	}
	return w
}

// BenchmarkFairness measures one event with both figures, where nobody is
// empty-handed and so the figures are not trivial.
func BenchmarkFairness(b *testing.B) {
	for _, of := range populations {
		for _, users := range []int{100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/users=%d", of.name, users), func(b *testing.B) {
				w := benchFairness(b, rand.New(rand.NewPCG(55, 56)), users, of.user)
				for range 200 {
					w.event()
				}
				for b.Loop() {
					w.event()
				}
				b.ReportMetric(w.ef, "min-ef-sat")
			})
		}
	}
}
