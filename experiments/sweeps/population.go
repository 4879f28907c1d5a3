package sweeps

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/machines"
)

// populations are the workloads that were read, by name or checksum and what
// was kept of them: many scenarios share one.
var populations = struct {
	sync.Mutex
	known map[[2]string]*run.Population
}{known: map[[2]string]*run.Population{}}

// populationOf reads the workload of a scenario.
func populationOf(s spec.Scenario) (*run.Population, error) {
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
	kept := p.Len()
	if s.Text(first) != all {
		kept = int(s.WholeNumber(first))
	}
	run.FirstSubmissions(p, kept) // in order of submission
	if p.Len() == 0 {
		return nil, fmt.Errorf("workload %s: %w", s.Text(workload), traces.ErrEmpty)
	}
	populations.known[key] = p
	return p, nil
}

// Remember takes a workload that was read already, and its name if it is embedded. It
// returns the value of the parameter workload that stands for it.
func Remember(name string, p *run.Population) string {
	populations.Lock()
	defer populations.Unlock()
	if name == "" {
		name = spec.FileMark + p.Checksum
	}
	p.File = "" // see read
	populations.known[[2]string{name, all}] = p
	return name
}

// Forget forgets a workload of [Remember], whose file is closed.
func Forget(value string) {
	meetings.Lock() // before the populations, as in met
	defer meetings.Unlock()
	populations.Lock()
	defer populations.Unlock()
	delete(populations.known, [2]string{value, all})
	maps.DeleteFunc(meetings.known, func(key string, _ meeting) bool { return strings.HasPrefix(key, value+"\x00") })
}

func read(s spec.Scenario) (*run.Population, error) {
	path, isFile, err := s.File(workload)
	if err != nil {
		return nil, err
	}
	if !isFile {
		return run.NamedWorkload(s.Text(workload))
	}
	p, err := run.TraceWorkload(path)
	if err == nil && spec.FileMark+p.Checksum != s.Text(workload) {
		err = fmt.Errorf("%s: %w", path, spec.ErrChanged)
	}
	if err == nil {
		p.File = "" // by its checksum alone: the file may be called anything
	}
	return p, err
}

// clusterOf makes the cluster of a scenario.
func clusterOf(s spec.Scenario) (*cluster.Environment, error) {
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
		env.Units["bw"] = run.LinkUnit
	}
	for e := range env.Links {
		env.Links[e].Capacity = mhz
	}
	return env, nil
}

func servers(s spec.Scenario) (*cluster.Environment, error) {
	switch s.Text(clusterName) {
	case three:
		return threeServers(s.Number(rho)), nil
	case cloud:
		env := *alibaba.PaperCluster()
		env.Links = nil
		delete(env.Units, "bw") // of the link
		return &env, nil
	}
	path, data, err := s.Content(clusterName)
	if err != nil {
		return nil, err
	}
	inv, err := inventory(s, path, data)
	if err != nil {
		return nil, err
	}
	v := machines.View{}
	if inv.Environment == nil {
		p, err := populationOf(s)
		if err != nil {
			return nil, err
		}
		v = View(p)
	}
	classes, err := inv.Classes(v)
	if err == nil {
		err = run.CheckResources(classes.Resources)
	}
	if err == nil && len(classes.Servers) == 0 {
		err = errors.New("it has no servers")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return classes.Environment, nil
}

// inventories are the lists of machines that were read, by the value of the parameter
// cluster.
var inventories = struct {
	sync.Mutex
	known map[string]*machines.Inventory
}{known: map[string]*machines.Inventory{}}

// inventory reads a cluster. An environment is read again for each scenario, which may
// change its links.
func inventory(s spec.Scenario, path string, data []byte) (*machines.Inventory, error) {
	inventories.Lock()
	defer inventories.Unlock()
	if inv := inventories.known[s.Text(clusterName)]; inv != nil {
		return inv, nil
	}
	inv, err := machines.Read(path, data)
	if err == nil && inv.Environment == nil {
		inventories.known[s.Text(clusterName)] = inv
	}
	return inv, err
}

// notes say which machines of the cluster were left out.
func notes(s spec.Scenario) []string {
	inventories.Lock()
	defer inventories.Unlock()
	if inv := inventories.known[s.Text(clusterName)]; inv != nil {
		return inv.Notes()
	}
	return nil
}

// View is how the jobs of a workload see machines: by their constraints, and with memory
// in their unit where that is one of [machines.MemoryUnits].
func View(p *run.Population) machines.View {
	v := machines.View{Constraints: p.Constraints()}
	if unit := cluster.CanonicalUnit(traces.UnitOf(p.Units, "mem")); slices.Contains(machines.MemoryUnits(), unit) {
		v.Memory = unit
	}
	return v
}

// meetings are workloads as they run on clusters, or why they do not, by the values of
// the parameters that it depends on: the scenarios of a grid share few.
var meetings = struct {
	sync.Mutex
	known map[string]meeting
}{known: map[string]meeting{}}

type meeting struct {
	population *run.Population
	err        error
}

// met returns the workload of a scenario as it runs on its cluster.
func met(s spec.Scenario) (*run.Population, *cluster.Environment, error) {
	env, err := clusterOf(s)
	if err != nil {
		return nil, nil, err
	}
	var values []string
	for _, name := range []string{workload, first, clusterName, bandwidth, run.IgnoreName} {
		values = append(values, s.Text(name))
	}
	key := strings.Join(values, "\x00")
	meetings.Lock()
	defer meetings.Unlock()
	m, known := meetings.known[key]
	if !known {
		if m.population, m.err = populationOf(s); m.err == nil {
			m.population, m.err = m.population.On(env, clusterText(s), run.Ignored(s.Text(run.IgnoreName)))
		}
		if m.err == nil {
			m.population.Notes = append(m.population.Notes, notes(s)...)
		}
		if input := (spec.InputError{}); m.err == nil || errors.As(m.err, &input) {
			meetings.known[key] = m // it depends on the contents alone
		}
	}
	return m.population, env, m.err
}

// clusterText is what the cluster of a scenario is called in errors.
func clusterText(s spec.Scenario) string {
	if path, isFile, err := s.File(clusterName); isFile && err == nil {
		return path
	}
	return "the cluster " + s.Text(clusterName)
}

// threeServers are the servers of the TSF-ER paper's section 6.2, in units of
// the largest machine of the Google trace: equal in all for ρ = 0, apart in cpu
// and memory for ρ = 1.
func threeServers(rho float64) *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem"},
		Units:     map[string]string{"cpu": cluster.FractionOfLargest, "mem": cluster.FractionOfLargest},
		Servers: []cluster.Server{
			{Name: "s1", Capacity: []float64{1, 1}, Count: 1},
			{Name: "s2", Capacity: []float64{1 + rho, 1 - rho}, Count: 1},
			{Name: "s3", Capacity: []float64{1 - rho, 1 + rho}, Count: 1},
		},
	}
}
