package plots

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/leontief-sim/leontief/experiments/results"
)

// Formats are the formats that a figure is written in.
var Formats = []string{"pdf", "svg", "png"}

// DPI is the resolution of PNG figures.
const DPI = 300

// undatePDF makes fpdf leave the date of writing out of its files. The settings
// are global to that library; gonum gives no other way to them.
var undatePDF = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// Write writes the figure in all [Formats] into dir, which must exist, and
// returns the files' paths. Each appears whole or not at all; equal figures
// give equal bytes.
func (f Figure) Write(dir string) ([]string, error) {
	var paths []string
	for _, format := range Formats {
		data, err := f.Encode(format)
		if err != nil {
			return paths, err
		}
		path := filepath.Join(dir, f.Name+"."+format)
		err = results.WriteFile(path, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Encode returns the figure in one of [Formats], fonts embedded. It returns an
// error where the format is another, or where there are no panels or too many
// policies to tell apart.
func (f Figure) Encode(format string) ([]byte, error) {
	pg, err := f.compose()
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	var canvas vg.CanvasWriterTo
	switch format {
	case "pdf":
		undatePDF()
		canvas = vgpdf.New(pg.width, pg.height)
	case "svg":
		canvas = vgsvg.NewWith(vgsvg.UseWH(pg.width, pg.height), vgsvg.EmbedFonts(true))
	case "png":
		canvas = vgimg.PngCanvas{Canvas: pg.raster(DPI)}
	default:
		return nil, fmt.Errorf("figure %s: no format %q (known: %v)", f.Name, format, Formats)
	}
	if format != "png" {
		pg.draw(draw.NewCanvas(canvas, pg.width, pg.height))
	}
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	if format == "png" {
		return signed(buf.Bytes()), nil
	}
	if format == "svg" {
		return bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"), []byte(svgFamily)), nil
	}
	return buf.Bytes(), nil
}

// svgFamily names, after the embedded font, others of the same widths for
// viewers that do not read embedded fonts.
const svgFamily = "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"

// raster draws the page at a resolution of dpi dots an inch.
func (pg *page) raster(dpi int) *vgimg.Canvas {
	c := vgimg.NewWith(vgimg.UseWH(pg.width, pg.height), vgimg.UseDPI(dpi))
	pg.draw(draw.New(c))
	return c
}

// Raster returns the figure as an image of dpi dots an inch.
func (f Figure) Raster(dpi int) (image.Image, error) {
	pg, err := f.compose()
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return pg.raster(dpi).Image(), nil
}
