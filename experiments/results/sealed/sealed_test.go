package sealed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes a sealed folder with two files, and one without a seal.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "a.txt", "text")
	put(t, dir, "b.json", "{}")
	put(t, dir, TimingFile, `{"wall_seconds": 1}`)
	sums, err := Digests(dir, []string{"a.txt", "b.json", ManifestFile, TimingFile})
	if err != nil || len(sums) != 2 {
		t.Fatalf("%v, %v", err, sums)
	}
	put(t, dir, ManifestFile, string(Close([]byte(`{
  "program": "leontief", "spec": "\"seal\": \"", "complete": true,
  "files": ["a.txt", "b.json", "manifest.json", "timing.json"],
  "sha256": {"a.txt": "`+sums["a.txt"]+`", "b.json": "`+sums["b.json"]+`"},
  "seal": ""
}`))))
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Whichever byte of a sealed file is changed, the file is named.
func TestEveryByteIsSealed(t *testing.T) {
	dir := folder(t)
	if _, err := Open(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "b.json", ManifestFile} {
		path := filepath.Join(dir, name)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range was {
			changed := append([]byte(nil), was...)
			changed[i] ^= 1
			put(t, dir, name, string(changed))
			if _, err := Open(dir); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("byte %d of %s: error %v", i, name, err)
			}
		}
		put(t, dir, name, string(was)+" ")
		if _, err := Open(dir); !errors.Is(err, ErrChanged) {
			t.Errorf("%s, longer: error %v", name, err)
		}
		put(t, dir, name, string(was))
	}
	put(t, dir, TimingFile, "{}")
	if _, err := Open(dir); err != nil {
		t.Error(err)
	}
}

func TestAFileByItself(t *testing.T) {
	dir := folder(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	put(t, dir, "mine.txt", "not of the folder")
	for _, name := range []string{"a.txt", "mine.txt", TimingFile} {
		if err := CheckFile(in(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	put(t, dir, "a.txt", "TEXT")
	if err := CheckFile(in("a.txt")); !errors.Is(err, ErrChanged) || !strings.HasPrefix(err.Error(), in("a.txt")) {
		t.Errorf("error %v", err)
	}
	if err := CheckFile(in("b.json")); err != nil {
		t.Error(err)
	}
	for manifest, want := range map[string]error{`{"program": "another", "files": ["a.txt"]}`: nil, `{"program": "leontief"}`: ErrUnfinished,
		`{"program": "leontief", "complete": true, "files": ["a.txt"]}`: ErrUnsealed, `{"program": "leontief", "complete": true, "seal": "00"}`: ErrChanged} {
		put(t, dir, ManifestFile, manifest)
		if err := CheckFile(in("a.txt")); !errors.Is(err, want) {
			t.Errorf("%s: error %v", manifest, err)
		}
	}
	if err := os.Remove(in(ManifestFile)); err != nil {
		t.Fatal(err)
	}
	if err := CheckFile(in("a.txt")); err != nil {
		t.Error(err)
	}
}

// A sealed manifest reaches nothing outside its folder.
func TestAManifestStaysInItsFolder(t *testing.T) {
	dir := folder(t)
	put(t, dir, ManifestFile, string(Close([]byte(`{"program": "leontief", "complete": true, "files": ["../x"], "sha256": {"../x": "0"}, "seal": ""}`))))
	if _, err := Open(dir); !errors.Is(err, ErrChanged) || !strings.HasPrefix(err.Error(), filepath.Join(dir, ManifestFile)) {
		t.Errorf("error %v", err)
	}
}

// Whatever is in a manifest, it is one with an intact seal or an error.
func FuzzManifest(f *testing.F) {
	whole, err := os.ReadFile(filepath.Join(folder(f), ManifestFile))
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{string(whole), "{", "null", `{"program": "leontief"}`, `{"program": "leontief", "seal": "x", "seal": ""}`, `{"program": "leontief", "seal": "\u0000"}`, `{"files": 3}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse("manifest.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "manifest.json: ") {
				t.Errorf("%q: error %v", data, err)
			}
			return
		}
		if len(m.Seal) != 64 || m.Program != program {
			t.Errorf("%q is taken for sealed: %+v", data, m)
		}
	})
}
