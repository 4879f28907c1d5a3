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

// Styles are those of policies by name, without parameters.
type Styles map[string]Style

// colors is the palette of Okabe and Ito, which people who do not see all colours can
// tell apart; its yellow is too pale for lines on white and a grey takes its place.
//
// Reference: M. Okabe and K. Ito, Color Universal Design, 2008.
var colors = map[string]color.Color{
	"black":      color.RGBA{0x00, 0x00, 0x00, 0xff},
	"orange":     color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	"sky blue":   color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	"green":      color.RGBA{0x00, 0x9e, 0x73, 0xff},
	"blue":       color.RGBA{0x00, 0x72, 0xb2, 0xff},
	"vermillion": color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	"purple":     color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	"grey":       color.RGBA{0x70, 0x70, 0x70, 0xff},
}

// dashes are in points: on, off, …
var dashes = map[string][]vg.Length{
	"solid":         nil,
	"dashed":        {4, 2},
	"dotted":        {1, 1.5},
	"dash-dot":      {4, 1.5, 1, 1.5},
	"long dashes":   {7, 2},
	"short dashes":  {2, 1},
	"dash-dot-dot":  {4, 1.2, 1, 1.2, 1, 1.2},
	"sparse dashes": {3, 4},
}

var markers = map[string]Marker{
	"●": {Circle, true}, "○": {Circle, false}, "■": {Square, true}, "□": {Square, false}, "◆": {Diamond, true}, "◇": {Diamond, false},
	"▲": {TriangleUp, true}, "△": {TriangleUp, false}, "▼": {TriangleDown, true}, "▽": {TriangleDown, false},
}

// NewStyle returns the style of a label and three words: a colour of the palette of
// Okabe and Ito or grey, a kind of line, and the marker itself. A word that is none is
// an error.
func NewStyle(label, colour, line, marker string) (Style, error) {
	c, hasColour := colors[colour]
	d, hasLine := dashes[line]
	m, hasMarker := markers[marker]
	if !hasColour || !hasLine || !hasMarker {
		return Style{}, fmt.Errorf("%s: no style of %q, %q and %q", label, colour, line, marker)
	}
	return Style{label, c, d, m}, nil
}

// spares are given, in order, to policies that have no style.
var spares = []Style{
	{"", colors["black"], dashes["dotted"], Marker{Cross, false}},
	{"", colors["vermillion"], dashes["dash-dot-dot"], Marker{Plus, false}},
	{"", colors["blue"], dashes["short dashes"], Marker{Diamond, false}},
	{"", colors["green"], dashes["dashed"], Marker{Diamond, true}},
}

// For returns the style of each of the policies of one figure, by its text form. One
// that has a style has it in all figures; one that has none, or a label alone, and a
// second variant (name[k=v]) of one that has, take a spare style in the order of the
// list. The label of a variant, and where there is none, is the text form. It returns
// an error where more spare styles are wanted than there are.
func (s Styles) For(policies []string) (map[string]Style, error) {
	chosen, taken, spare := map[string]Style{}, map[string]bool{}, 0
	for _, p := range policies {
		if _, twice := chosen[p]; twice {
			continue
		}
		name, _, variant := strings.Cut(p, "[")
		style, known := s[name]
		label := style.Label
		if variant || !known || taken[name] {
			label = p
		}
		if style.Color == nil || taken[name] {
			if spare == len(spares) {
				return nil, fmt.Errorf("policy %s: no style is left, a figure takes %d policies that have none", p, len(spares))
			}
			style = spares[spare]
			spare++
		}
		style.Label = label
		taken[name] = true
		chosen[p] = style
	}
	return chosen, nil
}
