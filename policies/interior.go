package policies

// InteriorSplitter is implemented by a rule whose allocation, among all splits
// of the same totals over servers, is one near the analytic centre, as an
// interior-point method returns it.
type InteriorSplitter interface {
	InteriorSplit()
}

// InteriorSplit implements [InteriorSplitter].
func (nash) InteriorSplit() {}
