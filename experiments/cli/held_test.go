package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/traces"
)

// simulate holds the jobs of a trace only where it has to: with fluid tasks, for the series of
// each job, or where they do not stand in order of submission, which it says; and of a sample
// no more than that.
func TestSimulateHoldsNoJobs(t *testing.T) {
	dir := t.TempDir()
	job := func(id string, at int64) traces.Job {
		return traces.Job{ID: id, SubmitUS: at * 1e6, Tasks: 3, DurationUS: 5e6, CPU: 1}
	}
	sorted, other := filepath.Join(dir, "sorted.parquet"), filepath.Join(dir, "other.parquet")
	cluster := filepath.Join(dir, "cluster.json")
	if err := os.WriteFile(cluster, []byte(`{"resources": ["cpu"], "servers": [{"name": "s", "capacity": [2]}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, jobs := range map[string][]traces.Job{sorted: {job("a", 1), job("b", 2), job("c", 2)}, other: {job("a", 1), job("c", 3), job("b", 2)}} {
		if err := traces.WriteJobs(path, jobs, traces.Meta{Source: "a test", Label: "made up (synthetic)"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range []struct {
		trace, model string
		jobs         int
		series       time.Duration
		held         int
	}{
		{sorted, "whole", 0, 0, 0}, {sorted, "whole", 2, 0, 2}, {sorted, "whole", 0, 10 * time.Second, 3},
		{sorted, "fluid", 0, 0, 3}, {other, "whole", 0, 0, 3},
	} {
		var says bytes.Buffer
		c, cmd, f := &command{Streams: Streams{Out: &says, Err: &says}}, &cobra.Command{}, simulateFlags{what: simulateName}
		f.runFlags.register(cmd)
		f.workloadFlags.register(cmd)
		f.modelFlags.register(cmd)
		if err := cmd.ParseFlags([]string{"--trace", of.trace, "--model", of.model}); err != nil {
			t.Fatal(err)
		}
		f.cluster, f.out, f.policies, f.jobs, f.series = cluster, filepath.Join(dir, "out"), []string{"tsf"}, of.jobs, of.series
		s, err := c.prepare(f)
		if err != nil {
			t.Fatal(of, err)
		}
		if len(s.drawn.Jobs) != of.held || s.drawn.Len() != cmp.Or(of.jobs, 3) {
			t.Errorf("%v: %d jobs are held, of %d", of, len(s.drawn.Jobs), s.drawn.Len())
		}
		if said := strings.Contains(says.String(), "not in order of submission"); said != (of.trace == other) {
			t.Errorf("%v: says %s", of, &says)
		}
		s.discard()
	}
}
