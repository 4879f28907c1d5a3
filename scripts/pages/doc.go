// Package pages tests the pages of this repository against what they speak of:
// links, files and tests exist, commands have the flags that are shown, and the
// console blocks of the README and of the first pages after it print what stands
// below each command.
//
//	go test ./scripts/pages           # fails where a page and the program differ
//	go test ./scripts/pages -update   # writes what the commands print into the pages
package pages
