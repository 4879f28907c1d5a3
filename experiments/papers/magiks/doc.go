// Package magiks reproduces the experiments of the MAGIKS paper: figures 2 to
// 7, its examples, and what its theorems say of every equilibrium that is
// reached. Beyond the paper it searches for environments with unlike servers
// that have no equilibrium.
//
// The realisations of a setting are run in blocks: a block is one instance of
// a scenario, draws from streams of its own and returns means, maxima and
// histograms, not realisations.
package magiks
