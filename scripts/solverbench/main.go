// Command solverbench times leontief's solvers on the benchmark instances and
// writes the same instances as plain linear programs for other solvers.
// scripts/bench_solvers.py runs both in turn.
//
//	solverbench write --users 100 --servers 20 --seed 1 --program tsf-er --out FILE
//	solverbench time  --users 100 --servers 20 --seed 1 --policy tsf-er [--restart]
//
// time prints the median milliseconds of one allocation: cold, a call of
// policies.Allocate; with --restart, an allocation after one user has left or
// come back in a session.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

type arguments struct {
	users, servers int
	seed           uint64
	program        string
	policy, out    string
	restart        bool
	budget         time.Duration
}

func main() {
	if len(os.Args) < 2 {
		fail(2, fmt.Errorf("usage: solverbench write|time …"))
	}
	args := parse(os.Args[2:])
	env := twin.Benchmark(args.users, args.servers, args.seed)
	switch os.Args[1] {
	case "write":
		if err := write(args.out, args.program, env); err != nil {
			fail(1, err)
		}
	case "time":
		ms, objective, err := measure(env, args)
		if err != nil {
			fail(1, err)
		}
		fmt.Printf("%.9g %.17g\n", ms, objective)
	default:
		fail(2, fmt.Errorf("unknown command %q", os.Args[1]))
	}
}

func parse(list []string) arguments {
	var a arguments
	set := flag.NewFlagSet("solverbench", flag.ExitOnError)
	set.IntVar(&a.users, "users", 20, "number of users")
	set.IntVar(&a.servers, "servers", 3, "number of servers")
	set.Uint64Var(&a.seed, "seed", 1, "seed of the instance")
	set.StringVar(&a.program, "program", "tsf-er", "write: tsf-er, cru or nash")
	set.StringVar(&a.policy, "policy", "tsf-er", "time: policy")
	set.StringVar(&a.out, "out", "", "write: file")
	set.BoolVar(&a.restart, "restart", false, "time: one user leaves and comes back")
	set.DurationVar(&a.budget, "budget", 500*time.Millisecond, "time: how long to repeat")
	_ = set.Parse(list) // ExitOnError
	return a
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "solverbench:", err)
	os.Exit(status)
}

// measure returns the median milliseconds of one allocation and its objective,
// by which the programs' answers are compared.
func measure(env *cluster.Environment, args arguments) (float64, float64, error) {
	policy, err := policies.New(args.policy)
	if err != nil {
		return 0, 0, err
	}
	var last *cluster.Allocation
	once := func() (err error) {
		last, err = policies.Allocate(policy, env)
		return err
	}
	if args.restart {
		if once, err = restarts(policy, env, &last); err != nil {
			return 0, 0, err
		}
	}
	// An even number of calls ends a session with all users present.
	var times []float64
	for start := time.Now(); len(times) < 4 || len(times)%2 == 1 || time.Since(start) < args.budget; {
		before := time.Now()
		if err := once(); err != nil {
			return 0, 0, err
		}
		times = append(times, float64(time.Since(before).Nanoseconds())/1e6)
	}
	slices.Sort(times)
	return times[len(times)/2], objective(args.policy, last), nil
}

// objective is Σ log x for the Nash rules, Σ x/η for cru and ru, else the
// smallest share.
func objective(policy string, a *cluster.Allocation) float64 {
	switch policy {
	case "mnw", "mtp":
		sum := 0.0
		for _, x := range a.Tasks {
			sum += math.Log(x)
		}
		return sum
	case "cru", "ru":
		sum := 0.0
		for _, v := range a.Share {
			sum += v
		}
		return sum
	}
	return slices.Min(a.Share)
}

// restarts returns a function that takes one user out, or back in, and
// allocates again; the user changes from pair to pair.
func restarts(policy policies.Policy, env *cluster.Environment, last **cluster.Allocation) (func() error, error) {
	session, err := policies.Open(policy, env)
	if err != nil {
		return nil, err
	}
	for j := range env.Users {
		session.Add(j)
	}
	if *last, err = session.Allocate(); err != nil {
		return nil, err
	}
	step := 0
	return func() (err error) {
		j := step / 2 * 7 % len(env.Users)
		if step%2 == 0 {
			session.Remove(j)
		} else {
			session.Add(j)
		}
		step++
		*last, err = session.Allocate()
		return err
	}, nil
}
