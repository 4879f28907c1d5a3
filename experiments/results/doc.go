// Package results holds result tables in long form, one value a row ([Row]), and
// their means over instances ([Summarize]). [WriteTable] and [ReadTable] are the
// only code that knows their layout on disk.
package results
