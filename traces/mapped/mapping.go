package mapped

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/sim/spelling"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/strictyaml"
)

// Mapping says what the columns of a table mean; see the package's
// documentation. Its fields are those of the YAML form.
type Mapping struct {
	Source       string            `yaml:"source" json:"source,omitempty"`
	Label        string            `yaml:"label" json:"label"`
	Columns      map[string]Column `yaml:"columns" json:"columns"`
	Origin       string            `yaml:"origin" json:"origin"`
	ZeroRequests string            `yaml:"zero_requests" json:"zero_requests"`
	Only         *Only             `yaml:"only" json:"only,omitempty"`
	CSV          CSV               `yaml:"csv" json:"csv"`
}

// Only says which rows count: those with one of some texts in a column.
type Only struct {
	Column string   `yaml:"column" json:"column"`
	Is     []string `yaml:"is" json:"is"`
}

// Column says where a quantity stands: in a column, in several (a name's parts, which a
// slash joins), or Value in all rows.
type Column struct {
	Column  string   `yaml:"column" json:"column,omitempty"`
	Columns []string `yaml:"columns" json:"columns,omitempty"`
	Unit    string   `yaml:"unit" json:"unit,omitempty"`
	Value   string   `yaml:"value" json:"value,omitempty"`
	// Total says that the column has what all tasks of a job request together.
	Total bool `yaml:"total" json:"total,omitempty"`
	// Missing are the texts that stand for a missing value, beside the empty one.
	Missing []string `yaml:"missing" json:"missing,omitempty"`
}

// names returns the columns that the quantity stands in.
func (c Column) names() []string {
	if c.Column != "" {
		return []string{c.Column}
	}
	return c.Columns
}

// CSV is the form of a CSV file.
type CSV struct {
	Delimiter string `yaml:"delimiter" json:"delimiter,omitempty"` // one character; default a comma
	Comment   string `yaml:"comment" json:"comment,omitempty"`     // lines that begin with it are skipped; default none
	// Names are those of the columns of a file that does not begin with a line of them.
	// A first line that is the same is no row.
	Names []string `yaml:"names" json:"names,omitempty"`
}

// The quantities of a job, in the order in which problems are reported.
var quantities = []string{"id", "submit", "start", "end", "duration", "tasks", "cpu", "mem", "gpu", "constraints", "user", "weight", "priority"}

// amounts are the units of what a task requests: the factor to the unit that is
// written, and its name.
var amounts = map[string]map[string]unit{
	"cpu": {"cores": {1, "cores"}, "millicores": {1e-3, "cores"}, "percent": {1e-2, "cores"}, "fraction": {1, fraction}},
	"mem": {"B": {1e-9, "GB"}, "KB": {1e-6, "GB"}, "MB": {1e-3, "GB"}, "GB": {1, "GB"}, "TB": {1e3, "GB"},
		"KiB": {1024e-9, "GB"}, "MiB": {1048576e-9, "GB"}, "GiB": {1.073741824, "GB"}, "TiB": {1099.511627776, "GB"}, "fraction": {1, fraction}, "percent": {1e-2, fraction}},
	"gpu": {"gpus": {1, "GPUs"}, "percent": {1e-2, "GPUs"}, "fraction": {1, fraction}},
}

const fraction = "fraction of the largest machine"

// unit is a unit of an amount.
type unit struct {
	factor float64
	name   string
}

// rfc3339 and datetime are the units of times that are dates: with a time zone, and with
// or without one, then in UTC.
const (
	rfc3339  = "rfc3339"
	datetime = "datetime"
)

// times are the units of times and durations, in µs.
var times = map[string]float64{"us": 1, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6}

// Parse reads a mapping that is shipped, under a name for messages.
func Parse(name string, text []byte) (*Mapping, error) { return parseMapping(name, text) }

// ReadMapping reads a mapping from a file. All problems are reported at once,
// each with its path.
func ReadMapping(path string) (*Mapping, error) {
	text, err := input.ReadText(path)
	if err != nil {
		return nil, err
	}
	return parseMapping(path, text)
}

// Unlabelled is the label of a table whose mapping states none: nobody said that
// it is real.
const Unlabelled = "unlabelled"

// parseMapping reads the mapping that is the text of a file.
func parseMapping(path string, text []byte) (*Mapping, error) {
	if _, err := input.TrimMark(text); err != nil {
		return nil, at(path, []error{err})
	}
	top, err := strictyaml.Parse(path, text)
	if err != nil {
		return nil, err
	}
	m := &Mapping{Label: Unlabelled, Origin: "first", ZeroRequests: "drop"}
	if err := strictyaml.Decode(path, top, m); err != nil {
		return nil, err
	}
	return m, at(path, m.problems())
}

// at joins problems, each with the path of the file; nil if there are none.
func at(path string, problems []error) error {
	for i, p := range problems {
		problems[i] = fmt.Errorf("%s: %w", input.Path(path), p)
	}
	return errors.Join(problems...)
}

// problems returns everything that is wrong with the mapping.
func (m *Mapping) problems() (all []error) {
	report := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(m.Columns)) {
		if !slices.Contains(quantities, name) {
			report("columns.%s: not a quantity of a job%s", input.Path(name), spelling.Hint(name, quantities))
			continue
		}
		if err := m.Columns[name].check(name); err != nil {
			report("columns.%s: %w", name, err)
		}
	}
	if !m.has("submit") {
		report("columns.submit: not given")
	}
	if m.has("duration") == m.has("end") {
		report("columns: either duration or end is needed, and not both")
	}
	if m.has("duration") && m.has("start") {
		report("columns.start: of no use beside duration")
	}
	if !m.has("cpu") && !m.has("mem") && !m.has("gpu") {
		report("columns: at least one of cpu, mem, gpu is needed")
	}
	for _, o := range []struct {
		path, value string
		known       []string
	}{{"origin", m.Origin, []string{"first", "none"}}, {"zero_requests", m.ZeroRequests, []string{"drop", "keep"}}} {
		if err := spelling.Check("", o.value, o.known); err != nil {
			report("%s: %w", o.path, err)
		}
	}
	if m.Only != nil && (m.Only.Column == "" || len(m.Only.Is) == 0) {
		report("only: a column and the texts that count (is) are needed")
	}
	for i, name := range m.CSV.Names {
		if name == "" || slices.Contains(m.CSV.Names[:i], name) {
			report("csv.names[%d]: empty, or a second time", i)
		}
	}
	for path, text := range map[string]string{"csv.delimiter": m.CSV.Delimiter, "csv.comment": m.CSV.Comment} {
		if len([]rune(text)) > 1 {
			report("%s: %q is not one character", path, text)
		}
	}
	if m.Label == "" {
		report("label: empty")
	}
	if !utf8.ValidString(m.Label + m.Source) {
		report("label, source: not UTF-8")
	}
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return all
}

func (m *Mapping) has(name string) bool {
	_, ok := m.Columns[name]
	return ok
}

// check returns what is wrong with the mapping of a quantity.
func (c Column) check(name string) error {
	texts := []string{"id", "user", "constraints"}
	switch given := c.names(); {
	case (len(given) == 0) == (c.Value == "") || c.Column != "" && c.Columns != nil:
		return errors.New("either column or value is needed")
	case slices.Contains(given, ""):
		return errors.New("columns: one without a name")
	case c.Columns != nil && !slices.Contains(texts, name):
		return fmt.Errorf("columns: only %s can stand in several", strings.Join(texts, ", "))
	}
	known := c.units(name)
	switch {
	case c.Total && amounts[name] == nil:
		return errors.New("total: of cpu, mem and gpu only")
	case known == nil && c.Unit != "":
		return fmt.Errorf("unit: %q, but this has none", c.Unit)
	case known != nil && c.Unit == "":
		return fmt.Errorf("unit: not given (known: %s)", strings.Join(known, ", "))
	case known != nil && !slices.Contains(known, c.Unit):
		return fmt.Errorf("unit: %w", spelling.Check("", c.Unit, known))
	}
	return nil
}

// units returns the names of the units of a quantity; nil where it has none. A
// value for all rows needs a unit as well.
func (c Column) units(name string) []string {
	switch name {
	case "submit", "start", "end":
		return append(slices.Sorted(maps.Keys(times)), rfc3339, datetime)
	case "duration":
		return slices.Sorted(maps.Keys(times))
	}
	return slices.Sorted(maps.Keys(amounts[name]))
}

// unitsText says in which units the amounts are written.
func (m *Mapping) unitsText() string {
	var parts []string
	for _, name := range []string{"cpu", "mem", "gpu"} {
		if c, ok := m.Columns[name]; ok {
			parts = append(parts, name+": "+amounts[name][c.Unit].name)
		}
	}
	return strings.Join(parts, "; ")
}
