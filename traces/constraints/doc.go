// Package constraints says which machines a job may run on: placement
// constraints on attributes of machines, read from a trace or synthesised.
//
// # Constraints and attributes
//
// A machine has attributes, each a name and a text. A [Constraint] compares one
// of them with a value, or asks whether it is there; a job's constraints are a conjunction. A machine may also have
// taints, as nodes of Kubernetes do: a job runs there only if it has a [Toleration] of
// each. Attributes and constraints are kept in
// the canonical trace as text ([traces.Job], [traces.Machine]) that [Format] and
// [FormatAttributes] write, so that equal sets of constraints are equal texts: a job
// with
//
//	[["zone","=","a"],{"key":"dedicated","operator":"Exists"}]
//
// runs in zone a, and tolerates every taint of the key dedicated.
// A [Matcher] turns them into sets of machines, each distinct text once.
//
// # Synthesis
//
// Where a trace has neither, [Synthesize] draws both: 21 attributes in 4 classes
// of machines, calibrated to the two published points of the distribution of
// eligible machines (see its documentation). Whatever is made from them is
// labelled by [Label].
//
// # References
//
// B. Sharma, V. Chudnovsky, J. Hellerstein, R. Rifaat, C. Das, Modeling and
// synthesizing task placement constraints in Google compute clusters, SoCC 2011
// (reference 22 of the TSF paper). C. Reiss, J. Wilkes, J. Hellerstein, Google
// cluster-usage traces: format + schema, 2011.
package constraints
