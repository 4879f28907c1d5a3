package report

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
)

// The height of a phone's screen, in CSS pixels, where its width is 390.
const phoneHeight = 844

// call runs one command of the browser.
func call[P, R any](t *testing.T, ctx context.Context, command cdp.Command[P, R], params P) {
	t.Helper()
	run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, command, params)
		return err
	}))
}

// click clicks the middle of an element where it is, without scrolling to it.
func click(t *testing.T, ctx context.Context, selector string) {
	t.Helper()
	at := value[[]float64](t, ctx, "(() => { const r = document.querySelector('"+selector+"').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()")
	run(t, ctx, chromedp.MouseClickXY(at[0], at[1]), chromedp.Sleep(300*time.Millisecond))
}

// long is a page with a long table of the paper before its first figure, and names that
// have no blank.
func long(t *testing.T) string {
	t.Helper()
	f := paperFolder("p")
	name := strings.Repeat("averylongname", 12)
	for k := range 60 {
		id := "fig7/" + string(rune('a'+k%26)) + strings.Repeat("x", k)
		f.Ledger = append(f.Ledger, ledger.Entry{Paper: "p", Item: "fig7", ID: id, Claim: "claim " + name, Ours: value64(1), Verdict: ledger.Differs, Why: "1 is 1 above 0, and so is the whole interval; why " + id, Workload: name})
	}
	f.Figures = []Figure{{"p-table3", `<svg width="252pt" height="150pt" viewBox="0 0 252 150"><title>t</title><desc>d</desc><rect width="252" height="150" fill="#eee"/></svg>`}}
	f.Manifest.Spec = []byte(`{"items": ["table3", "fig7"]}`)
	f.Texts = []Text{{"summary", strings.Repeat("wide ", 80)}}
	f.Tables = []Table{{"fig8-hour", results.Pack(cellsOf("jct_factor", map[string][]float64{"mnw rho=1": {.5, .7}, "mnw rho=2": {.8, .6}}))}}
	return page0(t, f, hostile())
}

// sweeps is a page of six folders with much to say before their figures.
func sweeps(t *testing.T) string {
	t.Helper()
	var rows []results.Row
	for k, metric := range []string{"jct_factor", "mean_completion_time", "min_ef_sat", "si_violation_time_ratio", "jobs_refused"} {
		rows = append(rows, cellsOf(metric, map[string][]float64{"mnw rho=1": {.5, .7}, "mnw rho=2": {.8, .6 + float64(k)}, "tsf-er rho=1": {.7, .5}, "tsf-er rho=2": {.2, .9}})...)
	}
	var folders []Folder
	for k := range 6 {
		folders = append(folders, Folder{Name: fmt.Sprint("sweep", k), Tables: []Table{{"factors", results.Pack(rows)}}, Texts: []Text{{"summary", strings.Repeat("wide ", 80)}}})
	}
	return page0(t, folders...)
}

// On a phone nothing scrolls sideways, and the first figure is within three screens.
func TestOnAPhone(t *testing.T) {
	for _, page := range []string{written(t, madeUp(t, 300)), long(t), sweeps(t)} {
		ctx := open(t, page, 390)
		if w := value[int](t, ctx, `document.documentElement.scrollWidth`); w > 390 {
			t.Errorf("the page is %d pixels wide on a screen of 390: %s", w, value[string](t, ctx, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > 391 && !e.closest("pre, .wide")).map(e => e.tagName + "." + e.className).slice(0, 5).join()`))
		}
		if y := value[float64](t, ctx, `document.querySelector("figure, .plot").getBoundingClientRect().bottom + scrollY`); y > 3*phoneHeight {
			t.Errorf("the first figure ends %v pixels down, beyond three screens of %d", y, phoneHeight)
		}
		// With everything unfolded as well.
		run(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("main details").forEach(d => d.open = true)`))
		if w := value[int](t, ctx, `document.documentElement.scrollWidth`); w > 390 {
			t.Errorf("unfolded the page is %d pixels wide: %s", w, value[string](t, ctx, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > 391 && !e.closest("pre, .wide")).map(e => e.tagName + "." + e.className).slice(0, 5).join()`))
		}
	}
}

// A figure of several panels is drawn for a phone, and for where there is room.
func TestAFigureFitsItsPage(t *testing.T) {
	of := map[string][]float64{}
	for k := range 12 {
		of[fmt.Sprintf("%s n=%d,rho=%d", []string{"mnw", "tsf-er"}[k%2], k/2%2, k/4)] = []float64{float64(k), 1}
	}
	page := page0(t, Folder{Name: "own", Tables: []Table{{"factors", results.Pack(cellsOf("jct_factor", of))}}})
	for width, want := range map[int64]string{390: "without-room", 1280: "with-room"} {
		ctx := open(t, page, width)
		if got := value[string](t, ctx, `[...document.querySelectorAll("figure > div")].filter(e => e.offsetHeight > 0).map(e => e.className).join()`); got != want {
			t.Errorf("at a width of %d the page shows the figures %q, want %s", width, got, want)
		}
	}
}

// The contents are in sight wherever one is on the page, and say where that is; on a
// phone they are one line, which opens.
func TestTheContentsStayInSight(t *testing.T) {
	ctx := open(t, long(t), 1280)
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector("#p-fig7").scrollIntoView()`), chromedp.Sleep(300*time.Millisecond))
	const inSight = `(() => { const r = document.querySelector("nav").getBoundingClientRect(); return r.top >= 0 && r.bottom > 0 && r.top < innerHeight / 4; })()`
	if !value[bool](t, ctx, inSight) {
		t.Error("the contents scrolled away")
	}
	if at := value[string](t, ctx, `document.querySelector("nav [aria-current]").hash`); at != "#p-fig7" {
		t.Errorf("the contents say that one is at %s", at)
	}
	ctx = open(t, long(t), 390)
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`scrollTo(0, 1500)`))
	if h := value[float64](t, ctx, `document.querySelector("nav").getBoundingClientRect().height`); !value[bool](t, ctx, inSight) || h > 60 {
		t.Errorf("on a phone the contents take %v pixels, or are gone", h)
	}
	click(t, ctx, `nav summary`)
	click(t, ctx, `nav a[href="#p-fig7"]`)
	if y := value[float64](t, ctx, `document.querySelector("#p-fig7").getBoundingClientRect().top`); y < -5 || y > 200 {
		t.Errorf("a link of the contents leads to %v pixels beside its item", y)
	}
}

