package plots

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNewStyleKnowsItsWordsAlone(t *testing.T) {
	for _, words := range [][3]string{{"mauve", "solid", "●"}, {"blue", "wavy", "●"}, {"blue", "solid", "★"}, {}} {
		if _, err := NewStyle("x", words[0], words[1], words[2]); err == nil {
			t.Errorf("%q make a style", words)
		}
	}
	s, err := NewStyle("x", "blue", "solid", "○")
	if want := (Style{"x", colors["blue"], nil, Marker{Circle, false}}); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%v, %+v", err, s)
	}
}

// A policy keeps its style where no other of the figure has a part of it.
func TestStylesAreKept(t *testing.T) {
	all := Styles{"drf": madeUpStyles["drf-er"], "own": {Label: "Own rule"}, "tsf-er": madeUpStyles["tsf-er"]}
	chosen, err := all.For([]string{"drf[x=1]", "drf", "own", "foreign", "tsf-er"})
	if err != nil {
		t.Fatal(err)
	}
	if first := chosen["drf[x=1]"]; first.Label != "drf[x=1]" || first.Color != all["drf"].Color || first.Marker != all["drf"].Marker {
		t.Errorf("%+v", first)
	}
	if !reflect.DeepEqual(chosen["tsf-er"], all["tsf-er"]) || chosen["own"].Label != "Own rule" || chosen["foreign"].Label != "foreign" {
		t.Errorf("%+v", chosen)
	}
	if second := chosen["drf"]; second.Color == all["drf"].Color || second.Marker == all["drf"].Marker || dashText(second.Dashes) == dashText(all["drf"].Dashes) {
		t.Errorf("two variants look alike: %+v", second)
	}
}

// Up to eight series differ in colour, in dash and in marker, each by itself, whatever
// styles they come with; up to eighty in colour and marker.
func TestNoTwoSeriesLookAlike(t *testing.T) {
	words := func(t *rapid.T, from []string, what string) string { return rapid.SampledFrom(from).Draw(t, what) }
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "series")
		all, names := Styles{}, []string{}
		for k := range n {
			name := fmt.Sprint("p", k)
			names = append(names, name)
			if rapid.Bool().Draw(t, "styled") {
				all[name], _ = NewStyle(name, words(t, colorOrder, "colour"), words(t, dashOrder, "dash"), words(t, markerOrder, "marker"))
			}
		}
		chosen, err := all.For(names)
		if err != nil {
			t.Fatal(err)
		}
		color, dash, marker, both := map[any]bool{}, map[string]bool{}, map[Marker]bool{}, map[pair]bool{}
		for _, s := range chosen {
			color[s.Color], dash[dashText(s.Dashes)], marker[s.Marker], both[pair{s.Color, s.Marker}] = true, true, true, true
		}
		if n <= 8 && (len(color) != n || len(dash) != n || len(marker) != n) || len(both) != n {
			t.Fatalf("%d series: %d colours, %d dashes, %d markers, %d pairs", n, len(color), len(dash), len(marker), len(both))
		}
	})
	var names []string
	for k := range 81 {
		names = append(names, fmt.Sprint(k))
	}
	if _, err := (Styles{}).For(names); err == nil {
		t.Error("81 series were given styles")
	}
	if chosen, err := (Styles{}).For(slices.Repeat([]string{"a", "b"}, 100)); err != nil || len(chosen) != 2 {
		t.Errorf("two series, named again and again: %v, %d", err, len(chosen))
	}
	if len(colorOrder) != len(colors) || len(dashOrder) != len(dashes) || len(markerOrder) != len(markers) {
		t.Errorf("%d colours, %d dashes, %d markers in order", len(colorOrder), len(dashOrder), len(markerOrder))
	}
}
