package machines

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// slurmNode is what is read of a node of Slurm. Layouts differ between releases: numbers
// may be objects {"set", "infinite", "number"}, lists of words texts with commas.
type slurmNode struct {
	Name           string      `json:"name"`
	CPUs           slurmNumber `json:"cpus"`
	EffectiveCPUs  slurmNumber `json:"effective_cpus"`
	RealMemory     slurmNumber `json:"real_memory"`        // MiB
	SystemMemory   slurmNumber `json:"specialized_memory"` // MiB, of RealMemory
	Gres           string      `json:"gres"`
	Features       slurmWords  `json:"features"`
	ActiveFeatures slurmWords  `json:"active_features"`
	Partitions     slurmWords  `json:"partitions"`
	State          slurmWords  `json:"state"`
	StateFlags     slurmWords  `json:"state_flags"`
}

// slurmNumber is a number that may not be set.
type slurmNumber struct {
	set   bool
	value int64
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *slurmNumber) UnmarshalJSON(data []byte) error {
	var object struct {
		Set, Infinite bool
		Number        json.Number
	}
	switch {
	case string(data) == "null":
		return nil
	case data[0] == '{':
		if err := json.Unmarshal(data, &object); err != nil {
			return err
		}
		if !object.Set {
			return nil
		}
		if object.Infinite {
			return errors.New("infinite")
		}
		data = []byte(object.Number)
	}
	value, err := strconv.ParseInt(strings.Trim(string(data), `"`), 10, 64)
	if err != nil || value < 0 {
		return fmt.Errorf("%s is not a whole number from 0", data)
	}
	n.set, n.value = true, value
	return nil
}

// slurmWords is a list of words.
type slurmWords []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *slurmWords) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		return json.Unmarshal(data, (*[]string)(w))
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*w = words(text)
	return nil
}

// words splits a text of Slurm's at commas.
func words(text string) []string {
	return slices.DeleteFunc(strings.Split(text, ","), func(word string) bool { return word == "" || word == "(null)" })
}

// readSlurm reads the nodes of scontrol's, or of an older sinfo's, JSON.
func readSlurm(name string, data []byte) (*Inventory, error) {
	var list struct {
		Nodes []json.RawMessage `json:"nodes"`
		Sinfo json.RawMessage   `json:"sinfo"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if list.Nodes == nil && list.Sinfo != nil {
		return nil, fmt.Errorf("%s: the output of sinfo --json, which groups nodes and does not say what each has: use scontrol show nodes --json", name)
	}
	inv := newSlurm(name, len(list.Nodes))
	seen := map[string]bool{}
	for i, raw := range list.Nodes {
		var node slurmNode
		err := json.Unmarshal(raw, &node)
		if err == nil {
			err = inv.slurm(&node, seen)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: nodes[%d]: %w", name, i, err)
		}
	}
	return inv, nil
}

func newSlurm(name string, nodes int) *Inventory {
	inv := &Inventory{Source: "Slurm nodes", Units: map[string]string{"cpu": "cores", "gpu": "GPUs"}}
	inv.Report.AddRead(name, int64(nodes))
	return inv
}

// slurm takes in a node.
func (inv *Inventory) slurm(node *slurmNode, seen map[string]bool) error {
	switch {
	case node.Name == "":
		return errors.New("name: missing")
	case seen[node.Name]:
		return fmt.Errorf("node %q is there twice", node.Name)
	}
	seen[node.Name] = true
	reason, err := node.takesNoWork()
	if err != nil {
		return err
	}
	if reason != "" {
		inv.Report.LeaveOut("machines", reason, 1)
		return nil
	}
	m := Machine{Name: node.Name, Attributes: node.attributes()}
	cpus := node.CPUs
	if node.EffectiveCPUs.set {
		cpus = node.EffectiveCPUs
	}
	switch {
	case !cpus.set:
		return fmt.Errorf("node %q: cpus: missing", node.Name)
	case !node.RealMemory.set:
		return fmt.Errorf("node %q: real_memory: missing", node.Name)
	case node.SystemMemory.value > node.RealMemory.value:
		return fmt.Errorf("node %q: specialized_memory %d MiB of real_memory %d", node.Name, node.SystemMemory.value, node.RealMemory.value)
	}
	m.CPU = float64(cpus.value)
	m.Bytes = new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(node.RealMemory.value-node.SystemMemory.value), 20))
	if m.GPU, err = inv.gres(node.Gres); err != nil {
		return fmt.Errorf("node %q: gres: %w", node.Name, err)
	}
	inv.add(m)
	return nil
}

// attributes are the features, the active ones where they are stated, and partitions.
func (node *slurmNode) attributes() map[string]string {
	features := node.ActiveFeatures
	if len(features) == 0 {
		features = node.Features
	}
	attributes := map[string]string{}
	for _, feature := range features {
		attributes[feature] = "1"
	}
	for _, partition := range node.Partitions {
		attributes["partition/"+partition] = "1"
	}
	return attributes
}

// gresForm is an entry of Gres: name, perhaps no_consume and a type, and a count with a
// multiplier; what stands in parentheses says where it is.
var gresForm = regexp.MustCompile(`^([^:]+)((?::[^:]+)*?)(?::([0-9]+)([kKmMgG]?))?$`)

var gresPlace = regexp.MustCompile(`\([^)]*\)`)

// gresShift are the powers of two by multiplier.
var gresShift = map[string]int{"": 0, "k": 10, "m": 20, "g": 30}

// gres returns the number of GPUs, and counts what else there is.
func (inv *Inventory) gres(text string) (float64, error) {
	gpus := int64(0)
	for _, entry := range words(gresPlace.ReplaceAllString(text, "")) {
		if entry == "N/A" {
			continue
		}
		parts := gresForm.FindStringSubmatch(entry)
		if parts == nil {
			return 0, fmt.Errorf("%q is not name:type:count", entry)
		}
		if parts[1] != "gpu" {
			inv.Report.Note("machines", "with gres "+parts[1]+", which no job of a trace requests", 1)
			continue
		}
		count := int64(1)
		if parts[3] != "" {
			n, err := strconv.ParseInt(parts[3], 10, 32)
			if err != nil {
				return 0, fmt.Errorf("%q: %w", entry, err)
			}
			count = n << gresShift[strings.ToLower(parts[4])]
		}
		gpus += count
	}
	return float64(gpus), nil
}
