// Command envgen writes random environments in leontief's JSON form, for the
// comparison with other solvers (scripts/compare_oracle.py).
//
//	go run ./scripts/envgen --out DIR --count 10 --seed 1 --users 30 --servers 6
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

func main() {
	out := flag.String("out", "", "folder to write env-NNNN.json files to")
	count := flag.Int("count", 10, "number of environments")
	seed := flag.Uint64("seed", 1, "seed of the first; the next have the seeds that follow")
	users := flag.Int("users", 30, "largest number of users")
	servers := flag.Int("servers", 6, "largest number of server classes")
	exact := flag.Bool("exact", false, "the largest numbers are the numbers")
	flag.Parse()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "envgen: --out is missing")
		os.Exit(2)
	}
	for i := range *count {
		env := generate(*seed+uint64(i), *users, *servers, *exact)
		path := filepath.Join(*out, fmt.Sprintf("env-%04d.json", *seed+uint64(i)))
		if err := write(path, env); err != nil {
			fmt.Fprintln(os.Stderr, "envgen:", err)
			os.Exit(1)
		}
	}
}

// generate draws one environment; the seed decides which features it has, so
// that a range of seeds covers their combinations.
func generate(seed uint64, users, servers int, exact bool) *cluster.Environment {
	rng := rand.New(rand.NewPCG(seed, 0x656e7667656e))
	opt := twin.Options{Users: users, Servers: servers, Resources: 2, Links: rng.IntN(4)}
	if !exact {
		opt.Users, opt.Servers = 1+rng.IntN(users), 1+rng.IntN(servers)
		opt.Resources += rng.IntN(2)
	}
	opt.Weights, opt.Caps, opt.Eligibility = seed&1 != 0, seed&2 != 0, seed&4 != 0
	opt.ZeroDemands, opt.ZeroCapacities = seed&8 != 0, seed&16 != 0
	opt.DemandOn = seed%3 == 0
	return twin.Random(rng, opt)
}

func write(path string, env *cluster.Environment) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(cluster.WriteEnvironment(f, env), f.Close())
}
