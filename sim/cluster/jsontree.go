package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// node is a JSON value as it stands in the file, its keys in order.
type node struct {
	kind  kind
	text  string // of a string or a number
	keys  []string
	items []*node // of a list, or the values of an object's keys
}

type kind string

const (
	object  kind = "an object"
	list    kind = "a list"
	text    kind = "a string"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

// parseJSON reads one JSON value that fills data, or says what is wrong with
// its syntax and where.
func parseJSON(data []byte) (*node, *Problem) {
	if bytes.HasPrefix(data, []byte("PAR1")) {
		return nil, &Problem{"", "a Parquet file, where JSON is wanted: an environment, or without users a cluster (docs/model.md)"}
	}
	if !utf8.Valid(data) {
		return nil, &Problem{"", "not valid UTF-8"}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &Problem{"", fmt.Sprintf("not JSON: %v (line %d, column %d)", err, line(data, syntax.Offset), column(data, syntax.Offset))}
		}
		return nil, &Problem{"", fmt.Sprintf("not JSON: %v", err)}
	}
	tokens := json.NewDecoder(bytes.NewReader(data))
	tokens.UseNumber()
	return readNode(tokens), nil
}

// line and column locate the last byte that was read, counted from 1.
func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:max(0, offset-1)], []byte("\n"))
}

func column(data []byte, offset int64) int {
	read := data[:max(0, offset-1)]
	return 1 + utf8.RuneCount(read[bytes.LastIndexByte(read, '\n')+1:])
}

// readNode reads the next value of a text whose syntax has been checked.
func readNode(tokens *json.Decoder) *node {
	token, err := tokens.Token()
	if err != nil {
		panic("cluster: checked JSON failed to parse: " + err.Error())
	}
	switch t := token.(type) {
	case string:
		return &node{kind: text, text: t}
	case json.Number:
		return &node{kind: number, text: t.String()}
	case bool:
		return &node{kind: boolean, text: strconv.FormatBool(t)}
	case json.Delim:
		return readComposite(tokens, t)
	}
	return &node{kind: null}
}

func readComposite(tokens *json.Decoder, open json.Delim) *node {
	n := &node{kind: list}
	if open == '{' {
		n.kind = object
	}
	for tokens.More() {
		if n.kind == object {
			n.keys = append(n.keys, readNode(tokens).text)
		}
		n.items = append(n.items, readNode(tokens))
	}
	if _, err := tokens.Token(); err != nil {
		panic("cluster: checked JSON failed to parse: " + err.Error())
	}
	return n
}
