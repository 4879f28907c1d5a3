package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// mistaken replaces the error of a file that is not of the wanted kind ("jobs",
// "machines") by one that says what it is and what to do with it, where that can
// be told. It wraps what the error of [parquet.Open] wraps.
func mistaken(path, kind string, err error) error {
	if errors.Is(err, parquet.ErrSchema) {
		for other, columns := range map[string][]parquet.Column{"jobs": parquet.LayoutOf[Job]().Columns, "machines": parquet.LayoutOf[Machine]().Columns} {
			if in, wrong := parquet.Open(path, columns); wrong == nil {
				return errors.Join(fmt.Errorf("%s: a file of %s, where one of %s is wanted: %w", path, other, kind, parquet.ErrSchema), in.Close())
			}
		}
		return err
	}
	if !errors.Is(err, parquet.ErrDamaged) {
		return err
	}
	what := content(path)
	if what == "" {
		return err
	}
	return fmt.Errorf("%s: %w: it is %s; a table of your own becomes a workload with leontief traces import --map MAPPING.yaml TABLE --out jobs.parquet (docs/your-trace.md)",
		path, parquet.ErrDamaged, what)
}

// content says what a file that is no sealed Parquet file holds, by its beginning;
// "" for what is not known: a damaged file, say.
func content(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	head = head[:n]
	for cut := 0; cut < utf8.UTFMax && n == cap(head) && !utf8.Valid(head); cut++ {
		head = head[:len(head)-1] // the last letter may be cut
	}
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return "" // damaged, or of another program
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "packed with gzip"
	case utf8.Valid(head) && !bytes.ContainsRune(head, 0):
		return "text, such as CSV"
	}
	return ""
}
