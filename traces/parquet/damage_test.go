package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// damagedFiles is how many damaged files TestDamagedFiles reads: LEONTIEF_DAMAGED,
// or a few.
func damagedFiles(t *testing.T) int {
	text := os.Getenv("LEONTIEF_DAMAGED")
	if text == "" {
		return 2000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// base is a sound file and what is in it.
type base struct {
	name string
	data []byte
	rows [][]string
}

// bases are files of other writers and a sealed one of ours.
func bases(t testing.TB) []base {
	t.Helper()
	var all []base
	for _, folder := range foreignFolders() {
		files, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, base{name: file, data: data})
		}
	}
	ours := filepath.Join(t.TempDir(), "ours.parquet")
	writeOurs(t, ours)
	data, err := os.ReadFile(ours)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, base{name: ours, data: data})
	for i := range all {
		all[i].rows, _ = readTexts(all[i].data)
	}
	return all
}

// writeOurs writes a table of all kinds of columns in two row groups.
func writeOurs(t testing.TB, path string) {
	t.Helper()
	w, err := Create(path, []Column{{Name: "id", Kind: String}, {Name: "n", Kind: Int64}, {Name: "x", Kind: Float64}, {Name: "b", Kind: Bool}}, []KeyValue{{"about", "a test"}})
	if err != nil {
		t.Fatal(err)
	}
	for g := range 2 {
		batch := make([]Values, 4)
		for i := range 300 {
			batch[0].Strings = append(batch[0].Strings, fmt.Sprint("row ", i%70))
			batch[1].Ints = append(batch[1].Ints, int64(i*i*(g+1)))
			batch[2].Floats = append(batch[2].Floats, float64(i)/7)
			batch[3].Bools = append(batch[3].Bools, i%3 == 0)
		}
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// readTexts reads all flat columns of a file as texts.
func readTexts(data []byte) ([][]string, error) {
	table, err := NewTable(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var names []string
	for i, name := range table.Names() {
		if _, err := table.Texts(i); err == nil {
			names = append(names, name)
		}
	}
	rows, err := textsOf(table, names)
	if err == nil && len(names) > 0 && int64(len(rows)) != table.Rows() {
		err = fmt.Errorf("%w: %d rows, the footer says %d", errCount, len(rows), table.Rows())
	}
	return rows, err
}

// errCount is the error of a reader that does not give as many rows as the footer
// says, which must not happen.
var errCount = errors.New("rows were lost")

// ours reports whether an error is a fault of the reader.
func ours(err error) bool {
	return err != nil && (errors.Is(err, errCount) || strings.Contains(err.Error(), "row group") && errors.Is(err, errLibrary))
}

// damage returns a damaged copy of a file, and how.
func damage(rng *rand.Rand, data []byte, other []byte) ([]byte, string) {
	out := bytes.Clone(data)
	at := func() int { return rng.IntN(len(out)) }
	block := func() (int, int) {
		from := at()
		return from, min(len(out), from+1+rng.IntN(1<<rng.IntN(12)))
	}
	footer := len(out) - 8 - int(min(binary.LittleEndian.Uint32(out[len(out)-8:]), uint32(len(out)-12)))
	switch rng.IntN(9) {
	case 0:
		out[at()] ^= 1 << rng.IntN(8)
		return out, "one bit"
	case 1:
		for range 1 + rng.IntN(30) {
			out[at()] ^= 1 << rng.IntN(8)
		}
		return out, "several bits"
	case 2:
		return out[:at()], "cut short"
	case 3:
		from, to := block()
		clear(out[from:to])
		return out, "a block of zeros"
	case 4:
		from, to := block()
		copy(out[from:to], other[rng.IntN(len(other)):])
		return out, "a block of another file"
	case 5:
		from, to := block()
		return slices.Delete(out, from, to), "a block missing"
	case 6:
		from, to := block()
		return slices.Insert(out, at(), bytes.Clone(out[from:to])...), "a block twice"
	case 7:
		for range 1 + rng.IntN(4) {
			out[footer+rng.IntN(len(out)-footer)] = byte(rng.IntN(256))
		}
		return out, "bytes of the footer"
	}
	// A number in Thrift's encoding that is as large as it can be.
	huge := [][]byte{{0xff, 0xff, 0xff, 0xff, 0x0f}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, {0xfe, 0xff, 0xff, 0xff, 0x0f}, {0x80, 0x80, 0x80, 0x80, 0x08}}[rng.IntN(4)]
	from := at()
	if rng.IntN(2) == 0 {
		from = footer + rng.IntN(len(out)-footer)
	}
	copy(out[from:], huge)
	return out, "a huge number"
}

// tally is what became of files damaged in one way.
type tally struct{ refused, same, other int }

// mostMemory bounds what reading one damaged file of the test may allocate in all,
// in bytes: the largest page, and some more.
const mostMemory = 300 << 20

// TestDamagedFiles reads files with random damage. None may panic, lose rows
// without an error or ask for memory that it has no use for; a sealed file is
// refused whatever is changed. LEONTIEF_DAMAGED sets how many, and
// LEONTIEF_DAMAGED_KEEP a folder for one in a hundred of them.
func TestDamagedFiles(t *testing.T) {
	files, rng, began := bases(t), rand.New(rand.NewPCG(7, 2026)), time.Now()
	sealed := filepath.Join(t.TempDir(), "sealed.parquet")
	keep := os.Getenv("LEONTIEF_DAMAGED_KEEP")
	became := map[string]*tally{}
	var most uint64
	slowest := time.Duration(0)
	for i := range damagedFiles(t) {
		b := files[i%len(files)]
		data, how := damage(rng, b.data, files[rng.IntN(len(files))].data)
		if bytes.Equal(data, b.data) {
			continue
		}
		if keep != "" && i%100 == 0 {
			if err := os.WriteFile(filepath.Join(keep, fmt.Sprintf("damaged-%d.parquet", i)), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		rows, err := readTexts(data)
		slowest = max(slowest, time.Since(start))
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		most = max(most, used)
		if ours(err) || used > mostMemory {
			t.Errorf("%s, file %d, %s: %d bytes allocated, error %v", b.name, i, how, used, err)
		}
		if became[how] == nil {
			became[how] = &tally{}
		}
		switch {
		case err != nil:
			became[how].refused++
		case slices.EqualFunc(rows, b.rows, slices.Equal[[]string]):
			became[how].same++
		default:
			became[how].other++
		}
		if i%len(files) == len(files)-1 { // ours
			wantDamaged(t, sealed, data, how)
		}
	}
	for how, n := range became {
		t.Logf("%-26s %6d refused, %6d read as they were, %6d with other values", how, n.refused, n.same, n.other)
	}
	t.Logf("%v in all; at most %.1f MB allocated and %v for one file", time.Since(began), float64(most)/1e6, slowest)
}

// wantDamaged asks for an error of opening a sealed file.
func wantDamaged(t *testing.T, path string, data []byte, how string) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, []Column{{Name: "id", Kind: String}, {Name: "n", Kind: Int64}, {Name: "x", Kind: Float64}, {Name: "b", Kind: Bool}})
	if err == nil {
		r.Close()
	}
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("%s: a sealed file: error %v", how, err)
	}
}

// FuzzTable reads any bytes as a Parquet file.
func FuzzTable(f *testing.F) {
	for _, b := range bases(f) {
		f.Add(b.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := readTexts(data); ours(err) {
			t.Error(err)
		}
	})
}
