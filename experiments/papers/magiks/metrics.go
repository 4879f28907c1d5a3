package magiks

import "github.com/leontief-sim/leontief/experiments/results"

// Metrics of the server-choice game.
const (
	MetricMoves          = "moves"
	MetricMovesHistogram = "moves_histogram"
	MetricSlower         = "bim_slower"
	MetricNUSF           = "nusf"
	MetricMaxEnvy        = "max_envy"
	MetricMeanEnvy       = "mean_max_envy"
	MetricViolations     = "violations"
	UnitMoves            = "moves"
	UnitRealisations     = "realisations"
)

// Metrics of the search for environments without an equilibrium.
const (
	MetricSearched      = "searched"
	MetricRandom        = "random"
	MetricNoEquilibrium = "no_equilibrium"
	MetricCircular      = "circular"
	MetricRounds        = "circular_plays"
	MetricPlays         = "plays"
	MetricLeastGain     = "least_gain"
	UnitEnvironments    = "environments"
	UnitPlays           = "plays"
)

func init() {
	results.RegisterMetrics(
		results.Metric{Name: MetricMoves, Unit: UnitMoves, Better: results.Lower,
			Definition: "Moves of users from server to server until no user gains by one; mean over the realisations of an instance."},
		results.Metric{Name: MetricMovesHistogram, Unit: UnitRealisations,
			Definition: "Realisations that took as many moves as the column moves says."},
		results.Metric{Name: MetricSlower, Unit: results.UnitRatio, High: 1,
			Definition: "Share of the realisations in which MAGIKS-BIM took more moves than MAGIKS-RIM from the same start."},
		results.Metric{Name: MetricNUSF, Unit: results.UnitRatio, Better: results.Higher, Formula: "Σ x[j] / (m·ψ[j])",
			Definition: "Normalised utilitarian social function: tasks over those of an equal division of m servers, summed over the users; mean over the realisations of an instance."},
		results.Metric{Name: MetricMaxEnvy, Unit: results.UnitRatio, Better: results.Lower, Formula: "max over i, j of e[i,j]",
			Definition: "Largest envy of two users in all realisations of an instance; at most 1 where nobody envies anybody."},
		results.Metric{Name: MetricMeanEnvy, Unit: results.UnitRatio, Better: results.Lower, Formula: "max over i, j of e[i,j]",
			Definition: "Largest envy of two users, mean over the realisations of an instance."},
		results.Metric{Name: MetricViolations, Unit: UnitRealisations, Better: results.Lower,
			Definition: "Realisations that lack the property behind the colon: NE, LEF, LSI, LPO, 2EF or MMS; Lemma1, Lemma2, Theorem2 (of the moves on the way there); scale (a user gains by reporting a multiple of its demand); NUSF (one below that of BEQ)."},
		results.Metric{Name: MetricSearched, Unit: UnitEnvironments,
			Definition: "Environments that were searched for an equilibrium."},
		results.Metric{Name: MetricRandom, Unit: UnitEnvironments,
			Definition: "Of the environments searched those that were drawn at random, not made from others."},
		results.Metric{Name: MetricNoEquilibrium, Unit: UnitEnvironments,
			Definition: "Of the environments searched those without an equilibrium."},
		results.Metric{Name: MetricCircular, Unit: UnitEnvironments,
			Definition: "Of the random environments those in which improving moves can go round."},
		results.Metric{Name: MetricRounds, Unit: UnitPlays,
			Definition: "Plays of MAGIKS-BIM that went round."},
		results.Metric{Name: MetricPlays, Unit: UnitPlays,
			Definition: "Plays of MAGIKS-BIM."},
		results.Metric{Name: MetricLeastGain, Unit: results.UnitRatio, Formula: "max over environments of min over associations of max over j of the gain of a move",
			Definition: "How near the search came to an environment without an equilibrium; above 1 there is none."},
	)
}
