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
