package store

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write packages.txt anew")

const packagesHead = `# The packages of leontief that reach a result, each with a digest of its code, and the
# modules that they import. After a change: make identity
`

// What stored results are known by names the code that they were computed with.
func TestIdentityIsOfThePackagesThatReachResults(t *testing.T) {
	text := read(t).text(t)
	if *update {
		if err := os.WriteFile("packages.txt", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != packages {
		t.Errorf("code that reaches results has changed, and stored results are to be known by it: run make identity, which is\n\tgo test ./experiments/store -run IdentityIsOfThePackages -update")
	}
}

// A commit to the documents, the figures, the ledger or the command line leaves stored
// results valid; one to a rule, a solver, a model or a trace does not.
func TestIdentityIsOfNothingElse(t *testing.T) {
	for line := range strings.Lines(packages) {
		if regexp.MustCompile(`^package (plots|docs|scripts|experiments/(cli|ledger|store|papers|results/sealed)|traces/output)(/| )`).MatchString(line) && !strings.HasPrefix(line, "package experiments/papers/") {
			t.Errorf("no value of a row should depend on %s", line)
		}
	}
	for _, name := range []string{"policies", "policies/solve", "sim", "sim/event", "sim/whole", "sim/fair", "sim/stream", "traces", "traces/parquet", "traces/synthetic",
		"experiments/run", "experiments/spec", "experiments/sweeps", "experiments/results", "experiments/papers/tsfer", "experiments/papers/magiks", "experiments/papers/mtp", "experiments/papers/psdsf", "experiments/papers/tsf"} {
		if !strings.Contains(packages, "\npackage "+name+" ") {
			t.Errorf("%s reaches results and is not named", name)
		}
	}
	if !strings.Contains(packages, "\nmodule gonum.org/v1/gonum\n") || strings.Contains(packages, "module gonum.org/v1/plot") {
		t.Error("the modules are not those that results are computed with")
	}
}

// Comments, blank lines and layout are no change; code is.
func TestWhatIsAChangeOfTheCode(t *testing.T) {
	tokens := func(text string) string {
		tree, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		return string(declaration{&source{text: []byte("package p\n" + text), tree: tree}, tree.Decls[0]}.tokens())
	}
	was := tokens("// F adds.\nfunc F(a, b int) int { return g(a, b) }\n")
	for text, same := range map[string]bool{
		"func F(a, b int) int {\n\n\treturn g(a, b) // really\n}\n":                true,
		"/* F adds. */\nfunc F(a,b int) int { return g(\n\ta,\n\tb,\n) }\n":        true,
		"// F adds.\nfunc F(a, b int) int { return g(b, a) }\n":                    false,
		"// F adds.\n//\n//go:noinline\nfunc F(a, b int) int { return g(a, b) }\n": false,
	} {
		if got := tokens(text) == was; got != same {
			t.Errorf("%q is the same: %v, want %v", text, got, same)
		}
	}
}

// declaration is one at the top level of a file: a function, a method, or a group of
// types, constants or variables.
type declaration struct {
	file *source
	tree ast.Decl
}

// source is a file of the program.
type source struct {
	home string // path of its package in the module
	text []byte
	tree *ast.File
}

// program is all packages by their paths, each with its declarations by name; init and _
// stand for those that are called or evaluated though nothing names them, and a type
// for its methods too.
type program map[string]map[string][]declaration

// read parses what is no test, example or script.
func read(t *testing.T) program {
	all, positions := program{}, token.NewFileSet()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() && (slices.Contains([]string{"docs", "scripts", "testdata"}, d.Name()) || d.Name() != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f := &source{home: path.Dir(name)}
		if f.text, err = fs.ReadFile(root, name); err == nil {
			f.tree, err = parser.ParseFile(positions, name, f.text, parser.SkipObjectResolution|parser.ParseComments)
		}
		if err != nil {
			return err
		}
		if all[f.home] == nil {
			all[f.home] = map[string][]declaration{}
		}
		for _, d := range f.tree.Decls {
			for _, name := range declared(d) {
				all[f.home][name] = append(all[f.home][name], declaration{f, d})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// declared returns the names by which a declaration is reached.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				names = append(names, name.Name)
			}
			return true
		})
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// reached finds the declarations that a result can depend on:
//
//  1. Functions that register an experiment or a rule, and those that make rules of
//     programs.
//  2. What a declaration names, of its package or of another one, and the methods of
//     the types among it.
//  3. What runs by itself in every package of these, but for the package of a paper:
//     there it registers figures and claims.
func (all program) reached() map[declaration]bool {
	var work []declaration
	for _, names := range all {
		for _, d := range names["init"] {
			if named := d.names(); slices.Contains(named, "spec.RegisterKind") || d.file.home == "policies" || slices.Contains(named, "policies.Register") {
				work = append(work, d)
			}
		}
	}
	for _, of := range all["policies/program"] {
		work = append(work, of...)
	}
	seen := map[declaration]bool{}
	for ; len(work) > 0; work = work[1:] {
		d := work[0]
		if seen[d] {
			continue
		}
		seen[d] = true
		for _, name := range d.names() {
			of, name, qualified := strings.Cut(name, ".")
			if !qualified {
				work = append(work, all[d.file.home][of]...)
			} else if home := d.file.imported(all, of); home != "" {
				work = append(work, all[home][name]...)
			}
		}
		if !strings.HasPrefix(d.file.home, "experiments/papers/") {
			work = append(append(work, all[d.file.home]["init"]...), all[d.file.home]["_"]...)
		}
	}
	return seen
}

// names are the identifiers in a declaration but its own and those after a dot, and
// those with what may be a package before them.
func (d declaration) names() (names []string) {
	fields := map[*ast.Ident]bool{}
	ast.Inspect(d.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fields[n.Name] = true
		case *ast.SelectorExpr:
			fields[n.Sel] = true
			if of, ok := n.X.(*ast.Ident); ok {
				names = append(names, of.Name+"."+n.Sel.Name)
			}
		case *ast.Ident:
			if !fields[n] {
				names = append(names, n.Name)
			}
		}
		return true
	})
	return names
}

// imported returns the package of ours that a file imports under a name, or "".
func (f *source) imported(all program, name string) string {
	for _, of := range f.tree.Imports {
		home, ours := strings.CutPrefix(strings.Trim(of.Path.Value, `"`), module+"/")
		if ours && (of.Name != nil && of.Name.Name == name || of.Name == nil && path.Base(home) == name) {
			return home
		}
	}
	return ""
}

// text is packages.txt.
func (all program) text(t *testing.T) string {
	var lines []string
	code := map[string][]string{}
	for d := range all.reached() {
		code[d.file.home] = append(code[d.file.home], string(d.tokens()))
		for _, of := range d.file.tree.Imports {
			name := strings.Trim(of.Path.Value, `"`)
			if root, _, _ := strings.Cut(name, "/"); strings.Contains(root, ".") && !strings.HasPrefix(name, module) {
				lines = append(lines, "module "+moduleOf(t, name)+"\n")
			}
		}
	}
	for home, of := range code {
		slices.Sort(of)
		lines = append(lines, fmt.Sprintf("package %s %.8x\n", home, sha256.Sum256([]byte(strings.Join(of, "\n")))))
	}
	slices.Sort(lines)
	return packagesHead + strings.Join(slices.Compact(lines), "")
}

// tokens is the code of a declaration without comments and layout, but with what
// comments tell the compiler.
func (d declaration) tokens() (code []byte) {
	from, to := d.tree.Pos(), d.tree.End()
	if f, ok := d.tree.(*ast.FuncDecl); ok && f.Doc != nil {
		from = f.Doc.Pos()
	} else if g, ok := d.tree.(*ast.GenDecl); ok && g.Doc != nil {
		from = g.Doc.Pos()
	}
	start := d.file.tree.FileStart
	text := d.file.text[from-start : to-start]
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	between := "" // a comma or a semicolon, which the layout has at the end of a list
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return code
		case token.COMMA, token.SEMICOLON:
			between = tok.String()
			continue
		case token.COMMENT:
			if !strings.HasPrefix(text, "//go:") {
				continue
			}
		case token.RPAREN, token.RBRACE:
			between = ""
		}
		code = fmt.Appendf(code, "%s%v %s\n", between, tok, text)
		between = ""
	}
}

// moduleOf returns the path of the module that a package is in.
func moduleOf(t *testing.T, name string) string {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	best := ""
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(string(text), -1) {
		if (name == m[1] || strings.HasPrefix(name, m[1]+"/")) && len(m[1]) > len(best) {
			best = m[1]
		}
	}
	if best == "" {
		t.Errorf("go.mod requires no module with %s", name)
	}
	return best
}
