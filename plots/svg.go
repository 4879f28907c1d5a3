package plots

import (
	"bytes"
	"fmt"
	"regexp"

	"gonum.org/v1/plot/vg/vgsvg"
)

var (
	// outlinedLetter is a letter as lettering draws it in an SVG: an outline that was moved.
	outlinedLetter = regexp.MustCompile(`<g transform="translate\(([-0-9.e]+), ([-0-9.e]+)\)">\s*<path d="([^"]*)"\s+(?:style="fill:(#[0-9A-F]+)" )?/>\s*</g>`)
	// longDecimals are numbers with more decimals than hundredths of a point, which nobody
	// sees.
	longDecimals = regexp.MustCompile(`([0-9]\.[0-9]{2})[0-9]+`)
	// unsafeID are the characters that an id is better without.
	unsafeID = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

// svg returns the figure on its page as SVG, with what it says in words. Each letter of
// each size is in it once, in <defs>, and used where it stands, so that text needs no font
// and little room.
func (f Figure) svg(pg *page) ([]byte, error) {
	data, err := pg.on(vgsvg.NewWith(vgsvg.UseWH(pg.width, pg.height)))
	if err != nil {
		return nil, err
	}
	head := f.described()
	head = append(head, "<defs>"...)
	ids := map[string]string{} // by outline; a page holds many figures, each with its own
	data = outlinedLetter.ReplaceAllFunc(longDecimals.ReplaceAll(data, []byte("$1")), func(letter []byte) []byte {
		m := outlinedLetter.FindSubmatch(letter)
		id, there := ids[string(m[3])]
		if !there {
			id = fmt.Sprintf("%s-%d", unsafeID.ReplaceAllString(f.Name, "_"), len(ids))
			ids[string(m[3])] = id
			head = fmt.Appendf(head, "<path id=%q d=%q/>\n", id, m[3])
		}
		fill := ""
		if len(m[4]) > 0 {
			fill = fmt.Sprintf(` fill="%s"`, m[4])
		}
		return fmt.Appendf(nil, `<use xlink:href="#%s" x="%s" y="%s"%s/>`, id, m[1], m[2], fill)
	})
	return bytes.Replace(data, []byte("<g transform"), append(head, "</defs>\n<g transform"...), 1), nil
}
