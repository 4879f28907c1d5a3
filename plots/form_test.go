package plots

import (
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

// The form follows from what the column of the axis holds, unless one is asked for.
func TestTheFormFollowsFromTheColumn(t *testing.T) {
	rows, err := results.Select(sweepRows(), map[string]string{"n": "20"})
	if err != nil {
		t.Fatal(err)
	}
	var timed []results.Row
	for i, r := range rows {
		r.Point = r.Point.With("rho", results.OfFloat(0.5))
		r.At(float64(i))
		timed = append(timed, r)
	}
	for _, c := range []struct {
		rows []results.Row
		view View
		want Panel
	}{
		{rows, View{}, &Points{}},
		{rows, View{Form: "points", X: "rho"}, &Points{}},
		{rows, View{Form: "boxes"}, &Boxes{}},
		{rows[:6], View{Form: "cdf", X: "cdf"}, nil},
		{timed, View{}, &Lines{}},
		{timed, View{Form: "time", X: OverTime}, &Lines{}},
	} {
		f, err := Against(c.rows, c.view)
		if c.want == nil {
			if err == nil {
				t.Errorf("%+v: drawn, though rho differs", c.view)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c.view, err)
			continue
		}
		if got, want := typeOf(f.Panels[0]), typeOf(c.want); got != want {
			t.Errorf("%+v: a panel of %s, want %s", c.view, got, want)
		}
	}
}

func typeOf(p Panel) string {
	switch p.(type) {
	case *Points:
		return "points"
	case *Boxes:
		return "boxes"
	case *Lines:
		return "lines"
	}
	return "another type"
}

func TestAFormRefusesWhatItDoesNotTake(t *testing.T) {
	rows, err := results.Select(sweepRows(), map[string]string{"n": "20"})
	if err != nil {
		t.Fatal(err)
	}
	for want, view := range map[string]View{
		"the form time does not take rho, which holds numbers":    {Form: "time", X: "rho"},
		"the form cdf has an axis of its own, not rho":            {Form: "cdf", X: "rho"},
		"unknown form \"pie\" (known: boxes, cdf, points, time":   {Form: "pie"},
		"the form points does not take time_s, which holds times": {Form: "points", X: OverTime},
	} {
		of := rows
		if view.X == OverTime {
			of = slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Point.Number("rho") != 0.5 })
		}
		if _, err := Against(of, view); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v does not begin with %q", err, want)
		}
	}
}

func TestFormsThatCannotBeRegistered(t *testing.T) {
	draw := func(Data) (Panel, string, error) { return nil, "", nil }
	for name, f := range map[string]Form{
		"no name": {Draw: draw}, "no Draw": {Name: "x"}, "twice": {Name: "cdf", Draw: draw},
		"two usual ones": {Name: "x", Draw: draw, Axis: []Kind{Times}, Usual: []Kind{Times}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: registered", name)
				}
			}()
			RegisterForm(f)
		}()
	}
}

// Each form draws the same bytes from the same rows.
func TestSameRowsSameBytesInEveryForm(t *testing.T) {
	rows, err := results.Select(sweepRows(), map[string]string{"n": "20", "rho": "0.5"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"boxes", "cdf", "points", "time"} {
		x := map[string]string{"boxes": "policy", "points": "policy"}[name]
		if name == "time" {
			for i := range rows {
				rows[i].At(float64(i))
			}
		}
		var texts []string
		for range 2 {
			f, err := Against(rows, View{Form: name, X: x})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			texts = append(texts, string(encode(t, f, "svg")))
		}
		if texts[0] != texts[1] || !strings.Contains(texts[0], "made up") {
			t.Errorf("%s: other bytes, or no workload", name)
		}
	}
}

// Over several instances a curve goes through their means: 1 and 3, 2 and 6.
func TestTimeSeriesOfInstancesAreMeans(t *testing.T) {
	var rows []results.Row
	for i, factor := range []float64{1, 3} {
		for _, at := range []float64{1, 2} {
			rows = append(rows, results.Row{Policy: "p", Instance: int64(i), Timed: true, TimeS: at, Metric: "m", Value: factor * at})
		}
	}
	f, err := Against(rows, View{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(f.Note, "Means over 2 instances.") {
		t.Error(f.Note)
	}
	if c := f.Panels[0].(*Lines).Curves[0]; !slices.Equal(c.X, []float64{1, 2}) || !slices.Equal(c.Y, []float64{2, 4}) {
		t.Errorf("curve %+v", c)
	}
	if _, err := TimePanel([]results.Row{rows[1], rows[0]}, Seconds, ""); err == nil {
		t.Error("a curve goes back in time")
	}
}

func TestByRank(t *testing.T) {
	names := []string{"z", "b", "c", "a"}
	slices.SortFunc(names, ByRank("c", "b"))
	if !slices.Equal(names, []string{"c", "b", "a", "z"}) {
		t.Error(names)
	}
}
