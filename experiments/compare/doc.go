// Package compare says what some rules would have done with the same jobs on the same
// cluster: to waiting, utilization and fairness, to whom and by how much, which properties
// were violated when, what fairness cost in throughput, what was scarce when, and what one
// more node would have brought.
//
// A [Study] holds what became of the jobs under each rule, and what a [Watch] saw at moments
// of each replay. [Study.Find] computes the [Findings]: numbers in tables, each a function of
// the tables of completions and of the moments alone, and sections of text that say the same
// on a terminal and on a page. Intervals are those of [metrics.Blocks].
package compare
