// Package spelling refuses a name that is not among the known ones, and says which
// of them was probably meant. Every list of names that a person can type (rules,
// commands, flags, columns, …) is looked up with it, so that all answer alike.
package spelling

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// mostListed is the number of known names that a message lists.
const mostListed = 40

// longest is the length of a folded name, in bytes, up to which something is near
// it: what is longer was not typed, and comparing it would take time.
const longest = 100

// mostSuggested is the number of names that a message suggests.
const mostSuggested = 3

// UnknownError says that a name is not known.
type UnknownError struct {
	Kind  string   // what is named, in the singular: "policy"; "" for a value of a choice
	Name  string   // as it was given
	Known []string // in the order in which the message lists them
}

// Error is one line: the name, those that may have been meant, all that are known.
func (e *UnknownError) Error() string {
	if e.Kind == "" {
		return fmt.Sprintf("%q is not one of %s%s", e.Name, List(e.Known), suggestion(e.Name, e.Known))
	}
	return fmt.Sprintf("unknown %s %q%s", e.Kind, e.Name, Hint(e.Name, e.Known))
}

// Check returns an [*UnknownError] unless name is among the known names.
func Check(kind, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return &UnknownError{kind, name, known}
}

// Hint is the end of a message that refuses name: ": did you mean …?" where a
// known name is near, and the known names in parentheses, but for an empty one.
// It is empty where nothing is known.
func Hint(name string, known []string) string {
	text := suggestion(name, known)
	if listed := List(known); listed != "" {
		text += " (known: " + listed + ")"
	}
	return text
}

func suggestion(name string, known []string) string {
	if near := Near(name, known); len(near) > 0 {
		return ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// List writes names that are not empty in a sentence, the first 40 of them and the
// number of others.
func List(known []string) string {
	known = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return k == "" })
	if more := len(known) - mostListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(known[:mostListed], ", "), more)
	}
	return strings.Join(known, ", ")
}

// Near returns the known names that a typed one probably stands for, at most
// three, in their order; of a number, which has no letter, none. The first of these
// kinds that has any gives the answer:
//
//  1. those that differ in case and punctuation only;
//  2. those with the same digits at the smallest edit distance, letters in another
//     order counting as one edit: one edit in names of up to four letters and digits, two up to
//     eight, three beyond, and never all of a name;
//  3. those that begin with the typed name, or with which it begins, if that
//     are three letters or more.
func Near(typed string, known []string) []string {
	word := fold(typed)
	if !strings.ContainsFunc(word, unicode.IsLetter) || len(word) > longest {
		return nil
	}
	near := func(is func(candidate string) bool) []string {
		var found []string
		for _, name := range known {
			if candidate := fold(name); candidate != "" && !slices.Contains(found, name) && is(candidate) {
				found = append(found, name)
			}
		}
		return found[:min(len(found), mostSuggested)]
	}
	if same := near(func(c string) bool { return c == word }); same != nil {
		return same
	}
	for edits := 1; edits <= allowed(word); edits++ {
		if at := near(func(c string) bool {
			return distance(word, c) == edits && edits < len([]rune(c)) && digits(word) == digits(c)
		}); at != nil {
			return at
		}
	}
	return near(func(c string) bool {
		return len(word) >= 3 && strings.HasPrefix(c, word) || len(c) >= 3 && strings.HasPrefix(word, c)
	})
}

// fold is a name without punctuation, in lower case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// allowed is the number of edits up to which another name may be meant.
func allowed(word string) int {
	n := len([]rune(word))
	switch {
	case n <= 4:
		return min(1, n-1)
	case n <= 8:
		return 2
	}
	return 3
}

// distance is the number of edits between two folded names; the same letters in
// another order are one.
func distance(a, b string) int {
	d := levenshtein.ComputeDistance(a, b)
	if d > 1 && slices.Equal(sorted(a), sorted(b)) {
		return 1
	}
	return d
}

// digits are the digits of a name, in order of size: fig8 is no slip of fig9.
func digits(word string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, string(sorted(word)))
}

func sorted(word string) []rune {
	letters := []rune(word)
	slices.Sort(letters)
	return letters
}
