package pages

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font/liberation"
)

// step is a question of the decision figure, its answer that ends in rules, and the one that
// goes on.
type step struct {
	question string
	leaves   []leaf
	next     string // the answer that leads to the next question
}

// leaf is an answer with its rules, each with what was measured.
type leaf struct {
	answer string
	rules  []string // a rule, a colon, and what was measured
}

// steps are the questions, with numbers of the sweep.
func (w *measuredRules) steps() []step {
	said := func(rule, setting string) string {
		var all, some []string
		for _, p := range []string{"EF", "SI", "PO"} {
			if share := w.features.of(rule, setting, strings.ToLower(p)+"_kept").mean; share == 1 {
				all = append(all, p)
			} else {
				some = append(some, fmt.Sprintf("%s in %.0f", p, share*instances))
			}
		}
		return strings.Join(append([]string{strings.Join(all, ", ") + " in all 100"}, some...), ", ")
	}
	lie := func(rule, setting string) string {
		v := w.lies.of(rule, setting, "best_lie")
		if v.mean == 0 {
			return "no lie found"
		}
		return fmt.Sprintf("best lie %.3f", v.mean)
	}
	both := func(rule, setting string) string {
		return rule + ": " + said(rule, setting) + "; " + lie(rule, setting)
	}
	gain := w.faster.of("mnw", "rho 0.9", "jct_factor")
	return []step{
		{"Do a task's needs differ from server to server (channels, kinds of GPU)?",
			[]leaf{{"yes", []string{both("mnw", "demands by-server"), both("ps-dsf", "demands by-server") + "; not with links"}}}, "no"},
		{"Could users misreport what they need or where they can run?",
			[]leaf{{"no", []string{"mnw: " + said("mnw", "") + fmt.Sprintf("; JCT factor %+.3f against tsf-er (ρ = 0.9, no link)", gain.mean)}}}, "yes"},
		{"Are there placement constraints?",
			[]leaf{{"no", []string{both("tsf-er", ""), "tsf-er with a link that all share: " + strings.TrimPrefix(both("tsf-er", "links shared"), "tsf-er: ")}}}, "yes"},
		{"Which must hold for certain?",
			[]leaf{{"no lie pays", []string{both("tsf-er", "constraints yes")}}, {"equal share", []string{both("mnw", "constraints yes"), both("ps-dsf", "constraints yes") + "; not with links"}}}, ""},
	}
}

// figure draws the steps as an SVG whose letters are outlines, which so needs no font; as wide
// as a phone, with colours for light and dark.
func (w *measuredRules) figure(t *testing.T) string {
	p := &pen{t: t, bold: loadFont(t, "Bold"), plain: loadFont(t, "Regular"), glyphs: map[string]int{}}
	y := 8.0
	for _, s := range w.steps() {
		y = p.box("q", 8, y, width-16, []string{"*" + s.question})
		from, to := y, y
		for _, l := range s.leaves {
			y += 8
			to = y + 15
			p.text(l.answer, trunk+5, to-4, p.plain, "t")
			p.body(`<path class="l" d="M%.1f %.1fH%.1f"/>`, trunk, to, indent-2)
			y = p.box("a", indent, y, width-indent-8, l.rules)
		}
		if s.next != "" {
			y += 18
			to = y
			p.text(s.next, trunk+5, y-5, p.plain, "t")
		}
		p.body(`<path class="l" d="M%.1f %.1fV%.1f"/>`, trunk, from, to)
	}
	const whole = "rho 0.7, bandwidth_mhz 2, slot_s 0"
	ef := func(rule string) float64 { return w.whole.of(rule, whole, "min_ef_sat").mean }
	y = p.box("n", 8, y+14, width-16, []string{"*Whole tasks that are never suspended?",
		fmt.Sprintf("Rules that equalise a share serve the smallest one next (tsf-er: EF-SAT %.2f); others are rounded (mnw: %.2f).", ef("tsf-er"), ef("mnw")),
		"*Words", "EF: nobody envies anybody. SI: nobody below an equal share. PO: nothing wasted. Best lie: mean gain, as a part of what one could run alone."})
	return p.whole(y + 8)
}

const (
	width  = 360.0
	indent = 96.0
	trunk  = 18.0
	size   = 12.0
	lead   = 15.0
)

// pen writes an SVG.
type pen struct {
	t           *testing.T
	bold, plain *typeface
	glyphs      map[string]int
	defs, out   strings.Builder
	words       []string // all text, for those who cannot see it
}

func (p *pen) body(form string, args ...any) { fmt.Fprintf(&p.out, form+"\n", args...) }

