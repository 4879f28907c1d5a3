package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAddedFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.gwf")
	rest := strings.Repeat(" -1", 24) + "\n"
	text := "# JobID SubmitTime\n2 8 5 30 4" + rest + "1 0 5 60 2" + rest + "3 9 5 -1 2" + rest
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := importGWF(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Jobs) != 2 || found.Jobs[0].ID != "1" || found.Jobs[0].DurationUS != 60e6 || found.Jobs[1].Tasks != 4 {
		t.Errorf("jobs %+v", found.Jobs)
	}
	if n := found.Report.LeftOutFor("jobs", "no run time"); n != 1 {
		t.Errorf("%d jobs were left out: %s", n, found.Report)
	}
}
