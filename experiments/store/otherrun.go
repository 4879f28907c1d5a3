package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// OtherRunError says that a folder holds the results of another run, and in what it
// differs from the one that is asked for.
type OtherRunError struct {
	Path, Command string
	Differs       []string
}

func (e *OtherRunError) Error() string {
	return fmt.Sprintf("%s: holds the results of another run (leontief %s), which differs in %s; name another folder, or write over them with --force",
		e.Path, e.Command, strings.Join(e.Differs, ", "))
}

// CheckRun reports whether the results in a folder are of the run that a manifest
// describes: of the same command, seed, spec and workload. If they are not, the error
// is an [OtherRunError]. A folder without a manifest of ours holds none.
func CheckRun(folder string, m Manifest) error {
	return checkRun(folder, m, func(run map[string]any) map[string]any {
		parts := map[string]any{"command": run["command"], "seed": run["seed"], "workload": run["workload"]}
		if spec, ok := run["spec"].(map[string]any); ok {
			for key, value := range spec {
				parts["spec."+key] = value
			}
		}
		return parts
	})
}

// CheckPlan is [CheckRun] for sweeps and reproductions. They keep the result of every
// scenario, so that a folder can be shared: what one has run the other takes up, and
// the tables of any of them are made again without a run. Only two reproductions must
// be of one paper.
func CheckPlan(folder string, m Manifest) error {
	err := checkRun(folder, m, func(run map[string]any) map[string]any { return map[string]any{"command": run["command"]} })
	var other *OtherRunError
	if errors.As(err, &other) && keepsScenarios(other.Command) && (other.Command == sweepCommand || m.Command == sweepCommand) {
		return nil
	}
	return err
}

// The commands that keep the result of every scenario; that of a reproduction goes on
// with the paper's name.
const (
	sweepCommand     = "sweep"
	ReproduceCommand = "reproduce "
)

func keepsScenarios(command string) bool {
	return command == sweepCommand || strings.HasPrefix(command, ReproduceCommand)
}

func checkRun(folder string, m Manifest, parts func(map[string]any) map[string]any) error {
	data, err := readRegular(filepath.Join(folder, ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var there, here map[string]any
	if err := json.Unmarshal(data, &there); err != nil || there["program"] != Program {
		return nil // see CheckFolder
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &here); err != nil {
		return err
	}
	before, now := parts(there), parts(here)
	var differs []string
	for _, of := range []map[string]any{before, now} {
		for key := range of {
			if !reflect.DeepEqual(before[key], now[key]) {
				differs = append(differs, key)
			}
		}
	}
	if len(differs) == 0 {
		return nil
	}
	slices.Sort(differs)
	command, _ := there["command"].(string)
	return &OtherRunError{folder, command, slices.Compact(differs)}
}
