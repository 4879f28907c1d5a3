// Package extended solves the max-min program in floating point numbers of 512
// bits.
//
// It is what package solve falls back to where doubles do not certify a result.
// Demands over many decades make levels that are tiny beside what users frozen
// earlier hold: the prices of such a round differ in the last digits of those of
// its large users, and what a row has left is the difference of nearly equal
// numbers. Here the environment is taken as it is, every double exactly, and
// 154 decimal digits are carried, so that what cancels still leaves more digits
// than a double has. A number below 2⁻²⁵⁶ of what it is compared with is 0.
//
// The method is the one of package solve (a primal simplex method with
// generalised upper bounds, progressive filling in rounds, the same bound from
// the prices of each round) without what makes that one fast: the inverse is
// dense, nothing is restarted, and nothing is ever refined.
package extended
