//go:build slurm

package slurm

import (
	"bytes"
	"testing"

	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/machines"
)

// What a real Slurm says of its nodes, as text and as JSON, is the same cluster: one of
// three nodes is drained and left out. (scontrol has --json since Slurm 23.02; sinfo of
// the releases before has the same nodes.)
func TestNodesOfARealSlurm(t *testing.T) {
	c := newCluster(t, 3, setting{accounting: "AccountingStorageType=accounting_storage/none\nGresTypes=gpu",
		node: "CPUs=8 RealMemory=15000 Feature=ssd,rack1 Gres=gpu:v100:1"})
	c.write("gres.conf", "NodeName=n[1-3] Name=gpu Type=v100 File=/dev/null\n", 0o644)
	c.start()
	c.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=disk")
	const want = `{
  "resources": ["cpu", "mem", "gpu"],
  "units": {"cpu": "cores", "mem": "GiB", "gpu": "GPUs"},
  "servers": [
    {"name": "c8-m14.65-g1", "capacity": [8, 14.6484375, 1], "count": 2, "attributes": {"partition/main": "1", "ssd": "1"}}
  ]
}
`
	for _, command := range [][]string{{"scontrol", "show", "nodes"}, {"scontrol", "show", "nodes", "--oneliner"}, {"sinfo", "--json"}} {
		inv, err := machines.Read("nodes", []byte(c.run(command[0], command[1:]...)))
		if err != nil {
			t.Errorf("%q: %v", command, err)
			continue
		}
		classes, err := inv.Classes(machines.View{Attributes: []string{"ssd", "partition/main", "zone"}})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := cluster.WriteEnvironment(&got, classes.Environment); err != nil {
			t.Fatal(err)
		}
		if got.String() != want || inv.Report.LeftOutFor("machines", "drained") != 1 {
			t.Errorf("%q: %s%s, want %s", command, &got, &inv.Report, want)
		}
	}
}
