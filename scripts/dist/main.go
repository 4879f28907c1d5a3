// Dist builds what people without Go install: an archive for each operating system and
// processor, Python wheels with the program inside, and SHA256SUMS.
//
//	go run ./scripts/dist -out out/dist
//
// The same commit, Go release and Python give the same bytes again: every time in a file
// is that of the commit. The version is the one that Go stamps from the git tag.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// platform is an operating system and processor, and what Python calls it.
type platform struct{ os, arch, wheel string }

// platforms are those that are built. The programs are static, hence both tags of Linux;
// Go 1.26 needs macOS 12.
var platforms = []platform{
	{"linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win_amd64"},
	{"windows", "arm64", "win_arm64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// program is the name of its program.
func (p platform) program() string {
	if p.os == "windows" {
		return "leontief.exe"
	}
	return "leontief"
}

func main() {
	out := flag.String("out", "out/dist", "the `folder` for the files; what is in it is removed")
	python := flag.String("python", "/usr/bin/python3", "the Python, with setuptools and wheel, that makes the wheels; \"\" for none")
	only := flag.String("only", "", "one `platform` (linux/amd64) instead of all; host: this one")
	flag.Parse()
	if *only == "host" {
		*only = runtime.GOOS + "/" + runtime.GOARCH
	}
	if err := run(*out, *python, *only); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(out, python, only string) error {
	wanted := slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool { return only != "" && p.String() != only })
	if len(wanted) == 0 {
		return fmt.Errorf("%s is none of %v", only, platforms)
	}
	if python != "" {
		if err := checkPython(python); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "leontief-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	files := map[string][]byte{}
	if err := makeAll(files, wanted, python, work); err != nil {
		return err
	}
	files["SHA256SUMS"] = sums(files)
	return write(out, files)
}

// makeAll makes the files of all platforms.
func makeAll(files map[string][]byte, wanted []platform, python, work string) error {
	var r release
	for _, p := range wanted {
		built, err := build(p, filepath.Join(work, p.os+"_"+p.arch))
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if r, err = releaseOf(built.info); err != nil {
			return err
		}
		fmt.Printf("%-14s %s, %.0f MB\n", p, r.version, float64(len(built.program))/1e6)
		contents, err := contentsOf(p, r, built)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("leontief_%s_%s_%s", strings.TrimPrefix(r.version, "v"), p.os, p.arch)
		if p.os == "windows" {
			files[name+".zip"], err = zipped(name, contents, r.time)
		} else {
			files[name+".tar.gz"], err = tarred(name, contents, r.time)
		}
		if err == nil && python != "" {
			err = wheel(files, python, p.wheel, r, contents, work)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if python == "" {
		fmt.Println("no wheels: no Python was named")
		return nil
	}
	return source(files, python, r, work)
}

// release is what the stamp of a program says.
type release struct {
	version string // v1.2.3, or Go's pseudo-version of a commit without a tag, or devel
	time    time.Time
}

func releaseOf(info *buildinfo.BuildInfo) (release, error) {
	r := release{version: cmp.Or(strings.Trim(info.Main.Version, "()"), "devel"), time: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			t, err := time.Parse(time.RFC3339, s.Value)
			if err != nil {
				return r, err
			}
			r.time = t.UTC()
		}
	}
	return r, nil
}

// sums lists the SHA-256 of files as sha256sum does.
func sums(files map[string][]byte) []byte {
	var text bytes.Buffer
	for _, name := range sorted(files) {
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return text.Bytes()
}

// write puts the files into a folder, in the place of what is there.
func write(folder string, files map[string][]byte) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, name := range sorted(files) {
		if err := os.WriteFile(filepath.Join(folder, name), files[name], 0o644); err != nil {
			return err
		}
		fmt.Printf("%6.1f MB  %s\n", float64(len(files[name]))/1e6, filepath.Join(folder, name))
	}
	return nil
}
