package store

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/traces/input"
)

// Build says which program ran.
type Build struct {
	Version  string            `json:"version"`
	Commit   string            `json:"commit"` // "" where the build does not say
	Modified bool              `json:"modified"`
	Go       string            `json:"go"`
	Modules  map[string]string `json:"modules"` // version of each dependency
	// exact is set where the build says from which source of leontief, and of nothing
	// else, the program was made.
	exact bool
}

// module is the path of the module that this package is in.
var module = strings.TrimSuffix(reflect.TypeFor[Build]().PkgPath(), "/experiments/store")

// Leontief returns the version of leontief, and whether it was built into the
// program of another module, whose version and commit are those of b.
func (b Build) Leontief() (version string, inside bool) {
	if version, inside = b.Modules[module]; inside {
		return strings.TrimSpace(version), true
	}
	return b.Version, false
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
	build := Build{Modules: map[string]string{}, Version: info.Main.Version, Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			build.Commit = s.Value
		case "vcs.modified":
			build.Modified = s.Value == "true"
		}
	}
	published := info.Main.Sum != "" // by go install module@version
	build.exact = info.Main.Path == module && (published || build.Commit != "" && !build.Modified)
	for _, dep := range info.Deps {
		version := dep.Version
		if dep.Replace != nil {
			version += " => " + dep.Replace.Path + " " + dep.Replace.Version
			build.exact = build.exact && dep.Replace.Version != "" // files in a folder change without a new version
		}
		build.Modules[dep.Path] = version
	}
	return build
}

// packages names the packages of leontief that reach a result, with a digest of each,
// and the modules that they import. A test writes it; see program_test.go.
//
//go:embed packages.txt
var packages string

// ProgramID tells one program from another as far as results may depend on it.
// Results of programs of different ids are never mixed. A change to what makes
// something of results (figures, reports, the command line) is none to the ID.
type ProgramID struct {
	Packages string `json:"packages"` // SHA-256 of the digests of the packages that reach a result
	Modules  string `json:"modules"`  // SHA-256 of the versions of the modules that these import
	Go       string `json:"go"`
	Platform string `json:"platform"` // operating system/processor
	// Arithmetic tells apart what rounds differently; see arithmetic.
	Arithmetic string `json:"arithmetic"`
	// Executable is the SHA-256 of the program's file where its build does not
	// say that it was made from leontief's source alone, as it was committed; "" where
	// it does.
	Executable string `json:"executable"`
}

// ThisProgram identifies the running program.
var ThisProgram = sync.OnceValues(func() (ProgramID, error) {
	return programOf(ThisBuild())
})

func programOf(build Build) (ProgramID, error) {
	var versions strings.Builder
	for line := range strings.Lines(packages) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			versions.WriteString(path + " " + build.Modules[path] + "\n")
		}
	}
	id := ProgramID{Packages: spec.Digest([]byte(packages)), Modules: spec.Digest([]byte(versions.String())),
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Arithmetic: arithmetic()}
	if build.exact {
		return id, nil
	}
	path, err := os.Executable()
	if err != nil {
		return id, err
	}
	id.Executable, err = input.Checksum(path)
	return id, err
}

// arithmetic names by 12 hexadecimal digits how this program computes on this
// processor. The language allows x·y+z to be rounded once or twice: compilers
// round once on arm64, and on amd64 where GOAMD64 is v3 or more; [math.Exp] does
// where an amd64 processor can. The last digits of results depend on it.
func arithmetic() string {
	var text []byte
	for i := range 64 {
		x := 1 + float64(i)/7
		for _, v := range []float64{fused(x, x, -1/x), math.Exp(x), math.Log(x), math.Pow(x, 1/x), math.Sqrt(x)} {
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
		}
	}
	return spec.Digest(text)[:12]
}

// fused is x·y+z in one rounding or two, as the compiler likes.
//
//go:noinline
func fused(x, y, z float64) float64 { return x*y + z }

// short names the program by 12 hexadecimal digits.
func (p ProgramID) short() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return spec.Digest(text)[:12]
}
