package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/traces/input"
)

// Folder is a result folder.
type Folder struct {
	Name     string // its base name
	Manifest Manifest
	Ledger   []ledger.Entry
	Tables   []Table   // by name
	Figures  []Figure  // by name
	Texts    []Text    // by name
	Sections []Section // of [SectionsFile]
	// Environments are those that an audit found, as JSON, by name.
	Environments []Text
}

// Manifest is what a report shows of manifest.json; Raw is all of it.
type Manifest struct {
	Program string `json:"program"`
	Command string `json:"command"`
	Seed    uint64 `json:"seed"`
	Build   struct {
		Version  string `json:"version"`
		Commit   string `json:"commit"`
		Modified bool   `json:"modified"`
		Go       string `json:"go"`
	} `json:"build"`
	Workload Workload        `json:"workload"`
	Spec     json.RawMessage `json:"spec"`
	Files    []string        `json:"files"`
	Raw      json.RawMessage `json:"-"`
}

// Workload is where jobs came from.
type Workload struct {
	Label    string         `json:"label"`
	Marked   string         `json:"marked"` // the label with what was ignored; "" if nothing was
	Source   string         `json:"source"`
	Checksum string         `json:"source_sha256"`
	File     string         `json:"file"`
	FileSum  string         `json:"file_sha256"`
	Jobs     int            `json:"jobs"`
	LeftOut  map[string]int `json:"left_out"`
	Notes    []string       `json:"notes"`
}

// workloads are those of a folder: that of the manifest or, of a sweep over
// several, those of its spec.
func (m *Manifest) workloads() []Workload {
	if m.Workload.Label != "" {
		return []Workload{m.Workload}
	}
	var spec struct {
		Workloads []Workload `json:"workloads"`
	}
	if json.Unmarshal(m.Spec, &spec) != nil {
		return nil // a spec of another form names none
	}
	return spec.Workloads
}

// about is the title that a sweep's spec has, and items are those of a reproduction's, in
// the paper's order; a spec of another form has neither.
func (m *Manifest) about() string   { return m.known().Title }
func (m *Manifest) items() []string { return m.known().Items }

type knownSpec struct {
	Title        string   `json:"title"`
	Items        []string `json:"items"`
	Policies     []string `json:"policies"`
	Properties   []string `json:"properties"`   // of an audit
	Environments int      `json:"environments"` // that it searched
}

func (m *Manifest) known() (s knownSpec) {
	if json.Unmarshal(m.Spec, &s) != nil {
		return knownSpec{}
	}
	return s
}

// Table is a result table.
type Table struct {
	Name string // of its file, without extension
	Rows *results.Packed
}

// Figure is a figure in SVG.
type Figure struct {
	Name string
	SVG  string
}

// Text is a file of plain text.
type Text struct{ Name, Body string }

// ErrNoResults is the error of a folder that holds no results.
var ErrNoResults = errors.New("no results")

// Read reads a result folder, or all result folders directly beneath a folder
// that is none, by name. One that is not as it was written is an error of
// [sealed.Open].
func Read(dir string) ([]Folder, error) {
	if _, err := os.Stat(filepath.Join(dir, sealed.ManifestFile)); err == nil {
		f, err := readFolder(dir)
		return []Folder{f}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []Folder
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(sub, sealed.ManifestFile)); !e.IsDir() || err != nil {
			continue
		}
		f, err := readFolder(sub)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w: neither it nor a folder in it has a %s", dir, ErrNoResults, sealed.ManifestFile)
	}
	return all, nil
}

func readFolder(dir string) (Folder, error) {
	f := Folder{Name: filepath.Base(dir)}
	if abs, err := filepath.Abs(dir); err == nil {
		f.Name = filepath.Base(abs)
	}
	raw, err := sealed.Open(dir)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(raw, &f.Manifest); err != nil {
		return f, fmt.Errorf("%s: %w", filepath.Join(dir, sealed.ManifestFile), err)
	}
	f.Manifest.Raw = raw
	if slices.Contains(f.Manifest.Files, ledger.LedgerFile) {
		if err := f.readLedger(filepath.Join(dir, ledger.LedgerFile)); err != nil {
			return f, err
		}
	}
	for _, name := range slices.Sorted(slices.Values(f.Manifest.Files)) {
		if err := f.readFile(dir, name); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *Folder) readLedger(path string) error {
	data, err := input.ReadText(path)
	if err != nil {
		return err
	}
	l, err := ledger.ParseLedger(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f.Ledger = l.Entries
	return nil
}

// readFile takes in a file that the manifest lists.
func (f *Folder) readFile(dir, name string) error {
	path, base := filepath.Join(dir, name), strings.TrimSuffix(name, filepath.Ext(name))
	switch filepath.Ext(name) {
	case ".parquet":
		rows, _, err := results.ReadPacked(path)
		if errors.Is(err, results.ErrNotTable) {
			return nil // jobs, say
		}
		if err != nil {
			return err
		}
		f.Tables = append(f.Tables, Table{base, rows})
	case ".svg":
		data, err := input.ReadText(path)
		if err != nil {
			return err
		}
		f.Figures = append(f.Figures, Figure{base, string(data)})
	case ".json":
		data, err := input.ReadText(path)
		if err != nil {
			return err
		}
		if name == SectionsFile {
			if f.Sections, err = sectionsOf([]byte(data)); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		if isEnvironment(data) {
			f.Environments = append(f.Environments, Text{base, string(data)})
		}
	case ".txt":
		data, err := input.ReadText(path)
		if err != nil {
			return err
		}
		f.Texts = append(f.Texts, Text{base, string(data)})
	}
	return nil
}

// isEnvironment reports whether a file is a cluster with its users.
func isEnvironment(data []byte) bool {
	var e struct{ Servers, Users []json.RawMessage }
	return json.Unmarshal(data, &e) == nil && len(e.Servers) > 0 && len(e.Users) > 0
}
