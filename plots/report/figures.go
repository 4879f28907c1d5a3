package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots"
)

// takeFigures adds the figures of a folder to the items that they are of (the one of the
// longest name: fig10-hour before fig10), and the others to an item of their own.
func (v *folderView) takeFigures(figures []Figure, b *builder) {
	var rest []Figure
	for _, fig := range figures {
		k := -1
		for j, i := range v.Items {
			if fig.of(i.Name) && (k < 0 || len(i.Name) > len(v.Items[k].Name)) {
				k = j
			}
		}
		if k < 0 {
			rest = append(rest, fig)
			continue
		}
		v.Items[k].Figures = append(v.Items[k].Figures, b.inline(v.Items[k].ID, fig))
	}
	for _, fig := range rest {
		i := v.item("other figures", b)
		i.Figures = append(i.Figures, b.inline(i.ID, fig))
	}
}

// of reports whether a figure is of an item: its name ends with the item's, or has it as
// one of its parts.
func (f *Figure) of(item string) bool {
	return f.Name == item || strings.HasSuffix(f.Name, "-"+item) || strings.Contains(f.Name, "-"+item+"-") || strings.HasPrefix(f.Name, item+"-")
}

var (
	// fontFace is what embeds a font into a figure of programs before letters were drawn.
	fontFace = regexp.MustCompile(`(?s)<style>.*?@font-face.*?</style>`)
	// prolog is what stands before the drawing.
	prolog = regexp.MustCompile(`(?s)^.*?<svg`)
	// size is the size of a drawing, which its view box says as well.
	size = regexp.MustCompile(`<svg width="[^"]*" height="[^"]*"`)
	// narrow is that of a drawing for one column of a printed page.
	narrow = regexp.MustCompile(`<svg width="[12]?[0-9]?[0-9](?:\.[0-9]+)?(?:pt)?"`)
	// ids are the ids of a drawing and what refers to them, references what refers.
	ids        = regexp.MustCompile(`\bid="`)
	references = regexp.MustCompile(`(?:xlink:)?(href="|url\()#`)
	// letters are the outlines of letters, which all figures of a page share.
	letters  = regexp.MustCompile(`<path id="([^"]*)" d="([^"]*)"/>\n?`)
	use      = regexp.MustCompile(`<use xlink:href="#([^"]*)"`)
	titleTag = regexp.MustCompile(`(?s)<title>(.*?)</title>`)
	descTag  = regexp.MustCompile(`(?s)<desc>(.*?)</desc>`)
)

// shared stands for the id of a letter until those of the drawing are the page's own.
const (
	shared   = "shared letter "
	letterID = "l"
)

// inline makes a figure part of the page: its ids are made the page's own, and its title
// and description name it.
func (b *builder) inline(under string, f Figure) figureView {
	v := figureView{ID: b.id(under, "figure"), Name: f.Name, Caption: caption(f)}
	svg := fontFace.ReplaceAllString(f.SVG, "")
	svg = prolog.ReplaceAllLiteralString(svg, "<svg")
	svg = b.shareLetters(svg)
	svg = ids.ReplaceAllLiteralString(svg, `id="`+v.ID+"_")
	svg = references.ReplaceAllString(svg, "${1}#"+v.ID+"_")
	svg = strings.ReplaceAll(svg, shared, "#"+letterID)
	name := fmt.Sprintf(`aria-label="%s"`, html.EscapeString(f.Name))
	if titleTag.MatchString(svg) {
		name = fmt.Sprintf(`aria-labelledby="%s_t"`, v.ID)
		svg = replaceFirst(svg, "<title>", fmt.Sprintf(`<title id="%s_t">`, v.ID))
	}
	if descTag.MatchString(svg) {
		name += fmt.Sprintf(` aria-describedby="%s_d"`, v.ID)
		svg = replaceFirst(svg, "<desc>", fmt.Sprintf(`<desc id="%s_d">`, v.ID))
	}
	v.Narrow = narrow.MatchString(svg)
	svg = size.ReplaceAllLiteralString(svg, `<svg role="img" `+name)
	v.SVG = template.HTML(svg) // written by this program; the page's policy lets no script in it run
	return v
}

// shareLetters takes the outlines of letters out of a drawing, each of which the page has
// once.
func (b *builder) shareLetters(svg string) string {
	of := map[string]string{}
	svg = letters.ReplaceAllStringFunc(svg, func(def string) string {
		m := letters.FindStringSubmatch(def)
		k, there := b.letters[m[2]]
		if !there {
			k = len(b.outlines)
			b.letters[m[2]] = k
			b.outlines = append(b.outlines, m[2])
		}
		of[m[1]] = fmt.Sprintf(`<use href="%s%d"`, shared, k)
		return ""
	})
	return use.ReplaceAllStringFunc(svg, func(ref string) string {
		return cmp.Or(of[use.FindStringSubmatch(ref)[1]], ref)
	})
}

