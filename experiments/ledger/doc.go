// Package ledger compares what a paper prints with what was found: one [Entry] a
// number or claim, each with its verdict.
package ledger
