// Package cli is the command line of leontief.
//
// Exit status: 0 for success, 2 for bad input (a flag, a file, an environment
// that a rule is not defined for), 1 for a failure of leontief itself or of
// the machine, 130 after an interrupt. Results go to standard output or to
// files, and appear whole or not at all; progress and messages go to standard
// error.
package cli
