package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/papers/audit"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
)

// auditWave is about how many environments a wave of an audit judges, 800 random ones and
// those of local search.
const auditWave = 1000

// outlookOnCells adds what the cells of the tables of properties cost that are not there yet.
func (s *study) outlookOnCells(ctx context.Context, left *remaining) error {
	folder := &kept{c: s.c, folder: s.audit.out}
	defer folder.release()
	of, err := folder.open(ctx)
	if err != nil {
		return err
	}
	for _, cell := range s.cells {
		cost, missing := s.costs.cell(cell, s.f.environments), 0
		waves, err := cell.Waves(s.f.seed, s.waves())
		if err != nil {
			return internal(err)
		}
		took, err := of.Took(waves)
		if err != nil {
			return ofSweep(err)
		}
		missing = len(waves) - len(took)
		left.left += cost * float64(missing) / float64(len(waves))
	}
	return nil
}

// waves is about how many waves a tick needs.
func (s *study) waves() int { return (s.f.environments + auditWave - 1) / auditWave }

// properties looks for every cell of the tables of properties.
func (s *study) properties(ctx context.Context) error {
	start, f := time.Now(), &s.audit
	if len(s.cells) == 0 {
		return nil
	}
	if !s.f.force {
		if err := store.CheckRun(f.out, f.manifest()); err != nil {
			return err
		}
	}
	folder := &kept{c: s.c, folder: f.out}
	defer folder.release()
	cells, at, busy := s.cells, 0, 0.0
	left := s.costs.cell(cells[0], s.f.environments)
	name := func() string {
		return fmt.Sprintf("properties %s, %s of %s", cells[at].Paper, cells[at].Property, cells[at].Rule)
	}
	spend := func(cost float64) {
		cost = min(cost, left)
		left -= cost
		s.line.did(cost, name())
	}
	options := audit.Options{Environments: f.Environments, Seed: f.seed, Workers: f.workers,
		Run: func(ctx context.Context, scenarios []spec.Scenario) (run.Rows, error) {
			of, err := folder.open(ctx)
			if err != nil {
				return nil, err
			}
			there, err := of.Took(scenarios)
			if err != nil {
				return nil, err
			}
			rows, err := of.Runner(f.workers, nil)(ctx, scenarios)
			if err == nil && len(there) == 0 {
				spend(s.costs.cell(cells[at], s.f.environments) / float64(s.waves()))
			}
			if took, err := of.Took(scenarios); err == nil {
				for _, t := range took {
					busy += t.BusySeconds
				}
			}
			return rows, err
		}}
	answers, entries, err := audit.Tables(ctx, f.Papers, options, func(done, total int) {
		spend(left)
		if at = min(done, total-1); done < total {
			left = s.costs.cell(cells[at], s.f.environments)
		}
	})
	if err != nil {
		return ofSweep(err)
	}
	timing := store.Timing{WallSeconds: time.Since(start).Seconds(), Workers: f.workers}
	if err := f.save(ctx, folder, answers, entries, timing); err != nil {
		return err
	}
	if err := s.c.say("properties: %s\n", ledger.NewLedger(entries).Tally()); err != nil {
		return err
	}
	s.spent = append(s.spent, spent{"properties", busy, time.Since(start)})
	return nil
}
