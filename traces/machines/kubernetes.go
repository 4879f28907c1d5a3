package machines

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// kubeNode is what is read of a Node of Kubernetes.
type kubeNode struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Unschedulable bool `json:"unschedulable"`
		Taints        []struct {
			Key    string `json:"key"`
			Value  string `json:"value"`
			Effect string `json:"effect"`
		} `json:"taints"`
	} `json:"spec"`
	Status struct {
		Allocatable map[string]json.RawMessage `json:"allocatable"`
		Conditions  []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
	} `json:"status"`
}

// readKubernetes reads a list of nodes, or one node.
func readKubernetes(name string, data []byte) (*Inventory, error) {
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if list.Items == nil && list.Kind == "Node" {
		list.Items = []json.RawMessage{data}
	}
	inv := &Inventory{Source: "Kubernetes nodes", Units: map[string]string{"cpu": "cores", "gpu": "GPUs"}}
	inv.Report.AddRead(name, int64(len(list.Items)))
	seen := map[string]bool{}
	for i, item := range list.Items {
		var node kubeNode
		err := json.Unmarshal(item, &node)
		switch {
		case err != nil:
		case node.Kind != "Node":
			err = fmt.Errorf("kind %q, where nodes are wanted: kubectl get nodes -o json", node.Kind)
		case node.Metadata.Name == "":
			err = fmt.Errorf("metadata.name: missing")
		case seen[node.Metadata.Name]:
			err = fmt.Errorf("node %q is there twice", node.Metadata.Name)
		default:
			seen[node.Metadata.Name] = true
			err = inv.kubernetes(&node)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: items[%d]: %w", name, i, err)
		}
	}
	return inv, nil
}

// kubernetes takes in a node.
func (inv *Inventory) kubernetes(node *kubeNode) error {
	m := Machine{Name: node.Metadata.Name, Attributes: node.Metadata.Labels}
	if reason := node.takesNoWork(); reason != "" {
		inv.Report.LeaveOut("machines", reason, 1)
		return nil
	}
	for i, t := range node.Spec.Taints {
		if t.Effect == "PreferNoSchedule" {
			inv.Report.Note("machines", "with the taint "+taintText(t.Key, t.Value, t.Effect)+", which keeps nothing off", 1)
			continue
		}
		taint, err := cluster.ParseTaint(taintText(t.Key, t.Value, t.Effect))
		if err != nil {
			return fmt.Errorf("spec.taints[%d]: %w", i, err)
		}
		if !slices.Contains(m.Taints, taint) {
			m.Taints = append(m.Taints, taint)
		}
	}
	for _, t := range m.Taints {
		inv.Report.Note("machines", "with the taint "+t.String(), 1)
	}
	if err := inv.allocatable(node, &m); err != nil {
		return err
	}
	inv.add(m)
	return nil
}

func taintText(key, value, effect string) string {
	return cluster.Taint{Key: key, Value: value, Effect: effect}.String()
}

// takesNoWork says why no pod is placed on a node; "" if some may be. Taints below
// node.kubernetes.io are those that Kubernetes itself puts on nodes in trouble.
func (node *kubeNode) takesNoWork() string {
	if node.Spec.Unschedulable {
		return "cordoned (unschedulable)"
	}
	ready := "no condition Ready"
	for _, c := range node.Status.Conditions {
		if c.Type == "Ready" {
			if ready = ""; c.Status != "True" {
				ready = "not ready"
			}
		}
	}
	if ready != "" {
		return ready
	}
	for _, t := range node.Spec.Taints {
		if slices.Contains(cluster.Effects, t.Effect) && strings.HasPrefix(t.Key, "node.kubernetes.io/") {
			return "taint " + t.Key
		}
	}
	return ""
}

// allocatable reads what pods of a node can request.
func (inv *Inventory) allocatable(node *kubeNode, m *Machine) error {
	gpus := new(big.Rat)
	for _, name := range slices.Sorted(maps.Keys(node.Status.Allocatable)) {
		q, err := parseQuantity(strings.Trim(string(node.Status.Allocatable[name]), `"`))
		if err == nil {
			switch {
			case name == "cpu":
				m.CPU, err = amount(q)
			case name == "memory":
				m.Bytes = q
			case strings.HasSuffix(name, "/gpu"):
				gpus.Add(gpus, q)
			case q.Sign() > 0:
				inv.Report.Note("machines", "with "+name+", which no job of a trace requests", 1)
			}
		}
		if err != nil {
			return fmt.Errorf("node %q: status.allocatable[%q]: %w", m.Name, name, err)
		}
	}
	for _, name := range []string{"cpu", "memory"} {
		if node.Status.Allocatable[name] == nil {
			return fmt.Errorf("node %q: status.allocatable[%q]: missing", m.Name, name)
		}
	}
	var err error
	m.GPU, err = amount(gpus)
	return err
}
