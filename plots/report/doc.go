// Package report makes one HTML file of result folders: the ledger with its
// verdicts, every figure with the data behind it, time series to look at more
// closely, and how each number was made. The file holds all it needs and opens
// without a network.
//
// It reads what experiments write (manifest.json, ledger.json, result tables,
// figures) and computes nothing but means and intervals of the tables. The same
// folders give the same bytes.
//
// The charts over time are drawn by uPlot (L. Sparkes, MIT licence), which is
// part of the file.
package report
