package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leontief-sim/leontief/traces"
)

// Every format has all that its help needs, and imports of one know nothing of the
// options of another.
func TestFormatsAreWhole(t *testing.T) {
	for _, f := range All() {
		if f.Name == "" || f.Title == "" || f.About == "" || f.Example == "" || f.Input == "" || f.What == "" {
			t.Errorf("%s: something of its help is missing: %+v", f.Name, f)
		}
		options, read := f.New()
		again, _ := f.New()
		for i, o := range options {
			if o.Name == "" || o.Usage == "" || o.Value == again[i].Value {
				t.Errorf("%s: --%s: %q, in common: %t", f.Name, o.Name, o.Usage, o.Value == again[i].Value)
			}
		}
		if _, err := read(filepath.Join(t.TempDir(), "absent")); err == nil || !strings.Contains(err.Error(), "absent") {
			t.Errorf("%s: a path that is not there: %v", f.Name, err)
		}
	}
}

// What an option is set to reaches the import: seven pods, two of them in the
// window that is asked for.
func TestOptionsReachTheImport(t *testing.T) {
	dir := t.TempDir()
	pods := "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
	for _, at := range []string{"0", "1", "2", "3", "4", "5", "6"} {
		pods += "p" + at + ",12000,16384,1,460,,LS,Running," + at + ",500,150\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.csv"), []byte(pods), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range All() {
		if f.Name != "alibaba-gpu2023" {
			continue
		}
		options, read := f.New()
		for _, o := range options {
			switch o.Name {
			case "from":
				*o.Value.(*time.Duration) = 2 * time.Second
			case "to":
				*o.Value.(*time.Duration) = 4 * time.Second
			case "pods":
				*o.Value.(*string) = "mine"
			}
		}
		found, err := read(dir)
		if err != nil || len(found.Jobs) != 2 || found.Jobs[0].ID != "p2" || found.NoMachines == "" {
			t.Errorf("%v: %+v", err, found)
		}
		return
	}
	t.Error("no format alibaba-gpu2023")
}

func TestANameIsTakenOnce(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two formats of one name")
		}
	}()
	Register(Format{Name: "google1", New: func() ([]Option, Import) {
		return nil, func(string) (*traces.Imported, error) { return nil, nil }
	}})
}
