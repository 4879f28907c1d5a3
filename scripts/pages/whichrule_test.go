package pages

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
)

// whichRule is the page whose tables, and whose figure, are made of the sweep
// docs/examples/which-rule.yaml and of nothing else.
const whichRule = root + "/docs/which-rule.md"

// Every table of docs/which-rule.md, and its figure, are what the sweep that the page names gives
// now; -update writes them.
func TestWhichRule(t *testing.T) {
	if testing.Short() {
		t.Skip("the sweep takes 40 s of processor time")
	}
	t.Parallel()
	dir := clone(t)
	shell(t, dir, "./leontief sweep docs/examples/which-rule.yaml --progress none --out which")
	w := &measuredRules{
		features: exported(t, dir, "features"), lies: exported(t, dir, "lies"), replay: exported(t, dir, "replay"), whole: exported(t, dir, "whole"),
		faster: exported(t, dir, "replay", "--baseline", baseline), fasterWhole: exported(t, dir, "whole", "--baseline", baseline),
	}
	page, err := os.ReadFile(whichRule)
	if err != nil {
		t.Fatal(err)
	}
	now := string(page)
	for name, made := range map[string]string{"defined": w.definedOn(t), "kept": w.kept(), "lies": w.gamed(), "replay": w.replayed(), "fair": w.fair(), "whole": w.wholeTasks(), "sentences": w.sentences()} {
		now = replaced(t, now, name, made)
	}
	compare(t, whichRule, string(page), now)
	plain := strings.Join(strings.Fields(now), " ")
	for sentence, holds := range w.said() {
		if !holds {
			t.Errorf("it is not so: %s", sentence)
		}
		if !strings.Contains(plain, sentence) {
			t.Errorf("docs/which-rule.md does not say: %s", sentence)
		}
	}
	figure := filepath.Join(root, "docs/img/which-rule.svg")
	drawn, err := os.ReadFile(figure)
	if err != nil && !*update {
		t.Fatal(err)
	}
	compare(t, figure, string(drawn), w.figure(t))
}

// The table of real pods is what the second sweep gives, where the trace is.
func TestWhichRulePods(t *testing.T) {
	folder := os.Getenv("LEONTIEF_TRACES")
	if folder == "" {
		folder = filepath.Join(root, "../shared/traces")
	}
	trace, err := filepath.Abs(filepath.Join(folder, "alibaba/gpu2023"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(trace); err != nil {
		t.Skip("no pods of 2023 here: ", err)
	}
	dir := clone(t)
	shell(t, dir, "./leontief traces import alibaba-gpu2023 "+trace+" --out docs/examples/pods.parquet && ./leontief sweep docs/examples/which-rule-pods.yaml --progress none --out which")
	w := &measuredRules{replay: exported(t, dir, "pods"), faster: exported(t, dir, "pods", "--baseline", baseline)}
	page, err := os.ReadFile(whichRule)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, whichRule, string(page), replaced(t, string(page), "pods", w.pods()))
	if said := fmt.Sprintf("With a mean JCT factor of %.3f", w.replay.of(baseline, "", "jct_factor").mean); !strings.Contains(string(page), said) {
		t.Errorf("docs/which-rule.md does not say: %s", said)
	}
	for _, rule := range []string{"mnw", "cru", "per-machine-drf"} {
		if d := w.faster.of(rule, "", "jct_factor"); d.low > 0 || d.high < 0 {
			t.Errorf("%s can be told from %s on the pods: %v", rule, baseline, d)
		}
	}
}

// pods are the replays of real pods.
func (w *measuredRules) pods() string {
	var columns []column
	for _, m := range [][2]string{{"JCT factor", "jct_factor"}, {"EF-SAT", "min_ef_sat"}, {"SI violated", "si_violation_time_ratio"}} {
		columns = append(columns, column{m[0], func(rule string) string { return against(w.replay, w.faster, rule, "", m[1]) }})
	}
	return markdown(columns)
}

// compare asks for the same text, or writes it.
func compare(t *testing.T, path, is, now string) {
	t.Helper()
	switch {
	case is == now:
	case *update:
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		a, b := strings.Split(is, "\n"), strings.Split(now, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s, line %d:\n%.300s\nis now\n%.300s", path, i+1, a[i], b[i])
			}
		}
		t.Fatalf("%s has %d lines and would have %d", path, len(a), len(b))
	}
}

// replaced puts what was made between the two marks of a name.
func replaced(t *testing.T, page, name, made string) string {
	t.Helper()
	marks := regexp.MustCompile(`(?s)(<!-- made: ` + name + ` -->\n).*?(<!-- end -->)`)
	if n := len(marks.FindAllString(page, -1)); n != 1 {
		t.Fatalf("%d places for %s in %s", n, name, whichRule)
	}
	return marks.ReplaceAllStringFunc(page, func(all string) string {
		m := marks.FindStringSubmatch(all)
		return m[1] + made + m[2]
	})
}

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