func replaceFirst(text, old, new string) string { return strings.Replace(text, old, new, 1) }

// panel is how the description of a figure begins each of its panels.
var panel = regexp.MustCompile(`^\(([a-z]+)\) ?(.*?) ?: (.+ against .+)$`)

// caption is the title of a figure or, where it has none, what its panels show.
func caption(f Figure) string {
	if m := titleTag.FindStringSubmatch(f.SVG); m != nil {
		if title := html.UnescapeString(m[1]); title != f.Name {
			return title
		}
	}
	m := descTag.FindStringSubmatch(f.SVG)
	if m == nil {
		return f.Name
	}
	var panels []string
	for _, part := range strings.Split(html.UnescapeString(m[1]), "; ") {
		if p := panel.FindStringSubmatch(part); p != nil {
			panels = once(panels, strings.TrimSuffix(p[3], " against "))
		}
	}
	if panels == nil {
		return f.Name
	}
	return strings.Join(panels, "; ")
}

// mostDrawn is the number of figures that are drawn of one table.
const mostDrawn = 4

// drawn draws figures of a table: one a metric, first those of which one direction is the
// better one. A metric that no form can draw has none.
func (b *builder) drawn(i *item, rows []results.Row) []figureView {
	var views []figureView
	for _, metric := range directed(rows) {
		if len(views) == mostDrawn {
			break
		}
		of := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Metric != metric || r.User != "" })
		f, left, err := b.draw(fmt.Sprintf("%s-%s", i.Name, metric), of)
		if err != nil {
			continue
		}
		fig, err := b.encoded(i, f)
		if err != nil {
			continue
		}
		fig.Caption = results.LabelOf(metric) + left
		views = append(views, fig)
	}
	return views
}

// encoded makes a figure of one column part of the page and, if it has several panels, the
// same of two columns, for where there is room.
func (b *builder) encoded(i *item, f plots.Figure) (figureView, error) {
	svg, err := f.Encode("svg")
	if err != nil {
		return figureView{}, err
	}
	fig := b.inline(i.ID, Figure{f.Name, string(svg)})
	if len(f.Panels) == 1 {
		return fig, nil
	}
	f.Width = plots.TwoColumns
	if svg, err = f.Encode("svg"); err != nil {
		return figureView{}, err
	}
	fig.Wide, fig.Narrow = b.inline(i.ID, Figure{f.Name, string(svg)}).SVG, false
	return fig, nil
}

// draw draws a metric against what rows differ in. Of more columns than a figure has
// room for, those of fewest values are held at their first value, and left says so.
func (b *builder) draw(name string, rows []results.Row) (f plots.Figure, left string, err error) {
	if alike(rows) {
		return f, "", fmt.Errorf("all values are the same")
	}
	axes, values := results.Varying(rows)
	slices.SortStableFunc(axes, func(a, b string) int { return len(values[a]) - len(values[b]) })
	axes = slices.DeleteFunc(axes, func(a string) bool { return a == plots.Policy })
	view := plots.View{Name: name, Width: plots.OneColumn}
	for k := 0; ; k++ {
		f, err = plots.Draw(rows, view, b.styles)
		if err == nil || k == len(axes) {
			return f, left, err
		}
		first := values[axes[k]][0]
		rows = slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Is(axes[k]) != first })
		left += fmt.Sprintf(", at %s = %s", results.ColumnNamed(axes[k]).Label, cmp.Or(first, "none"))
	}
}

// alike reports whether all values are the same: there is nothing to draw.
func alike(rows []results.Row) bool {
	return !slices.ContainsFunc(rows, func(r results.Row) bool { return r.Value != rows[0].Value })
}

// directed returns the metrics of rows of which one direction is the better one, in
// order of name; those of a part (:cpu) behind the others.
func directed(rows []results.Row) []string {
	var found []string
	for i := range rows {
		m, err := results.MetricNamed(rows[i].Metric)
		if err == nil && m.Better != results.Neither && !rows[i].Timed && rows[i].User == "" && !slices.Contains(found, rows[i].Metric) {
			found = append(found, rows[i].Metric)
		}
	}
	rank := func(m string) int { return strings.Count(m, ":") + strings.Count(m, "/") }
	slices.SortFunc(found, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return found
}
