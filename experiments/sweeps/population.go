package sweeps

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/leontief-sim/leontief/experiments"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
)

// populations are the workloads that were read, by name or checksum and what
// was kept of them: many scenarios share one.
var populations = struct {
	sync.Mutex
	known map[[2]string]*experiments.Population
}{known: map[[2]string]*experiments.Population{}}

// populationOf reads the workload of a scenario.
func populationOf(s experiments.Scenario) (*experiments.Population, error) {
	populations.Lock()
	defer populations.Unlock()
	key := [2]string{s.Text(workload), s.Text(first)}
	if p, ok := populations.known[key]; ok {
		return p, nil
	}
	p, err := read(s)
	if err != nil {
		return nil, err
	}
	kept := len(p.Jobs)
	if s.Text(first) != all {
		kept = int(s.WholeNumber(first))
	}
	experiments.FirstSubmissions(p, kept) // in order of submission
	if len(p.Jobs) == 0 {
		return nil, fmt.Errorf("workload %s: %w", s.Text(workload), traces.ErrEmpty)
	}
	populations.known[key] = p
	return p, nil
}

func read(s experiments.Scenario) (*experiments.Population, error) {
	path, isFile, err := s.File(workload)
	if err != nil {
		return nil, err
	}
	if !isFile {
		return experiments.NamedWorkload(s.Text(workload))
	}
	p, err := experiments.TraceWorkload(path)
	if err == nil && "sha256:"+p.Checksum != s.Text(workload) {
		err = fmt.Errorf("%s: %w", path, experiments.ErrChanged)
	}
	if err == nil {
		p.File = "" // by its checksum alone: the file may be called anything
	}
	return p, err
}

// clusterOf makes the cluster of a scenario.
func clusterOf(s experiments.Scenario) (*cluster.Environment, error) {
	env, err := servers(s)
	if err != nil {
		return nil, err
	}
	if s.Text(bandwidth) == "" {
		return env, nil
	}
	mhz := s.Number(bandwidth)
	if name := s.Text(clusterName); name == three || name == cloud {
		env.Links = []cluster.Link{{Name: "bw", Capacity: mhz}}
	}
	for e := range env.Links {
		env.Links[e].Capacity = mhz
	}
	return env, nil
}

func servers(s experiments.Scenario) (*cluster.Environment, error) {
	switch s.Text(clusterName) {
	case three:
		return threeServers(s.Number(rho)), nil
	case cloud:
		env := *alibaba.PaperCluster()
		env.Links = nil
		return &env, nil
	}
	path, _, err := s.File(clusterName)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); "sha256:"+hex.EncodeToString(sum[:]) != s.Text(clusterName) {
		return nil, fmt.Errorf("%s: %w", path, experiments.ErrChanged)
	}
	env, err := cluster.ReadCluster(bytes.NewReader(data))
	if err == nil {
		err = experiments.CheckResources(env.Resources)
	}
	if err == nil && len(env.Servers) == 0 {
		err = errors.New("it has no servers")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return env, nil
}

// threeServers are the servers of the TSF-ER paper's section 6.2, in units of
// the largest machine of the Google trace: equal in all for ρ = 0, apart in cpu
// and memory for ρ = 1.
func threeServers(rho float64) *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Servers: []cluster.Server{
			{Name: "s1", Capacity: []float64{1, 1}, Count: 1},
			{Name: "s2", Capacity: []float64{1 + rho, 1 - rho}, Count: 1},
			{Name: "s3", Capacity: []float64{1 - rho, 1 + rho}, Count: 1},
		},
	}
}
