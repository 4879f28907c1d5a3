package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// WriteEnvironment writes an environment as a file that [ReadEnvironment] (or
// [ReadCluster], if there are no users) reads back: the same numbers to the
// last bit, and the same bytes for the same environment. Keys at their default
// are left out. An environment that [Validate] rejects is not written.
func WriteEnvironment(w io.Writer, env *Environment) error {
	if err := Validate(env); err != nil {
		return err
	}
	var t jsonText
	t.open("{")
	t.key("resources")
	t.open("[")
	for _, name := range env.Resources {
		t.string(name)
	}
	t.close("]")
	t.units(env)
	t.lines("servers", len(env.Servers), func(s int) { t.server(&env.Servers[s]) })
	if len(env.Links) > 0 {
		t.lines("links", len(env.Links), func(e int) { t.link(env, e) })
	}
	if len(env.Users) > 0 {
		t.lines("users", len(env.Users), func(j int) { t.user(env, j) })
	}
	return t.flush(w)
}

// units writes the key units, in the order of the resources and links, unless
// there are none.
func (t *jsonText) units(env *Environment) {
	if len(env.Units) == 0 {
		return
	}
	t.key("units")
	t.open("{")
	named := func(name string) {
		if unit, known := env.Units[name]; known {
			t.key(name).string(unit)
		}
	}
	for _, name := range env.Resources {
		named(name)
	}
	for e := range env.Links {
		named(env.Links[e].Name)
	}
	t.close("}")
}

func (t *jsonText) server(s *Server) {
	t.open("{")
	t.key("name").string(s.Name)
	t.key("capacity").numbers(s.Capacity)
	if s.Count != 1 {
		t.key("count").number(float64(s.Count))
	}
	t.close("}")
}

func (t *jsonText) link(env *Environment, e int) {
	t.open("{")
	t.key("name").string(env.Links[e].Name)
	t.key("capacity").number(env.Links[e].Capacity)
	t.set(env, env.Links[e].Servers)
	t.close("}")
}

func (t *jsonText) user(env *Environment, j int) {
	u := &env.Users[j]
	t.open("{")
	t.key("name").string(u.Name)
	t.key("demand").numbers(u.Demand)
	if u.LinkDemand != nil {
		t.key("link_demand").numbers(u.LinkDemand)
	}
	if u.Weight != 1 {
		t.key("weight").number(u.Weight)
	}
	if !math.IsInf(u.Tasks, 1) {
		t.key("tasks").number(u.Tasks)
	}
	t.set(env, u.Eligible)
	if len(u.DemandOn) > 0 {
		t.key("demand_on")
		t.open("{")
		for _, s := range slices.Sorted(maps.Keys(u.DemandOn)) {
			t.key(env.Servers[s].Name).numbers(u.DemandOn[s])
		}
		t.close("}")
	}
	t.close("}")
}

// set writes the key servers, unless the set is the nil one.
func (t *jsonText) set(env *Environment, set Set) {
	if set == nil {
		return
	}
	t.key("servers")
	t.open("[")
	for s := range env.Servers {
		if set.Has(s) {
			t.string(env.Servers[s].Name)
		}
	}
	t.close("]")
}

// jsonText builds a JSON text with the keys in the order of the calls, which
// encoding/json does for structs only.
type jsonText struct {
	buf   bytes.Buffer
	depth int
	// follows says that the next value of the innermost object or list needs
	// a comma before it.
	follows bool
	err     error
}

func (t *jsonText) separate() {
	if t.follows {
		t.buf.WriteString(", ")
	}
	if t.depth == 1 { // the keys of the outermost object have a line each
		t.newline()
	}
}

func (t *jsonText) newline() {
	t.buf.Truncate(len(bytes.TrimRight(t.buf.Bytes(), " ")))
	t.buf.WriteByte('\n')
	for range t.depth {
		t.buf.WriteString("  ")
	}
}

func (t *jsonText) open(bracket string) {
	t.value(bracket)
	t.follows = false
	t.depth++
}

func (t *jsonText) close(bracket string) {
	t.depth--
	if t.depth == 0 {
		t.newline()
	}
	t.buf.WriteString(bracket)
	t.follows = true
}

// key writes a key of the innermost object, whose value comes next.
func (t *jsonText) key(key string) *jsonText {
	t.separate()
	t.buf.Write(quote(key))
	t.buf.WriteString(": ")
	t.follows = false
	return t
}

// value writes what a value begins with.
func (t *jsonText) value(text string) {
	if t.follows {
		t.buf.WriteString(", ")
	}
	t.buf.WriteString(text)
	t.follows = true
}

// lines writes a key whose value is a list with one line an entry.
func (t *jsonText) lines(key string, n int, entry func(i int)) {
	t.key(key)
	t.open("[")
	for i := range n {
		if t.follows {
			t.buf.WriteByte(',')
			t.follows = false
		}
		t.newline()
		entry(i)
	}
	t.depth--
	if n > 0 {
		t.newline()
	}
	t.buf.WriteByte(']')
	t.follows = true
}

func (t *jsonText) string(s string) { t.value(string(quote(s))) }

func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("cluster: a string that is not JSON: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// number writes the shortest decimal that reads back as v. A number that is
// not finite has no form in JSON and makes flush fail.
func (t *jsonText) number(v float64) {
	if (math.IsNaN(v) || math.IsInf(v, 0)) && t.err == nil {
		t.err = fmt.Errorf("cluster: cannot write %g, which is not a number of JSON, after %s", v, lastLine(t.buf.Bytes()))
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	t.value(strconv.FormatFloat(v, format, -1, 64))
}

// lastLine returns the line that is being written, to say where an error is.
func lastLine(b []byte) []byte { return bytes.TrimSpace(b[bytes.LastIndexByte(b, '\n')+1:]) }

func (t *jsonText) numbers(all []float64) {
	t.open("[")
	for _, v := range all {
		t.number(v)
	}
	t.close("]")
}

// flush writes the text, or nothing if it has no JSON form.
func (t *jsonText) flush(w io.Writer) error {
	t.close("}")
	t.buf.WriteByte('\n')
	if t.err != nil {
		return t.err
	}
	_, err := w.Write(t.buf.Bytes())
	return err
}
