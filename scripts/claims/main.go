// Claims writes, from the ledgers of reproductions, a page for each paper with
// what differs or is refuted first, an index of these pages, and all entries as
// one CSV file:
//
//	make claims        # or: go run ./scripts/claims -out docs results
//
// results holds result folders of leontief reproduce and audit --tables.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
)

func main() {
	out := flag.String("out", "docs", "folder for claims.csv and the folder claims of pages")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "claims: want one folder of result folders")
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(1)
	}
}

// run is one result folder with a ledger.
type run struct {
	command string // with its scale or size
	seconds float64
	bytes   int64
	claims  []claim
}

// claim is a ledger entry with the command that makes it.
type claim struct {
	ledger.Entry
	command string
}

// reading is what the entry's id says of itself after a #: which other reading of
// the paper it follows, or in which column the value is printed again. Such entries
// count for nothing. It is empty for all others.
func (c *claim) reading() string {
	_, reading, _ := strings.Cut(c.ID, "#")
	return reading
}

func (c *claim) counted() bool { return c.reading() == "" && !c.FittedTo }

// order is the order of verdicts on a page.
var order = []ledger.Verdict{ledger.Refuted, ledger.Differs, ledger.NotRun, ledger.Reproduced}

// write reads the result folders below root and writes the pages and the CSV file.
func write(root, out string) error {
	runs, err := read(root)
	if err != nil {
		return err
	}
	files, err := render(runs)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(out, "claims"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// render is the text of each file by its name.
func render(runs []run) (map[string]string, error) {
	byPaper := map[string][]claim{}
	for _, r := range runs {
		for _, c := range r.claims {
			byPaper[c.Paper] = append(byPaper[c.Paper], c)
		}
	}
	// Invariant: pages and CSV have this one order: papers by name, what counts before
	// what does not, verdicts as in order, then the ledger's order.
	papers := slices.Sorted(maps.Keys(byPaper))
	files := map[string]string{"claims/README.md": index(runs, papers, byPaper)}
	var all []claim
	for _, paper := range papers {
		claims := byPaper[paper]
		slices.SortStableFunc(claims, func(a, b claim) int { return rank(&a) - rank(&b) })
		files["claims/"+paper+".md"] = page(paper, claims)
		all = append(all, claims...)
	}
	var err error
	files["claims.csv"], err = table(all)
	return files, err
}

// rank is the place of the claim's verdict in order, after all of them for a claim
// that does not count.
func rank(c *claim) int {
	if !c.counted() {
		return len(order)
	}
	return slices.Index(order, c.Verdict)
}

// read reads the folders of root that have a ledger.
func read(root string) ([]run, error) {
	ledgers, err := filepath.Glob(filepath.Join(root, "*", ledger.LedgerFile))
	if err != nil {
		return nil, err
	}
	if len(ledgers) == 0 {
		return nil, fmt.Errorf("%s: no folder with a %s", root, ledger.LedgerFile)
	}
	var runs []run
	for _, path := range ledgers {
		r, err := readRun(filepath.Dir(path))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Dir(path), err)
		}
		runs = append(runs, r)
	}
	// A paper's own experiments come before its part of the property tables.
	slices.SortStableFunc(runs, func(a, b run) int { return strings.Compare(b.command, a.command) })
	return runs, nil
}

func readRun(dir string) (run, error) {
	l, err := ledger.ReadLedger(dir)
	var manifest struct {
		Command string
		Spec    struct {
			Scale        string
			Environments int
		}
	}
	var timing struct {
		Seconds float64 `json:"wall_seconds"`
	}
	size, failed := disk(dir)
	err = errors.Join(err, failed, load(filepath.Join(dir, "manifest.json"), &manifest), load(filepath.Join(dir, "timing.json"), &timing))
	if err != nil {
		return run{}, err
	}
	r := run{command: "leontief " + manifest.Command, seconds: timing.Seconds, bytes: size}
	part := func(e *ledger.Entry) string { return " --item " + e.Item }
	if manifest.Spec.Scale != "" {
		r.command += " --scale " + manifest.Spec.Scale
	} else {
		r.command += fmt.Sprint(" --environments ", manifest.Spec.Environments)
		part = func(e *ledger.Entry) string { return " --paper " + e.Paper }
	}
	for _, e := range l.Entries {
		r.claims = append(r.claims, claim{e, r.command + part(&e)})
	}
	return r, nil
}

func load(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// disk is what a folder takes, in bytes.
func disk(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}
