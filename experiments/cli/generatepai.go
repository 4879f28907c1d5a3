package cli

import (
	"fmt"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/alibaba"
	"github.com/leontief-sim/leontief/traces/synthetic"
)

// generatePAI writes the synthetic workload like the PAI trace, job by job.
func (c *command) generatePAI(f generateFlags, jobs bool) error {
	options := synthetic.DefaultPAI()
	if jobs {
		options.Jobs = f.jobs
	}
	if f.span != 0 {
		options.SpanS = f.span.Seconds()
	}
	generated, err := options.Generate(f.seed)
	if err != nil {
		return err
	}
	if err := traces.WriteJobStream(f.out, generated, options.Meta(f.seed)); err != nil {
		return writing(err)
	}
	return c.say("%d jobs, %s\n", options.Jobs, options.Label())
}

// generateHybrid writes the hybrid workload.
func (c *command) generateHybrid(f generateFlags) error {
	if f.sample == "" {
		return fmt.Errorf("--workload hybrid: --sample names the file of real submissions; without one, --workload pai is fully synthetic")
	}
	return c.runImport(importFlags{out: f.out}, func() (*traces.Imported, error) {
		return alibaba.Hybrid(f.sample, alibaba.HybridOptions{GPUs: alibaba.GPUReading(f.gpus), Seed: f.seed})
	})
}
