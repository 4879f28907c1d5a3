// Package audit runs the search of package policies/audit over rules and
// properties, on any number of workers, beginning with the papers' own
// counterexamples; saves what it finds as environment files; and makes the
// papers' property tables entries of their ledgers: a tick is none found in so
// many environments, a cross is a witness.
package audit
