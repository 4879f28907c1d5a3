package tracetest

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folder writes files of a trace, each text by its name, in which / stands for folders,
// and returns their folder. What ends in .gz is packed.
func Folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			data = Packed(t, data)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// File writes one file as [Folder] does, and returns its path.
func File(t *testing.T, name, text string) string {
	t.Helper()
	return filepath.Join(Folder(t, map[string]string{name: text}), filepath.FromSlash(name))
}

// Packed packs data by gzip.
func Packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// AtHand returns a file or folder of the published traces, or skips the test where it is
// not there. They are looked for in $LEONTIEF_TRACES and beside the module, seen from a
// package in a folder below traces.
func AtHand(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(PublishedDir(), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s of the published traces is not at hand (LEONTIEF_TRACES)", name)
	}
	return path
}

// PublishedDir is where [AtHand] looks.
func PublishedDir() string {
	if dir := os.Getenv("LEONTIEF_TRACES"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "traces")
}
