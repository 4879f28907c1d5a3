package policytest

import (
	"fmt"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
)

// auditBlocks are the blocks of the small audit: the small sizes, without and
// with the rarer features.
var auditBlocks = []int{1, 3, 13, 15}

// audited looks for a violation of a claim in a small audit. A claim of absence
// is not looked at, and neither is a property that cannot be asked of the rule.
func audited(p policies.Policy, opt *Options, claim policies.Claim) []Failure {
	rule := audit.Rule{Meta: policies.Meta{Name: "policytest", Claims: opt.Claims, Outside: opt.Outside}, Policy: p}
	if !claim.Holds || !audit.Applies(rule, claim.Property) {
		return nil
	}
	check := "audit of " + string(claim.Property)
	search := audit.Search{Rule: rule, Property: claim.Property, Seed: opt.Seed}
	for _, b := range auditBlocks {
		found, _, err := search.Block(b)
		if err != nil {
			return []Failure{{check, fmt.Sprintf("block %d", b), err}}
		}
		if found != nil {
			small := audit.Shrink(rule, claim.Property, *found)
			return []Failure{{check, fmt.Sprintf("%d users, %d servers", len(small.Case.Env.Users), len(small.Case.Env.Servers)),
				&ViolationError{claim.Property, small.Outcome.Sentence.String()}}}
		}
	}
	return nil
}
