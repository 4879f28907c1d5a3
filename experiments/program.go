package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"runtime"
	"sync"
)

// ProgramID tells one program from another as far as results may depend on it.
// Results of programs of different ids are never mixed.
type ProgramID struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"` // operating system/processor
	Modules  string `json:"modules"`  // SHA-256 of the versions of all dependencies
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
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Modules: digest(modules)}
	if build.identified() {
		return id, nil
	}
	path, err := os.Executable()
	if err != nil {
		return id, err
	}
	id.Executable, err = checksum(path)
	return id, err
})

// short names the program by 12 hexadecimal digits.
func (p ProgramID) short() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return digest(text)[:12]
}

// digest returns the SHA-256 of data in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
