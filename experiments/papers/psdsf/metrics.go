package psdsf

import "github.com/leontief-sim/leontief/experiments/results"

// Metrics of random environments and of servers that act by themselves.
const (
	metricDomination = results.MetricDomination
	metricEnvy       = results.MetricMinEFSat
	metricSharing    = results.MetricMinSISat
	metricLie        = "lie_gain"
	metricShortfall  = "bottleneck_shortfall"
	metricRested     = "rested"
	metricRounds     = "rounds"
	metricReports    = "reports"
	metricReads      = "reads"
	metricEnds       = "algorithm1_ends"
	metricDistance   = "central_distance"
)

func init() {
	results.RegisterMetrics(
		results.Metric{Name: metricLie, Unit: results.UnitRatio, Better: results.Lower, Formula: "max over lies of x[j] after the lie / x[j] − 1, at least 0",
			Definition: "What the best of the lies tried gains a user, relative to the truth."},
		results.Metric{Name: metricShortfall, Unit: results.UnitRatio, Better: results.Lower,
			Definition: "By how much a user's virtual dominant share falls short of that of another user on each of its bottlenecks, relative; 0 in a PS-DSF allocation."},
		results.Metric{Name: metricRested, Unit: results.UnitRatio, High: 1, Better: results.Higher,
			Definition: "1 if the servers that act by themselves came to rest, 0 if they had not after 2,000 rounds."},
		results.Metric{Name: metricRounds, Unit: results.UnitCount, Better: results.Lower,
			Definition: "Rounds of the servers until they rested; in figure 6 until all totals were within 1e-3 of the central allocation for good."},
		results.Metric{Name: metricReports, Unit: results.UnitCount, Better: results.Lower,
			Definition: "Changes that servers told users until then."},
		results.Metric{Name: metricReads, Unit: results.UnitCount, Better: results.Lower,
			Definition: "Totals that servers asked users for until then."},
		results.Metric{Name: metricEnds, Unit: results.UnitRatio, High: 1, Better: results.Higher,
			Definition: "1 if the plain rounds of Algorithm I end, 0 if not."},
		results.Metric{Name: metricDistance, Unit: results.UnitRatio, High: 1, Better: results.Lower,
			Definition: "Largest relative difference of a user's total from that of the central PS-DSF allocation."},
	)
}
