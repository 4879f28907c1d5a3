package spec

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/leontief-sim/leontief/experiments/results"
)

// JSON writes the scenario as [json.Marshal] does, byte by byte, in a tenth of the time:
// every plan and every result asks for it.
func (s Scenario) JSON() []byte { return s.appendJSON(make([]byte, 0, 1024), "") }

// AppendIndented appends the scenario as [results.IndentedJSON] writes it where it begins
// on a line of this indentation.
func (s Scenario) AppendIndented(text []byte, indentation string) []byte {
	return s.appendJSON(text, "\n"+indentation)
}

// appendJSON begins what it writes in several lines with line, and writes one if that
// is "".
func (s Scenario) appendJSON(text []byte, line string) []byte {
	text = results.AppendText(appendName(append(text, '{'), line, "kind"), s.Kind)
	text = s.appendParameters(appendName(append(text, ','), line, "parameters"), line)
	text = strconv.AppendUint(appendName(append(text, ','), line, "seed"), s.Seed, 10)
	text = strconv.AppendInt(appendName(append(text, ','), line, "instances"), int64(s.Instances), 10)
	if s.Rule != nil {
		text = append(appendName(append(text, ','), line, "rule"), s.ruleJSON(line)...)
	}
	return append(append(text, line...), '}')
}

// appendName begins an entry of an object that begins with line.
func appendName(text []byte, line, name string) []byte {
	if line == "" {
		return append(results.AppendText(text, name), ':')
	}
	text = append(append(text, line...), "  "...)
	return append(results.AppendText(text, name), ": "...)
}

// appendParameters writes the parameters in order of name.
func (s Scenario) appendParameters(text []byte, line string) []byte {
	switch {
	case s.Parameters == nil:
		return append(text, "null"...)
	case len(s.Parameters) == 0:
		return append(text, "{}"...)
	}
	inner := ""
	if line != "" {
		inner = line + "  "
	}
	text = append(text, '{')
	for i, name := range s.names() {
		if i > 0 {
			text = append(text, ',')
		}
		text = s.Parameters[name].AppendJSON(appendName(text, inner, name))
	}
	return append(append(text, inner...), '}')
}

// ruleJSON is what the rule is, in lines that begin with line but for the first.
func (s Scenario) ruleJSON(line string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	if line != "" {
		enc.SetEscapeHTML(false)
		enc.SetIndent(line[1:]+"  ", "  ")
	}
	if err := enc.Encode(s.Rule); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// names are those of the parameters, in order.
func (s Scenario) names() []string {
	all := kinds[s.Kind].sorted
	if len(all) != len(s.Parameters) { // not all of the kind's
		return slices.Sorted(maps.Keys(s.Parameters))
	}
	for _, name := range all {
		if _, ok := s.Parameters[name]; !ok {
			return slices.Sorted(maps.Keys(s.Parameters))
		}
	}
	return all
}
