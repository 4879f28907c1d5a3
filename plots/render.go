package plots

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Formats are the formats that a figure is written in.
var Formats = []string{"pdf", "svg", "png"}

// dpi is the resolution of PNG figures.
const dpi = 300

// undatePDF makes fpdf leave the date of writing out of its files. The settings
// are global to that library; gonum gives no other way to them.
var undatePDF = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// Encode returns the figure in one of [Formats], fonts embedded; equal figures give
// equal bytes. It returns an error where the format is another, or where there are no
// panels or too many policies to tell apart.
func (f Figure) Encode(format string) ([]byte, error) {
	data, err := f.encode(format)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return data, nil
}

func (f Figure) encode(format string) ([]byte, error) {
	pg, err := f.compose()
	if err != nil {
		return nil, err
	}
	switch format {
	case "pdf":
		undatePDF()
		return pg.on(vgpdf.New(pg.width, pg.height))
	case "svg":
		return f.svg(pg)
	case "png":
		data, err := pg.on(vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(pg.width, pg.height), vgimg.UseDPI(dpi))})
		if err != nil {
			return nil, err
		}
		return signed(data), nil
	}
	return nil, fmt.Errorf("no format %q (known: %v)", format, Formats)
}

// on draws the page on a canvas and returns what that writes.
func (pg *page) on(canvas vg.CanvasWriterTo) ([]byte, error) {
	pg.draw(draw.NewCanvas(canvas, pg.width, pg.height))
	var buf bytes.Buffer
	_, err := canvas.WriteTo(&buf)
	return buf.Bytes(), err
}

// described says in words what an SVG shows, for those who do not see it: its letters are
// drawn.
func (f Figure) described() []byte {
	texts := []string{}
	for k, p := range f.Panels {
		texts = append(texts, oneLine(fmt.Sprintf("(%s) %s: %s against %s", letter(k), p.Title, p.Y.Label, p.X.Label)))
	}
	for _, name := range f.names() {
		texts = append(texts, f.Styles.Label(name))
	}
	texts = append(texts, f.Note)
	var b bytes.Buffer
	element := func(tag, text string) {
		b.WriteString("<" + tag + ">")
		_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
		b.WriteString("</" + tag + ">\n")
	}
	element("title", cmp.Or(f.Caption, f.Title, f.Name))
	element("desc", strings.Join(texts, "; "))
	return b.Bytes()
}
