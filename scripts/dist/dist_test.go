package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":                               "1.2.3",
		"v0.2.0-rc.1":                          "0.2.0rc1",
		"v0.0.0-20261122150000-65a8e5dabcde":   "0.0.0.dev20261122150000+g65a8e5dabcde",
		"v0.2.1-0.20261122150000-65a8e5dabcde": "0.2.1.dev20261122150000+g65a8e5dabcde",
		"v0.2.0-rc.1.0.20261122150000-65a8e5dabcde+dirty": "0.2.0.dev20261122150000+g65a8e5dabcde.dirty",
		"v0.2.0+dirty": "0.2.0+dirty",
		"devel":        "0.0.0.dev0",
	} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s is %s, want %s", version, got, want)
		}
	}
}

// An archive holds what it was made of, the same bytes again, and programs may be run.
func TestArchives(t *testing.T) {
	files, at := map[string][]byte{"leontief": []byte("\x7fELF"), "LICENSE": []byte("Apache")}, time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	for name, pack := range map[string]func(string, map[string][]byte, time.Time) ([]byte, error){"tar": tarred, "zip": zipped} {
		one, err := pack("folder", files, at)
		two, err2 := pack("folder", maps.Clone(files), at)
		if err != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Errorf("%s: %v, %v, or other bytes", name, err, err2)
		}
		back, err := unpacked(name, one)
		if err != nil || !maps.EqualFunc(back, files, bytes.Equal) {
			t.Errorf("%s: %q, %v", name, back, err)
		}
	}
}

// unpacked reads the files of an archive by its name's ending.
func unpacked(name string, data []byte) (map[string][]byte, error) {
	if !strings.HasSuffix(name, "zip") {
		return untarred(data)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range r.File {
		file, err := f.Open()
		if err != nil {
			return nil, err
		}
		_, name, _ := strings.Cut(f.Name, "/")
		if files[name], err = io.ReadAll(file); err != nil {
			return nil, err
		}
	}
	return files, nil
}

const twoUsers = `{"resources": ["cpu"], "servers": [{"name": "s", "capacity": [4]}],
 "users": [{"name": "a", "demand": [1]}, {"name": "b", "demand": [1]}]}`

// What is made for this machine is the same bytes twice; its program runs; and its wheel
// is installed without a network, and brings module, program and command.
func TestThisMachine(t *testing.T) {
	if os.Getenv("LEONTIEF_DIST") == "" {
		t.Skip("make dist-test: it compiles leontief twice")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("the files of the Python package are those that git knows, and there is no git")
	}
	t.Chdir("../..")
	python := "/usr/bin/python3"
	if err := checkPython(python); err != nil {
		t.Logf("without wheels: %v", err)
		python = ""
	}
	var made [2]map[string][]byte
	for i := range made {
		out := t.TempDir()
		if err := run(out, python, runtime.GOOS+"/"+runtime.GOARCH); err != nil {
			t.Fatal(err)
		}
		made[i] = read(t, out)
	}
	for name := range made[0] {
		if !bytes.Equal(made[0][name], made[1][name]) {
			t.Errorf("%s is other bytes the second time", name)
		}
	}
	checkSums(t, made[0])
	for name, data := range made[0] {
		if strings.HasPrefix(name, "leontief_") {
			try(t, name, data)
		}
	}
	if python != "" {
		tryWheel(t, python, made[0])
	}
}

func read(t *testing.T, folder string) map[string][]byte {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// checkSums asks that SHA256SUMS names each file with its sum, and no other.
func checkSums(t *testing.T, files map[string][]byte) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(string(files["SHA256SUMS"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if data, ok := files[name]; !ok || fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			t.Errorf("SHA256SUMS is not right of %q", name)
		}
		lines++
	}
	if lines != len(files)-1 {
		t.Errorf("SHA256SUMS has %d lines for %d files", lines, len(files)-1)
	}
}

// try runs the program of an archive, as far as that can be done here, and returns what
// it has written, by file; nil where it can not be run.
func try(t *testing.T, archive string, data []byte) map[string][]byte {
	t.Helper()
	files, err := unpacked(archive, data)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(archive, ".tar.gz"), ".zip"), "_")
	version, platformName, _ := strings.Cut(rest, "_")
	goos, arch, _ := strings.Cut(platformName, "_")
	p := platform{os: goos, arch: arch}
	inside, err := buildinfo.Read(bytes.NewReader(files[p.program()]))
	if err != nil {
		t.Fatalf("%s: %v", archive, err)
	}
	if r, err := releaseOf(inside); err != nil || strings.TrimPrefix(r.version, "v") != version {
		t.Errorf("%s has version %s, %v", archive, r.version, err)
	}
	if goos == "linux" {
		checkStatic(t, archive, files[p.program()])
	}
	folder := t.TempDir()
	program := filepath.Join(folder, p.program())
	if err := os.WriteFile(program, files[p.program()], 0o755); err != nil {
		t.Fatal(err)
	}
	command := runner(p)
	if command == nil {
		t.Logf("%s: version %s inside; not run: no %s here", archive, version, p)
		return nil
	}
	return runAll(t, append(command, program), folder, version)
}

// checkStatic asks that a program needs no library.
func checkStatic(t *testing.T, name string, program []byte) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s is not static", name)
		}
	}
}

