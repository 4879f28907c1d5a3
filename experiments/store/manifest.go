package store

import (
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
)

// Program is the name by which a manifest is known as ours.
const Program = "leontief"

// Manifest says how the files beside it were made: everything that they
// depend on and nothing else. It has the same bytes for the same run; wall
// time and the number of workers are in [TimingFile].
type Manifest struct {
	Program  string       `json:"program"`
	Build    Build        `json:"build"`
	Command  string       `json:"command"` // reproduce tsf-er, simulate, …
	Seed     uint64       `json:"seed"`
	Spec     any          `json:"spec"` // the command's own description of what was run
	Workload run.Workload `json:"workload"`
	Files    []string     `json:"files"` // the files of the folder; see [Folder]
	// Complete is false while the files are being written: some may be those of
	// an earlier run.
	Complete bool `json:"complete"`
	// Digests are the SHA-256 of the files, but of this one and of [TimingFile],
	// and Seal is that of this file; see package sealed. Neither is there before the
	// manifest is complete.
	Digests map[string]string `json:"sha256"`
	Seal    string            `json:"seal"` // the last entry
}

// Build says which program ran.
type Build struct {
	Version  string            `json:"version"`
	Commit   string            `json:"commit"` // "" where the build does not say
	Modified bool              `json:"modified"`
	Go       string            `json:"go"`
	Modules  map[string]string `json:"modules"` // version of each dependency
	// local is set where a dependency was taken from a folder, whose files may
	// change without a new version.
	local bool
}

// module is the path of the module that this package is in.
var module = strings.TrimSuffix(reflect.TypeFor[Build]().PkgPath(), "/experiments")

// Leontief returns the version of leontief, and whether it was built into the
// program of another module, whose version and commit are those of b.
func (b Build) Leontief() (version string, inside bool) {
	if version, inside = b.Modules[module]; inside {
		return strings.TrimSpace(version), true
	}
	return b.Version, false
}

// identified reports whether the build says from which source it was made.
func (b Build) identified() bool { return b.Commit != "" && !b.Modified && !b.local }

// NewManifest returns a manifest of the running program.
func NewManifest(command string, seed uint64, spec any, workload run.Workload) Manifest {
	return Manifest{Program: Program, Build: ThisBuild(), Command: command, Seed: seed, Spec: spec, Workload: workload}
}

// ThisBuild describes the running program, as far as its build information
// goes.
func ThisBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Modules: map[string]string{}}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) Build {
	build := Build{Modules: map[string]string{}}
	build.Version, build.Go = info.Main.Version, info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			build.Commit = s.Value
		case "vcs.modified":
			build.Modified = s.Value == "true"
		}
	}
	for _, dep := range info.Deps {
		version := dep.Version
		if dep.Replace != nil {
			version += " => " + dep.Replace.Path + " " + dep.Replace.Version
			build.local = build.local || dep.Replace.Version == ""
		}
		build.Modules[dep.Path] = version
	}
	return build
}

// Timing is what a run took. It is kept apart from the manifest because it
// differs from run to run.
type Timing struct {
	WallSeconds float64 `json:"wall_seconds"`
	Workers     int     `json:"workers"`
}

// WriteJSON writes v as indented JSON into a file of the folder.
func (f *Folder) WriteJSON(name string, v any) error {
	data, err := results.IndentedJSON(v)
	if err != nil {
		return err
	}
	return f.Write(name, data)
}
