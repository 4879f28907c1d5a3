package rows_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/traces"
	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

var columns = []string{"name", "tasks", "share"}

// read reads a CSV text into "name tasks share" and the error.
func read(text string, names bool) (lines []string, n int64, err error) {
	r := rows.New("t.csv", columns)
	n, err = r.CSV(strings.NewReader(text), names, func() {
		share, there := r.Amount(2)
		lines = append(lines, fmt.Sprintf("%d: %s %d %v %t", r.Number(), r.Own(0), r.Integer(1), share, there))
	})
	return lines, n, err
}

func TestRowsOfAText(t *testing.T) {
	for _, c := range []struct {
		name, text string
		names      bool
		want       string
	}{
		{"in the order of the table", "a,1,0.5\nb,2,\n", false, "1: a 1 0.5 true; 2: b 2 0 false"},
		{"no names where there may be some", "a,1,0.5\n", true, "1: a 1 0.5 true"},
		{"names that stand elsewhere, with a column more", "share,x,name,tasks\n0.5,?,a,1\n", true, "2: a 1 0.5 true"},
		{"nothing", "", true, ""},
		{"a byte order mark before names", "\ufeffname,tasks,share\na,1,0.5\n", true, "2: a 1 0.5 true"},
		{"a byte order mark before a row", "\ufeffa,1,0.5\n", true, "1: a 1 0.5 true"},
		{"the ends of the range of numbers", "a,1,1e-150\nb,1,1e150\nc,1,0e-999\n", false, "1: a 1 1e-150 true; 2: b 1 1e+150 true; 3: c 1 0 true"},
	} {
		got, n, err := read(c.text, c.names)
		if err != nil || strings.Join(got, "; ") != c.want || n != int64(len(got)) {
			t.Errorf("%s: %d rows %q, %v; want %q", c.name, n, got, err, c.want)
		}
	}
}

func TestErrorsNameFileRowAndColumn(t *testing.T) {
	for _, c := range []struct {
		text  string
		names bool
		want  string
	}{
		{"a,1,0.5\nb,x,1\n", false, `t.csv:row 2, column 2 (tasks): "x": invalid syntax`},
		{"a,1.5,0.5\n", false, `t.csv:row 1, column 2 (tasks): "1.5": invalid syntax`},
		{"a,,0.5\n", false, `t.csv:row 1, column 2 (tasks): "": invalid syntax`},
		{"a,-1,0.5\n", false, `t.csv:row 1, column 2 (tasks): "-1": negative`},
		{"a,99999999999999999999,0.5\n", false, `t.csv:row 1, column 2 (tasks): "99999999999999999999": value out of range`},
		{"a,1,-0.5\n", false, `t.csv:row 1, column 3 (share): "-0.5": negative`},
		{"a,1,NaN\n", false, `t.csv:row 1, column 3 (share): "NaN": not finite`},
		{"a,1,1e-151\n", false, `t.csv:row 1, column 3 (share): "1e-151": must be 0 or from 1e-150 to 1e+150`},
		{"a,1,1e-400\n", false, `t.csv:row 1, column 3 (share): "1e-400": must be 0 or from 1e-150 to 1e+150`},
		{"a,1,1e151\n", false, `t.csv:row 1, column 3 (share): "1e151": must be 0 or from 1e-150 to 1e+150`},
		{"a,1,1e999\n", false, `t.csv:row 1, column 3 (share): "1e999": must be 0 or from 1e-150 to 1e+150`},
		{"\xff,1,1\n", false, `t.csv:row 1, column 1 (name): "\xff": not UTF-8`},
		{"a,\x1b[2J,1\n", false, `t.csv:row 1, column 2 (tasks): "\x1b[2J": invalid syntax`},
		{"a," + strings.Repeat("x", 300) + ",1\n", false, `t.csv:row 1, column 2 (tasks): "` + strings.Repeat("x", 200) + `"… (300 bytes): invalid syntax`},
		{"\xff\xfea\x00,\x001\x00", true, "t.csv:row 1: " + input.ErrUTF16.Error()},
		{"a,1,0.5\nb,1," + strings.Repeat("1", rows.Longest+1<<17), false, "t.csv:row 2: " + rows.ErrLong.Error()},
		{"a,1,0.5\nb,1,\"" + strings.Repeat("1\n", rows.Longest), false, "t.csv:row 2: " + rows.ErrLong.Error()},
		{"a,1,Inf\n", false, `t.csv:row 1, column 3 (share): "Inf": not finite`},
		{"a,x,half\n", false, `t.csv:row 1, column 3 (share): "half": invalid syntax`}, // the first that is read
		{"a,1\n", false, `t.csv:row 1: 2 columns instead of 3`},
		{"share,tasks,name,x\n0.5,1,a\n", true, `t.csv:row 2: 3 columns instead of 4`},
		{"share,tasks,name\n0.5,y,a\n", true, `t.csv:row 2, column 2 (tasks): "y": invalid syntax`},
		{"name,tasks\na,1\n", true, `t.csv: no column share (columns: "name", "tasks")`},
		{"a,1,0.5\nb\"b,1,1\n", false, `t.csv:row 2: parse error on line 2, column 2: bare " in non-quoted-field`},
	} {
		got, _, err := read(c.text, c.names)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: rows %q, error %v; want %s", c.text, got, err, c.want)
		}
	}
}

