package parquet_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// A run is a row: the tags are the columns, and a pointer is a value that may be
// missing.
type run struct {
	Policy string   `parquet:"policy"`
	Tasks  int64    `parquet:"tasks"`
	Factor *float64 `parquet:"jct_factor"`
}

func Example() {
	dir, err := os.MkdirTemp("", "parquet")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "runs.parquet")
	half := .5
	err = parquet.WriteRows(path, func(yield func(run, error) bool) {
		_ = yield(run{"tsf", 8, &half}, nil) && yield(run{"fifo", 3, nil}, nil)
	}, []parquet.KeyValue{{Key: "about", Value: "an example"}})
	if err != nil {
		log.Fatal(err)
	}

	table, err := parquet.Open(path, nil) // whatever columns it has
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	for _, column := range table.Columns() {
		fmt.Println(column)
	}
	for row, err := range parquet.RowsOf[run](table) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Policy, row.Tasks, row.Factor != nil)
	}
	// Output:
	// a required "policy" (BYTE_ARRAY)
	// a required "tasks" (INT64)
	// an optional "jct_factor" (DOUBLE)
	// tsf 8 true
	// fifo 3 false
}
