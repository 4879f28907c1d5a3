package run

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces"
)

// twoTenants is four cores, two jobs of ann from the first second and one of bob from the
// sixth; a task takes a core for 10 s.
func twoTenants(policy string, tenants bool) Case {
	return Case{
		Cluster: &cluster.Environment{Resources: []string{"cpu"}, Servers: []cluster.Server{{Name: "s", Capacity: []float64{4}, Count: 1}}},
		Jobs: []traces.Job{
			{ID: "a1", User: "ann", Tasks: 4, DurationUS: 10e6, CPU: 1},
			{ID: "a2", User: "ann", Tasks: 4, DurationUS: 10e6, CPU: 1},
			{ID: "b", User: "bob", Tasks: 2, DurationUS: 10e6, CPU: 1, SubmitUS: 5e6},
		},
		Policy: policy, Want: []string{Tenants}, Tenants: tenants,
	}
}

// By hand. Whole tasks: ann has all four cores to 10 s, of which she deserves half from
// 5 s on; then each has two to 20 s, and ann needs no more than her last two to 30 s. With
// divisible tasks the two share equally from 5 to 15 s if they are tenants. If each job is
// a user, ann has two thirds from 5 to 20 s.
func TestReceivedAgainstDeserved(t *testing.T) {
	for _, c := range []struct {
		model   string
		tenants bool
		want    string // mean, least and time below: of all, ann and bob
	}{
		{"whole", true, "0.9167 0.0000 0.1667; 1.1667 1.0000 0.0000; 0.6667 0.0000 0.3333"},
		{"fluid", true, "1.0000 1.0000 0.0000; 1.0000 1.0000 0.0000; 1.0000 1.0000 0.0000"},
		{"fluid", false, "0.9333 0.6667 0.5000; 1.2000 1.0000 0.0000; 0.6667 0.6667 1.0000"},
	} {
		var out *Outcome
		var err error
		if case_ := twoTenants("tsf", c.tenants); c.model == "whole" {
			var o *WholeOutcome
			if o, err = (Whole{Case: case_}).Run(t.Context()); err == nil {
				out = &o.Outcome
			}
		} else {
			out, err = case_.Run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, user := range []string{"", "ann", "bob"} {
			var of []string
			for _, metric := range []string{MetricTenantRatio, MetricTenantLeast, MetricTenantBelow} {
				for _, m := range out.Measures {
					if m.Metric == metric && m.User == user {
						of = append(of, fmt.Sprintf("%.4f", m.Value))
					}
				}
			}
			got = append(got, strings.Join(of, " "))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s, tenants %v: %s, want %s", c.model, c.tenants, text, c.want)
		}
	}
}

func TestTenantsOverTime(t *testing.T) {
	c := twoTenants("tsf", false)
	course := &Course{Period: 5e6}
	c.Course = course
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range course.Rows(results.Row{}, []string{"a1", "a2", "b"}) {
		if row.Metric == MetricTenantReceived || row.Metric == MetricTenantDeserved {
			got[row.Metric+" "+row.User] += fmt.Sprintf("%.4f ", row.Value)
		}
	}
	for name, want := range map[string]string{
		MetricTenantReceived + " ann": "1.0000 0.6667 0.6667 0.6667 1.0000 ", MetricTenantDeserved + " ann": "1.0000 0.5000 0.5000 0.5000 1.0000 ",
		MetricTenantReceived + " bob": "0.3333 0.3333 0.3333 ", MetricTenantDeserved + " bob": "0.5000 0.5000 0.5000 ",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
}

// Jain's index among tenants, by hand: of whole tasks only ann has anything from 5 to 10 s
// of 30; of divisible ones they always have the same, which by jobs would be 1/4, 1/4, 1/2.
func TestJainAmongTenants(t *testing.T) {
	for model, want := range map[string]float64{"whole": 27.5 / 30, "fluid": 1} {
		var out *Outcome
		c := twoTenants("tsf", true)
		c.Want = []string{Jain}
		if model == "whole" {
			o, err := Whole{Case: c}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out = &o.Outcome
		} else {
			o, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out = o
		}
		if got := byName(t, out.Measures)[MetricJain+" "]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %.15g, want %g", model, got, want)
		}
	}
}

// All jobs at once: the one allocation divides weights, too.
func TestDividingOnceAmongTenants(t *testing.T) {
	for tenants, want := range map[bool]float64{true: 1. / 3, false: 1. / 3} {
		c := twoTenants("tsf", tenants)
		s := &Setup{Cluster: c.Cluster}
		o, err := s.Divide(c, map[string]int{})
		if err != nil {
			t.Fatal(err)
		}
		env, err := c.Environment()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.divideWeights(env); err != nil {
			t.Fatal(err)
		}
		if w := env.Users[0].Weight; (w == .5) != tenants || env.Users[2].Weight != 1 || math.Abs(o.Measures[0].Value-want) > 1e-12 {
			t.Errorf("tenants %v: weight %g, share %v", tenants, w, o.Measures)
		}
	}
}

func TestIsFIFO(t *testing.T) {
	for text, want := range map[string]string{"fifo": "fifo", "fifo[order=arrival]": "fifo", "fifo[order=priority]": "fifo[order=priority]"} {
		if got, is, err := IsFIFO(text); got != want || !is || err != nil {
			t.Errorf("%s: %s, %v, %v", text, got, is, err)
		}
	}
	for _, text := range []string{"fifo[order=size]", "fifo[by=priority]", "fifo[order=priority,by=x]"} {
		if _, is, err := IsFIFO(text); !is || err == nil {
			t.Errorf("%s: %v, %v", text, is, err)
		}
	}
	if _, is, _ := IsFIFO("tsf"); is {
		t.Error("tsf is fifo")
	}
}
