package plots

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
)

// CSV returns the numbers that are drawn: a line a point, with the panel, its title, the
// series as the legend has it, the place on the horizontal axis, the mean, its 95%
// interval (empty for one instance) and the number of values; of a box also the
// quartiles. A heat map's series are its rows.
func (f Figure) CSV() []byte {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	boxes := slices.ContainsFunc(f.Panels, (*Panel).boxed)
	header := []string{"panel", "title", "y", "series", "x", "mean", "low", "high", "n"}
	if boxes {
		header = append(header, "q1", "median", "q3", "whisker_low", "whisker_high")
	}
	lines := [][]string{header}
	for k, p := range f.Panels {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				if pt.N == 0 {
					continue
				}
				line := []string{letter(k), results.CSVText(p.Title), results.CSVText(oneLine(p.Y.Label)), results.CSVText(f.Styles.Label(s.Name)), p.X.says(pt.X), digits(pt.Mean), "", "", strconv.Itoa(pt.N)}
				if p.bounded(pt) {
					line[6], line[7] = digits(pt.Low), digits(pt.High)
				}
				if b := pt.Box; b != nil {
					line = append(line, digits(b.Q1), digits(b.Median), digits(b.Q3), digits(b.WhiskerLow), digits(b.WhiskerHi))
				}
				lines = append(lines, line)
			}
		}
	}
	_ = out.WriteAll(lines) // a buffer takes everything
	return b.Bytes()
}

// bounded reports whether a point has a lower and an upper bound: those of an interval or
// of a bar of placements.
func (p *Panel) bounded(pt Point) bool { return pt.Bounded() || p.Kind == Placements }

func (p *Panel) boxed() bool {
	for pt := range p.points() {
		return pt.Box != nil
	}
	return false
}

// says writes a place of the axis: the name of a category, or the number.
func (a *Axis) says(v float64) string {
	if a.Scale == Categories {
		return results.CSVText(a.Names[int(v)])
	}
	return digits(v)
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
