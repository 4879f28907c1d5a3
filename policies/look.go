package policies

import (
	"fmt"
	"slices"
)

// Look is a rule's place in the palette of the figures. The zero Look is none: a
// figure then takes one of its spare styles. Rules that papers compare in one figure
// differ in all three, so that each of the three tells them apart by itself.
type Look struct {
	Color  string // one of [Colors]
	Dashes string // one of [Dashes]
	Marker string // one of [Markers]
}

// What a [Look] may be made of. The colours are those of Okabe and Ito (Color
// Universal Design, 2008), with a grey in the place of their yellow.
var (
	Colors  = []string{"black", "orange", "sky blue", "green", "blue", "vermillion", "purple", "grey"}
	Dashes  = []string{"solid", "dashed", "dotted", "dash-dot", "long dashes", "short dashes", "dash-dot-dot", "sparse dashes"}
	Markers = []string{"●", "○", "■", "□", "◆", "◇", "▲", "△", "▼", "▽"}
)

// check returns an error unless l is none or each of its parts is one of the lists.
func (l Look) check() error {
	if l == (Look{}) || slices.Contains(Colors, l.Color) && slices.Contains(Dashes, l.Dashes) && slices.Contains(Markers, l.Marker) {
		return nil
	}
	return fmt.Errorf("no look: %+v", l)
}

// FIFO is what serving jobs in the order of their arrival is called. It divides
// nothing, so it is no Policy; it is compared with them where tasks are whole. No
// rule can be registered under this name.
const FIFO = "fifo"

// Appearance returns how the rule of a name, without parameters, is shown in figures
// and tables: the label that papers print, and the look. Of a name that is not
// registered the label is the name and the look is none.
func Appearance(name string) (label string, look Look) {
	if name == FIFO {
		return "FIFO", Look{"grey", "sparse dashes", "◇"}
	}
	m, err := Lookup(name)
	if err != nil || m.Label == "" {
		return name, m.Look
	}
	return m.Label, m.Look
}
