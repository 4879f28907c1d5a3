package plots

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

const figureFile = `
table: t
x: rho
y: [a, b]
where: {n: 20, policy: [mnw, tsf-er], rho: 0.5..0.9}
width: 90mm
labels: {a: "A label"}
parts:
  - {y: a}
  - {y: b, log: x}
`

func TestReadView(t *testing.T) {
	v, err := ReadView("f.yaml", []byte(figureFile))
	if err != nil {
		t.Fatal(err)
	}
	if v.X != "rho" || !reflect.DeepEqual(v.Where, Pairs{"n": "20", "policy": "mnw,tsf-er", "rho": "0.5..0.9"}) || len(v.Parts) != 2 || math.Abs(float64(vg.Length(v.Width)/vg.Millimeter)-90) > 1e-9 {
		t.Errorf("%+v", v)
	}
	text, err := v.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadView("f.yaml", text)
	if err != nil || !reflect.DeepEqual(again.Where, v.Where) || !reflect.DeepEqual(again.Parts, v.Parts) || math.Abs(float64(again.Width-v.Width)) > 1e-3 {
		t.Errorf("%v: %s became %+v", err, text, again)
	}
	if p := v.Parts[1].Over(v); p.X != "rho" || p.Log != "x" || p.Where["n"] != "20" || len(p.Y) != 1 {
		t.Errorf("%+v", p)
	}
}

func TestViewsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"colour: policy":                    "f.yaml:1:1: unknown key colour",
		"x: rho\nwidth: wide":               "no length",
		"x: [a]\n":                          "f.yaml:1:4: not of the wanted form",
		"log: z":                            "log \"z\": one of",
		"ratio: true":                       "ratio needs a baseline",
		"parts: [{parts: []}, {panels: a}]": "parts[0]",
		"x: a\n---\nx: b\n":                 "f.yaml:2:1: a second document",
		"x: a\nx: b":                        "f.yaml:2:1: x: given twice",
		"":                                  "the file is empty",
		"width: 0.1in":                      "no length",
	} {
		if _, err := ReadView("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// What flags say counts more than the file; values wanted of columns are of both.
func TestOver(t *testing.T) {
	file, err := ReadView("f.yaml", []byte(figureFile))
	if err != nil {
		t.Fatal(err)
	}
	got := View{X: "n", Note: "none", Where: Pairs{"n": "10"}, Width: TwoColumns}.Over(file)
	if got.X != "n" || got.Note != "none" || got.Where["n"] != "10" || got.Where["rho"] != "0.5..0.9" || got.Width != TwoColumns || got.Table != "t" || len(got.Parts) != 2 || got.Labels["a"] != "A label" {
		t.Errorf("%+v", got)
	}
}

func TestLengths(t *testing.T) {
	for text, want := range map[string]vg.Length{"3.5in": 252, "72pt": 72, "25.4 mm": 72, "2.54cm": 72} {
		if got, err := ParseLength(text); err != nil || math.Abs(float64(got)-float64(want)) > 1e-9 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "in", "-3in", "1000in", "NaNin", "3 feet"} {
		if l, err := ParseLength(text); err == nil {
			t.Errorf("%q is %v", text, l)
		}
	}
}
