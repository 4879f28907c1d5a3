package input

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longest bounds, in bytes, what a message shows of one text.
const longest = 200

// Quote returns a text of a user's file for a message: between quotation marks,
// with escapes for what a terminal would obey or not show, and cut where it is
// long, with its length.
func Quote(text string) string {
	if len(text) <= longest {
		return strconv.Quote(text)
	}
	cut := longest
	for cut > longest-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(text[:cut]), len(text))
}

// Path returns the path of a file for a message: as it is where all of it can be
// shown, else as [strconv.Quote] writes it.
func Path(path string) string {
	for _, r := range path {
		if !strconv.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	if !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

// Line returns a text that may quote a user's, such as a message of a library, with
// escapes for what a terminal would obey or not show, and cut at 2,000 bytes.
func Line(text string) string {
	const most = 2000
	var b strings.Builder
	for _, r := range text {
		if b.Len() > most {
			fmt.Fprintf(&b, "… (%d bytes)", len(text))
			break
		}
		if r != utf8.RuneError && strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r) // QuoteRune writes U+FFFD as it is
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// Names returns the names of a table's columns, or other words of a file, for a
// message: quoted, and cut where there are many.
func Names(names []string) string {
	const most = 50
	var b strings.Builder
	for i, name := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Quote(name))
	}
	return b.String()
}