// box writes paragraphs into a box and returns its lower edge. A paragraph with a star is bold, of
// one with a colon the part before it.
func (p *pen) box(class string, x, y, wide float64, paragraphs []string) float64 {
	type line struct {
		words []string
		face  []*typeface
	}
	var lines []line
	for _, text := range paragraphs {
		head, isHead := strings.CutPrefix(text, "*")
		p.words = append(p.words, head)
		strong := isHead
		if before, _, ok := strings.Cut(head, ":"); ok && len(strings.Fields(before)) < 9 {
			strong = true
		}
		at, room := line{}, wide-16
		for word := range strings.FieldsSeq(head) {
			face := p.plain
			if strong {
				face = p.bold
			}
			if strings.HasSuffix(word, ":") && !isHead {
				strong = false
			}
			need := face.width(p.t, word+" ") * size
			if need > room {
				lines, at, room = append(lines, at), line{}, wide-16
			}
			at.words, at.face, room = append(at.words, word), append(at.face, face), room-need
		}
		lines = append(lines, at)
	}
	high := float64(len(lines))*lead + 10
	p.body(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>`, class, x, y, wide, high)
	for i, l := range lines {
		at := x + 8
		for k, word := range l.words {
			at = p.text(word+" ", at, y+16+float64(i)*lead, l.face[k], "t")
		}
		if at > x+wide {
			p.t.Errorf("the figure's line %q is too long", l.words)
		}
	}
	return y + high
}

// text writes a line in outlines and returns where it ends.
func (p *pen) text(text string, x, y float64, face *typeface, class string) float64 {
	p.body(`<g class="%s" transform="translate(%.1f %.1f) scale(%g)">`, class, x, y, size/unitsPerEm)
	at := 0.0
	for _, r := range text {
		key := face.name + string(r)
		id, there := p.glyphs[key]
		if !there {
			id = len(p.glyphs)
			p.glyphs[key] = id
			fmt.Fprintf(&p.defs, "<path id=\"g%d\" d=\"%s\"/>\n", id, face.outline(p.t, r))
		}
		if r != ' ' {
			p.body(`<use href="#g%d" x="%.0f"/>`, id, at*unitsPerEm)
		}
		at += face.width(p.t, string(r))
	}
	p.body("</g>")
	return x + at*size
}

func (p *pen) whole(high float64) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img">
<title>Which rule: questions and answers</title>
<desc>%s</desc>
<style>
  .p { fill: #ffffff } .t { fill: #1a1a1a } .q { fill: #dbe7f6 } .a { fill: #e4f2e0 } .n { fill: #fdeecf } .l { fill: none; stroke: #666; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) { .p { fill: #0d1117 } .t { fill: #f0f0f0 } .q { fill: #1f3a5c } .a { fill: #234a2a } .n { fill: #55431a } .l { stroke: #aaa } }
</style>
<defs>
%s</defs>
<rect class="p" width="%.0f" height="%.0f"/>
%s</svg>
`, width, high, html.EscapeString(strings.Join(p.words, " / ")), p.defs.String(), width, high, p.out.String())
}

const unitsPerEm = 1000

// typeface is a font of the Liberation family.
type typeface struct {
	name string
	font *sfnt.Font
}

func loadFont(t *testing.T, weight string) *typeface {
	t.Helper()
	for _, f := range liberation.Collection() {
		name, err := f.Face.Name(nil, sfnt.NameIDPostScript)
		if err != nil {
			t.Fatal(err)
		}
		if name == "LiberationSans-"+weight || weight == "Regular" && name == "LiberationSans" {
			return &typeface{weight, f.Face}
		}
	}
	t.Fatal("no font LiberationSans-" + weight)
	return nil
}

func (f *typeface) glyph(t *testing.T, r rune) sfnt.GlyphIndex {
	i, err := f.font.GlyphIndex(nil, r)
	if err != nil || i == 0 {
		t.Fatalf("no letter %q: %v", r, err)
	}
	return i
}

// width is in ems.
func (f *typeface) width(t *testing.T, text string) (ems float64) {
	for _, r := range text {
		v, err := f.font.GlyphAdvance(nil, f.glyph(t, r), fixed.I(unitsPerEm), 0)
		if err != nil {
			t.Fatal(err)
		}
		ems += float64(v) / 64 / unitsPerEm
	}
	return ems
}

func (f *typeface) outline(t *testing.T, r rune) string {
	segments, err := f.font.LoadGlyph(nil, f.glyph(t, r), fixed.I(unitsPerEm), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range segments {
		n := map[sfnt.SegmentOp]int{sfnt.SegmentOpMoveTo: 1, sfnt.SegmentOpLineTo: 1, sfnt.SegmentOpQuadTo: 2, sfnt.SegmentOpCubeTo: 3}[s.Op]
		b.WriteByte("MLQC"[s.Op])
		for _, p := range s.Args[:n] {
			fmt.Fprintf(&b, "%d %d ", p.X.Round(), p.Y.Round())
		}
	}
	return strings.TrimSpace(b.String())
}
