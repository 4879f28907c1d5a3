package papertest_test

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/leontief-sim/leontief/experiments/papers"
)

// sights are what eyes that lack one kind of cone, and printers without colour, make of
// linear red, green and blue.
//
// Reference: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, A Physiologically-based
// Model for Simulation of Color Vision Deficiency, IEEE TVCG 15(6), 2009, severity 1.
var sights = map[string][3][3]float64{
	"all colours": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":  {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	"grey":       {{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}},
}

// lab returns a colour as an eye sees it, in CIE L*a*b* (D65).
func lab(c color.Color, sight [3][3]float64) (out [3]float64) {
	r, g, b, _ := c.RGBA()
	var linear, seen, xyz [3]float64
	for i, v := range []uint32{r, g, b} {
		if s := float64(v) / 0xffff; s <= 0.04045 {
			linear[i] = s / 12.92
		} else {
			linear[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	for i := range seen {
		for k, v := range linear {
			seen[i] += sight[i][k] * v
		}
		seen[i] = min(1, max(0, seen[i]))
	}
	for i, row := range [3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}} {
		v := (row[0]*seen[0] + row[1]*seen[1] + row[2]*seen[2]) / []float64{0.95047, 1, 1.08883}[i]
		if xyz[i] = math.Cbrt(v); v <= 216./24389 {
			xyz[i] = (24389./27*v + 16) / 116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func difference(a, b color.Color, sight [3][3]float64) float64 {
	x, y := lab(a, sight), lab(b, sight)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

// The known answers: white is at 100, black at 0, and red and green of the sRGB primaries
// are 170.6 apart to an eye with all cones.
func TestColoursInLab(t *testing.T) {
	all := sights["all colours"]
	if d := difference(color.White, color.Black, all); math.Abs(d-100) > 0.01 {
		t.Errorf("white and black are %g apart", d)
	}
	if d := difference(color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, all); math.Abs(d-170.57) > 0.1 {
		t.Errorf("red and green are %g apart", d)
	}
}

// To an eye that lacks a kind of cone two rules of one figure differ by a ΔE*ab of 10 or
// more, several times what is just seen side by side, or else in dash and in marker; those
// always differ where nothing has a colour.
func TestRulesOfAFigureDifferToEveryEye(t *testing.T) {
	const enough = 10
	for _, group := range figureGroups {
		chosen, err := papers.Styles().For(group)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range group {
			for _, b := range group[:i] {
				x, y := chosen[a], chosen[b]
				for name, sight := range sights {
					d := difference(x.Color, y.Color, sight)
					t.Logf("%s %s %s: %.1f", name, a, b, d)
					if shaped := x.Marker != y.Marker && fmt.Sprint(x.Dashes) != fmt.Sprint(y.Dashes); !shaped || d < enough && name != "grey" {
						t.Errorf("%s: %s and %s are %.1f apart (other dash and marker: %t)", name, a, b, d, shaped)
					}
				}
			}
		}
	}
}
