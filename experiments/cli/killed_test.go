//go:build unix

package cli

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// finished returns the files of a result folder but those that say how long
// things took or who was there.
func finished(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "timing.json" || d.Name() == ".lock" {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A reproduction that is killed again and again ends with the bytes of an
// undisturbed one.
func TestKilledReproduction(t *testing.T) {
	dir := t.TempDir()
	args := []string{"reproduce", "tsf-er", "--item", "table3,fig3", "--instances", "2", "--progress", "none", "--out"}
	begin := time.Now()
	cmd, messages := leontief(t, dir, append(args, "alone")...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, messages)
	}
	whole := time.Since(begin)
	rng := rand.New(rand.NewPCG(3, 4))
	for kills := 0; kills < 6; {
		cmd, messages = leontief(t, dir, append(args, "out")...)
		time.Sleep(time.Duration(rng.Int64N(int64(whole))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		switch cmd.ProcessState.ExitCode() {
		case -1:
			kills++
		case statusOK: // it was faster; the next one begins anew
			whole = max(whole/2, 1)
			if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("%v: %s", cmd.ProcessState, messages)
		}
	}
	cmd, messages = leontief(t, dir, append(args, "out")...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, messages)
	}
	want, got := finished(t, filepath.Join(dir, "alone")), finished(t, filepath.Join(dir, "out"))
	for name, data := range want {
		if !bytes.Equal(data, got[name]) {
			t.Errorf("%s has other bytes", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}
