package tsfer

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/results"
)

// The ledger, and what export, plot and report make of the table, print the same
// mean and the same interval for the same number, to the last digit.
func TestTheLedgerAndTheTablesHaveTheSameIntervals(t *testing.T) {
	r := papers.Request{Items: []string{"table3"}, Seed: 3, Instances: 7}
	found := reproduce(t, r, 2)
	cells, err := results.Summarize(found.Tables["table3"].Rows())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := results.WriteCells(&text, cells); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for k, name := range lines[0] {
		column[name] = k
	}
	exported := map[string]string{}
	for _, line := range lines[1:] {
		if line[column["metric"]] == results.MetricJCTFactor {
			id := fmt.Sprintf("table3/%s/n=%s,rho=%s,bw=%s", line[column["policy"]], line[column["n"]], line[column["rho"]], line[column["bandwidth_mhz"]])
			exported[id] = strings.Join([]string{line[column["mean"]], line[column["low"]], line[column["high"]], line[column["instances"]]}, " ")
		}
	}
	compared := 0
	for _, e := range found.Ledger.Entries {
		want, ok := exported[e.ID]
		if !ok {
			continue
		}
		compared++
		if got := fmt.Sprint(*e.Ours, *e.Low, *e.High, e.Instances); got != want {
			t.Errorf("%s: the ledger has %s, the exported table %s", e.ID, got, want)
		}
	}
	if compared != 7*3 {
		t.Errorf("%d numbers compared, want those of 7 columns and 3 rules", compared)
	}
}
