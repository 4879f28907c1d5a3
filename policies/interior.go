package policies

// InteriorSplitter is implemented by a rule whose allocation, among all splits
// of the same totals over servers, is one inside: a user works on every server,
// and a capacity has room, where any such split has that, as far as the solver can
// tell what is 0. It need not be the analytic centre.
type InteriorSplitter interface {
	InteriorSplit()
}

// InteriorSplit implements [InteriorSplitter].
func (nash) InteriorSplit() {}

// SlackCapIgnorer is implemented by a rule that maximises a welfare in which task caps do
// not occur, over a region that they bound. Its answer stays one when caps fall that
// still are above what their users have: fewer allocations are to choose from, and this
// one is still among them (independence of irrelevant alternatives). Where the optimum is
// not unique, or its split over servers, asking afresh may find another one.
type SlackCapIgnorer interface {
	IgnoresSlackCaps()
}

// IgnoresSlackCaps implements [SlackCapIgnorer].
func (nash) IgnoresSlackCaps() {}

// IgnoresSlackCaps implements [SlackCapIgnorer]. Of a cautious welfare the rows against envy
// and the equal shares, min{…, n[j]}, change at a user that comes to hold all its tasks,
// not before.
func (welfare) IgnoresSlackCaps() {}
