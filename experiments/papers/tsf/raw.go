package tsf

import (
	"github.com/leontief-sim/leontief/experiments/results"
)

// raw returns what the measures are made of, for other programs: of every job that
// was not refused, its number of tasks, and under every policy its completion time
// and how many of its tasks start at the time in the column start_s, which counts from
// the submission of the job.
func (m *measurement) raw() []results.Row {
	for i := range m.jobs {
		if m.outcomes[Rules[0]][i].refused {
			continue
		}
		m.row.User = m.jobs[i].User.Name
		m.add(everyPolicy, metricJobTasks, float64(m.jobs[i].Tasks))
		for _, policy := range Rules {
			j := &m.outcomes[policy][i]
			m.add(policy, results.MetricCompletion, seconds(j.jct()))
			m.starts(policy, j)
		}
	}
	return m.out
}

// starts adds a row for every time at which tasks of a job start.
func (m *measurement) starts(policy string, j *job) {
	for k, n := 0, 0; k < len(j.starts); k += n {
		for n = 1; k+n < len(j.starts) && j.starts[k+n] == j.starts[k]; n++ {
		}
		m.addAt(m.row.Point.With("start_s", results.OfFloat(seconds(j.delay(k)))), policy, metricStarts, float64(n))
	}
}
