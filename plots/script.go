package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"sync"
	"text/template"

	_ "embed"

	"gonum.org/v1/plot/vg"

	"github.com/leontief-sim/leontief/plots/text"
)

// oneLine writes a label without its line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

//go:embed script.py.tmpl
var pythonText string

//go:embed script.tex.tmpl
var latexText string

var scripts = sync.OnceValue(func() *template.Template {
	return template.Must(template.Must(template.New("py").Funcs(template.FuncMap{"q": pythonQuote}).Parse(pythonText)).
		New("tex").Funcs(template.FuncMap{"tex": tex}).Delims("<<", ">>").Parse(latexText))
})

// script is a figure as the templates of scripts see it.
type script struct {
	Name, CSV     string
	Width, Height float64 // in
	Rows, Columns int
	Panels        []scriptPanel
	Looks         []look
	Note          string
	Last          int     // the number of the last panel
	Low, High     float64 // of heat maps
	X, Y          string  // labels that all panels have
	Legend        int     // columns of the legend; 0: there is none
}

type scriptPanel struct {
	Letter, Title  string
	X, Y           string // labels
	OwnX, OwnY     string // those that stand beside this panel
	BareX, BareY   bool   // a neighbour names the ticks
	Turn           float64
	Limits         []float64 // of the axes: left, right, bottom, top; none: as the program wants
	LogX, LogY     string    // "linear", "log" or "symlog"
	LeastX, LeastY float64
	Names          []string     // of categories
	Ticks          []scriptTick // of the horizontal axis; none: as the program wants
	Kind           string       // as that of a [Panel]
	Lanes          []tick       // of the vertical axis of placements
	Ramped         bool         // whether its bars are coloured by their values
	Series         []scriptSeries
	Slot           float64 // the width of a bar or box
}

type scriptSeries struct {
	Name   string
	Look   look
	Points []scriptPoint
}

type scriptTick struct {
	Value, Plain float64
	Label        string
}

// plain is where a value lies on an axis that knows no symmetric logarithm.
func (a *Axis) plain(v float64) float64 {
	if a.word() == "symlog" {
		return a.at(v)
	}
	return v
}

// scriptPoint is a point where a script draws it: beside others of its category.
type scriptPoint struct {
	Point
	Plain float64 // X on a plain axis
}

// Below and Above are the lengths of the interval to both sides of the mean, and Percent
// is a mean from 0 to 1 as a whole number.
func (p scriptPoint) Below() float64 { return p.Mean - p.Low }
func (p scriptPoint) Above() float64 { return p.High - p.Mean }
func (p scriptPoint) Percent() int   { return int(math.Round(100 * p.Mean)) }

// look is a style in the words of scripts.
type look struct {
	Name, Color, Marker, Mark string
	Filled                    bool
	Dashes                    []float64
}

// PGFPlots returns a LaTeX file for the package pgfplots that draws the figure, with its
// numbers inside: \input takes it. Sizes and looks are those of the figure; the legend
// is the first panel's.
func (f Figure) PGFPlots() []byte { return f.script("tex", "") }

// Matplotlib returns a Python program that draws the figure from the table of [Figure.CSV],
// of the given name beside it, with matplotlib.
func (f Figure) Matplotlib(csv string) []byte { return f.script("py", csv) }

func (f Figure) script(kind, csv string) []byte {
	var b strings.Builder
	if err := scripts().ExecuteTemplate(&b, kind, f.scripted(csv)); err != nil {
		panic(err) // the templates are compiled in
	}
	return []byte(b.String())
}

// scripted lays the figure out as a page; one that has none (Encode says why) is empty.
func (f Figure) scripted(csv string) script {
	pg, err := f.compose()
	if err != nil {
		return script{}
	}
	g := pg.panels
	s := script{Name: f.Name, CSV: csv, Width: float64(pg.width / vg.Inch), Height: float64(pg.height / vg.Inch), Rows: g.rows(), Columns: g.columns, Note: f.Note,
		Last: len(g.frames) - 1, X: g.xLabel, Y: g.frames[0].shared}
	if s.Legend = len(pg.legend.columns); g.frames[0].ends != nil {
		s.Legend = 3
	}
	if pg.ramp != nil {
		s.Low, s.High = pg.ramp.Low, pg.ramp.High
	}
	looks := map[string]look{}
	for _, name := range f.names() {
		looks[name] = lookOf(pg.styles[name])
		s.Looks = append(s.Looks, looks[name])
	}
	for k, fr := range g.frames {
		s.Panels = append(s.Panels, fr.scripted(letter(k), looks, f.Styles))
	}
	return s
}

