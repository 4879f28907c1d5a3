package resulttest

import (
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Point returns the point that a text k=v,… describes: whole numbers, numbers or texts.
func Point(text string) results.Point {
	values := map[string]results.Value{}
	for _, pair := range strings.Split(text, ",") {
		k, v, _ := strings.Cut(pair, "=")
		if i, err := strconv.ParseInt(v, 10, 64); err == nil {
			values[k] = results.OfInt(i)
		} else if f, err := strconv.ParseFloat(v, 64); err == nil {
			values[k] = results.OfFloat(f)
		} else {
			values[k] = results.OfText(v)
		}
	}
	return results.NewPoint(values)
}
