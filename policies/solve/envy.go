package solve

// envyRow is the row that keeps user envier from preferring the bundle of
// user source:
//
//	Σ_s y[source,s]·ratio[s] − Σ_s y[envier,s] ≤ 0.
type envyRow struct {
	source, envier int
	ratio          []float64 // per server; of length 1 where it is the same everywhere
}

// coef returns the coefficient of y[j,s].
func (e *envyRow) coef(j, s int) float64 {
	if j == e.envier {
		return -1
	}
	if len(e.ratio) == 1 {
		return e.ratio[0]
	}
	return e.ratio[s]
}

// uniform returns the coefficient of user j where it does not depend on the
// server.
func (e *envyRow) uniform(j int) (float64, bool) {
	if j == e.envier {
		return -1, true
	}
	return e.ratio[0], len(e.ratio) == 1
}
