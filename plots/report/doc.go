// Package report makes one HTML file of result folders. Of a paper it begins with the
// verdicts and the findings; then come the paper's tables with ours below theirs, its
// figures with what the paper says of them, the reasons and the data behind; last the
// whole ledger. Of other folders it begins with what their tables say: the best rule by
// each metric, where the order of the rules changes, and what is fair. The file holds
// all it needs and opens without a network.
//
// It reads what experiments write (manifest.json, ledger.json, result tables,
// figures), computes nothing but means and paired differences of the tables, and draws
// the tables of folders that have no figures. A paper's table is found from the places
// that the ids of its entries name. The same folders give the same bytes.
//
// The charts over time are drawn by uPlot (L. Sparkes, MIT licence), which is
// part of the file.
package report
