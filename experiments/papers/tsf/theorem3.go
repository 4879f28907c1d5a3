package tsf

import (
	"errors"
	"fmt"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// failingStep is the step of the proof of Theorem 3 that fails.
const failingStep = "the step that fails is (24) in the proof (appendix A), ki ≥ ρ̃i·k̃i: \"the share of resource r allocated to user i on machine m is k̃im·d̃ir. With these resources, user i can run qi tasks in Pi, where qi = Σ m∈Pi min r k̃im·d̃ir/dir = ρ̃i·k̃i ≤ ki, where the last inequality derives from the definition of ki\"; but ki obeys the constraints pi and the sum leaves out pim: it counts machines of the pool on which the user cannot run. Lemma 1, whose argument is followed, is about h, which ignores constraints. Nothing excludes such a pool: \"the dedicated resource pool given to users can be arbitrary\" (section III-A). Where every machine of a pool can run its owner, (24) holds, and the audit finds no lie that pays"

// pooledCase is a lie about machines under weights from dedicated pools: machines of 1
// cpu in classes, each with the user whose pool it is.
func pooledCase(counts, owner []int, users []cluster.User, liar int, report cluster.User) audit.Case {
	env := &cluster.Environment{Resources: []string{"cpu"}, Users: users}
	for s, n := range counts {
		env.Servers = append(env.Servers, cluster.Server{Name: fmt.Sprintf("m%d", s+1), Capacity: []float64{1}, Count: n})
	}
	return audit.Case{Env: env, Change: audit.Change{User: liar, Report: &report, Owner: owner}}
}

// theorem3 is the witness: two machines of kind M1 (classes 1, 2) and ten of kind M2 (3 to
// 5), of 1 cpu each; tasks of 1 cpu; u1 and u2 can run on M2 only, u5 on M1 only. u1's
// pool is one M2, u2's one M1 and one M2, u5's the other M1 and the other eight M2 (left
// to nobody, they change no weight). u2 claims M1 as well.
func theorem3() audit.Case {
	one := []float64{1}
	users := []cluster.User{only(5, "u1", one, 3, 4, 5), only(5, "u2", one, 3, 4, 5), only(5, "u5", one, 1, 2)}
	return pooledCase([]int{1, 1, 1, 1, 8}, []int{1, 2, 0, 1, 2}, users, 1, only(5, "u2", one))
}

// theorem3Entries judge Theorem 3: "TSF is strategy-proof when the weights are computed
// from the dedicated resource pools given to the users". The published number is that no
// lie gains anything.
func theorem3Entries() ([]ledger.Entry, error) {
	rule, err := audit.Named("tsf")
	if err != nil {
		return nil, err
	}
	proof, err := audit.Verify(rule, policies.SPD, theorem3())
	if err != nil {
		return nil, err
	}
	had, _ := proof.Has.Float64()
	has, _ := proof.Wants.Float64()
	if _, err = audit.Measure(rule, policies.SPU, theorem3()); !errors.Is(err, audit.ErrOutside) {
		return nil, fmt.Errorf("theorem 3: the witness has no pool with a machine that its owner cannot use: %w", err)
	}
	e := entry("theorem3", "gain", "true tasks that a user gains by claiming machines that it cannot use, its weight being k/h of its pool (Theorem 3: none)")
	return []ledger.Entry{e.Refute(0, ledger.Computed(has-had, exact), fmt.Sprintf(
		"2 machines of kind M1 and 10 of M2, all of 1 cpu, as the tasks; u1 and u2 can run on M2 only, u5 on M1 only; pools: u1 one M2, u2 one M1 and one M2, u5 one M1 and the other eight M2. Honest, all weights are 1/12 and u2 runs %s tasks. Claiming M1 as well, u2 has k = 2 and the weight 1/6, and runs %s, all on M2 (u1 10/3, u5 2; in rational numbers, and in every allocation of these totals); %s",
		proof.Has.RatString(), proof.Wants.RatString(), failingStep))}, nil
}
