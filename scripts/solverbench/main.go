//go:build linux

// Command solverbench times leontief's solvers on the benchmark instances and
// writes the same instances as plain linear programs for other solvers.
// scripts/bench_solvers.py runs both in turn.
//
//	solverbench write --users 100 --servers 20 --seed 1 --program tsf-er --out FILE
//	solverbench time  --users 100 --servers 20 --seed 1 --policy tsf-er [--restart]
//
// time prints the median milliseconds of processor time of one allocation: cold, a call of
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
	"golang.org/x/sys/unix"
)

var (
	users   = flag.Int("users", 20, "number of users")
	servers = flag.Int("servers", 3, "number of servers")
	seed    = flag.Uint64("seed", 1, "seed of the instance")
	name    = flag.String("program", "tsf-er", "write: tsf-er, cru or nash")
	rule    = flag.String("policy", "tsf-er", "time: policy")
	out     = flag.String("out", "", "write: file")
	restart = flag.Bool("restart", false, "time: one user leaves and comes back")
	budget  = flag.Duration("budget", 500*time.Millisecond, "time: how long to repeat")
)

func main() {
	if len(os.Args) < 2 {
		fail(2, fmt.Errorf("usage: solverbench write|time …"))
	}
	_ = flag.CommandLine.Parse(os.Args[2:]) // exits at an error
	env := twin.Benchmark(*users, *servers, *seed)
	switch os.Args[1] {
	case "write":
		if err := write(*out, *name, env); err != nil {
			fail(1, err)
		}
	case "time":
		ms, objective, err := measure(env)
		if err != nil {
			fail(1, err)
		}
		fmt.Printf("%.9g %.17g\n", ms, objective)
	default:
		fail(2, fmt.Errorf("unknown command %q", os.Args[1]))
	}
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "solverbench:", err)
	os.Exit(status)
}

// measure returns the median milliseconds of one allocation and its objective,
// by which the programs' answers are compared.
func measure(env *cluster.Environment) (float64, float64, error) {
	policy, err := policies.New(*rule)
	if err != nil {
		return 0, 0, err
	}
	var last *cluster.Allocation
	once := func() (err error) {
		last, err = policies.Allocate(policy, env)
		return err
	}
	if *restart {
		if once, err = restarts(policy, env, &last); err != nil {
			return 0, 0, err
		}
	}
	// Batches long enough for the clock; an even number of calls, so that a session ends with
	// all users present.
	var times []float64
	calls := 2
	for start := time.Now(); len(times) < 4 || time.Since(start) < *budget; {
		before := processor()
		for range calls {
			if err := once(); err != nil {
				return 0, 0, err
			}
		}
		used := processor() - before
		if used < shortest && calls < 1<<20 {
			calls *= 2
			continue
		}
		times = append(times, float64(used.Nanoseconds())/1e6/float64(calls))
	}
	slices.Sort(times)
	return times[len(times)/2], objective(*rule, last), nil
}

// shortest is the least time of a batch of calls.
const shortest = time.Millisecond

// processor returns the processor time of this process so far.
func processor() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		fail(1, err)
	}
	return time.Duration(t.Nano())
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
