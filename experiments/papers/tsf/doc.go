// Package tsf reproduces the experiments of the TSF paper (multi-resource fair
// sharing for datacenter jobs with placement constraints): its worked examples
// (figures 2 to 4), the measurements on 50 nodes (table II, figures 5 to 7), and
// the simulations of 1,000 machines with placement constraints (figures 8 to
// 11). Table I, of properties, belongs to the audit.
//
// All rules run as the paper's online scheduler: whole tasks, no preemption and
// no slots. What becomes free at the end of a task is offered to the waiting
// users that may use it, the one with the smallest share first; what arrives is
// placed at once if it fits. Among machines that fit, a task takes the best
// fit, which the paper leaves open.
package tsf