// On paper every reason is printed, and every heading has something below it.
func TestOnPaper(t *testing.T) {
	ctx := open(t, long(t), 790)
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("beforeprint"))`))
	call(t, ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	hidden := value[string](t, ctx, `[...document.querySelectorAll(".why, .reasons li")].filter(e => !e.checkVisibility() || e.getBoundingClientRect().height === 0).map(e => e.textContent).slice(0, 3).join(" | ")`)
	if hidden != "" {
		t.Errorf("reasons that are not printed: %s", hidden)
	}
	empty := value[string](t, ctx, `[...document.querySelectorAll("h2, h3, h4, summary")].filter(h => h.checkVisibility()).filter(h => {
		const box = h.closest("section, details, .chart") || h.parentElement;
		return box.getBoundingClientRect().bottom - h.getBoundingClientRect().bottom < 8;
	}).map(h => h.textContent).join(" | ")`)
	if empty != "" {
		t.Errorf("headings without content: %s", empty)
	}
	if value[bool](t, ctx, `document.querySelector("nav").checkVisibility() || document.querySelector(".filter").checkVisibility()`) {
		t.Error("the contents or the filter are printed")
	}
	if n := value[int](t, ctx, `document.querySelectorAll(".ledger thead th").length`); n != 8 || value[string](t, ctx, `getComputedStyle(document.querySelector(".ledger tr")).display`) != "table-row" {
		t.Error("the ledger is not printed as a table")
	}
}

// In the dark the page is, and figures keep their white.
func TestInTheDark(t *testing.T) {
	ctx := open(t, long(t), 1280)
	const lightness = `((sel) => { const c = getComputedStyle(document.querySelector(sel)).backgroundColor.match(/[0-9.]+/g).map(Number); return (c[0] + c[1] + c[2]) / 3; })`
	call(t, ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	if v := value[float64](t, ctx, lightness+`("body")`); v > 60 {
		t.Errorf("in the dark the page has lightness %v", v)
	}
	if v := value[float64](t, ctx, lightness+`("figure svg")`); v != 255 {
		t.Errorf("in the dark a figure has lightness %v", v)
	}
}

// All that answers a click answers the keyboard, and has a name.
func TestWithTheKeyboard(t *testing.T) {
	ctx := open(t, written(t, madeUp(t, 3000)), 1200)
	run(t, ctx, chromedp.KeyEvent(kb.Tab))
	if first := value[string](t, ctx, `document.activeElement.className`); first != "skip" {
		t.Errorf("the first stop is %q, not the link over the contents", first)
	}
	toChart(t, ctx)
	span := func() float64 {
		return value[float64](t, ctx, `(() => { const s = document.querySelector(".plot").leontief.scales.x; return s.max - s.min; })()`)
	}
	all := span()
	run(t, ctx, chromedp.Focus(".plot"), chromedp.KeyEvent("+"), chromedp.Sleep(50*time.Millisecond))
	if v := span(); v > .6*all {
		t.Errorf("the key + left %v of %v in sight", v, all)
	}
	run(t, ctx, chromedp.KeyEvent("0"), chromedp.Sleep(50*time.Millisecond))
	if v := span(); v != all {
		t.Errorf("the key 0 left %v of %v in sight", v, all)
	}
	run(t, ctx, chromedp.Focus(".u-legend .u-series:nth-child(3) th"), chromedp.KeyEvent(kb.Enter))
	if value[bool](t, ctx, `document.querySelector(".plot").leontief.series[2].show`) || value[string](t, ctx, `document.activeElement.getAttribute("aria-checked")`) != "false" {
		t.Error("Enter on a name did not switch its curve off, or does not say so")
	}
	run(t, ctx, chromedp.Focus(".ledger th:nth-child(5) button"), chromedp.KeyEvent(kb.Enter))
	if got := value[string](t, ctx, `[...document.querySelectorAll(".ledger tbody tr")].map(r => r.cells[4].textContent).join()`); got != "0.55,1,2" {
		t.Errorf("sorted by ours the ledger reads %s", got)
	}
	run(t, ctx, chromedp.KeyEvent(kb.Enter))
	if got := value[string](t, ctx, `[...document.querySelectorAll(".ledger tbody tr")].map(r => r.cells[4].textContent).join()`); got != "2,1,0.55" || value[string](t, ctx, `document.querySelector(".ledger th:nth-child(5)").ariaSort`) != "descending" {
		t.Errorf("sorted downwards the ledger reads %s", got)
	}
	nameless := value[string](t, ctx, `[...document.querySelectorAll("button, a, select, input, nav, svg[role=img], .plot, [role=switch]")].filter(e => !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim() || e.labels && e.labels.length)).map(e => e.outerHTML.slice(0, 80)).join()`)
	if nameless != "" {
		t.Errorf("without a name: %s", nameless)
	}
}

// Two fingers zoom, one reads values, and a button shows all again.
func TestWithTouch(t *testing.T) {
	ctx := open(t, written(t, madeUp(t, 3000)), 390)
	call(t, ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 5})
	toChart(t, ctx)
	box := value[[]float64](t, ctx, `(() => { const r = document.querySelector(".u-over").getBoundingClientRect(); return [r.left, r.top + r.height / 2, r.width]; })()`)
	fingers := func(kind input.DispatchTouchEventType, parts ...float64) {
		points := []*input.TouchPoint{}
		for k, part := range parts {
			id := float64(k)
			points = append(points, &input.TouchPoint{X: box[0] + part*box[2], Y: box[1], ID: &id})
		}
		call(t, ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	const span = `(() => { const s = document.querySelector(".plot").leontief.scales.x; return s.max - s.min; })()`
	all := value[float64](t, ctx, span)
	fingers(input.DispatchTouchEventTypeTouchStart, .45, .55)
	for k := range 8 {
		by := .03 * float64(k)
		fingers(input.DispatchTouchEventTypeTouchMove, .45-by, .55+by)
	}
	fingers(input.DispatchTouchEventTypeTouchEnd)
	run(t, ctx, chromedp.Sleep(100*time.Millisecond))
	if v := value[float64](t, ctx, span); v > .5*all {
		t.Errorf("two fingers left %v of %v in sight", v, all)
	}
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".tools button")].find(b => b.textContent === "Reset").click()`), chromedp.Sleep(100*time.Millisecond))
	if v := value[float64](t, ctx, span); v != all {
		t.Errorf("the reset button left %v of %v in sight", v, all)
	}
	fingers(input.DispatchTouchEventTypeTouchStart, .3)
	fingers(input.DispatchTouchEventTypeTouchMove, .32)
	run(t, ctx, chromedp.Sleep(100*time.Millisecond))
	if text := value[string](t, ctx, `document.querySelector(".u-legend .u-series:nth-child(2) .u-value").textContent`); text == "–" || text == "" || text == "--" {
		t.Errorf("one finger reads %q", text)
	}
	fingers(input.DispatchTouchEventTypeTouchEnd)
}

