package magiks

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// draw makes the figures of an item from its table.
func draw(item string, rows []results.Row) ([]plots.Figure, error) {
	var f plots.Figure
	var err error
	switch item {
	case "fig2", "fig3":
		f, err = moveBoxes(item, rows, plots.OneColumn)
	case "fig4", "fig5", "fig6", "fig7":
		f, err = meanPoints(item, rows, plots.OneColumn)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []plots.Figure{f}, nil
}
