package plots

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Style is how one policy looks in every figure: it can be told from its
// neighbours by colour alone, by marker alone and, where lines are drawn, by
// dash alone, so that a figure reads in black and white.
type Style struct {
	Label  string // as the papers write it
	Color  color.Color
	Dashes []vg.Length // nil: a solid line
	Marker Marker
}

// The palette of Okabe and Ito, which people who do not see all colours can
// tell apart; its yellow is too pale for lines on white and a grey of its black
// takes its place.
//
// Reference: M. Okabe and K. Ito, Color Universal Design, 2008.
var (
	black      = color.RGBA{0x00, 0x00, 0x00, 0xff}
	orange     = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	skyBlue    = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
	green      = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	blue       = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	vermillion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	purple     = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	grey       = color.RGBA{0x70, 0x70, 0x70, 0xff}
)

// Dashes, in points: on, off, …
var (
	solid    []vg.Length
	dash     = []vg.Length{4, 2}
	dot      = []vg.Length{1, 1.5}
	dashDot  = []vg.Length{4, 1.5, 1, 1.5}
	longDash = []vg.Length{7, 2}
	short    = []vg.Length{2, 1}
	dashDot2 = []vg.Length{4, 1.2, 1, 1.2, 1, 1.2}
	sparse   = []vg.Length{3, 4}
)

// styles holds the style of every policy that is shipped, by name. Rules of
// one family share the fill of the marker, rules of one kind its shape.
var styles = map[string]Style{
	"tsf-er":  {"TSF-ER", black, solid, Marker{Circle, true}},
	"tsf-cpu": {"TSF-cpu", blue, dash, Marker{TriangleUp, true}},
	"tsf-mem": {"TSF-mem", green, dot, Marker{TriangleDown, true}},
	"tsf-eq":  {"TSF-eq", purple, dashDot, Marker{Square, true}},
	"drf-er":  {"DRF-ER", vermillion, longDash, Marker{Circle, false}},
	"drf-cpu": {"DRF-cpu", skyBlue, short, Marker{TriangleUp, false}},
	"drf-mem": {"DRF-mem", orange, dashDot2, Marker{TriangleDown, false}},
	"drf-eq":  {"DRF-eq", grey, sparse, Marker{Square, false}},

	"mnw":         {"MNW", blue, dash, Marker{Square, false}},
	"cru":         {"CRU", green, dashDot, Marker{TriangleUp, false}},
	"ru":          {"RU", orange, dot, Marker{TriangleUp, true}},
	"utilitarian": {"Utilitarian", grey, short, Marker{TriangleDown, false}},
	"egalitarian": {"Egalitarian", purple, sparse, Marker{TriangleDown, true}},

	"tsf":             {"TSF", black, solid, Marker{Diamond, true}},
	"drf":             {"DRF", vermillion, dash, Marker{Square, false}},
	"drfh":            {"DRFH", orange, dashDot, Marker{Square, true}},
	"cdrf":            {"CDRF", blue, longDash, Marker{Circle, false}},
	"cmmf-cpu":        {"CMMF-cpu", skyBlue, short, Marker{TriangleUp, false}},
	"cmmf-mem":        {"CMMF-mem", green, dot, Marker{TriangleDown, true}},
	"fifo":            {"FIFO", grey, sparse, Marker{Diamond, false}},
	"eq":              {"EQ", green, dot, Marker{TriangleDown, false}},
	"per-machine-drf": {"Per-machine DRF", purple, dashDot2, Marker{TriangleUp, true}},
	"ps-dsf":          {"PS-DSF", vermillion, dash, Marker{Circle, true}},
	"mtp":             {"MTP", blue, dash, Marker{Square, true}},

	"magiks-rim": {"MAGIKS-RIM", black, solid, Marker{Circle, true}},
	"magiks-bim": {"MAGIKS-BIM", blue, dash, Marker{Circle, false}},
	"bks":        {"BKS", green, dot, Marker{TriangleUp, true}},
	"bnbs":       {"BNBS", vermillion, dashDot, Marker{Square, false}},
	"beq":        {"BEQ", orange, short, Marker{TriangleDown, false}},
	"ubound":     {"UBOUND", grey, longDash, Marker{Diamond, true}},
}

// spares are given, in order, to policies that styles does not know.
var spares = []Style{
	{"", black, dot, Marker{Cross, false}},
	{"", vermillion, dashDot2, Marker{Plus, false}},
	{"", blue, short, Marker{Diamond, false}},
	{"", green, dash, Marker{Diamond, true}},
}

// StylesFor returns the style of each of the policies of one figure, by its
// text form. A policy that is shipped has the same style in all figures; one
// that is not, and a second variant (name[k=v]) of one that is, take a spare
// style in the order of the list and their text form as label. It returns an
// error where more spare styles are wanted than there are.
func StylesFor(policies []string) (map[string]Style, error) {
	chosen, taken, spare := map[string]Style{}, map[string]bool{}, 0
	for _, p := range policies {
		if _, twice := chosen[p]; twice {
			continue
		}
		name, _, variant := strings.Cut(p, "[")
		s, known := styles[name]
		if !known || taken[name] {
			if spare == len(spares) {
				return nil, fmt.Errorf("policy %s: no style is left, a figure takes %d policies that are not shipped", p, len(spares))
			}
			s, variant = spares[spare], true
			spare++
		}
		if variant {
			s.Label = p
		}
		taken[name] = true
		chosen[p] = s
	}
	return chosen, nil
}
