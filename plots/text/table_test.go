package text

import (
	"strings"
	"testing"
)

var ledgerLike = Table{
	Header: []string{"id", "paper", "ours", "verdict"},
	Rows: [][]string{
		{"table3/tsf-er", "0.491", "0.4905", "reproduced"},
		{"ρ|x", "", "10.25"},
		{"two\nlines", "1", "2", "differs"},
	},
	Align: []Align{Left, Right, Right},
}

func TestTextTable(t *testing.T) {
	want := strings.TrimPrefix(`
id             paper    ours  verdict
-------------  -----  ------  ----------
table3/tsf-er  0.491  0.4905  reproduced
ρ|x                    10.25
two lines          1       2  differs
`, "\n")
	var got strings.Builder
	if err := ledgerLike.WriteText(&got); err != nil || got.String() != want {
		t.Errorf("got (%v)\n%s\nwant\n%s", err, got.String(), want)
	}
}

func TestMarkdownTable(t *testing.T) {
	want := strings.TrimPrefix(`
| id            | paper |   ours | verdict    |
| ------------- | ----: | -----: | ---------- |
| table3/tsf-er | 0.491 | 0.4905 | reproduced |
| ρ\|x          |       |  10.25 |            |
| two lines     |     1 |      2 | differs    |
`, "\n")
	var got strings.Builder
	if err := ledgerLike.WriteMarkdown(&got); err != nil || got.String() != want {
		t.Errorf("got (%v)\n%s\nwant\n%s", err, got.String(), want)
	}
}

func TestTableRefusesARowLongerThanItsHeader(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = Table{Header: []string{"a"}, Rows: [][]string{{"1", "2"}}}.WriteText(&strings.Builder{})
}