// What a folder's figure brings along does not run: the page's policy lets its own script
// alone.
func TestAFigureRunsNothing(t *testing.T) {
	f := paperFolder("p")
	f.Figures = []Figure{{"p-table3", `<svg width="10pt" height="5pt" viewBox="0 0 10 5" onload="window.ran=1"><script>window.ran=2</script><a href="javascript:window.ran=3"><text id="x">x</text></a></svg>`}}
	ctx := open(t, page0(t, f), 1280)
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector("figure a").dispatchEvent(new MouseEvent("click", {bubbles: true}))`), chromedp.Sleep(200*time.Millisecond))
	if value[bool](t, ctx, `"ran" in window`) {
		t.Error("a script in a figure ran")
	}
	if !value[bool](t, ctx, `document.querySelector(".filter output").textContent !== ""`) {
		t.Error("the page's own script did not run")
	}
}

// A table is downloaded as it is, all of it.
func TestATableIsDownloaded(t *testing.T) {
	ctx := open(t, written(t, madeUp(t, 30)), 1200)
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`(() => {
		URL.createObjectURL = (blob) => { blob.text().then((s) => (window.saved = s)); return "blob:none"; };
		HTMLAnchorElement.prototype.click = function () { window.name_ = this.download; };
		document.querySelector("button[data-table]").click();
	})()`), chromedp.Sleep(300*time.Millisecond))
	got := value[string](t, ctx, `window.name_ + "\n" + window.saved`)
	if want := "table1.csv\nmetric,policy,rho,mean,low,high,instances,unit\njct_factor,tsf-er,0,0.5,,,1,1\n"; !strings.HasPrefix(strings.ReplaceAll(got, "mnw", "tsf-er"), want) || strings.Count(got, "\n") != 8 {
		t.Errorf("downloaded %q", got)
	}
}
