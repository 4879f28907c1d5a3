// Leontief simulates the fair allocation of several resources.
package main

import (
	"os"

	"github.com/leontief-sim/leontief/experiments/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