// TestTheFirstErrorCounts: what is read of a row after an error changes nothing,
// and no row follows.
func TestTheFirstErrorCounts(t *testing.T) {
	r := rows.New("t.csv", columns)
	n, err := r.CSV(strings.NewReader("x,y,z\na,1,1\n"), false, func() {
		r.Integer(1)
		r.Amount(2)
		r.Fail(0, errors.New("too late"))
	})
	if n != 1 || err == nil || !strings.Contains(err.Error(), `column 2 (tasks): "y"`) || r.Err() != err {
		t.Errorf("%d rows, error %v, of the row %v", n, err, r.Err())
	}
}

// TestOwnTextsOutliveTheRow: a field shares the memory of the row, which the next
// one takes; a text of its own does not.
func TestOwnTextsOutliveTheRow(t *testing.T) {
	var own []string
	r := rows.New("t.csv", columns)
	if _, err := r.CSV(strings.NewReader("a,1,1\nb,1,1\n"), false, func() { own = append(own, r.Own(0)) }); err != nil {
		t.Fatal(err)
	}
	if strings.Join(own, "") != "ab" {
		t.Errorf("texts %q", own)
	}
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func pack(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checksum is what [traces.SourceSum] makes of the bytes of one file.
func checksum(t *testing.T, name string, data []byte) string {
	t.Helper()
	var sum traces.SourceSum
	if _, err := io.Copy(io.Discard, sum.Reader(name, bytes.NewReader(data))); err != nil {
		t.Fatal(err)
	}
	return sum.Sum()
}

// TestFilesAreSummedToTheEnd: the checksum is that of the bytes of the file, also
// where the reader stops early or nothing of them is needed.
func TestFilesAreSummedToTheEnd(t *testing.T) {
	long := strings.Repeat("a,1,1\n", 5000)
	for name, data := range map[string][]byte{"t.csv": []byte(long), "t.csv.gz": pack(t, long)} {
		path := write(t, name, data)
		for _, part := range []int64{0, 1, int64(len(long))} {
			var sum traces.SourceSum
			got := int64(0)
			err := rows.New(path, columns).Read(name, &sum, func(text io.Reader) (err error) {
				got, err = io.CopyN(io.Discard, text, part)
				return err
			})
			if err != nil || got != part || sum.Sum() != checksum(t, name, data) {
				t.Errorf("%s, %d bytes: read %d, error %v, checksum %s", name, part, got, err, sum.Sum())
			}
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	whole := pack(t, strings.Repeat("a,1,1\n", 5000))
	wrong := bytes.Clone(whole)
	wrong[len(wrong)-8] ^= 1 // the checksum of the content
	for _, c := range []struct {
		data []byte
		is   error
		want string
	}{
		{nil, io.ErrUnexpectedEOF, ":row 1: the file ends in the middle (truncated gzip): "},
		{whole[:5], io.ErrUnexpectedEOF, ":row 1: the file ends in the middle (truncated gzip): "},
		{whole[:len(whole)-1], io.ErrUnexpectedEOF, ":row 5001: the file ends in the middle (truncated gzip): "},
		{wrong, gzip.ErrChecksum, ":row 5001: "},
		{[]byte("not packed at all"), gzip.ErrHeader, ":row 1: "},
	} {
		path := write(t, "t.csv.gz", c.data)
		r := rows.New(path, columns)
		err := r.Read("t", nil, func(text io.Reader) error {
			_, err := r.CSV(text, false, func() {})
			return err
		})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), path+c.want) {
			t.Errorf("%d bytes: error %v, want %s", len(c.data), err, c.want)
		}
	}
	// Damage after what was wanted is damage.
	path := write(t, "t.csv.gz", wrong)
	if err := rows.New(path, columns).Read("t", nil, func(io.Reader) error { return nil }); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("nothing read: error %v", err)
	}
	if err := rows.New("nowhere.csv", columns).Read("t", nil, func(io.Reader) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

// TestErrorsOfTheReaderStayAsTheyAre: only errors of unpacking are described.
func TestErrorsOfTheReaderStayAsTheyAre(t *testing.T) {
	mine := errors.New("mine")
	path := write(t, "t.csv", []byte("a,1,1\n"))
	err := rows.New(path, columns).Read("t", nil, func(io.Reader) error { return mine })
	if !errors.Is(err, mine) || err.Error() != "mine" {
		t.Errorf("error %v", err)
	}
}

// zeros is a text without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestALineWithoutAnEndIsGivenUp: what is read of it is bounded.
func TestALineWithoutAnEndIsGivenUp(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := rows.New("t.csv", columns).CSV(zeros{}, true, func() {})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, rows.ErrLong) || used > 16*rows.Longest {
		t.Errorf("error %v, %d bytes allocated", err, used)
	}
}

// TestBombs: a file that unpacks to a thousand times its size is refused; that
// many rows of a table are not, in a file that is less than bombSize.
func TestBombs(t *testing.T) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(bytes.Repeat([]byte("a,1,1\n"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := write(t, "t.csv.gz", b.Bytes())
	read := func() error { return rows.New(path, columns).Read("t", nil, func(io.Reader) error { return nil }) }
	if err := read(); err != nil {
		t.Errorf("6 MB: error %v", err)
	}
	defer rows.SetBombSize(rows.SetBombSize(1 << 20))
	err = read()
	if !errors.Is(err, rows.ErrBomb) || !strings.Contains(err.Error(), path) {
		t.Errorf("%d bytes: error %v", b.Len(), err)
	}
}
