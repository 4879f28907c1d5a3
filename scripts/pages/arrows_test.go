package pages

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// rows are the packages in the order of the picture in docs/architecture.md, lowest
// first. A package imports from rows below its own and, within its row, from
// packages of its own room.
var rows = []*regexp.Regexp{
	regexp.MustCompile(`^(sim/(cluster|event|fair|stream|metrics|spelling)|traces/(input|output|strictyaml)|plots/(text|printable))$`),
	regexp.MustCompile(`^policies/(solve(/.*)?|psdsf(/.*)?|game)$`),
	regexp.MustCompile(`^policies(/.*)?$`),
	regexp.MustCompile(`^(sim(/.*)?|traces(/.*)?)$`),
	regexp.MustCompile(`^experiments/results(/.*)?$`),
	regexp.MustCompile(`^experiments/spec$`),
	regexp.MustCompile(`^experiments/(run|ledger)$`),
	regexp.MustCompile(`^(experiments/(store|sweeps|compare|explain)|plots(/.*)?)$`),
	regexp.MustCompile(`^experiments/papers(/.*)?$`),
	regexp.MustCompile(`^experiments/cli$`),
	regexp.MustCompile(`^(|docs/.*|scripts/.*)$`),
}

func row(name string) int {
	for i, r := range rows {
		if r.MatchString(name) {
			return i
		}
	}
	return -1
}

// room is the first folder of a package's name, below experiments the first two.
func room(name string) string {
	parts := strings.Split(name, "/")
	if parts[0] == "experiments" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func TestArrows(t *testing.T) {
	const module = "github.com/leontief-sim/leontief"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		from := strings.TrimPrefix(strings.TrimPrefix(names[0], module), "/")
		if row(from) < 0 {
			t.Errorf("%s is in no row of docs/architecture.md", from)
		}
		for _, name := range names[1:] {
			to, ours := strings.CutPrefix(name, module+"/")
			if !ours {
				continue
			}
			n++
			if row(to) > row(from) || row(to) == row(from) && room(to) != room(from) {
				t.Errorf("%s imports %s, which is not below it", from, to)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d imports were seen", n)
	}
}

// What the picture keeps apart stays so however many packages lie between: the model
// and the rules need no file format and no figure, the forms of figures no rule, and
// one package alone knows Arrow.
func TestKeptApart(t *testing.T) {
	const module = "github.com/leontief-sim/leontief/"
	for pattern, without := range map[string]string{
		"sim/...":  `yaml|arrow|gonum\.org/v1/plot|go-pdf|go-fonts|` + module + `(experiments|plots)`,
		"policies": `yaml|arrow|gonum\.org/v1/plot|go-pdf|go-fonts|` + module + `(experiments|plots)`,
		"plots":    module + `(policies|experiments/[^r]|experiments/run)`,
	} {
		out, err := exec.Command("go", "list", "-deps", module+pattern).Output()
		if err != nil {
			t.Fatal(err)
		}
		unwanted := regexp.MustCompile(without)
		for _, name := range strings.Fields(string(out)) {
			if unwanted.MatchString(name) {
				t.Errorf("%s needs %s", pattern, name)
			}
		}
	}
	out, err := exec.Command("go", "list", "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if from, to, _ := strings.Cut(strings.TrimSpace(line), " "); strings.Contains(to, "apache/arrow") && from != module+"traces/parquet" {
			t.Errorf("%s imports %s", from, to)
		}
	}
}
