package game

import (
	"math"

	"github.com/leontief-sim/leontief/policies/solve"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/fair"
)

// KS returns the Kalai-Smorodinsky rule of the servers of env: among the users
// A of server s, user j receives
//
//	w[j]·ψ[j,s] / max_r Σ_{i∈A} w[i]·ψ[i,s]·d[i,r]/c[s,r]
//
// tasks, the same part of what it could run alone for everybody (equations 7
// to 10 of the paper). With demands of 0 that need not use up anything that
// each user needs. A user that cannot run on s receives 0 there.
func KS(env *cluster.Environment) fair.Local {
	links, _ := single(env)
	return func(s int, users []int) ([]float64, error) {
		tasks := make([]float64, len(users))
		var sum []float64
		for i, j := range users {
			demand, capacity := Rows(env, links[s], j, s)
			tasks[i] = env.Users[j].Weight * alone(env, demand, capacity, j, s)
			sum = append(sum, make([]float64, len(demand)-len(sum))...)
			for r, d := range demand {
				if d > 0 && tasks[i] > 0 {
					sum[r] += tasks[i] * d / capacity[r]
				}
			}
		}
		load := 0.0
		for _, x := range sum {
			load = math.Max(load, x)
		}
		for i := range tasks {
			if tasks[i] > 0 {
				tasks[i] /= load
			}
		}
		return tasks, nil
	}
}

// alone returns ψ[j,s].
func alone(env *cluster.Environment, demand, capacity []float64, j, s int) float64 {
	psi := math.Inf(1)
	if !env.MayRun(j, s) {
		return 0
	}
	for r, d := range demand {
		if d > 0 {
			psi = math.Min(psi, capacity[r]/d)
		}
	}
	return psi
}

// Equal returns equal division: of server s each of its users receives the
// part w[j]/Σw, and runs what fits into it.
func Equal(env *cluster.Environment) fair.Local {
	links, _ := single(env)
	return func(s int, users []int) ([]float64, error) {
		tasks, total := make([]float64, len(users)), 0.0
		for _, j := range users {
			total += env.Users[j].Weight
		}
		for i, j := range users {
			demand, capacity := Rows(env, links[s], j, s)
			tasks[i] = env.Users[j].Weight / total * alone(env, demand, capacity, j, s)
		}
		return tasks, nil
	}
}

// Nash returns the Nash bargaining solution: server s maximises Σ w·log x over
// its users. Each answer is certified by its dual (package solve); the largest
// gap and violation so far are noted in worst, which may be nil.
func Nash(env *cluster.Environment, worst *cluster.Certificate) fair.Local {
	links, _ := single(env)
	solver := &solve.Nash{}
	return func(s int, users []int) ([]float64, error) {
		a, err := solver.Solve(one(env, links[s], s, users))
		if err != nil {
			return nil, err
		}
		if worst != nil {
			worst.Primal = math.Max(worst.Primal, a.Certificate.Primal)
			worst.Gap = math.Max(worst.Gap, a.Certificate.Gap)
			worst.Totals = math.Max(worst.Totals, a.Certificate.Totals)
			worst.Pivots += a.Certificate.Pivots
		}
		return append([]float64(nil), a.Tasks...), nil
	}
}

// one returns server s, and the links that lead to it alone as resources, with
// some of the users.
func one(env *cluster.Environment, links []int, s int, users []int) *cluster.Environment {
	in := &cluster.Environment{Resources: append([]string(nil), env.Resources...)}
	for _, e := range links {
		in.Resources = append(in.Resources, env.Links[e].Name)
	}
	capacity := append([]float64(nil), env.Servers[s].Capacity...)
	for _, e := range links {
		capacity = append(capacity, env.Links[e].Capacity)
	}
	in.Servers = []cluster.Server{{Name: env.Servers[s].Name, Capacity: capacity, Count: 1}}
	for _, j := range users {
		demand, _ := Rows(env, links, j, s)
		u := cluster.NewUser(env.Users[j].Name, demand)
		u.Weight = env.Users[j].Weight
		if !env.MayRun(j, s) {
			u.Eligible = cluster.NewSet(1)
		}
		in.Users = append(in.Users, u)
	}
	return in
}
