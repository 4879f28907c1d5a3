package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"

	"github.com/leontief-sim/leontief/plots"
)

//go:embed assets/report.html
var pageText string

//go:embed assets/report.css
var pageStyle string

//go:embed assets/report.js
var pageScript string

//go:embed assets/uPlot.iife.min.js
var chartLibrary string

//go:embed assets/uPlot.min.css
var chartStyle string

//go:embed assets/uPlot.LICENSE
var chartLicense string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// page is what the template shows.
type page struct {
	Title       string
	Policy      string // the page's content security policy
	Opening     []string
	Jobs        string // what the workloads are
	Made        bool   // whether not all of them are real
	Scores      []score
	Refuted     []finding
	Differing   []finding
	Comparisons []comparisons
	Folders     []*folderView
	Entries     []*entryView // of all folders
	Style       template.CSS
	Script      template.JS
	License     string
	Letters     []string    // their outlines, which the figures share
	Charts      template.JS // JSON: charts by their id
	Tables      template.JS // JSON: the tables for download, packed, by their id
}

// Write makes the report of the folders, in the styles of the policies. Folders with
// figures come before those without.
func Write(title string, folders []Folder, styles plots.Styles) ([]byte, error) {
	b := newBuilder(styles)
	p := page{Title: title, Style: template.CSS(chartStyle + "\n" + pageStyle), License: chartLicense,
		// Both are this program's, and hold no end of a script element.
		Script: template.JS(chartLibrary + "\n" + pageScript)}
	p.Policy = policyOf(string(p.Style), string(p.Script))
	folders = slices.Clone(folders)
	slices.SortStableFunc(folders, func(a, b Folder) int { return a.rank() - b.rank() })
	for i := range folders {
		v, err := b.folder(&folders[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folders[i].Name, err)
		}
		p.Folders = append(p.Folders, v)
	}
	p.open(folders, b)
	p.Letters = b.outlines
	var err error
	if p.Charts, err = asJSON(b.charts); err != nil {
		return nil, err
	}
	if p.Tables, err = asJSON(b.tables); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// rank puts folders without figures behind the others.
func (f *Folder) rank() int {
	if len(f.Figures) == 0 && len(f.Ledger) > 0 {
		return 1
	}
	return 0
}

// policyOf is the content security policy of a page with one style sheet and one script:
// it runs nothing else and fetches nothing. Figures carry their looks in attributes.
func policyOf(style, script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src 'unsafe-inline'; style-src-elem " + hash(style) +
		"; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'"
}

// asJSON writes v for a script element.
func asJSON(v any) (template.JS, error) {
	data, err := json.Marshal(v) // escapes <, > and &
	return template.JS(data), err
}
