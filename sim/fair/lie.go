package fair

import (
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// Lie is what a user reports instead of the truth, and what that brings it.
// A rule is strategy-proof if no lie has a positive [Lie.Gain]. A user may lie
// about its demands, about the servers that can run it and about its number of
// tasks.
type Lie struct {
	Truth, Report cluster.User
	Honest, Lying float64 // real tasks that it can run, reporting the truth or not
}

// Gain returns how much the lie pays, relative to what honesty brings; negative
// if it does not pay, and 0 if neither brings anything. From nothing to
// something it is +Inf.
func (l Lie) Gain() float64 {
	if l.Honest == l.Lying {
		return 0
	}
	return l.Lying/l.Honest - 1
}

// String tells the lie: what is reported, where it is not the truth, and what
// it brings.
func (l Lie) String() string {
	says, instead := l.parts()
	return fmt.Sprintf("by reporting %s instead of %s, user %q runs %.6g tasks instead of %.6g",
		strings.Join(says, " and "), strings.Join(instead, " and "), l.Truth.Name, l.Lying, l.Honest)
}

// parts lists what differs between the report and the truth.
func (l Lie) parts() (says, instead []string) {
	add := func(what string, said, truth any) {
		a, b := fmt.Sprint(said), fmt.Sprint(truth)
		if a != b {
			says, instead = append(says, what+" "+a), append(instead, b)
		}
	}
	add("demand", l.Report.Demand, l.Truth.Demand)
	add("link demand", l.Report.LinkDemand, l.Truth.LinkDemand)
	add("demand by server", l.Report.DemandOn, l.Truth.DemandOn)
	add("servers", members(l.Report.Eligible), members(l.Truth.Eligible))
	add("tasks", l.Report.Tasks, l.Truth.Tasks)
	return says, instead
}

// members writes a set of servers by their numbers, from 1.
func members(set cluster.Set) string {
	if set == nil {
		return "all"
	}
	var words []string
	for s := range 64 * len(set) {
		if set.Has(s) {
			words = append(words, fmt.Sprint(s+1))
		}
	}
	return "{" + strings.Join(words, ",") + "}"
}

// Worth returns the tasks that a user with the true needs can run with what
// user j holds in the allocation: the resources on each server, and the part
// of each link, to be used as it likes; at most its true number of tasks.
//
// O(servers·resources) with at most one link, a small program otherwise.
func Worth(a *cluster.Allocation, j int, truth cluster.User) float64 {
	env := a.Region
	if len(env.Links) > 1 {
		return worthBehindLinks(a, j, truth)
	}
	free, behind, through := 0.0, 0.0, 0.0
	own := cluster.Environment{Users: []cluster.User{truth}}
	for s, x := range a.On(j) {
		reached := len(env.Links) == 1 && env.Reaches(0, s)
		if reached {
			through += x
		}
		if !truth.Eligible.Has(s) {
			continue
		}
		g := cluster.Inf
		held := env.Demand(j, s)
		for r, d := range own.Demand(0, s) {
			if d > 0 {
				g = min(g, x*held[r]/d)
			}
		}
		if reached {
			behind += g
		} else {
			free += g
		}
	}
	if len(env.Links) == 1 {
		if d := own.LinkDemand(0, 0); d > 0 {
			behind = min(behind, through*env.LinkDemand(j, 0)/d)
		}
	}
	return min(free+behind, truth.Tasks)
}

// worthBehindLinks is [Worth] where links may overlap: η' of the user in an
// environment whose capacities are what it holds.
func worthBehindLinks(a *cluster.Allocation, j int, truth cluster.User) float64 {
	env := a.Region
	own := env.Clone()
	own.Users = []cluster.User{truth}
	for s := range own.Servers {
		own.Servers[s].Count = 1
		for r, d := range env.Demand(j, s) {
			own.Servers[s].Capacity[r] = a.On(j)[s] * d
		}
	}
	for e := range own.Links {
		through := 0.0
		for s, x := range a.On(j) {
			if env.Reaches(e, s) {
				through += x
			}
		}
		own.Links[e].Capacity = through * env.LinkDemand(j, e)
	}
	return min(own.EtaEligible(0), truth.Tasks)
}
