// Package mtp reproduces the multi-AP paper (Maximum Task Product: fair
// allocation in mobile edge computing with several access points): its worked
// examples, its two impossibility theorems as lies that pay, and figures 3 to 5.
package mtp

// Name is the paper's name in ledgers and tables.
const Name = "mtp"
