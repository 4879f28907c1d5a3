// Package slurm tests submit.sh, which runs a sweep as a Slurm job array, on a
// Slurm cluster of several nodes that the test starts on this machine. The test
// has the build tag slurm and needs the programs of Debian's packages slurm-wlm
// and munge, without which it fails.
package slurm
