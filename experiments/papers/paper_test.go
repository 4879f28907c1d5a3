package papers

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/experiments/store"
)

// madeUp is a paper of one table, whose values are numbers of rows.
func madeUp() Paper {
	return Paper{
		Name: "made up (test)", Title: "a paper for tests", Items: []string{"table1", "table2"}, Scales: []string{"quick", "paper"},
		Options: []spec.Parameter{{Name: "rho", Doc: "Heterogeneity.", Default: ".5", Canonical: spec.Number(0, 1)}},
		Plan: func(r Request) (*Reproduction, error) {
			s, err := spec.NewScenario("made up (test)", map[string]string{"rule": "a", "rho": r.Options["rho"]}, r.Seed, 3)
			if err != nil {
				return nil, err
			}
			return &Reproduction{
				Scenarios: []spec.Scenario{s},
				Labels:    []string{"made up (synthetic)"},
				Entries: func(rows run.Rows) ([]ledger.Entry, error) {
					return []ledger.Entry{ledger.Entry{Paper: "made up", Item: "table1", ID: "table1/rows", Claim: "rows"}.Value(3, ledger.Computed(float64(len(rows.Of(s))), 0))}, nil
				},
				Tables: func(rows run.Rows) (Tables, error) {
					return Tables{"table1": results.Pack(rows.Of(s))}, nil
				},
				Notes: func(run.Rows) []string { return []string{"nothing was refused"} },
			}, nil
		},
	}
}

func TestPaperIsReproduced(t *testing.T) {
	p, r := madeUp(), Request{Seed: 5}
	if err := p.Check(&r); err != nil {
		t.Fatal(err)
	}
	if r.Scale != "quick" || r.Options["rho"] != "0.5" || !r.Wants("table2") || r.Wants("table3") {
		t.Errorf("request %+v", r)
	}
	found, err := p.Reproduce(context.Background(), r, run.InMemory(2, nil))
	if err != nil {
		t.Fatal(err)
	}
	if e := found.Ledger.Entries; len(e) != 1 || e[0].Verdict != ledger.Reproduced || found.Notes[0] != "nothing was refused" {
		t.Errorf("found %+v", found)
	}
	files := map[string][]byte{}
	for _, dir := range []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")} {
		found, err := p.Reproduce(context.Background(), r, run.InMemory(1, nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := found.Write(dir, store.Timing{WallSeconds: 1, Workers: 2}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"table1.parquet", ledger.LedgerFile, store.ManifestFile, store.TimingFile} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if before, again := files[name]; again && !bytes.Equal(before, data) {
				t.Errorf("%s has other bytes when it is written again", name)
			}
			files[name] = data
		}
	}
	for _, want := range []string{`"rho": "0.5"`, `"seed": 5`, `"table1.parquet"`} {
		if !strings.Contains(string(files[store.ManifestFile]), want) {
			t.Errorf("the manifest lacks %s:\n%s", want, files[store.ManifestFile])
		}
	}
}

func TestPaperRefusesWhatItDoesNotKnow(t *testing.T) {
	p := madeUp()
	for want, r := range map[string]Request{
		`--item: unknown item "fig9" (known: table1, table2)`: {Items: []string{"fig9"}},
		`--scale: unknown scale "huge" (known: quick, paper)`: {Scale: "huge"},
		"-1 instances":              {Instances: -1},
		"--rho: 2 is not in [0, 1]": {Options: map[string]string{"rho": "2"}},
	} {
		if err := p.Check(&r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	r := Request{}
	if err := p.Check(&r); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if _, err := p.Reproduce(context.Background(), r, func(context.Context, []spec.Scenario) (run.Rows, error) { return nil, stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}
