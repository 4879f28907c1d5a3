package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, text := range []string{"a: 1\nb: [x, {c: 2}]\n", "\ufeffa: 1\n", "---\na: 1\n", "# comment\na: 1 # and one\n...\n", "a: 1\r\nb: 2\r\n",
		"a: '<<'\n", "\"<<\": 1\n"} {
		n, err := Parse("f.yaml", []byte(text))
		if err != nil || n.Kind != Mapping {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if n.Line < 1 || n.Column != 1 {
			t.Errorf("%q: line %d, column %d", text, n.Line, n.Column)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "f.yaml: the file is empty",
		"# only a comment\n":         "f.yaml: the file is empty",
		"---\n...\n":                 "f.yaml: the file is empty",
		"a: 1\n---\nb: 2\n":          "f.yaml:2:1: a second document begins here",
		"a: 1\n--- \n":               "f.yaml:2:",
		"a: 1\n---\n'\n":             "f.yaml:4:1: not YAML: found unexpected end of stream",
		"a: &x 1\nb: 2\n":            "f.yaml:1:4: &x: anchors are not understood",
		"a: 1\nb: [*a]\n":            "f.yaml:2:5: not YAML: unknown anchor 'a' referenced",
		"a: &x [1]\nb: {c: *x}\n":    "f.yaml:1:4: &x: anchors are not understood: write the value where it is needed\nf.yaml:2:8: *x: aliases are not understood",
		"a: {b: 1}\n<<: {c: 1}\n":    "f.yaml:2:1: <<: merge keys are not understood",
		"a: 1\nb: {x: 1, x: 2}\n":    "f.yaml:2:11: x: given twice, first in line 2",
		"a: 1\n\"a\": 2\n":           "f.yaml:2:1: a: given twice, first in line 1",
		"a: 1\nb:\n":                 "f.yaml:2:3: no value is given",
		"a: [1, ~]\n":                "f.yaml:1:8: no value is given",
		"&k a: 1\n":                  "f.yaml:1:1: a key that is not a plain text",
		"!!str a: 1\n":               "f.yaml:1:1: a key that is not a plain text",
		"a: !!str 1\n":               "f.yaml:1:4: !!str: tags are not understood",
		"a: !env HOME\n":             "f.yaml:1:4: !env: tags are not understood",
		"a: !x%1bc 1\n":              "f.yaml:1:4: !x\\x1bc: tags are not understood",
		"\"\\e\": 1\n\"\\e\": 2\n":   "f.yaml:2:1: \\x1b: given twice",
		"? [1, 2]\n: 3\n":            "f.yaml:1:3: a key that is not a plain text",
		"~: 3\n":                     "f.yaml:1:1: a key that is not a plain text",
		"a: [1\n":                    "f.yaml:2:1: not YAML: did not find expected ',' or ']'",
		"a: b: c\n":                  "f.yaml:1:5: not YAML: mapping values are not allowed in this context",
		"a: \x1b[2J\n":               "f.yaml:1:4: not YAML: control characters are not allowed",
		"a: \xff\n":                  "f.yaml:1:4: not YAML: invalid leading UTF-8 octet",
		strings.Repeat("[", 100_000): "f.yaml:1:",
		"a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40): "f.yaml:1:35: more than 32 levels",
		"a: " + strings.Repeat("x", MostBytes):                    "f.yaml: 4194307 bytes, more than 4194304",
	} {
		_, err := Parse("f.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), "\n") != strings.Count(want, "\n") {
			t.Errorf("%.40q: error %v, want %s", text, err, want)
		}
	}
}

func TestDecode(t *testing.T) {
	type part struct {
		Column string `yaml:"column"`
	}
	var v struct {
		Parts map[string]part `yaml:"parts"`
		Name  string          `yaml:"name"`
	}
	n, err := Parse("f.yaml", []byte("parts: {a: {column: 010}}\nname: yes\n"))
	if err != nil || Decode("f.yaml", n, &v) != nil || v.Parts["a"].Column != "010" || v.Name != "yes" {
		t.Errorf("%v, %+v", err, v)
	}
	n, err = Parse("f.yaml", []byte("parts: {a: {colum: 1, column: [2]}}\nname: {}\nnme: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "f.yaml:1:13: unknown key colum\nf.yaml:1:31: not of the wanted form: seq\nf.yaml:2:7: not of the wanted form: map\nf.yaml:3:1: unknown key nme"
	if err := Decode("f.yaml", n, &v); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// A bomb: nine levels of ten aliases each would be 10⁹ nodes.
func TestABombIsOneLineAnAlias(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	_, err := Parse("bomb.yaml", []byte(bomb))
	if err == nil || strings.Count(err.Error(), "\n")+1 != 100 {
		t.Errorf("error %v", err)
	}
}

// Whatever is in a file, it is a tree without aliases or an error with its name.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1", "a: [1, {b: 2}]\n---\n", "a: &x [*x]", "<<: {a: 1}", "\ufeffa: 'b'", "a: |\n  text\n", "? a\n: b", "%YAML 1.2\n---\n{}", "- !!binary aGk="} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse("f.yaml", data)
		var problem *Problem
		switch {
		case err == nil:
			plain(t, n, 1)
		case !errors.As(err, &problem):
			t.Errorf("%T: %v", err, err)
		}
	})
}

func plain(t *testing.T, n *Node, depth int) {
	if n.Anchor != "" || n.Alias != nil || depth > MostDepth || n.Kind != Mapping && n.Kind != List && n.Kind != Scalar {
		t.Fatalf("%+v at depth %d", n, depth)
	}
	for _, below := range n.Content {
		plain(t, below, depth+1)
	}
}
