package report

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/leontief-sim/leontief/experiments/results"
)

// patience bounds what should take a second: only that it ends counts, however
// slow the machine is.
const patience = 4 * time.Minute

// TestMain ends the browser that the tests share.
func TestMain(m *testing.M) {
	status := m.Run()
	browser.end()
	os.Exit(status)
}

// browser is a Chromium without a network, started by the first test that needs it: each test
// has tabs of its own in it. A browser a test took twice the processor time.
var browser chromium

type chromium struct {
	once    sync.Once
	ctx     context.Context
	missing string // why there is none
	err     error
	ends    []func()
}

func (b *chromium) end() {
	for _, end := range slices.Backward(b.ends) {
		end()
	}
}

// start starts the browser. Its folder has a short path, since it holds a socket, and goes when
// the last process of the browser has.
func (b *chromium) start() {
	program, err := exec.LookPath("chromium")
	if err != nil {
		b.missing = "no chromium is installed (Debian: apt-get install chromium)"
		return
	}
	if strings.HasPrefix(program, "/snap/") {
		b.missing = "the chromium of a snap does not see the files of others in /tmp"
		return
	}
	dir, err := os.MkdirTemp("/tmp", "leontief-")
	if err != nil {
		b.missing = "no room for a browser: " + err.Error()
		return
	}
	b.ends = append(b.ends, func() {
		for range 100 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.Env("TMPDIR="+dir, "HOME="+dir), chromedp.Flag("disable-quic", true), chromedp.DisableGPU)
	all, stopAll := chromedp.NewExecAllocator(context.Background(), options...)
	tab, stopTab := chromedp.NewContext(all)
	b.ends, b.ctx = append(b.ends, stopAll, stopTab), tab
	// This starts the browser, whose life a timeout must not bound.
	if b.err = chromedp.Do(tab); b.err != nil && strings.Contains(b.err.Error(), "chrome failed to start") {
		b.missing = program + " does not start here: " + b.err.Error()
	}
}

// open opens a page in a tab of a real browser without a network, at a width, or skips
// the test where there is no Chromium that starts. The test fails if the page
// complains.
func open(t *testing.T, page string, width int64) context.Context {
	t.Helper()
	if browser.once.Do(browser.start); browser.missing != "" {
		t.Skip(browser.missing)
	} else if browser.err != nil {
		t.Fatal(browser.err)
	}
	path := filepath.Join(t.TempDir(), "a page #1 of 100%.html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	tab, stopTab := chromedp.NewContext(browser.ctx)
	t.Cleanup(stopTab)
	ctx, stop := context.WithTimeout(tab, patience)
	t.Cleanup(stop)
	listen(t, ctx)
	watchNetwork := chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, network.Enable, network.EnableParams{})
		return err
	})
	run(t, ctx, watchNetwork, chromedp.EmulateViewport(width, 900), chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()), chromedp.WaitReady("main"))
	return ctx
}

