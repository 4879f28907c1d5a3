package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/leontief-sim/leontief/plots/printable"
)

// lineWidth is that of running text, in letters.
const lineWidth = 100

// terminalWidth is the number of columns of the terminal that w is; 0 where it is
// none, and the text is for a file or another program.
func terminalWidth(w io.Writer) int {
	if filter, ok := w.(*printable.Writer); ok {
		w = filter.Unwrap()
	}
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
