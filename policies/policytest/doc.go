// Package policytest is the suite that every allocation rule must pass. It
// works on any [policies.Policy], registered or not:
//
//	func TestMine(t *testing.T) {
//		policytest.Run(t, mine{}, policytest.Options{Totals: true})
//	}
//
// The suite asks the rule about random environments of every kind (links,
// weights, caps, eligibility, zero demands and capacities, demands that differ
// between servers) and about hand-made edge cases, and checks
//
//   - what every rule owes: feasibility, the shape of the answer, the naming of
//     users that nothing can host, an untouched environment, the same bytes on
//     a second call;
//   - relations between environments: another unit of a resource, another order
//     of the users, a class split into its servers, all capacities larger, a
//     user replaced by two of half its weight, a session instead of fresh
//     starts. What the rule determines, its totals or its welfare, must follow;
//   - the properties that are claimed for it, with the definitions of package
//     fair: envy-freeness, Pareto optimality, sharing incentive, and that no
//     random lie pays;
//   - and those claims again in a small audit, with all the properties that
//     package audit defines: some hundred environments each, from the smallest,
//     and the near misses among them.
//
// An environment that the rule refuses with a [policies.UnsupportedError] is
// left out, but a rule that refuses all of a check's environments fails the
// check.
package policytest
