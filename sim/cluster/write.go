package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteEnvironment writes an environment as a file that [ReadEnvironment] (or
// [ReadCluster], if there are no users) reads back: the same numbers to the last bit, and
// the same bytes for the same environment. Keys at their default are left out; servers,
// links and users have a line each. An environment that [Validate] rejects is not written.
func WriteEnvironment(w io.Writer, env *Environment) error {
	if err := Validate(env); err != nil {
		return err
	}
	keys := []string{key("resources", quoted(env.Resources))}
	if len(env.Units) > 0 {
		keys = append(keys, key("units", env.unitsText()))
	}
	keys = append(keys, lines("servers", len(env.Servers), env.serverText))
	if len(env.Links) > 0 {
		keys = append(keys, lines("links", len(env.Links), env.linkText))
	}
	if len(env.Users) > 0 {
		keys = append(keys, lines("users", len(env.Users), env.userText))
	}
	return writeObject(w, keys)
}

// Line returns the environment as [WriteEnvironment] writes it, in one line without its
// end. It does not ask whether [Validate] rejects it.
func (env *Environment) Line() string {
	keys := []string{key("resources", quoted(env.Resources))}
	if len(env.Units) > 0 {
		keys = append(keys, key("units", env.unitsText()))
	}
	add := func(name string, n int, entry func(i int) string) {
		entries := make([]string, n)
		for i := range entries {
			entries[i] = entry(i)
		}
		keys = append(keys, key(name, brackets(entries)))
	}
	add("servers", len(env.Servers), env.serverText)
	if len(env.Links) > 0 {
		add("links", len(env.Links), env.linkText)
	}
	add("users", len(env.Users), env.userText)
	return braces(keys)
}

// unitsText is in the order of the resources and links.
func (env *Environment) unitsText() string {
	var keys []string
	add := func(name string) {
		if unit, known := env.Units[name]; known {
			keys = append(keys, key(name, quote(unit)))
		}
	}
	for _, name := range env.Resources {
		add(name)
	}
	for e := range env.Links {
		add(env.Links[e].Name)
	}
	return braces(keys)
}

func (env *Environment) serverText(i int) string {
	s := &env.Servers[i]
	keys := []string{key("name", quote(s.Name)), key("capacity", numbers(s.Capacity))}
	if s.Count != 1 {
		keys = append(keys, key("count", strconv.Itoa(s.Count)))
	}
	if s.Attributes != nil {
		var attributes []string
		for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
			attributes = append(attributes, key(name, quote(s.Attributes[name])))
		}
		keys = append(keys, key("attributes", braces(attributes)))
	}
	if len(s.Taints) > 0 {
		var taints []string
		for _, t := range s.Taints {
			taints = append(taints, t.String())
		}
		keys = append(keys, key("taints", quoted(taints)))
	}
	return braces(keys)
}

func (env *Environment) linkText(e int) string {
	l := &env.Links[e]
	return braces(append([]string{key("name", quote(l.Name)), key("capacity", shortest(l.Capacity))}, env.setText(l.Servers)...))
}

func (env *Environment) userText(j int) string {
	u := &env.Users[j]
	keys := []string{key("name", quote(u.Name)), key("demand", numbers(u.Demand))}
	if u.LinkDemand != nil {
		keys = append(keys, key("link_demand", numbers(u.LinkDemand)))
	}
	if u.Weight != 1 {
		keys = append(keys, key("weight", shortest(u.Weight)))
	}
	if !math.IsInf(u.Tasks, 1) {
		keys = append(keys, key("tasks", shortest(u.Tasks)))
	}
	keys = append(keys, env.setText(u.Eligible)...)
	if len(u.DemandOn) > 0 {
		var on []string
		for _, s := range slices.Sorted(maps.Keys(u.DemandOn)) {
			on = append(on, key(env.Servers[s].Name, numbers(u.DemandOn[s])))
		}
		keys = append(keys, key("demand_on", braces(on)))
	}
	return braces(keys)
}

// setText is the key servers, and nothing for the nil set.
func (env *Environment) setText(set Set) []string {
	if set == nil {
		return nil
	}
	var names []string
	for s := range env.Servers {
		if set.Has(s) {
			names = append(names, env.Servers[s].Name)
		}
	}
	return []string{key("servers", quoted(names))}
}

func key(name, value string) string { return quote(name) + ": " + value }

func braces(keys []string) string { return "{" + strings.Join(keys, ", ") + "}" }

func brackets(values []string) string { return "[" + strings.Join(values, ", ") + "]" }

func quoted(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = quote(name)
	}
	return brackets(words)
}

func numbers(values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = shortest(v)
	}
	return brackets(words)
}

// lines is a key whose value is a list with one line an entry.
func lines(name string, n int, entry func(i int) string) string {
	if n == 0 {
		return key(name, "[]")
	}
	entries := make([]string, n)
	for i := range entries {
		entries[i] = "    " + entry(i)
	}
	return key(name, "[\n"+strings.Join(entries, ",\n")+"\n  ]")
}

// writeObject writes an object with a line for each key, or nothing if a number in it is
// not finite: that has no form in JSON.
func writeObject(w io.Writer, keys []string) error {
	text := "{\n  " + strings.Join(keys, ",\n  ") + "\n}\n"
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); errors.As(err, &syntax) {
		at := strings.LastIndexByte(text[:syntax.Offset], ' ') + 1
		value := text[at : at+strings.IndexAny(text[at:], ",}]\n")]
		line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
		return fmt.Errorf("cluster: cannot write %s, which is not a number of JSON, after %s", value, strings.TrimSpace(line))
	}
	_, err := io.WriteString(w, text)
	return err
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("cluster: a string that is not JSON: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// decimal is the shortest decimal that reads back as v.
func shortest(v float64) string {
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(v, format, -1, 64)
}
