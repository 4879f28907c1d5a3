package tsfer

import (
	"math"
	"testing"
)

// The printed table has the drop, the effect of bandwidth and that of ρ which section
// 6.2.1 and the table say, and no distance from itself; one of which every value but the
// fitted one is 3% larger is 3% away.
func TestTable3IsSummedUp(t *testing.T) {
	want := "RMS 0.0%, drop 6.6% (1 − TSF-ER/CRU: 6.2%), 1 to 3 MHz +17%, ρ = 0.5 to 0.9 +4.8%"
	if got := Table3Printed().String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	larger := table3Of(func(s Setting, rule string) float64 {
		for k := range rules3 {
			if rules3[k] == rule && !(s == Central && k == 0) {
				return 1.03 * printed(s, k)
			}
		}
		return 9 // the fitted value does not count
	})
	if math.Abs(larger.RMS-0.03) > 1e-12 {
		t.Errorf("RMS %g, want 0.03", larger.RMS)
	}
}