// said are the sentences of the page that have numbers of the sweep or rest on them, and whether
// what they say is so.
func (w *measuredRules) said() map[string]bool {
	kept := func(rule, setting, property string) float64 {
		return instances * w.features.of(rule, setting, property+"_kept").mean
	}
	liars := func(rule, setting string) float64 { return 100 * w.lies.of(rule, setting, "liars").mean }
	best := func(rule, setting string) float64 { return w.lies.of(rule, setting, "best_lie").mean }
	faster := func(rule, setting string) value { return w.faster.of(rule, setting, "jct_factor") }
	at := func(rule, setting, metric string) float64 { return w.replay.of(rule, setting, metric).mean }
	const scarce, free, rest, slots = "rho 0.9, bandwidth_mhz 1", "rho 0.9", "rho 0.7, bandwidth_mhz 2, slot_s 0", "rho 0.7, bandwidth_mhz 2, slot_s 256"
	always := true
	for _, s := range settings {
		always = always && w.lacking("mnw", s.setting) == "all"
	}
	never := best("per-machine-drf", "") == 0 && best("eq", "") == 0
	honest := true
	for _, s := range []string{"", "links shared", "constraints yes"} {
		honest = honest && best("tsf-er", s) == 0
	}
	for _, s := range []string{"links shared", "constraints yes", "demands by-server"} {
		never = never && best("per-machine-drf", s)+best("eq", s) == 0
	}
	slower := func(rule string) bool { return w.fasterWhole.of(rule, rest, "jct_factor").high < 0 }
	return map[string]bool{
		"as `mnw`, as fast or a little faster":                                                                  w.neverSlower("cru", "mnw"),
		"constraints, where lies pay more than under `mnw`":                                                     best("cru", "constraints yes") > best("mnw", "constraints yes"),
		"`cmmf-cpu` is fast on this workload, and leaves equal shares for it.":                                  faster("cmmf-cpu", free).low > 0 && at("cmmf-cpu", free, "si_violation_time_ratio") > .1,
		"Most is to be had where tasks are counted (`egalitarian`, `utilitarian`) or shares are summed (`ru`).": min(best("egalitarian", ""), best("utilitarian", ""), best("ru", "")) > .5,
		"no lie was found where a task needs the same on every server":                                          honest,
		"it kept all three properties below in every case that we tried, and is the faster of the two":          always && faster("mnw", free).low > 0 && faster("mnw", scarce).low > 0,
		"`per-machine-drf` and `eq` gave no lie anywhere, and pay for it in waste":                              never && kept("per-machine-drf", "", "po") < 60 && kept("eq", "", "po") < 60,
		fmt.Sprintf("`cdrf` is gamed with placement constraints, by %.0f%% of the users, and there they envy as well (no envy in %.0f of 100).", liars("cdrf", "constraints yes"), kept("cdrf", "constraints yes", "ef")):                                                                                                                                                                        best("cdrf", "") == 0,
		fmt.Sprintf("Where demands differ by server, the rules that are strategy-proof elsewhere are not: under `tsf-er` %.0f%% of the users gain, under `drf-er` %.0f%%, and more than under `mnw` (%.0f%%) or `ps-dsf` (%.0f%%).", liars("tsf-er", "demands by-server"), liars("drf-er", "demands by-server"), liars("mnw", "demands by-server"), liars("ps-dsf", "demands by-server")):        best("tsf-er", "demands by-server") > best("mnw", "demands by-server") && best("mnw", "demands by-server") > best("ps-dsf", "demands by-server"),
		fmt.Sprintf("`mnw` can be gamed everywhere, and it brings little: %.1f%% of what one could run alone in the plain case, %.1f%% with constraints.", 100*best("mnw", ""), 100*best("mnw", "constraints yes")):                                                                                                                                                                              best("mnw", "links shared") > 0 && best("mnw", "demands by-server") > 0,
		fmt.Sprintf("`mnw` is %.1f%% faster than `tsf-er` without a link and %.1f%% with a scarce one (ρ = 0.9), and gives up neither envy-freeness nor equal shares nor anything else but that lies pay.", 100*faster("mnw", free).mean/at("tsf-er", free, "jct_factor"), 100*faster("mnw", scarce).mean/at("tsf-er", scarce, "jct_factor")):                                                    always && faster("mnw", free).low > 0 && faster("mnw", scarce).low > 0,
		fmt.Sprintf("What `utilitarian` brings beyond, %+.3f with the scarce link, has somebody below an equal share in %.0f%% of the time.", faster("utilitarian", scarce).mean, 100*at("utilitarian", scarce, "si_violation_time_ratio")):                                                                                                                                                      faster("utilitarian", scarce).low > faster("mnw", scarce).high,
		fmt.Sprintf("To split a scarce link beforehand wastes most where servers differ: `tsf-eq` and `drf-eq` leave room for %.0f%% and %.0f%% more tasks.", 100*(at("tsf-eq", scarce, "domination_factor")-1), 100*(at("drf-eq", scarce, "domination_factor")-1)):                                                                                                                              at("tsf-er", scarce, "domination_factor") < 1+1e-6,
		fmt.Sprintf("Without slots the rules that go by share are ahead of those that are rounded, in speed and in envy: the most envious user of `tsf-er` has on average %.2f of what another's bundle would bring it, of `mnw` %.2f, of `fifo` %.2f.", w.whole.of("tsf-er", rest, "min_ef_sat").mean, w.whole.of("mnw", rest, "min_ef_sat").mean, w.whole.of("fifo", rest, "min_ef_sat").mean): slower("mnw") && slower("cru") && slower("eq") && slower("per-machine-drf") && slower("fifo"),
		fmt.Sprintf("With slots `mnw` comes to %.3f of JCT factor beside %.3f of `tsf-er`.", w.whole.of("mnw", slots, "jct_factor").mean, w.whole.of("tsf-er", slots, "jct_factor").mean):                                                                                                                                                                                                        true,
	}
}

// neverSlower compares mean JCT factors in all replays.
func (w *measuredRules) neverSlower(rule, than string) bool {
	for _, s := range replays {
		if w.replay.of(rule, s.setting, "jct_factor").mean < w.replay.of(than, s.setting, "jct_factor").mean-5e-4 {
			return false
		}
	}
	return true
}
