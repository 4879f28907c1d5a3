package report

import (
	"bytes"
	_ "embed" // the page's parts
	"fmt"
	"html/template"

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

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// Write makes the report of the folders, in the styles of the policies.
func Write(title string, folders []Folder, styles plots.Styles) ([]byte, error) {
	b := &builder{styles: styles, charts: map[string]Chart{}, tables: map[string][][]string{}}
	p := page{
		Title: title,
		Style: template.CSS(chartStyle + "\n" + pageStyle),
		// Both are this program's, and hold no end of a script element.
		Script: template.JS(chartLibrary + "\n" + pageScript),
	}
	for i := range folders {
		v, err := b.folder(i, &folders[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folders[i].Name, err)
		}
		p.Folders = append(p.Folders, v)
	}
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
