// Command costs writes the relative costs by which leontief reproduce all estimates how
// long it still takes: of each scenario in the folders of finished runs, by what its
// instances took, of what each paper's tables and figures took beside them, and of each
// cell of the tables of properties, which it searches for a little. Costs that are known
// and in none of the folders stay.
//
//	go run ./scripts/costs experiments/cli/costs.txt out out/paper
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/experiments/cli"
	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/audit"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
)

const head = `# Kind, rule, id, and seconds: of an instance of a scenario, of a paper's tables and
# figures, of a cross of the tables of properties, of an environment of a tick. Only their
# ratios matter. Written by make costs.
`

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("costs FILE DIR...")
	}
	file, lines := os.Args[1], map[string]string{}
	before, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(before)) {
		if f := strings.Fields(line); len(f) == 4 && f[0] != "#" {
			lines[strings.Join(f[:3], " ")] = f[3]
		}
	}
	for _, dir := range os.Args[2:] {
		for _, p := range papers.Papers() {
			if err := ofPaper(p.Name, filepath.Join(dir, p.Name), lines); err != nil {
				log.Fatal(err)
			}
		}
	}
	if err := ofCells(lines); err != nil {
		log.Fatal(err)
	}
	text := bytes.NewBufferString(head)
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintln(text, key, lines[key])
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func seconds(v float64) string { return fmt.Sprintf("%.3g", v) }

// ofPaper takes in the folder of a paper.
func ofPaper(name, folder string, lines map[string]string) error {
	var manifest struct {
		Spec struct {
			Scale     string
			Scenarios []spec.Scenario
		}
	}
	if err := read(filepath.Join(folder, store.ManifestFile), &manifest); err != nil {
		return err
	}
	of, err := store.OpenStore(folder, nil)
	if err != nil {
		return err
	}
	of.AnyProgram = true
	took, err := of.Took(manifest.Spec.Scenarios)
	if err != nil {
		return err
	}
	busy := 0.0
	for _, s := range manifest.Spec.Scenarios {
		if t := took[s.ID()]; t.Instances > 0 {
			kind, rule, id := cli.CostKey(s)
			lines[kind+" "+rule+" "+id] = seconds(t.BusySeconds / float64(t.Instances))
			busy += t.BusySeconds
		}
	}
	var t store.Timing
	if err := read(filepath.Join(folder, store.TimingFile), &t); err != nil {
		return err
	}
	// Of a run that went on where it was ended this is not known.
	if rest := t.WallSeconds - busy/float64(t.Workers); rest > 0 {
		lines["made - "+manifest.Spec.Scale+"/"+name] = seconds(rest)
	}
	return nil
}

// ofCells searches for each cell for a little.
func ofCells(lines map[string]string) error {
	const environments = 1000
	for _, c := range audit.Cells() {
		delete(lines, "cross - "+c.ID())
		delete(lines, "tick - "+c.ID())
		start := time.Now()
		a, err := c.Ask(context.Background(), audit.Options{Environments: environments, Seed: 1, Workers: 1})
		if err != nil {
			return err
		}
		took := time.Since(start).Seconds()
		if a.Found != nil {
			lines["cross - "+c.ID()] = seconds(took)
		} else {
			lines["tick - "+c.ID()] = seconds(took / environments)
		}
	}
	return nil
}

func read(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
