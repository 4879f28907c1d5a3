package parquet

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// measured has a field of every form.
type measured struct {
	Name    string `parquet:"name"`
	Hidden  int
	N       int64    `parquet:"n"`
	X       float64  `parquet:"x,plain"`
	B       bool     `parquet:"b"`
	User    *string  `parquet:"user"`
	StartUS *int64   `parquet:"start_us"`
	Factor  *float64 `parquet:"factor"`
	Refused *bool    `parquet:"refused"`
}

// rowsOf are rows without an error.
func rowsOf[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func TestRowsOfAStructComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	user, start, factor, no := "ann", int64(0), .5, false
	want := make([]measured, RowGroup+3) // more than one row group
	for i := range want {
		want[i] = measured{Name: "a", N: int64(i), X: 1 / float64(i+1), B: i%2 == 0}
		if i%3 == 0 {
			want[i].User, want[i].StartUS, want[i].Factor, want[i].Refused = &user, &start, &factor, &no
		}
	}
	if err := WriteRows(path, rowsOf(want), []KeyValue{{Key: "k", Value: "v"}}); err != nil {
		t.Fatal(err)
	}
	columns := LayoutOf[measured]().Columns
	if len(columns) != 8 || columns[2] != (Column{Name: "x", Kind: Float64, Plain: true}) || columns[5] != (Column{Name: "start_us", Kind: Int64, Optional: true}) {
		t.Errorf("columns %v", columns)
	}
	r, err := Open(path, columns)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []measured
	for row, err := range RowsOf[measured](r) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAnErrorOfARowLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	bad := errors.New("bad")
	err := WriteRows(path, func(yield func(measured, error) bool) { _ = yield(measured{}, nil) && yield(measured{}, bad) }, nil)
	if !errors.Is(err, bad) || !strings.Contains(err.Error(), path+": row 2: bad") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("%s was left behind", left[0].Name())
	}
}

func TestAFieldThatIsNoColumnPanics(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "Bad is no column") {
			t.Errorf("panic %v", p)
		}
	}()
	LayoutOf[struct {
		Bad []int `parquet:"bad"`
	}]()
}
