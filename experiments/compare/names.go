package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/sim/event"
	"github.com/leontief-sim/leontief/sim/metrics"
)

// sortedBy returns the keys of a map by a number, then by name.
func sortedBy[V any](m map[string]V, of func(string) int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a, b)) })
}

// percent writes a part in percent, with its sign where it is negative.
func percent(v float64) string {
	if text := fmt.Sprintf("%.1f%%", 100*v); text != "-0.0%" {
		return text
	}
	return "0.0%"
}

// short writes a number with four digits, large ones as whole numbers.
func short(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// signed is short with a plus.
func signed(v float64) string {
	if v > 0 {
		return "+" + short(v)
	}
	return short(v)
}

func signedPercent(v float64) string {
	switch text := percent(v); {
	case v < 0 || text == "0.0%":
		return text
	case v > 10:
		return ">+1000%"
	default:
		return "+" + text
	}
}

// withEnds writes an interval in a cell.
func withEnds(iv metrics.Interval, write func(float64) string) string {
	switch {
	case iv.Units == 0:
		return ""
	case !iv.Bounded:
		return write(iv.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", write(iv.Value), write(iv.Low), write(iv.High))
}

// apart reports whether an interval says on which side of 0 it is.
func apart(iv metrics.Interval) bool { return iv.Bounded && (iv.Low > 0 || iv.High < 0) }

// rounding is how far two values may be from each other, relative to them, that differ by
// the accuracy of solvers alone.
const rounding = 1e-6

// tells reports whether the difference to the baseline, which has a value, is apart from 0
// and more than rounding.
func tells(less metrics.Interval, base float64) bool {
	return apart(less) && math.Abs(less.Value) > rounding*math.Abs(base)
}

// seconds writes an instant as a command line takes it.
func seconds(at event.Time) string { return strconv.FormatFloat(float64(at)/1e6, 'f', -1, 64) }

// lengthOf names the length of a block.
func lengthOf(block event.Time) string {
	switch block {
	case Day:
		return "day"
	case Week:
		return "week"
	}
	text := (time.Duration(block) * time.Microsecond).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if short, cut := strings.CutSuffix(text, zero); cut {
			text = short + zero[:1]
		}
	}
	return text
}

// plural counts things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
