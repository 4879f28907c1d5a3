package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/results/resulttest"
)

// loads are the rows of two rules on three servers, of which the last is idle: each user
// has a quarter of the first for an hour, one after the other, and a half of the second
// for both.
func loads(users ...string) []results.Row {
	var rows []results.Row
	for _, policy := range []string{"tsf-er", "mnw"} {
		for k, user := range users {
			for lane, part := range []float64{0.25, 0.5} {
				from, to, base := float64(k)*3600, float64(k+1)*3600, 0.0
				if lane == 1 {
					from, to, base = 0, 7200, float64(k)*part
				}
				point := fmt.Sprintf("class=s,server=s/%d,servers=1,lane=%d,until_s=%g,base=%g,period_s=60", lane, lane, to, base)
				if user == "" {
					point += ",users=12"
				}
				r := results.Row{Policy: policy, User: user, Metric: "share", Unit: results.UnitRatio, Value: part, Workload: madeUpWorkload, Point: resulttest.Point(point)}
				r.At(from)
				rows = append(rows, r)
			}
		}
	}
	idle := rows[0] // on a third server under one rule alone
	idle.Point = resulttest.Point("class=t,server=t,servers=1,lane=2,until_s=600,base=0,period_s=60")
	if users[0] == "" {
		idle.Point = resulttest.Point("class=t,server=t,servers=1,lane=2,until_s=600,base=0,period_s=60,users=12")
	}
	return append(rows, idle)
}

// A bar stands in the lane of its server, the first at the top, on what others hold.
func TestPlacementsAreWhereTheyAre(t *testing.T) {
	f := drawn(t, loads("ann", "bob"), View{Form: Placements})
	if len(f.Panels) != 2 || f.Panels[0].Title != "TSF-ER" {
		t.Fatalf("%d panels, the first is %q", len(f.Panels), f.Panels[0].Title)
	}
	p := f.Panels[0]
	if got := []string{p.Series[0].Name, p.Series[1].Name}; !slices.Equal(got, []string{"ann", "bob"}) {
		t.Errorf("series %v", got)
	}
	const height = 1 - laneGap
	for k, want := range [][4]float64{{0, 60, 1.5 + laneGap/2, height / 4}, {0, 120, 0.5 + laneGap/2, height / 2}, {0, 10, -0.5 + laneGap/2, height / 4}} {
		from, to := p.Series[0].Points[2*k], p.Series[0].Points[2*k+1]
		got := [4]float64{from.X, to.X, from.Low, from.High - from.Low}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("bar %d from, to, bottom, height %v, want %v", k, got, want)
			}
		}
	}
	if bob := p.Series[1].Points[2]; math.Abs(bob.Low-(0.5+laneGap/2+height/2)) > 1e-12 {
		t.Errorf("bob's begins at %g", bob.Low)
	}
	var names []string
	for _, tick := range p.Y.ticks() {
		names = append(names, tick.Label)
	}
	if !slices.Equal(names, []string{"s/0", "s/1", "t"}) || !strings.Contains(f.Note, "Each lane is a server; its filled height") || strings.Contains(f.Note, "together") {
		t.Errorf("lanes %v; %s", names, f.Note)
	}
	encode(t, f, "svg")
}

// Of many users the colour is the load, and the note says how many they are; of many
// servers the classes are named, and the note says how many servers there are.
func TestPlacementsOfMany(t *testing.T) {
	f := drawn(t, loads(""), View{Form: Placements})
	if p := f.Panels[0]; p.Ramp == nil || p.Ramp.Low != 0 || p.Ramp.High != 1 || !strings.Contains(f.Note, "All 12 users together.") {
		t.Errorf("%+v; %s", p.Ramp, f.Note)
	}
	encode(t, f, "svg")
	var rows []results.Row
	for lane := range 60 {
		class := []string{"big", "small"}[lane/20%2]
		r := results.Row{Policy: "mnw", Metric: "share", Unit: results.UnitRatio, Value: 0.5, Workload: madeUpWorkload,
			Point: resulttest.Point(fmt.Sprintf("class=%s%d,server=x%d,servers=3,lane=%d,until_s=60,base=0,period_s=60,users=12", class, lane/40, lane, lane))}
		rows = append(rows, r)
		rows[lane].At(0)
	}
	f = drawn(t, rows, View{Form: Placements})
	var names []string
	for _, tick := range f.Panels[0].Y.ticks() {
		names = append(names, tick.Label)
	}
	if !slices.Equal(names, []string{"big0 (60)", "small0 (60)", "big1 (60)"}) || !strings.Contains(f.Note, "180 servers in 60 lanes of up to 3, which show their mean") {
		t.Errorf("lanes %v; %s", names, f.Note)
	}
	if low := drawn(t, loads("ann"), View{Form: Placements}); f.panelHeight() <= low.panelHeight() {
		t.Error("many lanes are as high as few")
	}
	encode(t, f, "svg")
}
