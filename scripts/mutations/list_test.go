package main

import (
	"go/parser"
	"go/token"
	"testing"
)

// Each mutation has its place, one and no more, and what it leaves can be parsed; the
// tests beside it are run by make mutations.
func TestEveryMutationHasItsPlace(t *testing.T) {
	for _, m := range mutations {
		text, err := m.apply("../..")
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), m.file, text, 0)
		}
		if err != nil {
			t.Errorf("%s: %v", m.file, err)
		}
	}
}
