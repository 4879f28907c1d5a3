package parquet

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A table of every kind with missing values: at the beginning, at the end, all
// and none of a row group.
var optionalColumns = []Column{
	{Name: "id", Kind: String}, {Name: "user", Kind: String, Optional: true}, {Name: "n", Kind: Int64, Optional: true},
	{Name: "rho", Kind: Float64, Optional: true, Plain: true}, {Name: "refused", Kind: Bool, Optional: true},
}

func optionalRows() [][]Values {
	var first Values
	first.AppendNull(String)
	first.Strings = append(first.Strings, "ann")
	first.AppendNull(String)
	return [][]Values{
		{
			{Strings: []string{"a", "b", "c"}}, first, {Ints: []int64{0, 7, 7}, Nulls: []bool{true}},
			{Floats: []float64{.5, 0, 0}, Nulls: []bool{false, true, true}}, {Bools: []bool{true, false, true}},
		},
		{
			{Strings: []string{"d"}}, {Strings: []string{""}, Nulls: []bool{true}}, {Ints: []int64{0}, Nulls: []bool{true}},
			{Floats: []float64{0}, Nulls: []bool{false}}, {Bools: []bool{false}, Nulls: []bool{true}},
		},
	}
}

const optionalText = `a – – 0.5 true
b ann 7 – false
c – 7 – true
d – – 0 –
`

func writeOptional(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, optionalColumns, []KeyValue{{Key: "k", Value: "v"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range optionalRows() {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// textOf writes the rows of a table, a line each, – for what is missing.
func textOf(r *Reader) (string, error) {
	var lines strings.Builder
	for batch, err := range r.Batches() {
		if err != nil {
			return "", err
		}
		for i := range Rows(r.Columns(), batch) {
			var cells []string
			for k := range batch {
				text, err := r.in.Texts(k)
				if err != nil {
					return "", err
				}
				cell, err := text(&batch[k], i)
				if err != nil {
					return "", err
				}
				if cell == "" {
					cell = "–"
				}
				cells = append(cells, cell)
			}
			lines.WriteString(strings.Join(cells, " ") + "\n")
		}
	}
	return lines.String(), nil
}

func TestMissingValuesComeBackMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, writeOptional(t), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]Column{optionalColumns, nil} {
		r, err := Open(path, want)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		columns := append([]Column{}, optionalColumns...)
		columns[3].Plain = false // not to be seen in a file
		if d := cmp.Diff(columns, r.Columns()); d != "" {
			t.Error(d)
		}
		if got, err := textOf(r); err != nil || got != optionalText {
			t.Errorf("%v\n%s", err, got)
		}
	}
	required := append([]Column{}, optionalColumns...)
	required[1].Optional = false
	if _, err := Open(path, required); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), `column 2 is an optional "user" (BYTE_ARRAY), not a required "user"`) {
		t.Error(err)
	}
}

func TestTheWriterGivesTheSameBytesToAFileAndElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	w, err := Create(path, optionalColumns, []KeyValue{{Key: "k", Value: "v"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range optionalRows() {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, writeOptional(t)) {
		t.Error("other bytes", err)
	}
}

// A value that is missing where none may be is the caller's mistake.
func TestAMissingValueOfARequiredColumnPanics(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "column id, which is not optional") {
			t.Errorf("panic %v", p)
		}
	}()
	Rows(optionalColumns[:1], []Values{{Strings: []string{""}, Nulls: []bool{true}}})
}

// A whole Parquet file without a seal is told from a damaged one: it may be read as
// somebody else's.
func TestAFileWithoutASealIsToldFromADamagedOne(t *testing.T) {
	whole := bytes.Replace(writeOptional(t), []byte(SealKey), []byte("somebody.sha256"), 1)
	path := filepath.Join(t.TempDir(), "t.parquet")
	for name, data := range map[string][]byte{"whole": whole, "cut": whole[:len(whole)-1]} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, nil)
		if !errors.Is(err, ErrDamaged) || errors.Is(err, ErrUnsealed) != (name == "whole") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
