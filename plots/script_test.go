package plots

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// everyForm are figures of each form.
func everyForm(t *testing.T) map[string]Figure {
	t.Helper()
	all := map[string]Figure{}
	for name, v := range map[string]View{
		"points": {X: "rho", Panels: "n"}, "bars": {Form: "bars", X: "rho", Where: Pairs{"n": "20"}}, "boxes": {Form: "boxes", X: "rho", Where: Pairs{"n": "20"}},
		"cdf": {Form: "cdf", Where: Pairs{"n": "20", "rho": "0.5"}, Log: "x"}, "heat": {Form: "heat"}, "baseline": {X: "rho", Panels: "n", Baseline: "mnw"},
	} {
		v.Name = name
		all[name] = drawn(t, sweepRows(), v)
	}
	all["spans"] = drawn(t, overTime(90, "tsf-er", "drf-er"), View{Name: "spans", Form: "spans", Panels: Policy})
	all["placements"] = drawn(t, loads("ann", "bob"), View{Name: "placements", Form: Placements})
	all["loads"] = drawn(t, loads(""), View{Name: "loads", Form: Placements})
	all["time"] = drawn(t, overTime(90, "tsf-er", "drf-er"), View{Name: "time"})
	return all
}

// The table holds what is drawn, each number with all its digits.
func TestCSVIsWhatIsDrawn(t *testing.T) {
	for name, f := range everyForm(t) {
		lines, err := csv.NewReader(strings.NewReader(string(f.CSV()))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		k := 1
		for i, p := range f.Panels {
			for _, s := range p.Series {
				for _, pt := range s.Points {
					line := lines[k]
					k++
					mean, err := strconv.ParseFloat(line[5], 64)
					if err != nil || mean != pt.Mean || line[0] != letter(i) || line[3] != f.Styles.Label(s.Name) || line[8] != strconv.Itoa(pt.N) {
						t.Fatalf("%s: %q is not %+v", name, line, pt)
					}
					if bounded := line[6] != ""; bounded != (pt.Bounded() || p.Kind == Placements) {
						t.Fatalf("%s: %q, %+v", name, line, pt)
					}
				}
			}
		}
		if k != len(lines) {
			t.Errorf("%s: %d lines, want %d", name, len(lines), k)
		}
	}
}

func TestScriptsHoldTheNumbersAndTheLooks(t *testing.T) {
	f := everyForm(t)["points"]
	latex, python := string(f.PGFPlots()), string(f.Matplotlib("points.csv"))
	for _, want := range []string{`(0.5,15.25) += (0,0.58653`, `title={n = 10}`, `xlabel={Server heterogeneity $\rho$}`, `\addlegendentry{TSF-ER}`} {
		if !strings.Contains(latex, want) {
			t.Errorf("pgfplots lacks %q:\n%s", want, latex)
		}
	}
	for _, want := range []string{`"points.csv"`, `"TSF-ER": dict(color="#000000", marker="o"`, `ax.set_title("n = 20"`} {
		if !strings.Contains(python, want) {
			t.Errorf("matplotlib lacks %q", want)
		}
	}
	if string(f.PGFPlots()) != latex || string(f.Matplotlib("points.csv")) != python {
		t.Error("another script of the same figure")
	}
}

// Where there is matplotlib, its script of every form runs and draws a page.
func TestMatplotlibDraws(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import matplotlib").Run() != nil {
		t.Skip("no matplotlib here (Debian: apt-get install python3-matplotlib)")
	}
	dir := t.TempDir()
	args := []string{"-W", "error::SyntaxWarning", "-c", eachApart, dir}
	for name, f := range everyForm(t) {
		write(t, filepath.Join(dir, name+".csv"), f.CSV())
		write(t, filepath.Join(dir, name+".py"), f.Matplotlib(name+".csv"))
		args = append(args, name)
	}
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range args[5:] {
		if page, err := os.ReadFile(filepath.Join(dir, name+".pdf")); err != nil || !strings.HasPrefix(string(page), "%PDF") {
			t.Errorf("%s: no page (%v)", name, err)
		}
	}
}

// eachApart runs the scripts of a folder as python does, each in a process of its own, which
// has matplotlib from the first one: to import it takes most of a script's time.
const eachApart = `
import matplotlib.pyplot, os, runpy, sys
failed = 0
for name in sys.argv[2:]:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        path = os.path.join(sys.argv[1], name)
        sys.argv = [path + ".py", path + ".pdf"]
        runpy.run_path(path + ".py", run_name="__main__")
        sys.exit()
    if os.waitpid(child, 0)[1] != 0:
        print(name + " failed", flush=True)
        failed = 1
sys.exit(failed)
`

// Where there is LaTeX with pgfplots, it sets every form without an error.
func TestPGFPlotsDraws(t *testing.T) {
	if exec.Command("kpsewhich", "pgfplots.sty").Run() != nil || exec.Command("pdflatex", "--version").Run() != nil {
		t.Skip("no pgfplots here (Debian: apt-get install texlive-pictures texlive-latex-base)")
	}
	dir, page := t.TempDir(), `\documentclass{article}\usepackage{pgfplots}\usepgfplotslibrary{groupplots,statistics}\pgfplotsset{compat=1.16}`+"\n"+`\begin{document}`
	for name, f := range everyForm(t) {
		write(t, filepath.Join(dir, name+".tex"), f.PGFPlots())
		page += fmt.Sprintf("\n{\\input{%s.tex}\\clearpage}", name) // what a figure sets ends with it
	}
	write(t, filepath.Join(dir, "page.tex"), []byte(page+"\n"+`\end{document}`))
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "page.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
