package tsfer

import (
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// drawings are the figures by item, and how each is drawn from its table: from
// the rows, or from the means of its cells.
var drawings = map[string]func([]results.Row, []results.Cell) (plots.Figure, error){
	itemFig3: func(_ []results.Row, c []results.Cell) (plots.Figure, error) {
		return figure3(c, plots.OneColumn)
	},
	itemFig4: func(_ []results.Row, c []results.Cell) (plots.Figure, error) {
		return figure4(c, plots.OneColumn)
	},
	"fig5": series("fig5"), "fig6": series("fig6"), "fig7": series("fig7"),
	"fig8": againstSlot("fig8"), "fig9": againstSlot("fig9"), "fig10": againstSlot("fig10"),
}

// series draws a figure over time.
func series(item string) func([]results.Row, []results.Cell) (plots.Figure, error) {
	return func(rows []results.Row, _ []results.Cell) (plots.Figure, error) {
		return overTime(item, rows, plots.OneColumn)
	}
}

// againstSlot draws a figure against the reallocation slot.
func againstSlot(item string) func([]results.Row, []results.Cell) (plots.Figure, error) {
	return func(_ []results.Row, cells []results.Cell) (plots.Figure, error) {
		return againstSlots(item, cells, plots.OneColumn)
	}
}

// draw makes the figure of an item from its table; tables have none.
func draw(item string, rows []results.Row) ([]plots.Figure, error) {
	of, ok := drawings[item]
	if !ok {
		return nil, nil
	}
	var cells []results.Cell
	if rows[0].TimeS == 0 {
		var err error
		if cells, err = results.Summarize(rows); err != nil {
			return nil, err
		}
	}
	figure, err := of(rows, cells)
	return []plots.Figure{figure}, err
}
