package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas is an SVG in which each letter of each size is drawn once, in <defs>, and
// used where it stands, so that text needs no font and little room.
//
// gonum's canvas can not write <use>: every use is drawn as a point in a colour that no
// figure has, and the points become uses, in their order, when the file is whole.
type svgCanvas struct {
	*vgsvg.Canvas
	name    string // of the figure: many figures share a page
	color   color.Color
	letters map[glyph]int
	defs    []string
	uses    []use
}

type glyph struct {
	letter rune
	size   vg.Length
}

type use struct {
	letter int
	color  color.Color
}

// placeholderColor is that of the points that stand for letters.
var placeholderColor = color.RGBA{0x01, 0x02, 0x03, 0xff}

// SetColor implements vg.Canvas.
func (c *svgCanvas) SetColor(col color.Color) {
	c.color = col
	c.Canvas.SetColor(col)
}

// letter draws a letter, whose outline around the origin is path, at pt of the canvas on,
// which is c or a part of it.
func (c *svgCanvas) letter(r rune, size vg.Length, path vg.Path, pt vg.Point, on vg.Canvas) {
	k, there := c.letters[glyph{r, size}]
	if !there {
		k = len(c.defs)
		c.letters[glyph{r, size}] = k
		c.defs = append(c.defs, fmt.Sprintf("<path id=%q d=%q/>", c.id(k), pathData(path)))
	}
	col := c.color
	c.uses = append(c.uses, use{k, col})
	on.SetColor(placeholderColor)
	var point vg.Path
	point.Move(pt)
	on.Fill(point)
	on.SetColor(col)
}

func (c *svgCanvas) id(k int) string { return fmt.Sprintf("%s-%d", c.name, k) }

// pathData writes an outline, to a hundredth of a point.
func pathData(path vg.Path) string {
	var b strings.Builder
	put := func(command string, points ...vg.Point) {
		b.WriteString(command)
		for _, p := range points {
			fmt.Fprintf(&b, "%.4g %.4g ", p.X.Points(), p.Y.Points())
		}
	}
	for _, comp := range path {
		switch comp.Type {
		case vg.MoveComp:
			put("M", comp.Pos)
		case vg.LineComp:
			put("L", comp.Pos)
		case vg.CurveComp:
			command := "Q"
			if len(comp.Control) == 2 {
				command = "C"
			}
			put(command, append(append([]vg.Point{}, comp.Control...), comp.Pos)...)
		case vg.CloseComp:
			put("Z")
		}
	}
	return strings.TrimSpace(b.String())
}

// placeholderPath is a point that stands for a letter.
var placeholderPath = regexp.MustCompile(`<path d="M([-0-9.e]+),([-0-9.e]+)"\s+style="fill:#010203" />`)

// longDecimals are numbers with more decimals than hundredths of a point, which nobody
// sees.
var longDecimals = regexp.MustCompile(`([0-9]\.[0-9]{2})[0-9]+`)

// unsafeID are the characters that an id is better without.
var unsafeID = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// svg returns the figure on its page as SVG, with what it says in words.
func (f Figure) svg(pg *page) ([]byte, error) {
	c := &svgCanvas{Canvas: vgsvg.NewWith(vgsvg.UseWH(pg.width, pg.height)), name: unsafeID.ReplaceAllString(f.Name, "_"), letters: map[glyph]int{}}
	pg.draw(draw.NewCanvas(c, pg.width, pg.height))
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	k := 0
	whole := longDecimals.ReplaceAll(b.Bytes(), []byte("$1"))
	data := placeholderPath.ReplaceAllFunc(whole, func(point []byte) []byte {
		m := placeholderPath.FindSubmatch(point)
		u := c.uses[k]
		k++
		fill := ""
		if r, g, b, _ := u.color.RGBA(); r|g|b != 0 {
			fill = fmt.Sprintf(` fill="#%02x%02x%02x"`, r>>8, g>>8, b>>8)
		}
		return fmt.Appendf(nil, `<use xlink:href="#%s" x="%s" y="%s"%s/>`, c.id(u.letter), m[1], m[2], fill)
	})
	if k != len(c.uses) {
		return nil, fmt.Errorf("%d of %d letters of the SVG were found", k, len(c.uses))
	}
	head := append(f.described(), "<defs>"+strings.Join(c.defs, "\n")+"</defs>\n<g transform"...)
	return bytes.Replace(data, []byte("<g transform"), head, 1), nil
}
