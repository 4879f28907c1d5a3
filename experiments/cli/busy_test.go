package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/experiments/store"
)

// No command writes into a folder while another process works there, and every
// command that has waited for it does.
func TestFolderInUse(t *testing.T) {
	defer func(before time.Duration) { waitToWrite = before }(waitToWrite)
	dir := t.TempDir()
	file := filepath.Join(dir, "cluster.json")
	const three = `{"resources": ["cpu", "mem"], "servers": [{"name": "s", "capacity": [1, 1], "count": 3}]}`
	if err := os.WriteFile(file, []byte(three), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"simulate": {"simulate", "--workload", "fitted", "--jobs", "5", "--cluster", file, "--policies", "drf"},
		"audit":    {"audit", "drf", "--property", "EF", "--environments", "1"},
	} {
		out := filepath.Join(dir, name)
		lock, err := store.LockFolder(context.Background(), out, 0)
		if err != nil {
			t.Fatal(err)
		}
		run := func() (int, string) {
			var said bytes.Buffer
			return Main(append(args, "--progress", "none", "--out", out), Streams{In: strings.NewReader(""), Out: &said, Err: &said}), said.String()
		}
		waitToWrite = 0
		status, said := run()
		if files, err := os.ReadDir(out); status != statusInput || !strings.Contains(said, "in use by process") || err != nil || len(files) != 1 {
			t.Errorf("%s: status %d, %v, %v: %s", name, status, files, err, said)
		}
		waitToWrite = time.Minute
		time.AfterFunc(50*time.Millisecond, func() { lock.Close() })
		status, said = run()
		if _, err := os.Stat(filepath.Join(out, store.ManifestFile)); status != statusOK || err != nil {
			t.Errorf("%s: status %d, %v: %s", name, status, err, said)
		}
	}
}
