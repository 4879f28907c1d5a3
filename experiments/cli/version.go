package cli

import (
	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/store"
)

func (c *command) version() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Print the version, the commit it was built from (where the build says) and the Go release.",
		Example: "  leontief version",
		Args:    takes(),
		RunE:    func(*cobra.Command, []string) error { return c.runVersion() },
	}
}

func (c *command) runVersion() error {
	build := store.ThisBuild()
	commit := build.Commit
	switch {
	case commit == "":
		commit = "unknown"
	case build.Modified:
		commit += " (modified)"
	}
	version, inside := build.Leontief()
	if inside {
		version += "\nin a program of version " + build.Version
	}
	return c.say("leontief %s\ncommit %s\n%s\n", version, commit, build.Go)
}
