// Package tsfer reproduces the experiments of the TSF-ER paper (task share
// fairness with an external resource): its worked examples, table 3 and
// figures 3 and 4 in the fluid model, table 4 and figures 5 to 10 with whole
// tasks. Tables, figures and sections are numbered as in the journal version.
//
// What is run are the scenarios of four shipped specs; tables, figures and the
// ledger are made of their rows. How the embedded workloads were fitted is in
// scripts/fit.
package tsfer
