// Package sim replays a workload on a cluster under an allocation rule.
//
// # Vocabulary
//
// A workload is a list of jobs. Each job is one user: it submits a number of
// identical tasks at one instant and leaves when all of them are done. A
// server offers resources (cores, memory, GPUs); a link is a resource outside
// the servers, such as bandwidth, from which every task on the servers behind
// it takes its part. A user has a demand vector (what one task takes of each
// resource and of each link), a weight, a task cap (how many tasks it has at
// all) and an eligibility (the servers on which its tasks may run). An
// allocation says how many tasks of each user run on each server, as real
// numbers; a schedule places whole tasks. A share is a user's number of tasks
// over the number that its rule takes for the whole.
//
// # Symbols
//
// They mean the same in every package, and code that implements a formula
// names its variables after them.
//
//	j, i       user                     index into Environment.Users
//	s          class of equal servers   index into Environment.Servers
//	r          resource of servers      index into Environment.Resources
//	e          link                     index into Environment.Links
//	c[s,r]     capacity of r on the whole class s   Environment.Capacity
//	c[e]       capacity of link e                   Link.Capacity
//	S(e)       servers behind link e                Environment.Reaches
//	d[j,r]     r that one task of j takes           Environment.Demand
//	d[j,e]     e that one task of j takes           Environment.LinkDemand
//	p[j,s]     whether j may run on s               Environment.MayRun
//	w[j]       weight of j, 1 by default            User.Weight
//	n[j]       task cap of j, none by default       User.Tasks
//	x[j,s]     tasks of j on s                      Allocation.X
//	x[j]       Σ_s x[j,s]                           Allocation.Tasks
//	χ          the feasible allocations             Allocation.Feasible
//	γ[j,s]     tasks of j that has s to itself      Environment.Gamma
//	η[j]       tasks of j that has all to itself    Environment.Eta
//	η'[j]      as η, on eligible servers only       Environment.EtaEligible
//	ψ[j]       tasks of j in an equal division      Environment.EqualShare
//	u[j](·)    tasks that j could run in a bundle   fair.Judge.Utility
//	N[j]       what a rule normalises x[j] by       policies.Normalizer
//
// A demand of 0 never constrains, whatever the capacity. Feasible (χ) are the
// x >= 0 with
//
//	Σ_j x[j,s]·d[j,r] <= c[s,r]              for every class and resource,
//	Σ_j Σ_{s∈S(e)} x[j,s]·d[j,e] <= c[e]     for every link,
//	x[j,s] = 0 where p[j,s] = 0,  x[j] <= n[j].
//
// Where a user's demand on one server differs from its usual one
// (User.DemandOn), d[j,r] reads as its demand there.
//
// # Where definitions live
//
// Everything that follows from servers, links and demands alone is a method of
// the environment in package cluster. Envy, sharing incentive and domination
// are in package fair, each with a witness that can be printed. What a rule
// decides is in package policies and its solvers. Package event has the clock
// and the queue, package metrics the time-weighted records; neither knows of
// users. This package joins them: it holds the task models and calls observers
// on every interval between two events.
//
// Simulated time is in whole microseconds.
package sim
