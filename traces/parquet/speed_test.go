package parquet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// BenchmarkRead reads a million rows of our own, here and by the reader of the
// library.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.parquet")
	w, err := Create(path, []Column{{Name: "id", Kind: String}, {Name: "n", Kind: Int64}, {Name: "x", Kind: Float64}, {Name: "b", Kind: Bool}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	const rows = 1_000_000
	for g := 0; g < rows; g += RowGroup {
		batch := make([]Values, 4)
		for i := g; i < min(rows, g+RowGroup); i++ {
			batch[0].Strings = append(batch[0].Strings, fmt.Sprint("job-", i))
			batch[1].Ints = append(batch[1].Ints, int64(i))
			batch[2].Floats = append(batch[2].Floats, float64(i%1000)/7)
			batch[3].Bools = append(batch[3].Bools, i%3 == 0)
		}
		if err := w.Write(batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			t, err := NewTable(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				b.Fatal(err)
			}
			for _, err := range t.Batches([]int{0, 1, 2, 3}) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			r, err := file.NewParquetReader(bytes.NewReader(data))
			if err != nil {
				b.Fatal(err)
			}
			for g := range r.NumRowGroups() {
				readByLibrary(b, r.RowGroup(g))
			}
		}
	})
}

func readByLibrary(b *testing.B, group *file.RowGroupReader) {
	rows := group.NumRows()
	for i := range 4 {
		column, err := group.Column(i)
		if err != nil {
			b.Fatal(err)
		}
		read := int64(0)
		switch c := column.(type) {
		case *file.Int64ColumnChunkReader:
			read, _, err = c.ReadBatch(rows, make([]int64, rows), nil, nil)
		case *file.Float64ColumnChunkReader:
			read, _, err = c.ReadBatch(rows, make([]float64, rows), nil, nil)
		case *file.BooleanColumnChunkReader:
			read, _, err = c.ReadBatch(rows, make([]bool, rows), nil, nil)
		case *file.ByteArrayColumnChunkReader:
			for page := make([]arrowparquet.ByteArray, 1024); read < rows && err == nil; {
				var n int64
				n, _, err = c.ReadBatch(min(1024, rows-read), page, nil, nil)
				for _, text := range page[:n] {
					_ = string(text)
				}
				read += n
			}
		}
		if err != nil || read != rows {
			b.Fatalf("%d of %d rows, %v", read, rows, err)
		}
	}
}
