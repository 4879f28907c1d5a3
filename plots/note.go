package plots

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
)

// facts are what the rows of a figure have in common, for its note.
type facts struct {
	values    map[string][]string
	shown     map[string]bool // columns that the view tells apart
	said      []string
	instances [2]int // least and most of a place
}

func newFacts() *facts { return &facts{values: map[string][]string{}, shown: map[string]bool{}} }

func (f *facts) add(rows []results.Row) {
	seen := map[int64]bool{}
	for _, column := range append(results.Axes(rows), "workload") {
		for i := range rows {
			seen[rows[i].Instance] = true
			if v := rows[i].Is(column); !slices.Contains(f.values[column], v) {
				f.values[column] = append(f.values[column], v)
			}
		}
	}
	f.instances = [2]int{min(max(1, f.instances[0]), len(seen)), max(f.instances[1], len(seen))}
}

func (f *facts) say(sentence string) {
	if sentence != "" && !slices.Contains(f.said, sentence) {
		f.said = append(f.said, sentence)
	}
}

// placeholder is a name in braces.
var placeholder = regexp.MustCompile(`\{([a-z0-9_]+)\}`)

// note fills in a note. A column that rows have several values of is an error: what a
// note says must be true of all.
func (f *facts) note(text string) (string, error) {
	switch text {
	case "none":
		return "", nil
	case "":
		text = DefaultNote
	}
	var failed error
	text = placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		switch name {
		case "bars":
			return strings.Join(f.said, " ")
		case "instances":
			return strconv.Itoa(f.instances[1])
		}
		values := f.values[name]
		if len(values) != 1 && failed == nil && !f.shown[name] {
			failed = fmt.Errorf("note: the rows have %d values of %s, not one", len(values), name)
		}
		if n, err := strconv.ParseFloat(strings.Join(values, ""), 64); err == nil && strings.HasSuffix(name, "_s") {
			return span(n)
		}
		return strings.Join(values, ", ")
	})
	text = strings.TrimSpace(text)
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "Workload: .", ""), "  ", " ")), failed
}
