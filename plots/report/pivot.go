package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/results"
)

// pivot is the paper's table, found from the places that the ids of entries name: an id
// is item/row/column, where rows may have several parts. A column may be settings
// (n=10,rho=0.7), each of which has a line of the head.
type pivot struct {
	Caption string
	Head    []headLine
	Rows    []pivotRow
	holds   map[*entryView]bool
}

type headLine struct {
	Name  string
	Cells []string
}

type pivotRow struct {
	Name  string
	Cells []pivotCell
}

// Many reports whether a table has more columns than letters of the usual size leave room
// for.
func (p *pivot) Many() bool { return len(p.Head[0].Cells) > 9 }

// pivotCell is a cell: theirs, and ours below it.
type pivotCell struct {
	At           string // the column, where the head is not seen
	Theirs, Ours string
	E            *entryView // nil: no entry has the place
}

// place is where an entry stands.
type place struct{ row, column string }

// pivot finds the table of an item; nil if its entries are none: claims in words that are
// no properties, or places that make no table.
func (b *builder) pivot(i *item, entries []*entryView) *pivot {
	var best grid
	for parts := 1; parts <= 3; parts++ {
		if g := gridOf(i.Name, entries, parts); len(g.at) > len(best.at) {
			best = g
		}
	}
	if len(best.at) == 0 {
		return nil
	}
	p := &pivot{Head: b.head(best.columns), holds: map[*entryView]bool{}}
	labels := b.columnLabels(best.columns)
	common := best.common()
	for _, row := range best.rows {
		line := pivotRow{Name: b.words(strings.TrimPrefix(row, common), " · ")}
		for k, column := range best.columns {
			e := best.at[place{row, column}]
			cell := pivotCell{At: labels[k], E: e}
			if e != nil {
				p.holds[e] = true
				cell.Theirs, cell.Ours = best.texts(e)
			}
			line.Cells = append(line.Cells, cell)
		}
		p.Rows = append(p.Rows, line)
	}
	p.Caption = best.caption()
	if common != "" {
		of := strings.TrimSuffix(common, "/")
		if itemName.MatchString(of) {
			of = titleOf(of)
		}
		p.Caption = b.words(of, "") + ": " + p.Caption
	}
	return p
}

// grid is a table of entries.
type grid struct {
	rows, columns []string
	at            map[place]*entryView
	properties    bool // claims that a rule has, or has not, a property
}

// gridOf puts entries in a table whose rows are named by the first parts of their ids.
// Its columns are those of the row with which most entries are in it; rows with others
// are not of the table.
func gridOf(item string, entries []*entryView, parts int) grid {
	columns := map[string][]string{}
	var rows []string
	at := map[place]*entryView{}
	for _, e := range entries {
		p, ok := placeOf(strings.TrimPrefix(e.Entry.ID, item+"/"), parts)
		if !ok || at[p] != nil {
			continue
		}
		at[p] = e
		if columns[p.row] == nil {
			rows = append(rows, p.row)
		}
		columns[p.row] = append(columns[p.row], p.column)
	}
	var best grid
	for _, row := range rows {
		if g := gridWith(columns[row], rows, columns, at); len(g.at) > len(best.at) {
			best = g
		}
	}
	return best
}

// gridWith is the grid of those rows that have no other columns than these; one without
// entries where they make no table.
func gridWith(these []string, rows []string, columns map[string][]string, at map[place]*entryView) grid {
	g := grid{columns: these, at: map[place]*entryView{}}
	for _, row := range rows {
		if slices.ContainsFunc(columns[row], func(c string) bool { return !slices.Contains(these, c) }) {
			continue
		}
		g.rows = append(g.rows, row)
		for _, c := range columns[row] {
			g.at[place{row, c}] = at[place{row, c}]
		}
	}
	g.withoutSingles()
	named := slices.ContainsFunc(g.columns, func(c string) bool { return !strings.HasPrefix(c, "#") && c != "" })
	if len(g.rows) < 2 || len(g.columns) < 2 || !named || 2*len(g.at) < len(g.rows)*len(g.columns) || !g.shown() {
		return grid{}
	}
	return g
}

// withoutSingles takes out the columns that one row of several has alone: what stands
// there is beside the table.
func (g *grid) withoutSingles() {
	if len(g.rows) < 2 {
		return
	}
	var kept []string
	for _, c := range g.columns {
		var has []string
		for _, row := range g.rows {
			if g.at[place{row, c}] != nil {
				has = append(has, row)
			}
		}
		if len(has) > 1 {
			kept = append(kept, c)
		} else if has != nil {
			delete(g.at, place{has[0], c})
		}
	}
	g.columns = kept
}

// placeOf cuts an id into row and column. What stands behind # tells a column that is
// printed again, if it is a number; other readings are of no table.
func placeOf(id string, parts int) (place, bool) {
	name, again, repeated := strings.Cut(id, "#")
	if _, err := strconv.Atoi(again); repeated && err != nil {
		return place{}, false
	}
	words := strings.Split(name, "/")
	if len(words) < parts {
		return place{}, false
	}
	column := strings.Join(words[parts:], "/")
	if repeated {
		column += "#" + again
	}
	return place{strings.Join(words[:parts], "/"), column}, true
}

