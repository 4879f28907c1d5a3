// Package store keeps results on disk.
//
// A [Store] keeps the rows of every scenario in the output folder as soon as they
// are there, so that a run that was ended goes on where it was. A [Sweep] is a spec
// that is run through it, whole or in shards that [Merge] puts together.
package store
