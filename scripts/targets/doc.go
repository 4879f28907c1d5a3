// Package targets tests the targets of the Makefile where what they need is
// missing: each says what to install, does nothing, and does not end well.
package targets
