// Package plots makes figures from result tables. It never runs a simulation, so that
// every figure can be made again from the files of a run.
//
// A [View] says what a figure shows: which rows, which column stands where, in which
// form. A figure.yaml is a View, and so are the flags of the command plot; those of the
// papers are files too. [Draw] makes a [Figure] of a view and rows: panels of plain
// data, which are drawn ([Figure.Encode]), written as a table ([Figure.WriteData]) and
// as scripts for pgfplots and matplotlib from the same numbers.
//
// A new form is one file in this folder, and its test: an init function that calls
// [RegisterForm] with the form's name, the kinds of column that its horizontal axis
// takes, and a function that fills a panel and says how it is drawn.
//
// Package plots knows no policy and no paper: how policies look is handed in as
// [Styles], and what columns and metrics are called stands in package results.
//
// All that is written is the same bytes whenever its input is the same: no date, no
// map order and no random number reaches a file.
package plots
