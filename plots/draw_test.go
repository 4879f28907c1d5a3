package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
)

func selected(t *testing.T, wanted map[string]string) []results.Row {
	t.Helper()
	rows, err := results.Select(sweepRows(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestAnAxisOfNumbers(t *testing.T) {
	f := drawn(t, selected(t, map[string]string{"n": "20", "l": "4"}), View{})
	p := f.Panels[0]
	if p.Kind != "points" || !slices.Equal(p.X.Ticks, []float64{0.5, 0.9}) || p.X.Label != "Server heterogeneity ρ" || p.Y.Label != "Mean JCT factor" {
		t.Errorf("panel %+v", p)
	}
	if got := p.Series[1]; got.Name != "mnw" || got.Points[0].X != 0.5 || got.Points[0].Mean != 26.25 || got.Points[0].N != 3 || math.Abs(got.Points[0].High-26.25-threeApart) > 1e-6 {
		t.Errorf("series %+v", got)
	}
	if want := "Workload: made up (synthetic). Error bars: 95% intervals over 3 instances."; f.Note != want {
		t.Errorf("note %q, want %q", f.Note, want)
	}
}

// What is not said follows from the columns: one more that differs takes the panels,
// two of too many values make a heat map, and more is an error that names it.
func TestWhatIsNotSaid(t *testing.T) {
	rows := sweepRows()
	f := drawn(t, rows, View{})
	if len(f.Panels) != 2 || f.Panels[0].Title != "ρ = 0.5" && f.Panels[0].Title != "n = 10" {
		t.Errorf("%d panels, the first %q", len(f.Panels), f.Panels[0].Title)
	}
	f = drawn(t, rows, View{X: "rho", Panels: "n"})
	if f.Panels[1].Title != "n = 20" || f.Panels[0].Y.low != f.Panels[1].Y.low || f.Panels[0].Y.high != f.Panels[1].Y.high {
		t.Errorf("panels %q with other axes", f.Panels[1].Title)
	}
	many := slices.Clone(rows)
	for k := range 12 {
		for _, r := range rows[:2] {
			r.Point = r.Point.With("n", results.OfInt(int64(k))).With("rho", results.OfFloat(float64(k%10)/10))
			many = append(many, r)
		}
	}
	if f = drawn(t, many, View{}); f.Panels[0].Kind != "heat" {
		t.Errorf("a %s of two columns of many values", f.Panels[0].Kind)
	}
	for i := range rows {
		rows[i].User = string(rune('a' + i%2))
	}
	for want, view := range map[string]View{
		"the rows differ in":                       {X: "rho"},
		"all rows have the same l":                 {X: "l", Where: Pairs{"n": "20", "rho": "0.5", "user": "a"}},
		"unknown metric \"colour\"":                {Y: List{"colour"}},
		"where rho=0.7: no such row":               {Where: Pairs{"rho": "0.7"}},
		"policy=nobody: no such row":               {Policies: List{"nobody"}},
		"the form time does not take rho":          {Form: "time", X: "rho", Where: Pairs{"n": "20", "user": "a"}},
		"the form cdf has an axis of its own":      {Form: "cdf", X: "rho"},
		"unknown form \"pie\"":                     {Form: "pie"},
		"the form boxes draws values":              {Form: "boxes", Baseline: "mnw"},
		"ratio needs a baseline":                   {Ratio: true},
		"legend \"left\": one of":                  {Legend: "left"},
		"the form points has no column on its ver": {Form: "points", X: "rho", Down: "n"},
	} {
		if _, err := Draw(rows, view, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v does not begin with %q", view, err, want)
		}
	}
	if _, err := Draw(nil, View{}, nil); err == nil {
		t.Error("a table without rows is drawn")
	}
}

// mnw is 1 above tsf-er in every instance: the paired difference has no width.
func TestBaseline(t *testing.T) {
	p := drawn(t, selected(t, map[string]string{"n": "20"}), View{Baseline: "tsf-er"}).Panels[0]
	if len(p.Series) != 1 || p.Series[0].Name != "mnw" || p.Y.Label != "Mean JCT factor,\nless that of TSF-ER" {
		t.Fatalf("%+v", p)
	}
	for _, pt := range p.Series[0].Points {
		if pt.Mean != 1 || math.Abs(pt.High-pt.Low) > 1e-9 {
			t.Errorf("%+v", pt)
		}
	}
	p = drawn(t, selected(t, map[string]string{"n": "20"}), View{Baseline: "tsf-er", Ratio: true}).Panels[0]
	if pt := p.Series[0].Points[0]; math.Abs(pt.Mean-26.25/25.25) > 1e-12 || !slices.Contains(p.Y.Marked, 1) {
		t.Errorf("%+v, lines at %v", pt, p.Y.Marked)
	}
}

// Metrics of one unit are in one panel where colours tell them apart.
func TestMetricsInOnePanel(t *testing.T) {
	rows := selected(t, map[string]string{"n": "20", "l": "4", "policy": "mnw"})
	rows = slices.DeleteFunc(rows, func(r results.Row) bool { return r.Metric != results.MetricJCTFactor })
	for _, r := range slices.Clone(rows) {
		r.Metric, r.Value = results.MetricDomination, r.Value/2
		rows = append(rows, r)
	}
	view := View{Y: List{results.MetricDomination, results.MetricJCTFactor}, Color: Metric}
	f := drawn(t, rows, view)
	if len(f.Panels) != 1 || len(f.Panels[0].Series) != 2 {
		t.Fatalf("%d panels: %+v", len(f.Panels), f.Panels[0])
	}
	p := f.Panels[0]
	first, second := p.Series[0], p.Series[1]
	if first.Name == results.MetricDomination {
		first, second = second, first
	}
	if len(first.Points) < 2 || len(first.Points) != len(second.Points) || first.Points[0].Mean != 2*second.Points[0].Mean {
		t.Errorf("series %+v", p.Series)
	}
	if label := results.LabelOf(results.MetricDomination); f.Styles.Label(results.MetricDomination) != label || !strings.HasPrefix(p.Y.Label, label+", ") {
		t.Errorf("the legend says %q, the axis %q", f.Styles.Label(results.MetricDomination), p.Y.Label)
	}
	view.Color = ""
	if f = drawn(t, rows, view); len(f.Panels) != 2 {
		t.Errorf("%d panels without colours of metrics", len(f.Panels))
	}
	rows[0].Unit, view.Color = results.UnitSeconds, Metric
	for i := range rows {
		if rows[i].Metric == results.MetricDomination {
			rows[i].Unit = results.UnitSeconds
		}
	}
	if _, err := Draw(rows, view, nil); err == nil || !strings.Contains(err.Error(), "different units") {
		t.Errorf("two units in one panel: %v", err)
	}
}

func TestOrderPoliciesLabelsAndPlaceholders(t *testing.T) {
	f := drawn(t, sweepRows(), View{X: "rho", Policies: List{"mnw", "tsf-er"}, Where: Pairs{"n": "15.."}, Note: "{n} jobs of {workload}, {instances} times. {bars}", XLabel: "x", Labels: map[string]string{"jct_factor": "y", "mnw": "ours"}})
	if p := f.Panels[0]; p.Series[0].Name != "mnw" || p.X.Label != "x" || p.Y.Label != "y" {
		t.Errorf("%+v", p)
	}
	if want := "20 jobs of made up (synthetic), 3 times. Error bars: 95% intervals over 3 instances."; f.Note != want {
		t.Errorf("note %q", f.Note)
	}
	if _, err := Draw(sweepRows(), View{X: "rho", Panels: "n", Note: "{workload}, {policy} and {nothing}"}, nil); err == nil || !strings.Contains(err.Error(), "0 values of nothing") {
		t.Errorf("a note of nothing: %v", err)
	}
	if f := drawn(t, selected(t, map[string]string{"n": "20"}), View{Note: "none"}); f.Note != "" {
		t.Errorf("note %q", f.Note)
	}
	two := selected(t, map[string]string{"n": "20", "rho": "0.5"})
	two[0].Workload = "another"
	if _, err := Draw(two, View{X: "policy", Form: "cdf", Note: "Of {workload}."}, nil); err == nil {
		t.Error("a note says one workload of two")
	}
}

// A number that is drawn with each instance, as that of its jobs, is no parameter.
func TestWhatTheInstanceDraws(t *testing.T) {
	rows := selected(t, map[string]string{"n": "20"})
	for i := range rows {
		rows[i].Point = rows[i].Point.With("n", results.OfInt(100+rows[i].Instance))
	}
	if p := drawn(t, rows, View{}).Panels[0]; len(p.Series) != 2 || p.Series[0].Points[0].N != 3 {
		t.Errorf("%+v", p)
	}
}

// The label of a workload goes with its source: it is no column more to be chosen.
func TestAColumnThatAnotherSettles(t *testing.T) {
	rows := selected(t, map[string]string{"n": "20"})
	for i, r := range slices.Clone(rows) {
		rows[i].Point = r.Point.With("source", results.OfText("a"))
		r.Point, r.Workload = r.Point.With("source", results.OfText("b")), "another"
		rows = append(rows, r)
	}
	f := drawn(t, rows, View{X: "rho"})
	if len(f.Panels) != 2 || f.Panels[0].Title != "Source: a" || f.Panels[1].Title != "Source: b" || f.Note != "Workload: made up (synthetic), another. Error bars: 95% intervals over 3 instances." {
		t.Errorf("%d panels, %q: %s", len(f.Panels), f.Panels[0].Title, f.Note)
	}
	if f = drawn(t, rows, View{X: "rho", Panels: "workload"}); len(f.Panels) != 2 || f.Panels[1].Title != "another" {
		t.Errorf("%d panels", len(f.Panels))
	}
}

func TestPlacesWithoutAValueAreCounted(t *testing.T) {
	rows := slices.DeleteFunc(selected(t, map[string]string{"n": "20"}), func(r results.Row) bool { return r.Policy == "mnw" && r.Point.Number("rho") == 0.5 })
	if f := drawn(t, rows, View{}); !strings.Contains(f.Note, "1 of 4 places have no value.") {
		t.Error(f.Note)
	}
}

// A column that holds the values: 2 of 3 and 1 of 5.
func TestValuesInAColumn(t *testing.T) {
	var rows []results.Row
	for _, c := range []struct {
		moves int64
		found float64
	}{{3, 2}, {5, 1}} {
		r := selected(t, map[string]string{"n": "20", "rho": "0.5"})[0]
		r.Point, r.Value = r.Point.With("moves", results.OfInt(c.moves)), c.found
		rows = append(rows, r)
	}
	p := drawn(t, rows, View{Form: "boxes", Values: "moves", X: "policy"}).Panels[0]
	if b := p.Series[0].Points[0].Box; b.N != 3 || math.Abs(b.Mean-11./3) > 1e-12 || b.Median != 3 {
		t.Errorf("%+v", b)
	}
}

func TestTimeIsInItsUnit(t *testing.T) {
	p := drawn(t, overTime(200, "tsf-er", "drf-er"), View{}).Panels[0]
	if p.Kind != "lines" || p.X.Label != "Time (h)" || p.Y.Label != "Waiting tasks" || math.Abs(p.Series[1].Points[60].X-1) > 1e-12 || p.Series[1].Points[60].Mean != 120 {
		t.Errorf("%s %s %+v", p.X.Label, p.Y.Label, p.Series[1].Points[60])
	}
}

// Half of the values 0 … 4999 are at most 2499.
func TestDistributionOfManyValues(t *testing.T) {
	var rows []results.Row
	for i := range 5000 {
		rows = append(rows, results.Row{Policy: "tsf", User: string(rune('a' + i%3)), Instance: int64(i), Metric: "waiting_tasks", Unit: "tasks", Value: float64((i * 37) % 5000), Workload: madeUpWorkload})
	}
	points := drawn(t, rows, View{Form: "cdf"}).Panels[0].Series[0].Points
	if n := len(points); n != 2*mostSteps || points[n-1].X != 4999 || points[n-1].Mean != 1 {
		t.Errorf("%d points that end at %+v", n, points[n-1])
	}
	if at := slices.IndexFunc(points, func(p Point) bool { return p.Mean == .5 }); points[at].X != 2499 {
		t.Errorf("the median is %v, want 2499", points[at].X)
	}
}

func TestParts(t *testing.T) {
	f := drawn(t, sweepRows(), View{Y: List{"jct_factor"}, YLabel: "y", Where: Pairs{"n": "20"}, Parts: []View{{X: "rho"}, {Form: "cdf", Where: Pairs{"rho": "0.5"}, Log: "x"}}})
	if len(f.Panels) != 2 || f.Panels[0].Kind != "points" || f.Panels[1].Kind != "lines" || f.Panels[1].X.Scale != Log || f.Panels[0].X.Scale != Linear {
		t.Errorf("%+v", f.Panels)
	}
	if _, err := Draw(sweepRows(), View{Parts: []View{{X: "none"}}}, nil); err == nil || !strings.HasPrefix(err.Error(), "parts[0]: ") {
		t.Errorf("%v", err)
	}
}

// Each form draws the same bytes from the same rows, in every format.
func TestSameRowsSameBytesInEveryForm(t *testing.T) {
	for name, v := range map[string]View{"points": {}, "bars": {}, "boxes": {}, "lines": {}, "cdf": {Where: Pairs{"rho": "0.5"}}, "heat": {}} {
		v.Form = name
		if v.Where == nil && name != "heat" {
			v.Where = Pairs{"n": "20"}
		} else if name == "cdf" {
			v.Where["n"] = "10"
		}
		for _, format := range Formats {
			first, again := encode(t, drawn(t, sweepRows(), v), format), encode(t, drawn(t, sweepRows(), v), format)
			if string(first) != string(again) || len(first) < 1000 {
				t.Errorf("%s.%s: other bytes, or none", name, format)
			}
		}
	}
}

func TestFormsThatCannotBeRegistered(t *testing.T) {
	draw := func(Data, *Panel) (string, error) { return "", nil }
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
