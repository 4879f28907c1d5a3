// Package tsfer reproduces the experiments of the TSF-ER paper (task share
// fairness with an external resource): its worked examples, table 3 and
// figures 3 and 4 in the fluid model. Tables, figures and sections are
// numbered as in the journal version.
package tsfer
