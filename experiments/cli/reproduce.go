package cli

import (
	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/papers"
	_ "github.com/leontief-sim/leontief/experiments/papers/magiks" // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/papers/mtp"    // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/papers/psdsf"  // registers its paper
	_ "github.com/leontief-sim/leontief/experiments/papers/tsf"    // registers the paper
	_ "github.com/leontief-sim/leontief/experiments/papers/tsfer"  // registers the paper and its specs
	_ "github.com/leontief-sim/leontief/experiments/sweeps"        // registers kinds
)

func (c *command) reproduce() *cobra.Command {
	cmd := group("reproduce", "Compute a paper's numbers beside the published ones",
		`Compute a paper's numbers and print them beside the published ones, with an
interval, the difference and a verdict: reproduced (the published value lies in
our interval, or the number that tests a claim in words holds), differs (with
the reason as far as it is known), refuted (the paper's own definitions
contradict its number) or not run.`)
	for _, p := range papers.Papers() {
		cmd.AddCommand(c.paper(p))
	}
	return cmd
}