// shown reports whether the entries make a table of the paper: all are numbers of the
// paper, or in a table bounds beside them, or all say whether a rule has a property.
func (g *grid) shown() bool {
	published, denied, properties, bounded := 0, 0, 0, 0
	for _, e := range g.at {
		if e.Published != nil {
			published++
		}
		if strings.HasPrefix(e.Claim, "no ") {
			denied++
		}
		if strings.HasPrefix(e.Item, "table") && e.Published == nil && boundOf(e.Claim) != "" {
			bounded++
		}
		if strings.Contains(e.Claim, " of ") && e.Published == nil {
			properties++
		}
	}
	g.properties = published == 0 && denied > 0 && properties == len(g.at)
	return published > 0 && published+bounded == len(g.at) || g.properties
}

// common is what all rows begin with, up to a /, if all have more behind it.
func (g *grid) common() string {
	first, _, more := strings.Cut(g.rows[0], "/")
	if !more {
		return ""
	}
	for _, row := range g.rows {
		if !strings.HasPrefix(row, first+"/") {
			return ""
		}
	}
	return first + "/"
}

// texts are what a cell says: theirs, and ours.
func (g *grid) texts(e *entryView) (theirs, ours string) {
	if !g.properties && e.Published == nil {
		return boundOf(e.Claim), e.Mine
	}
	if !g.properties {
		return e.Theirs, e.Mine
	}
	yes, no := "yes", "no"
	if strings.HasPrefix(e.Claim, "no ") {
		yes, no = no, yes
	}
	switch e.Mark {
	case "✓":
		return yes, yes
	case "✗":
		return yes, no
	}
	return yes, "?"
}

// bound is how a claim in words ends: with the condition on its number.
var bound = regexp.MustCompile(` \(([≤≥] [^()]*|in \[[^()]*\])\)$`)

func boundOf(claim string) string {
	if m := bound.FindStringSubmatch(claim); m != nil {
		return m[1]
	}
	return ""
}

// caption says what the numbers are, where few words do.
func (g *grid) caption() string {
	if g.properties {
		return "Whether the rule has the property."
	}
	var claims, all, says []string
	columns := map[string][]string{}
	for _, c := range g.columns {
		claims = nil
		for _, row := range g.rows {
			if e := g.at[place{row, c}]; e != nil {
				claims = once(claims, e.Claim)
			}
		}
		all = once(all, claims...)
		text := strings.Join(inCommon(claims), " ")
		says, columns[text] = once(says, text), append(columns[text], c)
	}
	if len(all) <= 3 {
		return strings.Join(all, "; ")
	}
	for k, text := range says {
		if len(says) > 1 {
			says[k] = strings.Join(columns[text], ", ") + ": " + text + " …"
		}
	}
	return strings.Join(says, "; ")
}

// inCommon are the words with which all texts begin.
func inCommon(texts []string) []string {
	words := strings.Fields(texts[0])
	for _, text := range texts[1:] {
		other := strings.Fields(text)
		k := 0
		for k < len(words) && k < len(other) && words[k] == other[k] {
			k++
		}
		words = words[:k]
	}
	return words
}

// settings reads n=10,rho=0.7 as pairs; nil if a column is something else.
func settings(column string) [][2]string {
	column, _, _ = strings.Cut(column, "#")
	var pairs [][2]string
	for _, part := range strings.Split(column, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil
		}
		pairs = append(pairs, [2]string{name, value})
	}
	return pairs
}

// head makes the lines of a table's head: one a setting in which columns differ, or one.
func (b *builder) head(columns []string) []headLine {
	var lines []headLine
	for k, pair := range settings(columns[0]) {
		line, differ := headLine{Name: symbol(pair[0])}, false
		for _, c := range columns {
			s := settings(c)
			if len(s) <= k || s[k][0] != pair[0] {
				return []headLine{b.plain(columns)}
			}
			line.Cells = append(line.Cells, s[k][1])
			differ = differ || s[k][1] != pair[1]
		}
		if differ {
			lines = append(lines, line)
		}
	}
	if lines == nil {
		return []headLine{b.plain(columns)}
	}
	return lines
}

// plain is a head of one line.
func (b *builder) plain(columns []string) headLine {
	line := headLine{}
	for _, c := range columns {
		c, _, _ = strings.Cut(c, "#")
		line.Cells = append(line.Cells, b.words(c, " · "))
	}
	return line
}

// columnLabels are what the head says of each column, in a line.
func (b *builder) columnLabels(columns []string) []string {
	labels := make([]string, len(columns))
	for _, line := range b.head(columns) {
		for k, cell := range line.Cells {
			if line.Name != "" {
				cell = line.Name + " " + cell
			}
			if labels[k] != "" {
				labels[k] += ", "
			}
			labels[k] += cell
		}
	}
	return labels
}

// symbol is the short name of a setting.
func symbol(column string) string {
	c := results.ColumnNamed(column)
	if c.Symbol != "" {
		return c.Symbol
	}
	if c.Unit != "" {
		return c.Label + " (" + c.Unit + ")"
	}
	return c.Label
}

// words writes the parts of a place, rules by their labels.
func (b *builder) words(name, between string) string {
	parts := strings.Split(name, "/")
	for k, part := range parts {
		if s, ok := b.styles[part]; ok && s.Label != "" {
			parts[k] = s.Label
		}
	}
	return strings.Join(parts, between)
}
