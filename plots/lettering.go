package plots

import (
	"image/color"
	"regexp"
	"sync"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of text, in points: legible at the width of a printed column.
const (
	smallText = 8 // ticks, legend, note
	labelText = 9 // axis labels
)

// lettering writes text as gonum does, but draws as outlines: in an SVG, which so needs
// no font, all letters; in a PDF, whose fonts hold one code page, those outside Latin-1
// (as ρ).
type lettering struct{ text.Plain }

func (l lettering) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	switch innermost(c).(type) {
	case *vgpdf.Canvas:
		c = outliner{c, latin}
	case *vgsvg.Canvas:
		c = outliner{c, func(string) bool { return false }}
	}
	l.Plain.Draw(c, txt, sty, pt)
}

// innermost returns the canvas of a format that c is a part of.
func innermost(c vg.Canvas) vg.Canvas {
	for {
		switch d := c.(type) {
		case *draw.Canvas:
			c = d.Canvas
		case draw.Canvas:
			c = d.Canvas
		default:
			return c
		}
	}
}

// fonts holds the figures' font.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// textStyle returns black text of the figures' font.
func textStyle(size vg.Length) text.Style {
	return text.Style{
		Color:   color.Black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: lettering{text.Plain{Fonts: fonts()}},
	}
}

// outliner is a canvas that writes the runs that can be written as text, and draws the
// letters of all others.
type outliner struct {
	vg.Canvas
	written func(run string) bool
}

// runs are the stretches of a text that are all Latin-1, and the letters that are not.
var runs = regexp.MustCompile(`[\x00-\xff]+|.`)

func (o outliner) FillString(f font.Face, pt vg.Point, s string) {
	for _, run := range runs.FindAllString(s, -1) {
		if o.written(run) {
			o.Canvas.FillString(f, pt, run)
		} else {
			o.outline(f, pt, run)
		}
		pt.X += f.Width(run)
	}
}

// latin says whether a run is in Latin-1.
func latin(run string) bool { return []rune(run)[0] <= 0xff }

// outline fills the glyphs of s at pt. A letter that the font lacks shows as
// the font's empty box.
func (o outliner) outline(f font.Face, pt vg.Point, s string) {
	var buf sfnt.Buffer
	for _, r := range s {
		idx, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			panic(err) // the font is compiled in
		}
		ppem := fixed.Int26_6(1000 * 64)
		segments, err := f.Face.LoadGlyph(&buf, idx, ppem, nil)
		if err != nil {
			panic(err)
		}
		o.Push()
		o.Translate(pt)
		o.Fill(glyphPath(segments, f.Font.Size/1000))
		o.Pop()
		pt.X += f.Width(string(r))
	}
}

// glyphPath is the outline of a glyph at the origin. Fonts count y downwards.
func glyphPath(segments sfnt.Segments, scale vg.Length) vg.Path {
	at := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: scale * vg.Length(p.X) / 64, Y: -scale * vg.Length(p.Y) / 64}
	}
	var path vg.Path
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(at(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(at(s.Args[0]), at(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
		}
	}
	path.Close()
	return path
}
