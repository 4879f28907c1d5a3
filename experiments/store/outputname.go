package store

import (
	"fmt"
	"regexp"
	"strings"
)

// mostName is the number of characters of a name that becomes that of a file or a
// folder: with an ending and the random part of a temporary file it stays below
// the 255 bytes that file systems take.
const mostName = 100

// device matches the names that Windows keeps for devices, whatever follows a dot.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// checkName returns what is wrong with a name of a spec that becomes the name of a
// file or a folder, or nil: it must be one on every system, and be no flag where
// it is an argument. It is made of letters, digits and the given other characters,
// and begins with a letter or a digit.
func checkName(name, others string) error {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}
	switch {
	case name == "" || !plain(rune(name[0])):
		return fmt.Errorf("%q does not begin with a letter or a digit (it becomes a name of files)", name)
	case strings.ContainsFunc(name, func(r rune) bool { return !plain(r) && !strings.ContainsRune(others, r) }):
		return fmt.Errorf("%q is not made of letters, digits and %s alone (it becomes a name of files)", name, strings.Join(strings.Split(others, ""), " "))
	case len(name) > mostName:
		return fmt.Errorf("%d characters, more than %d (it becomes a name of files)", len(name), mostName)
	case device.MatchString(name) || strings.HasSuffix(name, "."):
		return fmt.Errorf("%q is no name of a file on Windows", name)
	}
	return nil
}
