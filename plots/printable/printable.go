// Package printable makes text that others wrote safe to show on a terminal.
//
// Names of files, columns, jobs and users come from files that somebody else
// made, and reach messages and tables. A name can hold characters that a
// terminal obeys instead of showing (ESC begins commands that move the cursor,
// change the title or clear the screen), that turn the direction of the text
// round, or that cannot be seen. Here each such character is written as an
// escape sequence: \n, \r, \t, \u001b, \u202e; a byte that is no UTF-8 as \x9b.
// Characters beyond U+FFFF are two sequences, as in JSON, so that JSON means the
// same after it has gone through a [Writer].
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s with every character escaped that a terminal does not show as
// itself: all but letters, marks, digits, punctuation, symbols and the blank
// ([unicode.IsPrint]). What is left is one line.
func Text(s string) string { return escape(s, unicode.IsPrint) }

// Cut returns s in at most the given number of characters: of a longer one the
// middle is left out, and the number of characters left out is said in its place.
func Cut(s string, most int) string {
	n := utf8.RuneCountInString(s)
	if n <= most {
		return s
	}
	letters := []rune(s)
	sign := fmt.Sprintf(" … (%d characters left out) … ", n-most)
	keep := max(0, most-utf8.RuneCountInString(sign))
	sign = fmt.Sprintf(" … (%d characters left out) … ", n-keep)
	return string(letters[:keep-keep/3]) + sign + string(letters[n-keep/3:])
}

// The bounds of a message.
const (
	mostLines  = 20   // as a rule a problem each
	mostLetter = 2000 // in a line
)

// Message prepares the text of an error for the terminal: every line escaped as
// by [Text] and cut to a length that can be read, and of many lines, which are a
// problem each, the first 20 and the number of the others.
func Message(text string) string {
	var b strings.Builder
	rest, lines := text, strings.Count(text, "\n")+1
	for i := range min(lines, mostLines) {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(Cut(Text(line), mostLetter))
	}
	if more := lines - mostLines; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// escape replaces what is not kept.
func escape(s string, keep func(rune) bool) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !keep(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case keep(r):
			b.WriteString(s[:size])
		default:
			b.WriteString(sequence(r))
		}
		s = s[size:]
	}
	return b.String()
}

// sequence is the escape sequence of a character.
func sequence(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if first, second := utf16.EncodeRune(r); first != unicode.ReplacementChar {
		return fmt.Sprintf(`\u%04x\u%04x`, first, second)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
