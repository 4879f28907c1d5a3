package machines

import (
	"fmt"
	"slices"
	"strings"
)

// slurmIdle are the states of nodes that take work or do it; slurmAway are those, and
// the flags beside a state, of nodes that take none, with the reason. Other flags (CLOUD,
// PLANNED, POWERED_DOWN, COMPLETING, …) are of nodes that will.
var (
	slurmIdle = []string{"IDLE", "ALLOCATED", "ALLOC", "MIXED", "MIX", "COMPLETING", "PLANNED"}
	slurmAway = map[string]string{
		"DOWN": "down", "DRAIN": "drained", "DRAINED": "drained", "DRAINING": "drained", "FAIL": "failing", "FAILING": "failing",
		"ERROR": "in error", "NOT_RESPONDING": "not responding", "NO_RESPOND": "not responding", "MAINT": "in maintenance", "MAINTENANCE": "in maintenance",
		"RESERVED": "reserved", "RESV": "reserved", "FUTURE": "planned for the future", "UNKNOWN": "unknown state", "INVALID": "invalid registration", "INVAL": "invalid registration",
		"INVALID_REG": "invalid registration", "BLOCKED": "blocked", "EXTERNAL": "external", "REBOOT": "to be rebooted", "REBOOT_ISSUED": "to be rebooted",
		"POWERING_DOWN": "powering down",
	}
)

// slurmOrder is the order in which reasons are looked for: the first is counted.
var slurmOrder = []string{"down", "drained", "failing", "in error", "not responding", "in maintenance", "reserved", "planned for the future"}

// takesNoWork says why no job is placed on a node; "" if some may be. A state that is not
// known is an error: whether the node works can not be told.
func (node *slurmNode) takesNoWork() (string, error) {
	var reasons []string
	known := false
	for _, word := range slices.Concat(node.State, node.StateFlags) {
		for _, state := range strings.FieldsFunc(strings.ToUpper(word), func(r rune) bool { return r == '+' }) {
			base := strings.TrimRight(state, "*~#!%$@^-")
			known = known || slices.Contains(slurmIdle, base) || slurmAway[base] != ""
			if reason := slurmAway[base]; reason != "" {
				reasons = append(reasons, reason)
			}
			if strings.HasSuffix(state, "*") {
				reasons = append(reasons, "not responding")
			}
			if strings.HasSuffix(state, "$") {
				reasons = append(reasons, "in maintenance")
			}
		}
	}
	if !known {
		return "", fmt.Errorf("node %q: state %q is not one of Slurm's", node.Name, strings.Join(node.State, "+"))
	}
	for _, reason := range slurmOrder {
		if slices.Contains(reasons, reason) {
			return reason, nil
		}
	}
	return strings.Join(reasons[:min(1, len(reasons))], ""), nil
}
