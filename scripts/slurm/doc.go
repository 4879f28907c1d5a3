// Package slurm tests submit.sh, which runs a sweep as a Slurm job array, on a
// Slurm cluster of several nodes that the test starts on this machine, and the import
// of Slurm's accounting, on one with a database of its own. The tests have the build
// tag slurm and need the programs of Debian's packages slurm-wlm and munge, without
// which they fail; that of the accounting is skipped without slurmdbd and
// mariadb-server.
package slurm
