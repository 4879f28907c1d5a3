package pages

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
)

// column is a column of a table: its head and its cell of a rule.
type column struct {
	head string
	cell func(rule string) string
}

// markdown writes a table with a row a rule; rules without a cell that says anything are left out.
func markdown(columns []column) string {
	var b strings.Builder
	b.WriteString("| rule |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.head)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, rule := range rules() {
		row, said := "| `"+rule+"` |", false
		for _, c := range columns {
			text := c.cell(rule)
			said = said || text != "–"
			row += " " + text + " |"
		}
		if said {
			b.WriteString(row + "\n")
		}
	}
	return b.String()
}

// instances of the block features, which the shares are of.
const instances = 100

// The settings of random environments, by what the tables call them.
var settings = []struct{ head, setting string }{
	{"plain", ""}, {"alike servers", "spread 1"}, {"shared link", "links shared"}, {"link a server", "links own"},
	{"constraints", "constraints yes"}, {"weights", "weights yes"}, {"zero demands", "demands zeros"}, {"demands by server", "demands by-server"}, {"task caps", "caps yes"},
}

func (w *measuredRules) definedOn(t *testing.T) string {
	var columns []column
	for _, s := range settings[2:] {
		columns = append(columns, column{s.head, func(rule string) string {
			switch w.features.of(rule, s.setting, "defined").mean {
			case 1:
				if s.head == "weights" && w.alike(rule, s.setting, "") {
					return "ignored"
				}
				return "✓"
			case 0:
				return "–"
			}
			return "some"
		}})
	}
	return markdown(append(columns, column{"whole tasks", func(rule string) string {
		p, err := policies.New(rule)
		if err != nil {
			t.Fatal(err)
		}
		if _, ordered := p.(policies.Normalizer); !ordered {
			return "rounded"
		}
		if s, ok := p.(policies.LinkSplitter); ok && s.SplitsLinks() {
			return "by share, with links rounded"
		}
		return "by share"
	}}))
}

// alike reports whether nothing that is measured of a rule differs between two settings.
func (w *measuredRules) alike(rule, a, b string) bool {
	for _, metric := range []string{"smallest_share", "share", "min_ef_sat", "min_si_sat", "domination_factor"} {
		if w.features.of(rule, a, metric) != w.features.of(rule, b, metric) {
			return false
		}
	}
	return true
}

// lacking lists the properties that fail in some environments, with the number in which they hold.
func (w *measuredRules) lacking(rule, setting string) string {
	if w.features.of(rule, setting, "defined").mean == 0 {
		return "–"
	}
	var parts []string
	for _, p := range []string{"EF", "SI", "PO"} {
		if share := w.features.of(rule, setting, strings.ToLower(p)+"_kept").mean; share < 1 {
			parts = append(parts, fmt.Sprintf("%s %.0f", p, share*instances))
		}
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, ", ")
}

func (w *measuredRules) kept() string {
	var columns []column
	for _, s := range settings {
		columns = append(columns, column{s.head, func(rule string) string { return w.lacking(rule, s.setting) }})
	}
	return markdown(columns)
}

// lie says what the best lies bring; "" where the rule is not defined.
func (w *measuredRules) lie(rule, setting string) string {
	part, there := w.lies[[3]string{rule, setting, "best_lie"}]
	switch {
	case !there:
		return "–"
	case part.mean == 0:
		return "none"
	}
	return fmt.Sprintf("%.3f (%.0f%%)", part.mean, 100*w.lies.of(rule, setting, "liars").mean)
}

func (w *measuredRules) gamed() string {
	var columns []column
	for _, k := range []int{0, 2, 4, 7} {
		columns = append(columns, column{settings[k].head, func(rule string) string { return w.lie(rule, settings[k].setting) }})
	}
	return markdown(columns)
}

// The settings of the fluid replays.
var replays = []struct{ head, setting string }{
	{"no link, ρ = 0.1", "rho 0.1"}, {"no link, ρ = 0.9", "rho 0.9"}, {"1 MHz, ρ = 0.1", "rho 0.1, bandwidth_mhz 1"}, {"1 MHz, ρ = 0.9", "rho 0.9, bandwidth_mhz 1"},
}

// against writes the mean of the baseline and the paired differences from it of the others.
func against(plain, less table, rule, setting, metric string) string {
	v, there := plain[[3]string{rule, setting, metric}]
	if !there {
		return "–"
	}
	if rule == baseline {
		return fmt.Sprintf("**%.3f**", v.mean)
	}
	d := less.of(rule, setting, metric)
	if math.Abs(d.mean) < 5e-5 && math.Abs(d.low) < 5e-4 && math.Abs(d.high) < 5e-4 {
		return "same"
	}
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", d.mean, d.low, d.high)
}

func (w *measuredRules) replayed() string {
	var columns []column
	for _, s := range replays {
		columns = append(columns, column{s.head, func(rule string) string { return against(w.replay, w.faster, rule, s.setting, "jct_factor") }})
	}
	return markdown(columns)
}

func (w *measuredRules) fair() string {
	var columns []column
	for _, k := range []int{1, 3} {
		for _, m := range [][2]string{{"EF-SAT", "min_ef_sat"}, {"SI violated", "si_violation_time_ratio"}, {"waste", "domination_factor"}, {"cpu used", "mean_utilization:cpu"}} {
			columns = append(columns, column{m[0] + ", " + replays[k].head, func(rule string) string {
				v, there := w.replay[[3]string{rule, replays[k].setting, m[1]}]
				switch {
				case !there:
					return "–"
				case m[1] == "domination_factor":
					return fmt.Sprintf("%.3f", v.mean-1)
				}
				return fmt.Sprintf("%.3f", v.mean)
			}})
		}
	}
	return markdown(columns)
}

func (w *measuredRules) wholeTasks() string {
	var columns []column
	for _, s := range [][2]string{{"no slots", "rho 0.7, bandwidth_mhz 2, slot_s 0"}, {"slots of 256 s", "rho 0.7, bandwidth_mhz 2, slot_s 256"}} {
		for _, m := range [][2]string{{"JCT factor", "jct_factor"}, {"EF-SAT", "min_ef_sat"}} {
			columns = append(columns, column{m[0] + ", " + s[0], func(rule string) string { return against(w.whole, w.fasterWhole, rule, s[1], m[1]) }})
		}
	}
	text := markdown(columns)
	fifo := "| `fifo` |"
	for _, c := range columns {
		fifo += " " + c.cell("fifo") + " |"
	}
	return text + fifo + "\n"
}

// sentences name the rules that lack nothing in any environment of a setting, and those of them
// for which no lie was found.
func (w *measuredRules) sentences() string {
	var b strings.Builder
	for _, s := range settings {
		var fair []string
		for _, rule := range rules() {
			if w.lacking(rule, s.setting) == "all" {
				name := "`" + rule + "`"
				if w.lie(rule, s.setting) == "none" {
					name = "**" + name + "**"
				}
				fair = append(fair, name)
			}
		}
		fmt.Fprintf(&b, "- *%s*: %s\n", s.head, strings.Join(fair, ", "))
	}
	return b.String()
}
