package papers

import (
	"github.com/leontief-sim/leontief/plots"
	"github.com/leontief-sim/leontief/policies"
)

// Styles returns how the registered rules, and FIFO, look in figures.
func Styles() plots.Styles {
	styles := plots.Styles{}
	for _, name := range append(policies.Names(), policies.FIFO) {
		label, look := policies.Appearance(name)
		styles[name] = plots.Style{Label: label}
		if look == (policies.Look{}) {
			continue // a spare style
		}
		style, err := plots.NewStyle(label, look.Color, look.Dashes, look.Marker)
		if err != nil {
			panic(err) // policies.Register takes no other words
		}
		styles[name] = style
	}
	return styles
}
