package solve

// Tolerances. Rows are scaled to a capacity of 1 and work to the size of the
// answer, so each is relative.
const (
	// Accuracy is what every result is certified to: its objective is within
	// this distance of the optimum, relative to it.
	Accuracy = 1e-8
	// Feasibility is how far a result may exceed a constraint, relative to
	// the capacity.
	Feasibility = 1e-9

	// tolCost is the relative difference in cost at which moving work to a
	// cheaper server stops being worth a pivot; the gap that remains is of
	// this size.
	tolCost = 1e-11
	// tolPrice is the price, relative to the sum of all prices, below which a
	// row counts as free.
	tolPrice = 1e-13
	// dust is the part of all prices below which a price or a difference in
	// cost is taken for rounding.
	dust = 1e-14
	// tolPivot is the smallest pivot element relative to the largest of its
	// column (or row).
	tolPivot = 1e-9
	// tolPivotLast takes the place of tolPivot where no pivot element is as large.
	tolPivotLast = 1e-13
	// tolTie is the relative difference of two steps of a ratio test below which they
	// count as equally long.
	tolTie = 1e-12
	// tolStall is the length of a step below which a pivot counts as degenerate.
	tolStall = 1e-13
	// tolResidual is the residual of a row, in fractions of its capacity, at which
	// refinement stops.
	tolResidual = 1e-14
	// tolValue is how far below zero a basic variable may be, relative to a
	// capacity or to the level, before it counts as infeasible.
	tolValue = 1e-11
	// tolSlide is how far a ratio test may overshoot, relative to the prices or
	// to the level, for the sake of a larger pivot element; the primal method
	// mends what is left.
	tolSlide = 1e-11
	// tolDust is the part of what a user could run alone below which a total is
	// the rounding of nothing, and no bound to keep.
	tolDust = 1e-12
	// tolNothing is the part of what the users could have alone below which a
	// level is certified absolutely instead of relatively, where a first tier
	// of users may have left nothing to a second.
	tolNothing = 1e-4
	// rounding is the part of the sum of all prices that the rounding of their
	// products makes up, where a first tier of users holds nearly all.
	rounding = 1e-14
	// tinyShare is the least share of all prices that must stay with the
	// level when users leave it, for the inverse to be updated in place.
	tinyShare = 1e-6
	// widest is the ratio of the largest to the smallest need of a user, in
	// fractions of capacities, up to which a second round is left to doubles.
	widest = 1e7
	// tolLater is the largest violation of a row or a sign at which doubles are trusted
	// with a second round: a later user may need 1/widest of the row.
	tolLater = 1e-13
	// refreshAfter is the number of pivots after which the inverse is
	// computed anew.
	refreshAfter = 500
	// stallLimit is the number of degenerate pivots in a row after which
	// Bland's rule takes over until the next step of positive length.
	stallLimit = 60
)
