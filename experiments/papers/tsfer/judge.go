package tsfer

import (
	"github.com/leontief-sim/leontief/experiments/ledger"
)

// judge makes the ledger entries of what ran on one workload.
type judge struct {
	workload *Workload
	// asFitted says that tasks need the bandwidth that the fits were made with.
	asFitted bool
}

// entry starts the ledger entry of a number that the workload decides.
func (j *judge) entry(item, id, claim string) ledger.Entry {
	return ledger.Entry{Paper: Paper, Item: item, ID: item + "/" + id, Claim: claim, Workload: j.workload.Label}
}
