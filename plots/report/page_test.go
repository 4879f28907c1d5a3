package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// The library that draws charts is the one that its authors published: uPlot 1.6.32 of
// npm, dist/uPlot.iife.min.js and dist/uPlot.min.css, with its licence.
func TestTheLibraryIsThePublishedOne(t *testing.T) {
	for name, want := range map[string]string{
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
		"uPlot.LICENSE":     "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	} {
		data, err := os.ReadFile(filepath.Join("assets", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); fmt.Sprintf("%x", sum) != want {
			t.Errorf("%s: SHA-256 %x, want %s", name, sum, want)
		}
	}
	if page := page0(t); !strings.Contains(html.UnescapeString(page), chartLicense) {
		t.Error("the page is without the licence of what it holds")
	}
}

// The page's policy names the one script and the one style sheet that it holds, by their
// hashes, and allows nothing to be fetched.
func TestThePolicyAllowsThePageAlone(t *testing.T) {
	page := page0(t, paperFolder("p"))
	m := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("no policy")
	}
	policy := strings.Split(html.UnescapeString(m[1]), "; ")
	hash := func(of string) string {
		parts := regexp.MustCompile(`(?s)<`+of+`>(.*?)</`+of+`>`).FindAllStringSubmatch(page, -1)
		if len(parts) != 1 {
			t.Fatalf("%d elements %s", len(parts), of)
		}
		sum := sha256.Sum256([]byte(parts[0][1]))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for _, want := range []string{"default-src 'none'", "script-src " + hash("script"), "style-src-elem " + hash("style"), "base-uri 'none'", "form-action 'none'"} {
		if !slices.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if strings.Contains(m[1], "unsafe-eval") || strings.Contains(page, " onload=") || strings.Contains(page, " onclick=") {
		t.Error("the page runs more than its script")
	}
}

// evil is a name as a user may have it.
const evil = `</script><img src=x onerror=alert(1)>"'&`

// hostile is a folder in which every name is evil.
func hostile() Folder {
	rows := func(timed bool) []results.Row {
		var rows []results.Row
		for i := range 4 {
			r := results.Row{Item: evil, Policy: evil, Point: resulttest.Point("rho=" + evil), User: "", Metric: "jct_factor", Unit: "1", Value: float64(i), Instance: int64(i), Workload: evil}
			if timed {
				r.Instance, r.User, r.Metric, r.Unit = 0, evil, "waiting_tasks", "tasks"
				r.At(float64(i))
			}
			rows = append(rows, r)
		}
		return rows
	}
	return Folder{Name: evil, Manifest: Manifest{Command: "sweep " + evil, Workload: Workload{Label: evil, Notes: []string{evil}, File: evil, LeftOut: map[string]int{evil: 1}},
		Spec: []byte(`{"title": "` + strings.ReplaceAll(evil, `"`, `\"`) + `"}`), Raw: []byte(evil)},
		Tables: []Table{{evil, results.Pack(rows(false))}, {evil + "2", results.Pack(rows(true))}}, Texts: []Text{{evil, evil}},
		Ledger: []ledger.Entry{{Paper: evil, Item: evil, ID: evil + "/" + evil + "/" + evil, Claim: evil, Published: value64(1), Ours: value64(2), Verdict: ledger.Differs, Why: evil, Workload: evil}}}
}

// Names that come from users are text, wherever they stand.
func TestNamesAreText(t *testing.T) {
	own := hostile()
	own.Ledger = nil
	page, err := Write(evil, []Folder{hostile(), own}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if strings.Contains(text, "<img") || strings.Count(text, "</script>") != 3 {
		t.Errorf("a name became an element: %d ends of scripts", strings.Count(text, "</script>"))
	}
	if !strings.Contains(text, "&lt;img src=x onerror=alert(1)&gt;") {
		t.Error("the names are not there as text")
	}
}

// Items are in the order of the paper, with what belongs to one behind it.
func TestItemsAreInThePapersOrder(t *testing.T) {
	v := folderView{}
	for _, name := range []string{"fig10", "fig9-hour", "own", "fig9", "table4"} {
		v.Items = append(v.Items, &item{Name: name, Title: titleOf(name)})
	}
	v.inOrder([]string{"table4", "fig9", "fig10"})
	var got []string
	for _, i := range v.Items {
		got = append(got, i.Title)
	}
	if want := []string{"Table 4", "Figure 9", "Figure 9, hour", "Figure 10", "Own"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