// listen makes the test fail when the page's script does, or when the page asks
// for anything outside.
func listen(t *testing.T, ctx context.Context) {
	t.Helper()
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page's script failed: %v", e.ExceptionDetails)
		case *network.EventRequestWillBeSent:
			if url := e.Request.URL; !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "blob:") {
				t.Errorf("the page asked for %s", url)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// value evaluates a script.
func value[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestInABrowser(t *testing.T) {
	ctx := open(t, written(t, madeUp(t, 3000)), 1200)
	const shown = `[...document.querySelectorAll(".ledger tbody tr")].filter(r => r.offsetHeight > 0).length`
	if n := value[int](t, ctx, shown); n != 3 {
		t.Errorf("%d entries are shown, want 3", n)
	}
	run(t, ctx, chromedp.SetValue(".filter select[name=verdict]", "differs"), chromedp.Evaluate[chromedp.Void](`document.querySelector(".filter").dispatchEvent(new Event("input"))`))
	if n := value[int](t, ctx, shown); n != 1 {
		t.Errorf("%d entries differ, want 1", n)
	}
	run(t, ctx, chromedp.SetValue(".filter select[name=verdict]", ""), chromedp.SetValue(".filter input", "because"), chromedp.Evaluate[chromedp.Void](`document.querySelector(".filter").dispatchEvent(new Event("input"))`))
	if n := value[int](t, ctx, shown); n != 1 {
		t.Errorf("%d entries have the reason that is searched, want 1", n)
	}
	toChart(t, ctx)
	if n := value[int](t, ctx, `document.querySelectorAll(".plot canvas").length`); n != 1 {
		t.Errorf("%d charts are drawn, want 1", n)
	}
	if v := value[float64](t, ctx, `document.querySelector(".plot").leontief.scales.y.max`); v < 17 {
		t.Errorf("the vertical axis ends at %v, below the largest value", v)
	}
}

func TestChartsAnswer(t *testing.T) {
	ctx := open(t, written(t, madeUp(t, 3000)), 1200)
	toChart(t, ctx)
	run(t, ctx, chromedp.Click(".u-legend .u-series:nth-child(3) th", chromedp.NodeVisible))
	if value[bool](t, ctx, `document.querySelector(".plot").leontief.series[2].show`) {
		t.Error("a click on a name did not hide its curve")
	}
	before := value[float64](t, ctx, `document.querySelector(".plot").leontief.scales.x.max`)
	drag(t, ctx, .25, .5)
	if after := value[float64](t, ctx, `document.querySelector(".plot").leontief.scales.x.max`); after > .6*before {
		t.Errorf("dragging over a quarter of a chart left its axis at %v of %v", after, before)
	}
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`(() => { const p = document.querySelector(".plot").leontief; p.setCursor({left: 40, top: 40}); })()`))
	if text := value[string](t, ctx, `document.querySelector(".u-legend .u-series:nth-child(2) .u-value").textContent`); text == "–" || text == "" {
		t.Errorf("the cursor reads %q", text)
	}
}

func TestAUserIsChosen(t *testing.T) {
	dir := madeUp(t, 5)
	var rows []results.Row
	for u, user := range []string{"ann", "bob"} {
		for _, at := range []float64{0, 60, 120} {
			rows = append(rows, results.Row{Policy: "mnw", User: user, Metric: "tasks_received", Unit: "tasks", Timed: true, TimeS: at, Value: float64(u), Workload: "made up (synthetic)"})
		}
	}
	if err := results.WriteTable(filepath.Join(dir, "fig2.parquet"), rows, nil); err != nil {
		t.Fatal(err)
	}
	seal(t, dir)
	ctx := open(t, written(t, dir), 1200)
	toChart(t, ctx)
	run(t, ctx, chromedp.SetValue(".users select", "bob"), chromedp.Evaluate[chromedp.Void](`document.querySelector(".users select").dispatchEvent(new Event("change"))`))
	if v := value[float64](t, ctx, `document.querySelector(".plot").leontief.data[1][0]`); v != 1 {
		t.Errorf("the chart shows %v, want the other user's 1", v)
	}
	if n := value[int](t, ctx, `document.querySelectorAll(".plot canvas").length`); n != 1 {
		t.Errorf("%d charts are drawn, want 1", n)
	}
}

// drag drags the mouse over a part of the first chart.
func drag(t *testing.T, ctx context.Context, from, to float64) {
	t.Helper()
	box := value[[]float64](t, ctx, `(() => { const e = document.querySelector(".u-over"); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(); return [r.left, r.top + r.height / 2, r.width]; })()`)
	x0, x1, y := box[0]+from*box[2], box[0]+to*box[2], box[1]
	run(t, ctx, chromedp.MouseEvent("mouseMoved", x0, y), chromedp.MouseEvent("mousePressed", x0, y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseMoved", (x0+x1)/2, y, chromedp.ButtonLeft), chromedp.MouseEvent("mouseMoved", x1, y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", x1, y, chromedp.ButtonLeft))
}

// toChart scrolls to the first chart, which is drawn when it comes near.
func toChart(t *testing.T, ctx context.Context) {
	t.Helper()
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector(".plot").scrollIntoView({block: "center"})`), chromedp.WaitVisible(".plot canvas"), chromedp.Sleep(100*time.Millisecond))
}
