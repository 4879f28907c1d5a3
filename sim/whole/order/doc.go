// Package order says which of two users an egalitarian rule serves first, when
// tasks are whole: the one with the smaller share x/(w·N), of equal shares the
// one with the larger N, then the one that came first.
//
// Shares are compared as rational numbers, every number of the input being the
// decimal that it is written as. Doubles decide only where a proved bound on
// their rounding allows it ([Apart]), so the order is strict and total, the same
// on every machine, and still costs a comparison of doubles nearly always.
package order
