package run

import (
	"fmt"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/parquet"
)

// RunningTasks is what a user of a [Moment] has of whole tasks.
type RunningTasks struct {
	// On is the number of tasks on each single server, numbered class by class as in
	// [cluster.Ledger].
	On            map[int]int
	Waiting, Done int64
}

// Running reads from the table of [WritePlacements] in path what the users ran at the time
// of the moment, where tasks are whole: those that began by then and ended later. Those
// that are neither running nor completed wait. The task caps of the users become what is
// not done.
func (m *Moment) Running(path string) ([]RunningTasks, error) {
	r, err := parquet.Open(path, PlacementColumns())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	number, first := map[string]int{}, firstServers(m.Environment)
	all := make([]RunningTasks, len(m.Environment.Users))
	for j := range all {
		number[m.Environment.Users[j].Name] = j
		all[j] = RunningTasks{On: map[int]int{}, Waiting: m.Tasks[j]}
	}
	for p, err := range parquet.RowsOf[Placement](r) {
		if err != nil {
			return nil, err
		}
		j, here := number[p.User]
		if !here || p.Policy != m.Policy || p.StartUS > m.AtUS {
			continue
		}
		server, known := first[p.Class]
		switch {
		case !known || p.Server == nil:
			return nil, fmt.Errorf("%s: a task of job %q ran on %q, which is no server of the cluster", path, p.JobID, p.Class)
		case p.EndUS > m.AtUS:
			all[j].On[server+int(*p.Server)]++
			all[j].Waiting--
		case p.Ended == ended[endCompleted]:
			all[j].Done++
			all[j].Waiting--
		}
	}
	for j := range all {
		if all[j].Waiting < 0 {
			return nil, fmt.Errorf("%s: user %q has more tasks than it submitted", path, m.Environment.Users[j].Name)
		}
		m.Environment.Users[j].Tasks = float64(m.Tasks[j] - all[j].Done)
	}
	return all, nil
}

// firstServers is the number of the first server of each class.
func firstServers(env *cluster.Environment) map[string]int {
	first, n := map[string]int{}, 0
	for _, s := range env.Servers {
		first[s.Name] = n
		n += s.Count
	}
	return first
}
