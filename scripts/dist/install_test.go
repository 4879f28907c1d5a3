package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// From a tag go install makes a program that says the tag and has all that is embedded:
// a clone is tagged, and given to Go by a module proxy in a folder. Nothing is left of it.
func TestGoInstall(t *testing.T) {
	if os.Getenv("LEONTIEF_INSTALL") == "" {
		t.Skip("make install-test")
	}
	const tag = "v0.99.0"
	here, folder := root(t), t.TempDir()
	clone, path := filepath.Join(folder, "clone"), module.Version{Path: "github.com/leontief-sim/leontief", Version: tag}
	do(t, nil, "git", "clone", "-q", here, clone)
	do(t, nil, "git", "-C", clone, "-c", "user.name=x", "-c", "user.email=x@example.org", "tag", "-a", "-m", tag, tag)
	versions := filepath.Join(folder, "proxy", path.Path, "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(versions, tag+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	// It refuses names that some system does not allow, and leaves out nested modules.
	if err := zip.CreateFromVCS(file, path, clone, tag, ""); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": tag + "\n", tag + ".mod": string(mod), tag + ".info": `{"Version": "` + tag + `"}`} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	known := filepath.Join(strings.TrimSpace(do(t, nil, "go", "env", "GOMODCACHE")), "cache", "download")
	// With -trimpath Go takes what is in its build cache from another folder too.
	do(t, []string{"GOPATH=" + folder + "/go", "GOMODCACHE=" + folder + "/go/pkg/mod", "GOBIN=" + folder + "/bin", "GOSUMDB=off",
		"GOFLAGS=-modcacherw -trimpath", "GOPROXY=file://" + folder + "/proxy,file://" + known}, "go", "install", path.Path+"@latest")
	runAll(t, []string{folder + "/bin/leontief"}, folder, tag)
}

// do runs a command in the folder of the temporary files, with these variables too.
func do(t *testing.T, variables []string, name string, arguments ...string) string {
	t.Helper()
	cmd := exec.Command(name, arguments...)
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), variables...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, arguments, err, out)
	}
	return string(out)
}
