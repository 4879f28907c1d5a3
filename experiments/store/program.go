package store

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"runtime"
	"sync"

	"github.com/leontief-sim/leontief/experiments/spec"
)

// ProgramID tells one program from another as far as results may depend on it.
// Results of programs of different ids are never mixed.
type ProgramID struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"` // operating system/processor
	Modules  string `json:"modules"`  // SHA-256 of the versions of all dependencies
	// Arithmetic tells apart what rounds differently; see arithmetic. "" in the
	// results of versions that did not look.
	Arithmetic string `json:"arithmetic,omitempty"`
	// Executable is the SHA-256 of the program's file where its build does not
	// say which source it was made from; "" where it does.
	Executable string `json:"executable"`
}

// ThisProgram identifies the running program.
var ThisProgram = sync.OnceValues(func() (ProgramID, error) {
	build := ThisBuild()
	modules, err := json.Marshal(build.Modules) // in order of name
	if err != nil {
		return ProgramID{}, err
	}
	id := ProgramID{Version: build.Version, Commit: build.Commit, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Modules: spec.Digest(modules), Arithmetic: arithmetic()}
	if build.identified() {
		return id, nil
	}
	path, err := os.Executable()
	if err != nil {
		return id, err
	}
	id.Executable, err = spec.Checksum(path)
	return id, err
})

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
