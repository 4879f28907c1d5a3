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
	keys := []string{key("policy", quote(policy))}
	keys = append(keys, lines("users", len(a.Region.Users), a.shareText), key("utilization", a.Region.rowsText(a.Utilization(nil))))
	if a.Prices != nil {
		keys = append(keys, key("prices", a.Region.rowsText(a.Prices)))
	}
	if len(metrics) > 0 {
		var figures []string
		for _, m := range metrics {
			figures = append(figures, key(m.Name, shortest(m.Value)))
		}
		keys = append(keys, key("metrics", braces(figures)))
	}
	if len(a.Unservable) > 0 {
		var names []string
		for _, j := range a.Unservable {
			names = append(names, a.Region.Users[j].Name)
		}
		keys = append(keys, key("unservable", quoted(names)))
	}
	return writeObject(w, keys)
}

// shareText is what user j holds.
func (a *Allocation) shareText(j int) string {
	var on []string
	for s, x := range a.On(j) {
		if x != 0 {
			on = append(on, key(a.Region.Servers[s].Name, shortest(x)))
		}
	}
	return braces([]string{
		key("name", quote(a.Region.Users[j].Name)), key("tasks", shortest(a.Tasks[j])), key("share", shortest(a.Share[j])), key("by_server", braces(on)),
	})
}

// rowsText is one number per capacity row: of a server as an object by resource, of a
// link as it is.
func (env *Environment) rowsText(values []float64) string {
	var keys []string
	for s := range env.Servers {
		var of []string
		for r, name := range env.Resources {
			of = append(of, key(name, shortest(values[env.Row(s, r)])))
		}
		keys = append(keys, key(env.Servers[s].Name, braces(of)))
	}
	for e := range env.Links {
		keys = append(keys, key(env.Links[e].Name, shortest(values[env.LinkRow(e)])))
	}
	return braces(keys)
}