// runner is what programs of a platform are run by here; nil if they can not be.
func runner(p platform) []string {
	if p.os == runtime.GOOS && p.arch == runtime.GOARCH {
		return []string{}
	}
	emulator := map[string]string{"linux/arm64": "qemu-aarch64-static", "windows/amd64": "wine"}[p.String()]
	if runtime.GOOS != "linux" || emulator == "" {
		return nil
	}
	path, err := exec.LookPath(emulator)
	if err != nil {
		return nil
	}
	if emulator == "wine" && exec.Command(path, "cmd", "/c", "if not exist C:\\windows\\system32\\bcryptprimitives.dll exit 1").Run() != nil {
		return nil // Wine before 9: Go's programs do not start
	}
	return []string{path}
}

// runAll asks a program for its version, an allocation and a replay, and returns the
// tables of the replay and what it said.
func runAll(t *testing.T, command []string, folder, version string) map[string][]byte {
	t.Helper()
	said := func(arguments ...string) []byte {
		cmd := exec.Command(command[0], append(command[1:], arguments...)...)
		cmd.Dir, cmd.Stdin, cmd.Env = folder, strings.NewReader(twoUsers), append(os.Environ(), "WINEDEBUG=-all")
		var errors bytes.Buffer
		cmd.Stderr = &errors
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v %v: %v\n%s", command, arguments, err, errors.Bytes())
		}
		return bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n"))
	}
	if out := said("version"); !strings.Contains(string(out), version) {
		t.Errorf("%v version says %s", command, out)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("two.json", twoUsers)
	cluster, err := os.ReadFile(root(t) + "/docs/examples/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	write("cluster.json", string(cluster))
	files := map[string][]byte{"allocation": said("allocate", "two.json", "--policy", "tsf-er,mnw,ru", "--format", "json")}
	if !bytes.Contains(files["allocation"], []byte(`"tasks": 2,`)) {
		t.Errorf("%v allocates %s", command, files["allocation"])
	}
	files["summary"] = said("simulate", "--workload", "fitted", "--jobs", "30", "--cluster", "cluster.json",
		"--policies", "tsf-er,mnw,drf-er", "--progress", "none", "--out", "results")
	for name, data := range read(t, filepath.Join(folder, "results")) {
		if strings.HasSuffix(name, ".parquet") {
			files[name] = data
		}
	}
	return files
}

func root(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// tryWheel installs the wheel of this machine into a new environment, without a network.
func tryWheel(t *testing.T, python string, files map[string][]byte) {
	folder := t.TempDir()
	wheel := ""
	for name, data := range files {
		if strings.HasSuffix(name, ".whl") && !strings.HasSuffix(name, "-any.whl") {
			wheel = filepath.Join(folder, name)
			if err := os.WriteFile(wheel, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if out, err := exec.Command(python, "-m", "venv", folder+"/venv").CombinedOutput(); err != nil {
		t.Skipf("no virtual environment can be made (apt-get install python3-venv): %s", out)
	}
	do := func(name string, arguments ...string) string {
		t.Helper()
		cmd := exec.Command(folder+"/venv/bin/"+name, arguments...)
		cmd.Dir, cmd.Env = folder, []string{"PATH=" + folder + "/venv/bin:/usr/bin:/bin", "HOME=" + folder}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, arguments, err, out)
		}
		return string(out)
	}
	do("pip", "install", "--no-index", wheel)
	if got := do("python", "-c", "import leontief; print(leontief.allocate("+twoUsers+", 'tsf-er')['users'][0]['tasks'], leontief.binary())"); !strings.HasPrefix(got, "2") || !strings.Contains(got, folder) {
		t.Errorf("leontief.allocate gives %s", got)
	}
	if got := do("leontief", "version"); !strings.HasPrefix(got, "leontief ") {
		t.Errorf("the command says %s", got)
	}
}

// What make dist has made, in the folder that LEONTIEF_DIST names: sums, versions, and
// the same results wherever a program can be run.
func TestDist(t *testing.T) {
	folder := os.Getenv("LEONTIEF_DIST")
	if folder == "" {
		t.Skip("make dist-test names the folder")
	}
	files := read(t, folder)
	checkSums(t, files)
	tried := map[string]map[string][]byte{}
	for _, p := range platforms {
		for name, data := range files {
			if strings.HasPrefix(name, "leontief_") && strings.Contains(name, "_"+p.os+"_"+p.arch+".") {
				tried[p.String()] = try(t, name, data)
			}
		}
		if _, there := tried[p.String()]; !there {
			t.Errorf("there is no archive for %s", p)
		}
	}
	ours := tried[runtime.GOOS+"/"+runtime.GOARCH]
	for p, theirs := range tried {
		for name := range theirs {
			t.Logf("%s %s: the same bytes as here: %v", p, name, bytes.Equal(theirs[name], ours[name]))
			if !strings.HasSuffix(p, runtime.GOARCH) && name != "completions.parquet" {
				continue // splits that are not unique differ in their last digits: docs/limits.md
			}
			if !bytes.Equal(theirs[name], ours[name]) && name != "summary" {
				t.Errorf("%s gives other bytes in %s", p, name)
			}
		}
	}
	if wheels := wheelsOf(files, runtime.GOOS, runtime.GOARCH); len(wheels) > 0 {
		tryWheel(t, "/usr/bin/python3", wheels)
	} else {
		t.Log("no wheel of this machine is there, and none is tried")
	}
}

// wheelsOf are the wheels for a platform.
func wheelsOf(files map[string][]byte, goos, arch string) map[string][]byte {
	of := map[string][]byte{}
	for _, p := range platforms {
		for name, data := range files {
			if p.os == goos && p.arch == arch && strings.HasSuffix(name, p.wheel+".whl") {
				of[name] = data
			}
		}
	}
	return of
}
