// Package plots holds the result tables and makes figures and text tables from
// them. It reads tables only: it never runs a simulation, so that every figure
// can be made again from the files of a run.
//
// A result table is in long form, one value a row ([Row]); [WriteTable] and
// [ReadTable] are the only code that knows its layout on disk. [Summarize]
// takes the mean over instances, a [Figure] lays panels and one legend out on
// a page, and [Table] prints aligned text.
//
// All that is written is the same bytes whenever its input is the same: no
// date, no map order and no random number reaches a file.
package plots
