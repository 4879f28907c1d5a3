package indivisible

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/fair"
)

// allocation is what the users in the system hold, as package fair sees it.
func allocation(e *engine, caps Caps) (*cluster.Environment, *cluster.Allocation) {
	env := e.Env.With(nil)
	a := &cluster.Allocation{}
	at := map[int32]int{}
	for i := range e.users {
		u := &e.users[i]
		if u.left == 0 {
			continue
		}
		who := u.kind.user
		who.Weight, who.Tasks = u.weight, float64(u.Tasks)
		if caps == CapLeft {
			who.Tasks = float64(u.left)
		}
		at[int32(i)] = len(env.Users)
		env.Users = append(env.Users, who)
		a.Tasks = append(a.Tasks, float64(u.running))
	}
	a.X = make([]float64, len(env.Users)*len(env.Servers))
	for _, t := range e.tasks {
		if t.user >= 0 {
			a.X[at[t.user]*len(env.Servers)+e.pool.Class(int(t.server))]++
		}
	}
	a.Region = env
	return env, a
}

// Both figures are held against package fair at every instant.
func TestFairnessIsThatOfPackageFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	instants, envious, deprived, zero := 0, 0, 0, 0
	for k := range 400 {
		env := randomEnv(rng, true)
		jobs := randomJobs(rng, env, 2+rng.IntN(25), true)
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
		var e *engine
		f := &Fairness{Caps: Caps(k % 3 % 2)}
		f.OnInterval = func(_, _ event.Time, ef, si float64) error {
			there, a := allocation(e, f.Caps)
			judge := fair.NewJudge(there)
			wantEF, wantSI := judge.MinEFSat(a, nil).Sat, judge.MinSISat(a, nil).Sat
			if math.Abs(ef-wantEF) > 1e-12 || math.Abs(si-wantSI) > 1e-12 {
				t.Fatalf("workload %d at %d: EF %v, want %v; SI %v, want %v", k, e.now, ef, wantEF, si, wantSI)
			}
			instants++
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
		r := &Replay{Env: env, Jobs: stream(jobs), Rule: mustOrdered(t, "tsf-er"), Slot: 3e6, Fairness: f}
		var stop func()
		var err error
		if e, stop, err = r.start(); err != nil {
			t.Fatal(err)
		}
		for at := e.nextInstant(); at != never; at = e.nextInstant() {
			if err := e.step(at); err != nil {
				t.Fatal(err)
			}
		}
		stop()
	}
	if instants < 3000 || envious < 500 || deprived < 300 || zero < 500 {
		t.Errorf("%d instants, of which %d with envy, %d below the equal share, %d at 0", instants, envious, deprived, zero)
	}
}

// Many users at once, so that the boxes are deep.
func TestFairnessOfManyUsers(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	f := benchFairness(t, rng, 400)
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
}

func TestConstrainedUsersHaveSharesOnly(t *testing.T) {
	env := &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{1}, Count: 2}}}
	u := cluster.NewUser("u", []float64{0.5})
	u.Eligible = cluster.NewSet(1, 0)
	jobs := []Job{{User: u, Tasks: 1, Duration: 5}}
	for _, only := range []bool{false, true} {
		r := &Replay{Env: env, Jobs: stream(jobs), Rule: FIFO(), Fairness: &Fairness{SharesOnly: only}}
		if _, err := r.Run(); (err == nil) != only {
			t.Errorf("shares only %v: %v", only, err)
		}
	}
}

// watched is a replay in which all users hold something, one event at a time.
type watched struct {
	e      *engine
	ef, si float64
}

func (w *watched) event() {
	if err := w.e.step(w.e.nextInstant()); err != nil {
		panic(err)
	}
	if err := w.e.Fairness.elapse(0); err != nil {
		panic(err)
	}
}

func benchFairness(t testing.TB, rng *rand.Rand, users int) *watched {
	w := &watched{}
	f := &Fairness{OnInterval: func(_, _ event.Time, ef, si float64) error {
		w.ef, w.si = ef, si
		return nil
	}}
	jobs := func(yield func(Job, error) bool) {
		for i := range users {
			u := benchUser(rng, i)
			if !yield(Job{User: u, Tasks: 1 << 30, Duration: event.Time(1e6 + rng.IntN(1e8))}, nil) {
				return
			}
		}
	}
	r := &Replay{Env: benchCluster(20 + users), Jobs: jobs, Rule: mustOrdered(t, "tsf-er"), Fairness: f}
	e, stop, err := r.start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	w.e = e
	for range 3 {
		w.event()
	}
	return w
}

// BenchmarkFairness measures one event with both figures, where nobody is
// empty-handed and so the figures are not trivial.
func BenchmarkFairness(b *testing.B) {
	for _, users := range []int{100, 1000, 10000} {
		b.Run(map[int]string{100: "users=100", 1000: "users=1000", 10000: "users=10000"}[users], func(b *testing.B) {
			w := benchFairness(b, rand.New(rand.NewPCG(55, 56)), users)
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
