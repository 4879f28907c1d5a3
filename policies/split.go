package policies

import (
	"fmt"
	"math"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
)

func init() {
	claims := []Claim{{EF, true}, {PO, false}, {SP, true}, {SI, false}}
	for _, split := range []struct {
		kind, by string
		drf, tsf Look
	}{
		{"cpu", "in proportion to the servers' cpu", Look{"sky blue", "short dashes", "△"}, Look{"blue", "dashed", "▲"}},
		{"mem", "in proportion to the servers' mem", Look{"orange", "dash-dot-dot", "▽"}, Look{"green", "dotted", "▼"}},
		{"eq", "equally", Look{"grey", "sparse dashes", "□"}, Look{"purple", "dash-dot", "■"}},
	} {
		kind, by := split.kind, split.by
		Register(Meta{
			Name:   "drf-" + kind,
			Label:  "DRF-" + kind,
			Look:   split.drf,
			Title:  "DRF with every link split among its servers beforehand, " + by,
			Paper:  "TSF-ER, section 3.3 (DRF-α)",
			Claims: claims,
			// The papers have no constraints: part of a link that is given for a
			// server which cannot run the user can be used on another one.
			Outside:    map[Property]cluster.Feature{EF: differing, SP: differing | cluster.Eligibility},
			Family:     FamilyEgalitarian,
			Definition: "1/N[j] = the largest, over resources and links, of the demand of a task over the total capacity; each link is split among its servers beforehand, " + by + ".",
			Refuses:    splitRefuses(kind),
			New:        fixed(&progressive{normalize: normalizeDRFER, split: kind, exactly: statedDominant(true), unless: unlike}),
		})
		Register(Meta{
			Name:   "tsf-" + kind,
			Label:  "TSF-" + kind,
			Look:   split.tsf,
			Title:  "TSF with every link split among its servers beforehand, " + by,
			Paper:  "TSF-ER, section 3.3 (TSF-α)",
			Claims: claims,
			// The papers have no constraints: part of a link that is given for a
			// server which cannot run the user can be used on another one.
			Outside:    map[Property]cluster.Feature{EF: differing, SP: differing | cluster.Eligibility},
			Family:     FamilyEgalitarian,
			Definition: "N[j] = Σ_s min(γ[j,s], a server's part of each link over d[j,e]); γ[j,s]: what j runs on s alone; each link is split among its servers beforehand, " + by + ".",
			Refuses:    splitRefuses(kind),
			New:        fixed(&progressive{normalize: splitTasks(kind), split: kind, exactly: statedEta, alone: true}),
		})
	}
}

// splitRefuses says which environments have nothing to split a link by.
func splitRefuses(kind string) string {
	if kind == "eq" {
		return ""
	}
	return fmt.Sprintf("environments without a resource called %s; links with none of it behind them", kind)
}

// resource returns the index of the resource that a rule asks for by kind:
// cpu or mem, under one of its usual names.
func resource(env *cluster.Environment, kind string) (int, error) {
	usual := map[string][]string{"cpu": {"cpu", "cpus", "core", "cores"}, "mem": {"mem", "memory", "ram"}}
	for r, name := range env.Resources {
		for _, want := range usual[kind] {
			if strings.EqualFold(name, want) {
				return r, nil
			}
		}
	}
	return 0, &UnsupportedError{fmt.Sprintf("the environment has no resource called %s (it has %s)", kind, strings.Join(env.Resources, ", "))}
}

// shares returns α[s] for every link: the part of the link that each server
// class behind it gets, in proportion to its capacity of one resource, or
// equally among servers ("eq").
func shares(env *cluster.Environment, kind string) ([][]float64, error) {
	part := func(s int) float64 { return float64(env.Servers[s].Count) }
	if kind != "eq" {
		r, err := resource(env, kind)
		if err != nil {
			return nil, err
		}
		part = func(s int) float64 { return env.Capacity(s, r) }
	}
	alpha := make([][]float64, len(env.Links))
	for e := range env.Links {
		alpha[e] = make([]float64, len(env.Servers))
		total := 0.0
		for s := range env.Servers {
			if env.Reaches(e, s) {
				alpha[e][s] = part(s)
				total += part(s)
			}
		}
		if total == 0 && env.Links[e].Capacity == 0 {
			continue // parts of nothing
		}
		if total == 0 {
			return nil, &UnsupportedError{fmt.Sprintf("no server behind link %s has any %s to split it by", env.Links[e].Name, kind)}
		}
		for s := range alpha[e] {
			alpha[e][s] /= total
		}
	}
	return alpha, nil
}

// splitBy replaces every link by one for each server behind it. What is
// feasible there is feasible in χ. The price of a link is Σ_s α[s]·(price of
// the part of s): what one more unit of the link, split alike, is worth.
func splitBy(env *cluster.Environment, kind string) (region, error) {
	alpha, err := shares(env, kind)
	if err != nil {
		return region{}, err
	}
	in := *env
	in.Links = nil
	var owner []int
	for e, link := range env.Links {
		for s, a := range alpha[e] {
			if env.Reaches(e, s) {
				in.Links = append(in.Links, cluster.Link{
					Name: link.Name + "@" + env.Servers[s].Name, Capacity: a * link.Capacity,
					Servers: cluster.NewSet(len(env.Servers), s),
				})
				owner = append(owner, e)
			}
		}
	}
	in.Users = append([]cluster.User(nil), env.Users...)
	for j := range in.Users {
		demand := make([]float64, len(owner))
		for i, e := range owner {
			demand[i] = env.LinkDemand(j, e)
		}
		in.Users[j].LinkDemand = demand
	}
	return region{&in, func(a *cluster.Allocation) {
		a.Prices = joinPrices(env, &in, owner, a.Prices)
		a.Region = env
	}}, nil
}

func joinPrices(env, in *cluster.Environment, owner []int, prices []float64) []float64 {
	base := env.LinkRow(0)
	joined := append([]float64(nil), prices[:base]...)
	joined = append(joined, make([]float64, len(env.Links))...)
	for i, e := range owner {
		if c := env.Links[e].Capacity; c > 0 {
			joined[base+e] += in.Links[i].Capacity / c * prices[base+i]
		}
	}
	return joined
}

// splitTasks returns N[j] = Σ_s min(γ[j,s], min over the links e on the way
// to s of α[s]·c[e]/d[j,e]), eligibility ignored.
func splitTasks(kind string) func(env *cluster.Environment) ([]float64, error) {
	return func(env *cluster.Environment) ([]float64, error) {
		alpha, err := shares(env, kind)
		if err != nil {
			return nil, err
		}
		norm := make([]float64, len(env.Users))
		for j := range norm {
			for s := range env.Servers {
				n := env.Gamma(j, s)
				for e := range env.Links {
					if d := env.LinkDemand(j, e); d > 0 && env.Reaches(e, s) {
						n = math.Min(n, alpha[e][s]*env.Links[e].Capacity/d)
					}
				}
				norm[j] += n
			}
		}
		return norm, nil
	}
}
