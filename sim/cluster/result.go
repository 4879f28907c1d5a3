package cluster

import "io"

// Metric is a named figure of an allocation.
type Metric struct {
	Name  string
	Value float64
}

// WriteAllocation writes an allocation as the JSON of the specification's
// section 2, its keys in the order policy, users, utilization, prices,
// metrics, unservable.
//
// by_server sums over a class and names the classes of the region (of the
// pooled cluster, where a rule pools it) that hold any tasks of the user.
// utilization has every server and link of the region, 0 where the capacity is
// 0. prices is there if the rule has any, metrics if some are given, unservable
// if somebody is. Numbers are the shortest decimals that read back as the same
// double. The same arguments give the same bytes; nothing is written if a
// number is not finite.
func WriteAllocation(w io.Writer, policy string, a *Allocation, metrics []Metric) error {
	var t jsonText
	t.open("{")
	t.key("policy").string(policy)
	t.lines("users", len(a.Region.Users), func(j int) { t.share(a, j) })
	t.rows("utilization", a.Region, a.Utilization(nil))
	if a.Prices != nil {
		t.rows("prices", a.Region, a.Prices)
	}
	if len(metrics) > 0 {
		t.key("metrics")
		t.open("{")
		for _, m := range metrics {
			t.key(m.Name).number(m.Value)
		}
		t.close("}")
	}
	if len(a.Unservable) > 0 {
		t.key("unservable")
		t.open("[")
		for _, j := range a.Unservable {
			t.string(a.Region.Users[j].Name)
		}
		t.close("]")
	}
	return t.flush(w)
}

// share writes what user j holds.
func (t *jsonText) share(a *Allocation, j int) {
	t.open("{")
	t.key("name").string(a.Region.Users[j].Name)
	t.key("tasks").number(a.Tasks[j])
	t.key("share").number(a.Share[j])
	t.key("by_server")
	t.open("{")
	for s, x := range a.On(j) {
		if x != 0 {
			t.key(a.Region.Servers[s].Name).number(x)
		}
	}
	t.close("}")
	t.close("}")
}

// rows writes one number per capacity row: of a server as an object by
// resource, of a link as it is.
func (t *jsonText) rows(key string, env *Environment, values []float64) {
	t.key(key)
	t.open("{")
	for s := range env.Servers {
		t.key(env.Servers[s].Name)
		t.open("{")
		for r, name := range env.Resources {
			t.key(name).number(values[env.Row(s, r)])
		}
		t.close("}")
	}
	for e := range env.Links {
		t.key(env.Links[e].Name).number(values[env.LinkRow(e)])
	}
	t.close("}")
}
