package machines

import (
	"fmt"
	"regexp"
	"strings"
)

// scontrolKey finds where a key of scontrol's text begins.
var scontrolKey = regexp.MustCompile(`(?:^|\s)([A-Za-z_]+)=`)

// readScontrol reads the text of scontrol show nodes, with or without --oneliner.
func readScontrol(name string, data []byte) (*Inventory, error) {
	records := strings.Split("\n"+strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")), "\nNodeName=")[1:]
	inv := newSlurm(name, len(records))
	seen := map[string]bool{}
	for i, record := range records {
		node, err := scontrolNode("NodeName=" + record)
		if err == nil {
			err = inv.slurm(node, seen)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: node %d: %w", name, i+1, err)
		}
	}
	return inv, nil
}

// scontrolNode reads one record: keys and values, some of which have blanks in them.
func scontrolNode(record string) (*slurmNode, error) {
	values := map[string]string{}
	keys := scontrolKey.FindAllStringSubmatchIndex(record, -1)
	for k, at := range keys {
		end := len(record)
		if k+1 < len(keys) {
			end = keys[k+1][0]
		}
		if key := record[at[2]:at[3]]; values[key] == "" { // a reason, the last key, is free text
			values[key] = strings.TrimSpace(record[at[1]:end])
		}
	}
	node := &slurmNode{Name: values["NodeName"], Gres: values["Gres"], State: slurmWords{values["State"]},
		Features: words(values["AvailableFeatures"]), ActiveFeatures: words(values["ActiveFeatures"]), Partitions: words(values["Partitions"])}
	for key, number := range map[string]*slurmNumber{"CPUTot": &node.CPUs, "CPUEfctv": &node.EffectiveCPUs, "RealMemory": &node.RealMemory, "MemSpecLimit": &node.SystemMemory} {
		if text := values[key]; text != "" {
			if err := number.UnmarshalJSON([]byte(text)); err != nil {
				return nil, fmt.Errorf("node %q: %s: %w", node.Name, key, err)
			}
		}
	}
	return node, nil
}
