package sweeps

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces"
)

// The names of the parameters.
const (
	workload    = "workload"
	first       = "first"
	n           = "n"
	clusterName = "cluster"
	rho         = "rho"
	bandwidth   = "bandwidth"
	policy      = "policy"
	metricList  = "metrics"
	cpuGHz      = "cpu_ghz"
	bitsPerHz   = "bits_per_hz"
	gammaShape  = "gamma_shape"
	gammaSecond = "gamma_second"
	gamma       = "gamma"
	draws       = "draws"
	slot        = "slot"
	suspended   = "suspended"
	departed    = "departed"
	rounded     = "rounded"
	verify      = "verify"
	users       = "users"
)

// all stands for the whole workload where a number of jobs may stand.
const all = "all"

// The named clusters.
const (
	three = "three"
	cloud = "cloud"
)

// parameters are those of all kinds. known are the metrics of the kind, of which
// the first two are the default, and check checks a policy.
func parameters(known []string, check func(string) (string, error)) []spec.Parameter {
	paper := traces.DefaultBandwidth()
	text := func(v float64) string { return fmt.Sprint(v) }
	return []spec.Parameter{
		{Name: workload, As: "source", Doc: "Embedded workload by its name, or a Parquet file of jobs.", Default: run.WorkloadNames()[0], File: spec.PathLike,
			Canonical: spec.NameOrFile(run.WorkloadNames()...)},
		{Name: first, Unit: "jobs", Doc: "Only so many first submissions of the workload are drawn from; all for the whole.", Default: all, Canonical: orAll},
		{Name: n, Unit: "jobs", Doc: "Number of jobs that an instance draws; all for the whole workload as it is.", Required: true, Canonical: orAll},
		{Name: clusterName, Doc: "Cluster: three (servers (1,1), (1+ρ,1−ρ), (1−ρ,1+ρ) of cpu and memory), cloud (20 servers of the PAI cluster), or a file: an environment without users, the machines of traces import --machines, or the nodes of kubectl get nodes -o json or scontrol show nodes --json.",
			Required: true, File: spec.PathLike, Canonical: spec.NameOrFile(three, cloud)},
		run.IgnoreParameter(),
		{Name: rho, Unit: "1", Doc: "Heterogeneity ρ of the cluster three, in [0, 1].", Canonical: maybe(spec.Number(0, 1))},
		{Name: bandwidth, Unit: "MHz", Doc: "Capacity of every link; empty for the cluster's own. The clusters three and cloud have one link over all servers if it is given, and none if not.", Canonical: maybe(positive)},
		{Name: policy, Unit: "", Doc: "Allocation rule, as name or name[k=v,…].", Required: true, Canonical: spec.Text(check)},
		{Name: users, Doc: "Among whom a rule divides: each job by itself, or tenants (the users of the trace), whose weight is divided equally among their jobs in the system.", Default: "job", Canonical: perTenant},
		{Name: metricList, NoColumn: true, Doc: "What is measured, separated by commas: " + strings.Join(known, ", ") + ".", Default: strings.Join(known[:2], ","), Canonical: listOf(known)},
		{Name: cpuGHz, Unit: "GHz", Doc: "Cycles of one unit of cpu, for the bandwidth that a task needs.", Default: text(paper.CPUHz / 1e9), Canonical: positive},
		{Name: bitsPerHz, Unit: "bit/s per Hz", Doc: "Spectral efficiency of the links.", Default: text(paper.BitsPerHz), Canonical: positive},
		{Name: gammaShape, Unit: "1", Doc: "Shape of the Gamma distribution of cycles per bit.", Default: text(paper.GammaShape), Canonical: positive},
		{Name: gammaSecond, Unit: "cycles/bit, or its inverse", Doc: "Second parameter of that distribution.", Default: text(paper.GammaSecond), Canonical: positive},
		{Name: gamma, Doc: "How the second parameter of the Gamma distribution, for the bandwidth, is read: scale or rate.", Default: string(paper.Parameter),
			Canonical: spec.OneOf(string(traces.GammaScale), string(traces.GammaRate))},
		{Name: draws, Doc: "Name of the streams of random numbers: runs of one name and seed draw the same jobs.", Default: "sweep", Canonical: spec.Text(plainName)},
	}
}

// perTenant is the check of users. What each job stands for by itself is null, as it was
// before there were tenants.
func perTenant(text string) (results.Value, error) {
	v, err := spec.OneOf("job", "tenant")(text)
	if text == "job" {
		return results.Value{}, err
	}
	return v, err
}

// positive is the check of a finite number above 0.
func positive(text string) (results.Value, error) {
	v, err := spec.Number(0, math.MaxFloat64)(text)
	if number, _ := v.Number(); err != nil || number == 0 {
		return results.Value{}, fmt.Errorf("%q is not a positive number", text)
	}
	return v, nil
}

// orAll is the check of a number of jobs.
func orAll(text string) (results.Value, error) {
	if text == all {
		return results.OfText(all), nil
	}
	return spec.WholeNumber(1, 1e9)(text)
}

// maybe is the check of a parameter that may be left empty.
func maybe(check spec.Check) spec.Check {
	return func(text string) (results.Value, error) {
		if text == "" {
			return results.Value{}, nil
		}
		return check(text)
	}
}

// listOf is the check of a list of the known names. Its order does not matter.
func listOf(known []string) spec.Check {
	return spec.Text(func(text string) (string, error) {
		var names []string
		for _, name := range strings.Split(text, ",") {
			name = strings.TrimSpace(name)
			if err := spelling.Check("", name, known); err != nil {
				return "", err
			}
			names = append(names, name)
		}
		slices.Sort(names)
		return strings.Join(slices.Compact(names), ","), nil
	})
}

var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func plainName(text string) (string, error) {
	if !plain.MatchString(text) {
		return "", fmt.Errorf("%q is not a plain name", text)
	}
	return text, nil
}

// registered is the check of a registered policy; see [policies.Canonical].
func registered(text string) (string, error) {
	if _, fifo, _ := run.IsFIFO(text); fifo {
		return "", run.ErrFluidFIFO
	}
	return policies.Canonical(text)
}

// orFIFO also takes the rule that only whole tasks have.
func orFIFO(text string) (string, error) {
	if canonical, fifo, err := run.IsFIFO(text); fifo {
		return canonical, err
	}
	return registered(text)
}

// check returns what is wrong with the cluster and its settings, and with the
// workload on it.
func check(s spec.Scenario) error {
	if err := checkCluster(s); err != nil {
		return err
	}
	_, _, err := met(s)
	return err
}

// checkCluster returns what is wrong with the cluster and its settings.
func checkCluster(s spec.Scenario) error {
	switch name := s.Text(clusterName); {
	case name == three && s.Text(rho) == "":
		return errors.New("rho: the cluster three needs it")
	case name != three && s.Text(rho) != "":
		return errors.New("rho: it is for the cluster three")
	}
	env, err := clusterOf(s)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if s.Text(bandwidth) != "" && len(env.Links) == 0 {
		return errors.New("bandwidth: the cluster has no link")
	}
	return nil
}
