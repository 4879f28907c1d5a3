package main

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/plots/text"
)

// completions writes the columns of the table of what became of every job: the
// fields of run.Completion and their comments.
func completions(b *bytes.Buffer) error {
	fmt.Fprint(b, "\n## Completions\n\n`leontief simulate` writes `completions.parquet`, with a row a job and policy.\n\n")
	fields, err := fieldsOf("experiments/run/completions.go", "Completion")
	if err != nil {
		return err
	}
	kinds := map[reflect.Kind]string{reflect.Int64: "integer", reflect.Float64: "number", reflect.Bool: "Boolean", reflect.String: "text"}
	t := text.Table{Header: []string{"column", "type", "meaning"}}
	of := reflect.TypeFor[run.Completion]()
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