func (fr *frame) scripted(at string, looks map[string]look, styles Styles) scriptPanel {
	p := &fr.Panel
	out := scriptPanel{Letter: at, Title: p.Title, X: oneLine(p.X.Label), Y: oneLine(p.Y.Label), OwnX: fr.xLabel, OwnY: fr.yLabel, BareX: fr.bareX, BareY: fr.bareY, Turn: fr.turned * 180 / math.Pi,
		Names: p.X.Names, LogX: p.X.word(), LogY: p.Y.word(), LeastX: p.X.Least, LeastY: p.Y.Least, Kind: p.Kind, Slot: groupWidth / float64(max(1, len(p.Series)))}
	if p.X.zero == 0 && p.Y.zero == 0 && p.Ramp == nil {
		out.Limits = []float64{p.X.value(p.X.low), p.X.value(p.X.high), p.Y.value(p.Y.low), p.Y.value(p.Y.high)}
	}
	if p.X.Scale == Log || p.X.Scale == SymLog || p.X.Ticks != nil {
		for _, t := range labelled(fr.xTicks) {
			out.Ticks = append(out.Ticks, scriptTick{p.X.value(t.Value), p.X.plain(p.X.value(t.Value)), t.Label})
		}
	}
	if out.Ramped = p.Ramp != nil; p.Kind == Placements {
		out.Lanes = fr.yTicks
	}
	for i, s := range p.Series {
		own := scriptSeries{Name: styles.Label(s.Name), Look: looks[s.Name]}
		for _, pt := range s.Points {
			if pt.N == 0 {
				continue
			}
			if p.X.Scale == Categories && p.Ramp == nil {
				pt.X += (float64(i) - (float64(len(p.Series))-1)/2) * out.Slot
			}
			own.Points = append(own.Points, scriptPoint{pt, p.X.plain(pt.X)})
		}
		out.Series = append(out.Series, own)
	}
	return out
}

// word is matplotlib's of the scale.
func (a *Axis) word() string {
	switch {
	case a.Scale == SymLog || a.zero != 0:
		return "symlog"
	case a.Scale == Log:
		return "log"
	}
	return "linear"
}

func lookOf(s Style) look {
	r, g, b, _ := color.Color(s.Color).RGBA()
	l := look{Name: s.Label, Color: fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8), Filled: s.Marker.Filled}
	l.Marker = [...]string{Circle: "o", Square: "s", Diamond: "D", TriangleUp: "^", TriangleDown: "v"}[s.Marker.Shape]
	l.Mark = [...]string{Circle: "o", Square: "square", Diamond: "diamond", TriangleUp: "triangle", TriangleDown: "triangle"}[s.Marker.Shape]
	if l.Filled {
		l.Mark = strings.TrimPrefix(l.Mark+"*", "o")
	}
	for _, d := range s.Dashes {
		l.Dashes = append(l.Dashes, float64(d))
	}
	return l
}

// Rotation is pgfplots' of a marker that stands on its head.
func (l look) Rotation() int {
	if l.Marker == "v" {
		return 180
	}
	return 0
}

// DashPattern is TikZ's of the line.
func (l look) DashPattern() string {
	if len(l.Dashes) == 0 {
		return "solid"
	}
	pattern := "dash pattern="
	for k, d := range l.Dashes {
		pattern += []string{"on ", "off "}[k%2] + fmt.Sprintf("%gpt ", d)
	}
	return strings.TrimSpace(pattern)
}

// pythonQuote writes a text as a Python literal.
func pythonQuote(s string) string { return fmt.Sprintf("%q", s) }

// tex escapes a text for LaTeX.
func tex(s string) string { return text.LaTeX.Replace(oneLine(s)) }

// Every is the number of points from marker to marker of a curve.
func (s scriptSeries) Every() int { return max(1, len(s.Points)/marksPerCurve) }

// Spans are the pairs of points of a panel of spans or placements.
func (s scriptSeries) Spans() (all []struct{ From, To scriptPoint }) {
	for k := 1; k < len(s.Points); k += 2 {
		all = append(all, struct{ From, To scriptPoint }{s.Points[k-1], s.Points[k]})
	}
	return all
}

// PanelWidth is that of one panel in inches, axes included.
func (s script) PanelWidth() float64 {
	const between = 0.55
	return (s.Width-between*float64(s.Columns-1))/float64(s.Columns) + 0.2
}

// Extend is the width of pgfplots' boxes.
func (p scriptPanel) Extend() float64 {
	if len(p.Names) > 0 {
		return 0.6 * p.Slot
	}
	return 0.3
}
