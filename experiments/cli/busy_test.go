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

// No command writes into a folder while another process works there. One that has
// computed everything before it writes waits for the folder; one that keeps what it
// has as it goes takes the folder first, and asks for it again when it is run again.
func TestFolderInUse(t *testing.T) {
	defer func(before time.Duration) { waitToWrite = before }(waitToWrite)
	dir := t.TempDir()
	file := filepath.Join(dir, "cluster.json")
	const three = `{"resources": ["cpu", "mem"], "servers": [{"name": "s", "capacity": [1, 1], "count": 3}]}`
	if err := os.WriteFile(file, []byte(three), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string]struct {
		args  []string
		waits bool
	}{
		"simulate": {[]string{"simulate", "--workload", "fitted", "--jobs", "5", "--cluster", file, "--policies", "drf"}, true},
		"audit":    {[]string{"audit", "drf", "--property", "EF", "--environments", "1"}, false},
	} {
		out := filepath.Join(dir, name)
		lock, err := store.LockFolder(context.Background(), out, 0)
		if err != nil {
			t.Fatal(err)
		}
		run := func() (int, string) {
			var said bytes.Buffer
			return Main(append(command.args, "--progress", "none", "--out", out), Streams{In: strings.NewReader(""), Out: &said, Err: &said}), said.String()
		}
		waitToWrite = 0
		status, said := run()
		if files, err := os.ReadDir(out); status != statusInput || !strings.Contains(said, "in use by process") || err != nil || len(files) != 1 {
			t.Errorf("%s: status %d, %v, %v: %s", name, status, files, err, said)
		}
		waitToWrite = time.Minute
		if command.waits {
			time.AfterFunc(50*time.Millisecond, func() { lock.Close() })
		} else if status, said := run(); status != statusInput || !strings.Contains(said, "in use by process") {
			t.Errorf("%s with time to wait: status %d: %s", name, status, said)
		} else if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		status, said = run()
		if _, err := os.Stat(filepath.Join(out, store.ManifestFile)); status != statusOK || err != nil {
			t.Errorf("%s: status %d, %v: %s", name, status, err, said)
		}
	}
}
