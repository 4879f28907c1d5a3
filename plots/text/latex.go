package text

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX writes the table for the package booktabs, without a float around
// it: \input takes it. Characters that LaTeX reads otherwise are escaped; the
// caption, where there is one, is a comment.
func (t Table) WriteLaTeX(w io.Writer, caption string) error {
	out := bufio.NewWriter(w)
	if caption != "" {
		fmt.Fprintf(out, "%% %s\n", strings.Join(strings.FieldsFunc(caption, isBreak), " "))
	}
	columns := ""
	for k := range t.Header {
		columns += [...]string{Left: "l", Right: "r"}[t.alignment(k)]
	}
	fmt.Fprintf(out, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n", columns)
	line := func(cells []string) {
		escaped := make([]string, len(t.Header))
		for i, c := range cells {
			escaped[i] = LaTeX.Replace(c)
		}
		fmt.Fprintf(out, "%s \\\\\n", strings.Join(escaped, " & "))
	}
	line(t.Header)
	fmt.Fprintln(out, "\\midrule")
	for _, row := range t.Rows {
		line(row)
	}
	fmt.Fprint(out, "\\bottomrule\n\\end{tabular}\n")
	return out.Flush()
}

// LaTeX escapes text for LaTeX, and writes the signs of ledgers and figures that the
// standard fonts lack.
var LaTeX = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "ρ", `$\rho$`, "ψ", `$\psi$`, "η", `$\eta$`, "≤", `$\le$`, "≥", `$\ge$`, "×", `$\times$`,
	"·", `$\cdot$`, "−", `$-$`, "…", `\dots{}`, "\n", " ",
	"¹", `$^1$`, "²", `$^2$`, "³", `$^3$`, "⁴", `$^4$`, "⁵", `$^5$`, "⁶", `$^6$`, "⁷", `$^7$`, "⁸", `$^8$`)
