// Package strictyaml reads the YAML files of a user: specs and mappings. What
// could be read in two ways is refused instead of being passed over: a second
// document, a key given twice, anchors, aliases, merge keys and tags. What it
// returns is a plain tree of mappings, lists and scalars, at most [MostDepth]
// deep, so that reading it takes time in proportion to the file.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/leontief-sim/leontief/traces/input"
)

// The bounds of a file.
const (
	MostBytes = 4 << 20
	MostDepth = 32 // of lists and mappings in each other
)

// Node is a mapping, a list or a scalar.
type Node = yaml.Node

// The kinds of a [Node].
const (
	Mapping = yaml.MappingNode
	List    = yaml.SequenceNode
	Scalar  = yaml.ScalarNode
)

// Problem is something wrong at a place of a file. Line and Column count from 1;
// 0 is unknown.
type Problem struct {
	File         string
	Line, Column int
	Text         string
}

// Error writes FILE:LINE:COLUMN: text.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// Parse reads the one document of a file. A byte order mark of UTF-8 is passed
// over. All problems are reported at once, each a [Problem]; file is its name in
// messages. Beside an error the tree is returned where the only problems are keys
// given twice, with their first values, so that the caller can report its own
// problems as well; otherwise it is nil.
func Parse(file string, data []byte) (*Node, error) {
	if len(data) > MostBytes {
		return nil, &Problem{File: file, Text: fmt.Sprintf("%d bytes, more than %d: too large for a file of settings", len(data), MostBytes)}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	in, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		panic(err) // wrong options
	}
	var document, second yaml.Node
	if err := in.Load(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, ofSyntax(file, data, err)
	}
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		return nil, &Problem{File: file, Text: "the file is empty"}
	}
	switch err := in.Load(&second); {
	case err == nil:
		return nil, &Problem{file, second.Line, second.Column, "a second document begins here (after ---); only one can be read"}
	case !errors.Is(err, io.EOF):
		return nil, ofSyntax(file, data, err)
	}
	c := checker{file: file}
	c.check(document.Content[0], 1)
	if c.twice < len(c.problems) {
		return nil, errors.Join(c.problems...)
	}
	return document.Content[0], errors.Join(c.problems...)
}

// Decode puts a tree into the fields of a struct, by their yaml tags. A key that
// it has no field for and a value of another form are problems; all are reported
// at once.
func Decode(file string, n *Node, out any) error {
	err := n.Load(out, yaml.WithKnownFields())
	var all *yaml.LoadErrors
	if !errors.As(err, &all) {
		return err
	}
	var problems []error
	for _, of := range all.Errors {
		text, wrong := oneLine(of.Message), "not of the wanted form: "
		if field, ok := strings.CutPrefix(text, "field "); ok {
			text, wrong = field, "unknown key "
		}
		text, _, _ = strings.Cut(text, " not found in type ") // the names of this program's types
		text, _, _ = strings.Cut(text, " into ")
		text = wrong + strings.TrimPrefix(strings.TrimPrefix(text, "cannot construct "), "!!")
		problems = append(problems, &Problem{file, of.Mark.Line, of.Mark.Column, text})
	}
	return errors.Join(problems...)
}

// ofSyntax turns an error of the library into a problem.
func ofSyntax(file string, data []byte, err error) error {
	var of *yaml.LoadError
	if !errors.As(err, &of) {
		return &Problem{File: file, Text: "not YAML: " + oneLine(err.Error())}
	}
	p := &Problem{File: file, Line: of.Mark.Line, Column: of.Mark.Column, Text: "not YAML: " + oneLine(of.Message)}
	if of.Mark.Line == 0 && of.Mark.Index > 0 && of.Mark.Index <= len(data) { // the reader of characters knows the offset alone
		before := data[:of.Mark.Index]
		p.Line = bytes.Count(before, []byte("\n")) + 1
		p.Column = len(before) - bytes.LastIndexByte(before, '\n')
	}
	return p
}

// oneLine is a message of the library without what a terminal would obey: it may
// quote the file.
func oneLine(text string) string { return input.Line(strings.Join(strings.Fields(text), " ")) }

// checker finds what is YAML and not understood.
type checker struct {
	file     string
	problems []error
	twice    int // of the problems, those of keys given twice
}

func (c *checker) problem(n *Node, format string, args ...any) {
	c.problems = append(c.problems, &Problem{c.file, n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// check looks at a node and all below it.
func (c *checker) check(n *Node, depth int) {
	switch {
	case depth > MostDepth:
		c.problem(n, "more than %d levels of lists and mappings", MostDepth)
		return
	case n.Kind == yaml.AliasNode:
		c.problem(n, "*%s: aliases are not understood: write the value itself", input.Line(n.Value))
		return
	case n.Anchor != "":
		c.problem(n, "&%s: anchors are not understood: write the value where it is needed", input.Line(n.Anchor))
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		c.problem(n, "no value is given (write \"\" for an empty text)")
	case n.Style&yaml.TaggedStyle != 0:
		c.problem(n, "%s: tags are not understood: write the value alone", input.Line(n.Tag))
	}
	if n.Kind == yaml.MappingNode {
		c.keys(n)
	}
	for i, below := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 { // keys were looked at
			c.check(below, depth+1)
		}
	}
}

// keys checks the keys of a mapping, and removes those given again.
func (c *checker) keys(n *Node) {
	lines := map[string]int{}
	var once []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		first, again := lines[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Tag == "!!null" || key.Style&yaml.TaggedStyle != 0:
			c.problem(key, "a key that is not a plain text")
		case key.Tag == "!!merge":
			c.problem(key, "<<: merge keys are not understood: write the keys themselves")
		case again:
			c.problem(key, "%s: given twice, first in line %d", input.Line(key.Value), first)
			c.twice++
			continue
		default:
			lines[key.Value] = key.Line
		}
		once = append(once, key, n.Content[i+1])
	}
	n.Content = once
}
