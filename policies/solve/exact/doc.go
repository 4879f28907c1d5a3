// Package exact solves the programs of small environments in rational
// arithmetic (math/big), and checks allocations with it.
//
// Numbers of an environment are taken as the decimals that they are written as:
// 0.1 is 1/10. Nothing is rounded, so what is proved here holds without a
// tolerance. It is far too slow for anything but witnesses, a handful of users
// and servers; [Cluster], which only normalises, takes thousands of servers.
package exact
