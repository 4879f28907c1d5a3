package results

import (
	"strings"
	"unicode"
)

// formula are the characters with which a spreadsheet takes a cell for a formula,
// and those that look like them in wide letters, which some convert.
const formula = "=+-@＝＋－＠"

// CSVText returns the text of a cell of a CSV file as it is written: with an
// apostrophe before it if a spreadsheet that opens the file could run it, and as
// it is otherwise. That is a text whose first character, after blanks and control
// characters, is =, +, -, @ or one of their wide forms, one that begins with a
// control character, such as a tab, and one that begins with an apostrophe: without
// its first apostrophe, if it has one, every cell is the text again. It is for texts
// alone: a number below 0 is a number.
func CSVText(text string) string {
	begin := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if begin != "" && strings.ContainsRune(formula, firstRune(begin)) || text != "" && (text[0] == '\'' || unicode.IsControl(firstRune(text))) {
		return "'" + text
	}
	return text
}

func firstRune(text string) rune {
	for _, r := range text {
		return r
	}
	return -1
}
