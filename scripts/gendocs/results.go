package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/plots/text"
)

// results is the page of the columns and metrics of result tables. It is made
// from the comments in the source: those of the fields of plots.Row and of the
// constants named Metric….
func resultsPage() ([]byte, error) {
	var b bytes.Buffer
	heading(&b, "Results", "Result tables are Parquet files in long form: one value a row.")
	fields, err := fieldsOf("experiments/results/table.go", "Row")
	if err != nil {
		return nil, err
	}
	fmt.Fprint(&b, "\n## Columns\n\n")
	t := text.Table{Header: []string{"column", "meaning"}}
	for _, c := range results.Columns() {
		doc := fields[c.Field]
		if doc == "" {
			return nil, fmt.Errorf("column %s has no description", c.Name)
		}
		t.Rows = append(t.Rows, []string{"`" + c.Name + "`", doc})
	}
	if err := t.WriteMarkdown(&b); err != nil {
		return nil, err
	}
	fmt.Fprint(&b, "\n## Metrics\n\nA metric that is of one server, link or class has its name behind a colon.\n\n")
	metrics, err := metricConstants()
	if err != nil {
		return nil, err
	}
	if err := metrics.WriteMarkdown(&b); err != nil {
		return nil, err
	}
	err = completions(&b)
	return b.Bytes(), err
}

// fieldsOf returns the comments of the fields of a type.
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

// metricConstants finds every constant named Metric… and its comment.
func metricConstants() (*text.Table, error) {
	found := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		return constants(path, found)
	})
	if err != nil {
		return nil, err
	}
	t := &text.Table{Header: []string{"metric", "meaning"}}
	for name, doc := range found {
		t.Rows = append(t.Rows, []string{"`" + name + "`", doc})
	}
	slices.SortFunc(t.Rows, slices.Compare[[]string])
	return t, nil
}

func constants(path string, found map[string]string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			if !strings.HasPrefix(spec.Names[0].Name, "Metric") || len(spec.Values) == 0 {
				continue
			}
			text, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				continue
			}
			name, err := strconv.Unquote(text.Value)
			if err != nil {
				return err
			}
			if found[name] = comment(spec.Doc, spec.Comment); found[name] == "" {
				return fmt.Errorf("%s: the metric %s has no description", path, name)
			}
		}
	}
	return nil
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
