package text

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Float is what stands around a table in LaTeX: none where it has no caption and no label.
type Float struct {
	Caption, Label string
	// Comment stands above, where it does no harm.
	Comment string
}

// WriteLaTeX writes the table for the package booktabs: \input takes it. With a caption or
// a label it is a float. Characters that LaTeX reads otherwise are escaped; labels are
// written as they are.
func (t Table) WriteLaTeX(w io.Writer, f Float) error {
	out := bufio.NewWriter(w)
	if f.Comment != "" {
		fmt.Fprintf(out, "%% %s\n", strings.Join(strings.FieldsFunc(f.Comment, isBreak), " "))
	}
	float := f.Caption != "" || f.Label != ""
	if float {
		fmt.Fprintln(out, "\\begin{table}\n\\centering")
	}
	if f.Caption != "" {
		fmt.Fprintf(out, "\\caption{%s}\n", LaTeX.Replace(f.Caption))
	}
	if f.Label != "" {
		fmt.Fprintf(out, "\\label{%s}\n", f.Label)
	}
	t.writeTabular(out)
	if float {
		fmt.Fprintln(out, "\\end{table}")
	}
	return out.Flush()
}

func (t Table) writeTabular(out io.Writer) {
	columns := ""
	for k := range t.Header {
		columns += [...]string{Left: "l", Right: "r"}[t.alignment(k)]
	}
	fmt.Fprintf(out, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n", columns)
	line := func(row int, cells []string) {
		escaped := make([]string, len(t.Header))
		for k, c := range cells {
			escaped[k] = t.latexCell(row, k, c)
		}
		fmt.Fprintf(out, "%s \\\\\n", strings.Join(escaped, " & "))
	}
	line(-1, t.Header)
	fmt.Fprintln(out, "\\midrule")
	for i, row := range t.Rows {
		line(i, row)
	}
	fmt.Fprint(out, "\\bottomrule\n\\end{tabular}\n")
}

// latexCell writes a cell: in bold if it is strong, its lines below one another.
func (t Table) latexCell(row, column int, cell string) string {
	lines := strings.Split(cell, Break)
	for i, l := range lines {
		lines[i] = LaTeX.Replace(l)
		if i == 0 && t.Strong[[2]int{row, column}] {
			lines[i] = `\textbf{` + lines[i] + "}"
		}
	}
	if len(lines) == 1 {
		return lines[0]
	}
	side := [...]string{Left: "l", Right: "r"}[t.alignment(column)]
	return `\shortstack[` + side + `]{` + strings.Join(lines, ` \\ \footnotesize `) + "}"
}

// LaTeX escapes text for LaTeX, and writes the signs of ledgers and figures that the
// standard fonts lack.
var LaTeX = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "ρ", `$\rho$`, "ψ", `$\psi$`, "η", `$\eta$`, "≤", `$\le$`, "≥", `$\ge$`, "×", `$\times$`,
	"±", `$\pm$`, "·", `$\cdot$`, "−", `$-$`, "…", `\dots{}`, "\n", " ",
	"¹", `$^1$`, "²", `$^2$`, "³", `$^3$`, "⁴", `$^4$`, "⁵", `$^5$`, "⁶", `$^6$`, "⁷", `$^7$`, "⁸", `$^8$`)
