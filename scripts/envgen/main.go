// Command envgen writes random environments in leontief's JSON form, for the
// comparison with other solvers (scripts/compare_oracle.py).
//
//	go run ./scripts/envgen --out DIR --count 10 --seed 1 --users 30 --servers 6
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/leontief-sim/leontief/policies/solve/twin"
	"github.com/leontief-sim/leontief/sim/cluster"
)

type server struct {
	Name     string    `json:"name"`
	Capacity []float64 `json:"capacity"`
	Count    int       `json:"count"`
}

type link struct {
	Name     string    `json:"name"`
	Capacity float64   `json:"capacity"`
	Servers  *[]string `json:"servers,omitempty"`
}

type user struct {
	Name       string               `json:"name"`
	Demand     []float64            `json:"demand"`
	LinkDemand []float64            `json:"link_demand,omitempty"`
	Weight     float64              `json:"weight"`
	Tasks      *float64             `json:"tasks,omitempty"`
	Servers    *[]string            `json:"servers,omitempty"`
	DemandOn   map[string][]float64 `json:"demand_on,omitempty"`
}

type environment struct {
	Resources []string `json:"resources"`
	Servers   []server `json:"servers"`
	Links     []link   `json:"links,omitempty"`
	Users     []user   `json:"users"`
}

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
	enc := json.NewEncoder(f)
	if err := enc.Encode(convert(env)); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func convert(env *cluster.Environment) environment {
	out := environment{Resources: env.Resources}
	for _, s := range env.Servers {
		out.Servers = append(out.Servers, server{s.Name, s.Capacity, s.Count})
	}
	for _, l := range env.Links {
		out.Links = append(out.Links, link{l.Name, l.Capacity, names(env, l.Servers)})
	}
	for _, u := range env.Users {
		out.Users = append(out.Users, convertUser(env, u))
	}
	return out
}

func convertUser(env *cluster.Environment, u cluster.User) user {
	w := user{Name: u.Name, Demand: u.Demand, LinkDemand: u.LinkDemand, Weight: u.Weight, Servers: names(env, u.Eligible)}
	if !math.IsInf(u.Tasks, 1) {
		w.Tasks = &u.Tasks
	}
	for s, d := range u.DemandOn {
		if w.DemandOn == nil {
			w.DemandOn = map[string][]float64{}
		}
		w.DemandOn[env.Servers[s].Name] = d
	}
	return w
}

// names lists the servers of a set; nil, which leaves the key out, for the nil
// set.
func names(env *cluster.Environment, set cluster.Set) *[]string {
	if set == nil {
		return nil
	}
	out := []string{}
	for s, server := range env.Servers {
		if set.Has(s) {
			out = append(out, server.Name)
		}
	}
	return &out
}
