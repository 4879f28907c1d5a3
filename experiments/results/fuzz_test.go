package results

import (
	"slices"
	"testing"

	"github.com/leontief-sim/leontief/traces/parquet/parquettest"
)

// FuzzReadTable reads any bytes as a result table, as they are and with a checksum
// that fits: what is read can be written and read again.
func FuzzReadTable(f *testing.F) {
	for _, rows := range [][]Row{nil, madeUpRows(2)} {
		data, err := encodeTable(Pack(rows), Meta{"seed": "1"})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = decodeTable(t, data)
		data, err := parquettest.Reseal(data)
		if err != nil {
			return
		}
		rows, meta, err := decodeTable(t, data)
		if err != nil {
			return
		}
		again, err := encodeTable(Pack(rows), meta)
		if err != nil {
			t.Fatal(err)
		}
		same, _, err := decodeTable(t, again)
		if err != nil || !slices.Equal(rows, same) {
			t.Errorf("read back differently: %v", err)
		}
	})
}
