// Package papers holds what all reproductions have in common: a registered
// [Paper] plans scenarios, and makes tables and ledger entries from their rows.
// Each paper has a folder of its own below, with its spec, published numbers,
// claims and figures.
package papers
