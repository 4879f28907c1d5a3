// Package plots makes figures from result tables. It never runs a simulation, so
// that every figure can be made again from the files of a run: a [Figure] lays
// panels and one legend out on a page.
//
// All that is written is the same bytes whenever its input is the same: no date, no
// map order and no random number reaches a file.
package plots
