package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// built is a program and what it says of itself.
type built struct {
	program []byte
	info    *buildinfo.BuildInfo
}

// build compiles the program of a platform.
func build(p platform, folder string) (built, error) {
	path := filepath.Join(folder, p.program())
	arguments := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", path}
	if exec.Command("git", "describe", "--always").Run() == nil {
		arguments = append(arguments, "-buildvcs=true")
	}
	if p.arch != "amd64" {
		// x·y+z rounded twice, as on amd64: results are the same there.
		arguments = append(arguments, "-gcflags=all=-d=fmahash=qn")
	}
	cmd := exec.Command("go", append(arguments, ".")...)
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return built{}, fmt.Errorf("go build: %w\n%s", err, out)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return built{}, err
	}
	info, err := buildinfo.Read(bytes.NewReader(program))
	return built{program, info}, err
}

// contentsOf are the files for a platform, by name.
func contentsOf(p platform, r release, b built) (map[string][]byte, error) {
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	others, err := othersLicences(b.info)
	return map[string][]byte{
		p.program():           b.program,
		"LICENSE":             licence,
		"LICENSES-OTHERS.txt": others,
		"README.txt":          fmt.Appendf(nil, readme, r.version, p, p.program()),
	}, err
}

const readme = `leontief %s for %s

Trace-driven simulation of fair multi-resource allocation. %s is the
whole program: put it into a folder of your PATH.

  leontief version
  leontief simulate --help
  leontief reproduce tsf-er --out out/tsf-er

Documentation: https://github.com/leontief-sim/leontief
LICENSE is leontief's, LICENSES-OTHERS.txt those of the modules in the program.
`

// othersLicences are the licences of Go and of the modules in a program, as they ask for.
func othersLicences(info *buildinfo.BuildInfo) ([]byte, error) {
	var text bytes.Buffer
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	if err := appendLicences(&text, "Go "+info.GoVersion, strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	for _, module := range info.Deps {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module.Path).Output()
		if err != nil {
			return nil, fmt.Errorf("go list -m %s: %w", module.Path, err)
		}
		if err := appendLicences(&text, module.Path+" "+module.Version, strings.TrimSpace(string(dir))); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// appendLicences appends the licence and the notice in a folder, or the README that has
// them.
func appendLicences(text *bytes.Buffer, title, folder string) error {
	var found []string
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*", "NOTICE*"} {
		names, _ := filepath.Glob(filepath.Join(folder, pattern))
		found = append(found, names...)
	}
	if len(found) == 0 {
		found, _ = filepath.Glob(filepath.Join(folder, "README*"))
	}
	if len(found) == 0 {
		return fmt.Errorf("%s has no licence in %s", title, folder)
	}
	fmt.Fprintf(text, "# %s\n", title)
	for _, name := range found {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "\n%s\n", bytes.TrimSpace(data))
	}
	text.WriteString("\n")
	return nil
}

func sorted(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }
