package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"reflect"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/plots/text"
)

func resultsPage() ([]byte, error) {
	var b bytes.Buffer
	heading(&b, "Results", "Result tables are Parquet files in tidy form: a row is one value.")
	fmt.Fprint(&b, `
## Columns

Absent is null, never 0 or an empty text.

| column       | type             | meaning |
| ------------ | ---------------- | ------- |
| `+"`experiment`"+` | text             | the paper or the name of the run, as tsf-er |
| `+"`item`"+`       | text             | the table or figure that the row belongs to, as fig3 |
| `+"`policy`"+`     | text             | the rule, as name or name[k=v,…] |
| …            | by parameter     | one column for every other parameter of the scenarios in the table, in order of name, and their seed; see [experiments](experiments.md) |
| `+"`instance`"+`   | 64-bit integer   | number of the instance, from 0; the same number is the same draw under every rule |
| `+"`user`"+`       | text             | the user, job or class that the value is of; null: of all |
| `+"`time_s`"+`     | double           | of a time series, in s since its start; null: over all time |
| `+"`metric`"+`     | text             | what the value is of, below; what it is of where that is no user stands behind a colon |
| `+"`value`"+`      | double           | finite |
| `+"`unit`"+`       | text             | of the value, that of the metric; 1 for a pure number |
| `+"`workload`"+`   | text             | label of the workload; synthetic and hybrid ones say so |

A parameter with a physical unit has it in the name of its column (`+"`slot_s`, `bandwidth_mhz`"+`).
The workload that a scenario names is the column `+"`source`"+`; a file is known by the first
twelve digits of its SHA-256.

## Metrics

x[j] are the tasks of user j that run; ψ[j] are its tasks in an equal division, η[j]
those that it could run alone; all other symbols are those of the package sim. Means
over time are over the time in which somebody is in the system, unless said otherwise.
`)
	for _, m := range results.Metrics() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", m.Name, m.Definition)
		if m.Formula != "" {
			fmt.Fprintf(&b, "Formula: `%s`.\n", m.Formula)
		}
		fmt.Fprintf(&b, "Unit: %s. Range: %s.", m.Unit, interval(m.Low, m.High))
		if m.Better != results.Neither {
			fmt.Fprintf(&b, " Better: %s.", m.Better)
		}
		if m.Property != "" {
			fmt.Fprintf(&b, " Tells of %s, which holds where it is %g.", m.Property, m.Holds)
		}
		fmt.Fprintln(&b)
	}
	err := completions(&b)
	return b.Bytes(), err
}

func interval(low, high float64) string {
	from, to := fmt.Sprintf("[%g", low), fmt.Sprintf("%g]", high)
	if math.IsInf(low, -1) {
		from = "(−∞"
	}
	if math.IsInf(high, 1) {
		to = "∞)"
	}
	return from + ", " + to
}

func fieldsOf(path, name string) (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range f.Names {
				fields[name.Name] = comment(f.Doc, f.Comment)
			}
		}
		return false
	})
	return fields, nil
}

// comment is the text of a comment, in one line.
func comment(groups ...*ast.CommentGroup) string {
	var words []string
	for _, g := range groups {
		if g != nil {
			words = append(words, strings.Fields(g.Text())...)
		}
	}
	return strings.Join(words, " ")
}

// completions writes the columns of the tables of what became of every job and of who
// ran where: the fields of their rows and the comments of these.
func completions(b *bytes.Buffer) error {
	fmt.Fprint(b, "\n## Completions\n\n`leontief simulate` writes `completions.parquet`, with a row a job and policy.\n\n")
	if err := rowColumns(b, "experiments/run/completions.go", reflect.TypeFor[run.Completion]()); err != nil {
		return err
	}
	fmt.Fprint(b, "\n## Placements\n\n`leontief simulate --placements` writes `placements.parquet`: who ran where. With whole tasks a row is a run of a task on a server, to its end or until it is suspended; with fluid ones a stretch of time in which a job has the same number of tasks on a class of servers. Rows of a policy are in the order in which they ended. The metadata `leontief.servers` lists the classes of the cluster and their numbers of servers.\n\n")
	return rowColumns(b, "experiments/run/placements.go", reflect.TypeFor[run.Placement]())
}

// rowColumns writes the columns of a table whose rows are of a type in a file.
func rowColumns(b *bytes.Buffer, file string, of reflect.Type) error {
	fields, err := fieldsOf(file, of.Name())
	if err != nil {
		return err
	}
	kinds := map[reflect.Kind]string{reflect.Int64: "integer", reflect.Float64: "number", reflect.Bool: "Boolean", reflect.String: "text"}
	t := text.Table{Header: []string{"column", "type", "meaning"}}
	for i := range of.NumField() {
		field := of.Field(i)
		doc := fields[field.Name]
		if doc == "" {
			return fmt.Errorf("column %s has no description", field.Name)
		}
		value := field.Type
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		t.Rows = append(t.Rows, []string{"`" + field.Tag.Get("parquet") + "`", kinds[value.Kind()], doc})
	}
	return t.WriteMarkdown(b)
}
