package pages

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
)

// value is a mean over instances, with its interval.
type value struct{ mean, low, high float64 }

// table has the values by rule, setting and metric.
type table map[[3]string]value

// of is a value that must be there.
func (t table) of(rule, setting, metric string) value {
	v, there := t[[3]string{rule, setting, metric}]
	if !there {
		panic(fmt.Sprintf("the sweep has no %s of %s with %q", metric, rule, setting))
	}
	return v
}

// measuredRules are the tables of the sweep; those named faster are less the baseline.
type measuredRules struct{ features, lies, replay, whole, faster, fasterWhole table }

// The baseline of paired differences.
const baseline = "tsf-er"

// exported reads a table of the sweep as leontief export writes it.
func exported(t *testing.T, dir, name string, flags ...string) table {
	t.Helper()
	text := shell(t, dir, "./leontief export which --csv --table "+name+" "+strings.Join(flags, " "))
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatal(name, err, text)
	}
	all, at := table{}, map[string]int{}
	for k, column := range lines[0] {
		at[column] = k
	}
	for _, line := range lines[1:] {
		of := func(column string) string {
			if k, ok := at[column]; ok {
				return line[k]
			}
			return ""
		}
		number := func(column string) float64 {
			v, err := strconv.ParseFloat(of(column), 64)
			if err != nil {
				return math.NaN()
			}
			return v
		}
		if name == "features" && of("instances") != strconv.Itoa(instances) {
			t.Fatalf("%s instances in %s, and the page speaks of %d", of("instances"), name, instances)
		}
		rule := strings.TrimSuffix(of("policy"), " less "+baseline)
		all[[3]string{rule, setting(of), of("metric")}] = value{number("mean"), number("low"), number("high")}
	}
	return all
}

// setting names what a row is of: the parameters that are not as in a cluster of unlike servers
// without anything else.
func setting(of func(string) string) string {
	var parts []string
	for _, p := range [][2]string{{"links", "none"}, {"constraints", "no"}, {"weights", "no"}, {"demands", "alike"}, {"caps", "no"}, {"spread", "4"}} {
		if v := of(p[0]); of("spread") != "" && v != p[1] {
			parts = append(parts, p[0]+" "+v)
		}
	}
	for _, p := range []string{"rho", "bandwidth_mhz", "slot_s"} {
		if v := of(p); of("spread") == "" && v != "" {
			parts = append(parts, p+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// rules are all rules in the order of the registry's families.
func rules() (names []string) {
	all := policies.All()
	for _, m := range all {
		names = append(names, m.Name)
	}
	order := []string{"tsf-er", "tsf", "cdrf", "drf-er", "drfh", "drf", "mnw", "mtp", "cru", "ps-dsf", "per-machine-drf", "eq"}
	slices.SortStableFunc(names, func(a, b string) int {
		place := func(name string) int {
			if k := slices.Index(order, name); k >= 0 {
				return k
			}
			return len(order)
		}
		return place(a) - place(b)
	})
	return names
}
