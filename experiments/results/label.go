package results

import (
	"fmt"
	"strings"
)

// Column is what a column of result tables is called in figures and tables for readers.
type Column struct {
	Name  string
	Label string // "Server heterogeneity ρ"
	Unit  string // "" for a pure number, and for what is written with its unit
	// Symbol stands for the column where there is little room, as ρ; "": the label does.
	Symbol string
}

var columns = map[string]Column{}

// RegisterColumns makes the labels of columns known. It panics if a name or a label is
// missing, or a name has another label already: all are programming errors.
func RegisterColumns(all ...Column) {
	for _, c := range all {
		if old, dup := columns[c.Name]; c.Name == "" || c.Label == "" || dup && old != c {
			panic(fmt.Sprintf("results: unusable column %+v, or one that has another label", c))
		}
		columns[c.Name] = c
	}
}

// ColumnNamed returns what a column is called: its label or, where none is registered,
// its name with blanks.
func ColumnNamed(name string) Column {
	if c, ok := columns[name]; ok {
		return c
	}
	return Column{Name: name, Label: sentence(name)}
}

// LabelOf returns what a metric is called, with what it is of: its label or, where it
// has none, its name with blanks.
func LabelOf(metric string) string {
	base, of, _ := strings.Cut(metric, ":")
	label := sentence(base)
	if m, ok := registry[base]; ok && m.Label != "" {
		label = m.Label
	}
	if of == "" {
		return label
	}
	return label + ", " + of
}

// sentence writes a name with blanks and a capital.
func sentence(name string) string {
	if name == "" {
		return ""
	}
	text := strings.ReplaceAll(name, "_", " ")
	if strings.ContainsAny(text, " ") || len(text) > 2 {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}
