package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/leontief-sim/leontief/experiments/results/sealed"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/plots/printable"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// momentOf says of which replay, and when, an explanation is.
type momentOf struct {
	Folder  string  `json:"folder"` // its base name
	AtS     float64 `json:"at_s"`   // on the clock of the trace
	Present int     `json:"present"`
	Jobs    int     `json:"jobs"`
	Refused int     `json:"refused"` // of those submitted by then
}

// String is one line.
func (m *momentOf) String() string {
	text := fmt.Sprintf("%s at %s s: %d of %d jobs are in the system", printable.Text(m.Folder),
		strconv.FormatFloat(m.AtS, 'f', -1, 64), m.Present, m.Jobs)
	if m.Refused > 0 {
		text += fmt.Sprintf("; %d that came before were refused", m.Refused)
	}
	return text + "\n"
}

// replayed is what a result folder says of a time of a replay.
func (f *explainFlags) replayed(path string) (*moment, error) {
	at, err := parseAt(f.at)
	if err != nil {
		return nil, err
	}
	manifest, err := sealed.Open(path)
	if err != nil {
		return nil, err
	}
	var said struct {
		Command string
		Files   []string
		Spec    struct {
			Policies []string
			Cluster  json.RawMessage
			Tasks    map[string]any
			Tenants  bool
		}
	}
	if err := json.Unmarshal(manifest, &said); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(path, sealed.ManifestFile), err)
	}
	if said.Command != "simulate" && said.Command != "compare" {
		return nil, fmt.Errorf("%s: results of leontief %s; those of leontief simulate say who was in the system when", path, said.Command)
	}
	whole := said.Spec.Tasks != nil
	if whole && !slices.Contains(said.Files, placementsFile) {
		return nil, fmt.Errorf("%s: a replay of whole tasks, where what a job has depends on which tasks run where and since when, and it has no %s; "+
			"leontief simulate --placements writes one", path, placementsFile)
	}
	policy, err := f.ofFolder(path, said.Spec.Policies)
	if err != nil {
		return nil, err
	}
	env, err := parseEnvironment(filepath.Join(path, sealed.ManifestFile)+": spec.cluster", bytes.TrimSpace(said.Spec.Cluster), cluster.ReadCluster)
	if err != nil {
		return nil, err
	}
	m, err := run.MomentOf(filepath.Join(path, completionsFile), policy, env, at, said.Spec.Tenants)
	if err != nil {
		return nil, err
	}
	of := &momentOf{Folder: folderName(path), AtS: float64(at) / 1e6, Present: len(m.Environment.Users), Jobs: m.Jobs, Refused: m.Refused}
	if of.Present == 0 {
		return nil, fmt.Errorf("%s: under %s no job is in the system at %s s", path, policy, strconv.FormatFloat(of.AtS, 'f', -1, 64))
	}
	var running []run.RunningTasks
	if whole {
		if running, err = m.Running(filepath.Join(path, placementsFile)); err != nil {
			return nil, err
		}
	}
	if err := cluster.Validate(m.Environment); err != nil { // jobs of one name, say
		return nil, fmt.Errorf("%s at %s s:\n%w", path, strconv.FormatFloat(of.AtS, 'f', -1, 64), err)
	}
	return &moment{m.Environment, policy, of, running}, nil
}

// folderName is the base name of a folder.
func folderName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}

// ofFolder is the rule of a folder that is asked for: the only one where none is.
func (f *explainFlags) ofFolder(path string, known []string) (string, error) {
	switch {
	case f.policy == "" && len(known) == 1:
		return known[0], nil
	case f.policy == "":
		return "", fmt.Errorf("--policy is missing: %s has %s", path, joinOr(known))
	}
	if err := spelling.Check("policy", f.policy, known); err != nil {
		return "", fmt.Errorf("--policy: %s: %w", path, err)
	}
	return f.policy, nil
}

// parseAt reads a time in seconds, or with a unit; the clock has whole microseconds.
func parseAt(text string) (us int64, err error) {
	if text == "" {
		return 0, errors.New("--at is missing: of a folder, the time on the clock of the trace, in seconds or as 90m")
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d.Microseconds(), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > 9e12 {
		return 0, fmt.Errorf("--at %q: it is no time: seconds, as 3600, or a number with a unit, as 90m", text)
	}
	return int64(math.Round(v * 1e6)), nil
}
