package plots

import (
	"bytes"
	"compress/zlib"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// each calls test for figures of one panel and of two, in both widths.
func each(t *testing.T, test func(t *testing.T, f Figure)) {
	for panels := range 2 {
		for _, w := range []Length{OneColumn, TwoColumns} {
			test(t, madeUpFigure(panels+1, w, madeUpPolicies...))
		}
	}
}

func encode(t *testing.T, f Figure, format string) []byte {
	t.Helper()
	data, err := f.Encode(format)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var svgDescription = regexp.MustCompile(`(?s)<desc>([^<]*)</desc>`)

// svgTexts are what an SVG says in words.
func svgTexts(data []byte) []string {
	return strings.Split(string(svgDescription.FindSubmatch(data)[1]), "; ")
}

func count(list []string, s string) (n int) {
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

func TestSVGNamesEachPolicyOnceAndSaysWhatItShows(t *testing.T) {
	each(t, func(t *testing.T, f Figure) {
		texts := svgTexts(encode(t, f, "svg"))
		for _, p := range madeUpPolicies {
			if n := count(texts, madeUpStyles[p].Label); n != 1 {
				t.Errorf("%s: label %s stands there %d times", f.Name, madeUpStyles[p].Label, n)
			}
		}
		all := strings.Join(texts, " ")
		for _, want := range []string{"Workload: " + madeUpWorkload, "Server heterogeneity ρ"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q is not in %q", f.Name, want, all)
			}
		}
	})
}

var svgSize = regexp.MustCompile(`<svg width="([0-9.]+)pt" height="([0-9.]+)pt"`)

func TestFiguresAreAsWideAsTheColumn(t *testing.T) {
	each(t, func(t *testing.T, f Figure) {
		want := map[Length]string{OneColumn: "252", TwoColumns: "515.52"}[f.Width]
		m := svgSize.FindSubmatch(encode(t, f, "svg"))
		if m == nil || string(m[1]) != want {
			t.Errorf("%s: SVG size %q, want a width of %s pt", f.Name, m, want)
		}
		box := regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+)`).FindSubmatch(encode(t, f, "pdf"))
		if box == nil || strings.TrimSuffix(string(box[1]), ".00") != want {
			t.Errorf("%s: PDF size %q, want a width of %s pt", f.Name, box, want)
		}
		img, err := png.Decode(bytes.NewReader(encode(t, f, "png")))
		if err != nil {
			t.Fatal(err)
		}
		inches := float64(vg.Length(f.Width) / vg.Inch)
		if got := float64(img.Bounds().Dx()) / dpi; math.Abs(got-inches) > 1./dpi {
			t.Errorf("%s: PNG %g in wide, want %g", f.Name, got, inches)
		}
	})
}

func TestFontsAreEmbedded(t *testing.T) {
	each(t, func(t *testing.T, f Figure) {
		if data := encode(t, f, "pdf"); !bytes.Contains(data, []byte("/FontFile2")) {
			t.Errorf("%s: no font in the PDF", f.Name)
		}
		if data := encode(t, f, "svg"); bytes.Contains(data, []byte("<text")) || bytes.Contains(data, []byte("010203")) {
			t.Errorf("%s: text in the SVG that needs a font, or a letter that was not drawn", f.Name)
		}
	})
}

func TestSameFigureSameBytes(t *testing.T) {
	for _, format := range Formats {
		first := map[string][]byte{}
		for range 3 {
			each(t, func(t *testing.T, f Figure) {
				data := encode(t, f, format)
				key := f.Name + string(rune(int(f.Width)))
				if old, ok := first[key]; ok && !bytes.Equal(old, data) {
					t.Errorf("%s.%s: two runs gave different bytes", f.Name, format)
				}
				first[key] = data
			})
		}
	}
}

// Dates have a resolution of a second: that two quick runs agree says nothing
// about them.
func TestPDFHasNoDateOfWriting(t *testing.T) {
	each(t, func(t *testing.T, f Figure) {
		dates := regexp.MustCompile(`/(CreationDate|ModDate) \(D:(\d{8})`).FindAllSubmatch(encode(t, f, "pdf"), -1)
		if len(dates) != 2 {
			t.Fatalf("%s: %d dates", f.Name, len(dates))
		}
		for _, d := range dates {
			if string(d[2]) != "19700101" {
				t.Errorf("%s: %s", f.Name, d[0])
			}
		}
	})
}

// pdfStreams returns the PDF's uncompressed streams.
func pdfStreams(t *testing.T, pdf []byte) string {
	t.Helper()
	var out strings.Builder
	for _, part := range bytes.Split(pdf, []byte("stream\n"))[1:] {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue // the end of a stream, or none that is compressed
		}
		if _, err := io.Copy(&out, r); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// A PDF's code page has no ρ: as text it would come out as two other letters.
func TestPDFDrawsWhatItsFontCannotWrite(t *testing.T) {
	each(t, func(t *testing.T, f Figure) {
		text := pdfStreams(t, encode(t, f, "pdf"))
		if !strings.Contains(text, "(Server heterogeneity )") {
			t.Errorf("%s: the label's Latin part is not there as text", f.Name)
		}
		if strings.Contains(text, "\xcf\x81") {
			t.Errorf("%s: ρ was written byte by byte", f.Name)
		}
	})
}

func TestRunsKeepEveryLetter(t *testing.T) {
	for s, want := range map[string][]string{
		"":      nil,
		"abc":   {"abc"},
		"a ρ":   {"a ", "ρ"},
		"ρψ é":  {"ρ", "ψ", " é"},
		"x → y": {"x ", "→", " y"},
	} {
		if got := runs.FindAllString(s, -1); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestNoOtherFormatIsWritten(t *testing.T) {
	if _, err := madeUpFigure(1, OneColumn, madeUpPolicies...).Encode("jpeg"); err == nil {
		t.Error("jpeg was taken")
	}
}

func TestFigureOfFewOrForeignPolicies(t *testing.T) {
	texts := svgTexts(encode(t, madeUpFigure(2, OneColumn, "tsf-er", "tsf-er[x=1]", "own"), "svg"))
	for _, label := range []string{"TSF-ER", "tsf-er[x=1]", "own"} {
		if count(texts, label) != 1 {
			t.Errorf("no label %q in %q", label, texts)
		}
	}
}

// An SVG draws a letter of a size once, and uses it where it stands; the ids of two
// figures on a page differ.
func TestSVGDrawsEachLetterOnce(t *testing.T) {
	data := string(encode(t, madeUpFigure(1, OneColumn, "tsf-er", "drf-er"), "svg"))
	ids := regexp.MustCompile(`<path id="([^"]*)"`).FindAllStringSubmatch(data, -1)
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id[1]] || !strings.HasPrefix(id[1], "made-up-1-") {
			t.Errorf("id %s", id[1])
		}
		seen[id[1]] = true
	}
	used := regexp.MustCompile(`xlink:href="#([^"]*)"`).FindAllStringSubmatch(data, -1)
	for _, u := range used {
		if !seen[u[1]] {
			t.Errorf("%s is used, not drawn", u[1])
		}
	}
	// Note and labels alone have 70 letters.
	if len(used) < 70 || len(used) < 2*len(ids) {
		t.Errorf("%d uses of %d letters", len(used), len(ids))
	}
}

func TestFigureOfAGivenHeight(t *testing.T) {
	f := madeUpFigure(2, OneColumn, "tsf-er", "drf-er")
	f.Height = Length(4 * vg.Inch)
	if m := svgSize.FindSubmatch(encode(t, f, "svg")); string(m[2]) != "288" {
		t.Errorf("height %s", m[2])
	}
	f.Height = Length(vg.Inch)
	if _, err := f.Encode("svg"); err == nil || !strings.Contains(err.Error(), "a height of 1in leaves") {
		t.Error(err)
	}
}
