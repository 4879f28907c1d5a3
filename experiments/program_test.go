package experiments

import (
	"runtime/debug"
	"testing"
)

// A build is known by its commit only where that says all of its source.
func TestIdentifiedBuild(t *testing.T) {
	settings := func(commit, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.modified", Value: modified}}
	}
	tagged := &debug.Module{Path: "example.org/a", Version: "v1.2.3"}
	fork := &debug.Module{Path: "example.org/a", Version: "v1.2.3", Replace: &debug.Module{Path: "example.org/fork", Version: "v1.2.4"}}
	folder := &debug.Module{Path: "example.org/a", Version: "v1.2.3", Replace: &debug.Module{Path: "../a"}}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want bool
	}{
		"committed":            {debug.BuildInfo{Settings: settings("abc", "false"), Deps: []*debug.Module{tagged}}, true},
		"replaced by a module": {debug.BuildInfo{Settings: settings("abc", "false"), Deps: []*debug.Module{fork}}, true},
		"changed":              {debug.BuildInfo{Settings: settings("abc", "true"), Deps: []*debug.Module{tagged}}, false},
		"no commit":            {debug.BuildInfo{Deps: []*debug.Module{tagged}}, false},
		"replaced by a folder": {debug.BuildInfo{Settings: settings("abc", "false"), Deps: []*debug.Module{tagged, folder, fork}}, false},
	} {
		if got := buildOf(&c.info).identified(); got != c.want {
			t.Errorf("%s: identified %v, want %v", name, got, c.want)
		}
	}
}

// A program of another module says which leontief is in it.
func TestVersionOfLeontief(t *testing.T) {
	ours := debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.0.0"}}
	theirs := debug.BuildInfo{Main: debug.Module{Path: "example.org/rule", Version: "v0.1.0"}, Deps: []*debug.Module{{Path: module, Version: "v1.0.0"}}}
	for _, c := range []struct {
		info   *debug.BuildInfo
		inside bool
	}{{&ours, false}, {&theirs, true}} {
		if version, inside := buildOf(c.info).Leontief(); version != "v1.0.0" || inside != c.inside {
			t.Errorf("%s: version %s, inside %v", c.info.Main.Path, version, inside)
		}
	}
}
