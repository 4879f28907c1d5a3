package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// pythonPackage is where the Python package is.
const pythonPackage = "scripts/python"

// checkPython tells what is missing to make wheels.
func checkPython(python string) error {
	if out, err := exec.Command(python, "-c", "import setuptools, wheel").CombinedOutput(); err != nil {
		return fmt.Errorf("%s has no setuptools and wheel: apt-get install python3-setuptools python3-wheel, or make dist PYTHON= for no wheels\n%s", python, out)
	}
	return nil
}

// pseudo is the version that Go gives a commit without a tag of its own: a base, the
// time, the commit.
var pseudo = regexp.MustCompile(`^(\d+\.\d+\.\d+)-(?:0\.|[0-9A-Za-z.]+\.0\.)?(\d{14})-([0-9a-f]{12})$`)

// candidate is a version that comes before another: 1.2.3-rc.1.
var candidate = regexp.MustCompile(`^(\d+\.\d+\.\d+)-(alpha|beta|rc)\.?(\d+)$`)

// pythonVersion writes a version of Go's as PEP 440 wants it.
func pythonVersion(version string) string {
	version, dirty := strings.CutSuffix(strings.TrimPrefix(version, "v"), "+dirty")
	local := ""
	if m := pseudo.FindStringSubmatch(version); m != nil {
		version, local = m[1]+".dev"+m[2], "g"+m[3]
	} else if m := candidate.FindStringSubmatch(version); m != nil {
		version = m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3]
	} else if version == "devel" {
		version = "0.0.0.dev0"
	}
	if dirty {
		local = strings.TrimPrefix(local+".dirty", ".")
	}
	if local != "" {
		version += "+" + local
	}
	return version
}

// stage copies the Python package, with its version and with what a wheel of one
// platform has beside it.
func stage(folder string, r release, contents map[string][]byte) error {
	tracked, err := exec.Command("git", "ls-files", "--", pythonPackage+"/leontief", pythonPackage+"/pyproject.toml",
		pythonPackage+"/setup.py", pythonPackage+"/README.md").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	files := map[string][]byte{}
	for name := range strings.Lines(string(tracked)) {
		name = strings.TrimSpace(name)
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[strings.TrimPrefix(name, pythonPackage+"/")] = data
	}
	const mine = "leontief/__init__.py"
	line := regexp.MustCompile(`(?m)^__version__ = ".*"$`)
	if len(line.FindAll(files[mine], -1)) != 1 {
		return fmt.Errorf("%s has not one __version__", mine)
	}
	files[mine] = line.ReplaceAll(files[mine], []byte(`__version__ = "`+pythonVersion(r.version)+`"`))
	if files["LICENSE"], err = os.ReadFile("LICENSE"); err != nil {
		return err
	}
	for name, data := range contents {
		if modeOf(name) == 0o755 {
			name = "leontief/bin/" + name
		}
		if name != "README.txt" {
			files[name] = data
		}
	}
	for _, name := range sorted(files) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, files[name], os.FileMode(modeOf(name))); err != nil {
			return err
		}
		if err := os.Chmod(path, os.FileMode(modeOf(name))); err != nil { // whatever the umask
			return err
		}
	}
	return nil
}

// setuptools has setuptools make a file (wheel or sdist) of the package in a folder.
func setuptools(python, what, folder, tag string, r release) (name string, data []byte, err error) {
	made := filepath.Join(folder, "made")
	if err := os.Mkdir(made, 0o755); err != nil {
		return "", nil, err
	}
	cmd := exec.Command(python, "-c", "from setuptools import build_meta; build_meta.build_"+what+"('made')")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "LEONTIEF_WHEEL="+tag, fmt.Sprint("SOURCE_DATE_EPOCH=", r.time.Unix()), "PYTHONDONTWRITEBYTECODE=1", "TZ=UTC")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("setuptools: %w\n%s", err, out)
	}
	entries, err := os.ReadDir(made)
	if err != nil || len(entries) != 1 {
		return "", nil, fmt.Errorf("setuptools made %d files: %w", len(entries), err)
	}
	data, err = os.ReadFile(filepath.Join(made, entries[0].Name()))
	return entries[0].Name(), data, err
}

// wheel makes the wheel of a platform.
func wheel(files map[string][]byte, python, tag string, r release, contents map[string][]byte, work string) error {
	folder, err := os.MkdirTemp(work, "wheel-")
	if err == nil {
		err = stage(folder, r, contents)
	}
	if err != nil {
		return err
	}
	name, data, err := setuptools(python, "wheel", folder, tag, r)
	files[name] = data
	return err
}

// source makes what has no program in it: a wheel for any platform and an sdist.
func source(files map[string][]byte, python string, r release, work string) error {
	if err := wheel(files, python, "", r, nil, work); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(work, "sdist-")
	if err == nil {
		err = stage(folder, r, nil)
	}
	if err != nil {
		return err
	}
	name, data, err := setuptools(python, "sdist", folder, "", r)
	if err != nil {
		return err
	}
	contents, err := untarred(data) // it has the times of this run
	if err == nil {
		files[name], err = tarred(strings.TrimSuffix(name, ".tar.gz"), contents, r.time)
	}
	return err
}
