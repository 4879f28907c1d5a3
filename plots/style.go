package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Style is how a series looks: in a figure of up to eight it can be told from the
// others by colour alone, by marker alone and, where lines are drawn, by dash alone, so
// that a figure reads in black and white.
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

// The orders in which looks are given to series that have none.
var (
	colorOrder  = []string{"black", "vermillion", "blue", "green", "orange", "sky blue", "purple", "grey"}
	dashOrder   = []string{"solid", "dashed", "dotted", "dash-dot", "long dashes", "short dashes", "dash-dot-dot", "sparse dashes"}
	markerOrder = []string{"●", "□", "▲", "◇", "▼", "○", "■", "△", "◆", "▽"}
)

// For returns the style of each of the series of one figure. A policy, by its text
// form, keeps what it has in all figures as far as no other of the figure, before it in
// the list, has the same colour, dash or marker; then it takes the first that is free.
// What has no style, or a label alone, takes free ones. The label of a variant
// (name[k=v]), and of what has none, is the text form. Beyond eight series colours come
// again, but never with the same marker. It returns an error where there are more
// series than such pairs.
func (s Styles) For(names []string) (map[string]Style, error) {
	series := map[string]bool{}
	for _, name := range names {
		series[name] = true
	}
	if most := len(colorOrder) * len(markerOrder); len(series) > most {
		return nil, fmt.Errorf("%d series: a figure can tell %d apart", len(series), most)
	}
	chosen := map[string]Style{}
	given := newPalette()
	for _, keeps := range []bool{true, false} {
		for _, name := range names {
			if _, done := chosen[name]; done {
				continue
			}
			base, _, _ := strings.Cut(name, "[")
			style := s[base]
			if keeps && (style.Color == nil || given.has(style)) {
				continue
			}
			style = given.free(style)
			style.Label = s.Label(name)
			chosen[name] = style
		}
	}
	return chosen, nil
}

// Label is what a series is called: the label of a policy, or else its name.
func (s Styles) Label(name string) string {
	return cmp.Or(s[name].Label, name)
}

// palette is what the series of a figure have so far.
type palette struct {
	colors  map[color.Color]int
	dashes  map[string]int
	markers map[Marker]int
	pairs   map[pair]bool
}

type pair struct {
	color  color.Color
	marker Marker
}

func newPalette() *palette {
	return &palette{map[color.Color]int{}, map[string]int{}, map[Marker]int{}, map[pair]bool{}}
}

// has reports whether some series has the colour, the dash or the marker.
func (p *palette) has(s Style) bool {
	return p.colors[s.Color] > 0 || p.dashes[dashText(s.Dashes)] > 0 || p.markers[s.Marker] > 0
}

// free returns a style of which each part that is taken, or not there, is replaced by
// the one that the fewest have, and takes it.
func (p *palette) free(s Style) Style {
	unset := s.Color == nil
	if unset || p.colors[s.Color] > 0 {
		s.Color = fewest(colorOrder, func(name string) (color.Color, int) { return colors[name], p.colors[colors[name]] })
	}
	if unset || p.dashes[dashText(s.Dashes)] > 0 {
		s.Dashes = fewest(dashOrder, func(name string) ([]vg.Length, int) { return dashes[name], p.dashes[dashText(dashes[name])] })
	}
	if unset || p.markers[s.Marker] > 0 {
		s.Marker = fewest(markerOrder, func(name string) (Marker, int) {
			m := markers[name]
			if p.pairs[pair{s.Color, m}] {
				return m, len(p.pairs) + 1
			}
			return m, p.markers[m]
		})
	}
	p.colors[s.Color]++
	p.dashes[dashText(s.Dashes)]++
	p.markers[s.Marker]++
	p.pairs[pair{s.Color, s.Marker}] = true
	return s
}

func dashText(d []vg.Length) string { return fmt.Sprint(d) }

// fewest returns the first of the names that the fewest have.
func fewest[T any](names []string, of func(name string) (T, int)) T {
	best, least := of(names[0])
	for _, name := range names[1:] {
		if v, n := of(name); n < least {
			best, least = v, n
		}
	}
	return best
}
