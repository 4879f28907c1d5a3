package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/traces/tracetest"
)

// whichRule is the page whose tables, and whose figure, are made of the sweep
// docs/examples/which-rule.yaml and of nothing else.
const (
	whichRule   = root + "/docs/which-rule.md"
	whichFigure = root + "/docs/img/which-rule.svg"
)

// Every table of docs/which-rule.md, and its figure, are what the sweep that the page names gives
// now. The whole sweep takes 50 s of processor time: make test-long runs it, and -update, which
// writes what it gives. Else its first instances of every scenario must be those of then, by table
// and rule, and the page and its figure as they were written.
func TestWhichRule(t *testing.T) {
	if testing.Short() {
		t.Skip("the sweep takes seconds of processor time")
	}
	t.Parallel()
	if *update || long() {
		wholeWhichRule(t)
	}
	compareSums(t, "testdata/which-rule.sums", fewSums(t, clone(t), "which-rule", "features", "lies", "replay", "whole"))
}

// compareSums asks for the digests that were written.
func compareSums(t *testing.T, path, now string) {
	t.Helper()
	was, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if changed := missing(now, string(was)); len(changed) > 0 && !*update {
		t.Fatalf("docs/which-rule.md is not of this program, or not as it was written; go test ./scripts/pages -run WhichRule -update runs the sweep and writes it. Not as they were:\n%s", strings.Join(changed, "\n"))
	}
	compare(t, path, string(was), now)
}

func wholeWhichRule(t *testing.T) {
	t.Helper()
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
	drawn, err := os.ReadFile(whichFigure)
	if err != nil && !*update {
		t.Fatal(err)
	}
	compare(t, whichFigure, string(drawn), w.figure(t))
}

// The table of real pods is what the second sweep gives, where the trace is: in the long form all of
// it, else its first instances as of the first sweep.
func TestWhichRulePods(t *testing.T) {
	trace, err := filepath.Abs(tracetest.AtHand(t, "alibaba/gpu2023"))
	if err != nil {
		t.Fatal(err)
	}
	dir := clone(t)
	shell(t, dir, "mkdir -p out && ./leontief traces import alibaba-gpu2023 "+trace+" --out out/pods.parquet")
	if *update || long() {
		wholePods(t, dir)
	}
	compareSums(t, "testdata/which-rule-pods.sums", fewSums(t, dir, "which-rule-pods", "pods"))
}

func wholePods(t *testing.T, dir string) {
	t.Helper()
	shell(t, dir, "./leontief sweep docs/examples/which-rule-pods.yaml --progress none --out which")
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
