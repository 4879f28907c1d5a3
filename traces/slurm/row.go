package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/traces/input"
	"github.com/leontief-sim/leontief/traces/rows"
)

// fields are the columns that are read.
var fields = []string{"JobID", "Submit", "Start", "End", "Elapsed", "ElapsedRaw", "State", "User", "Account", "Group", "QOS",
	"Partition", "Priority", "ReqTRES", "AllocTRES", "ReqCPUS", "AllocCPUS", "NCPUS", "ReqMem", "ReqNodes", "NNodes", "AllocNodes",
	"ReqGRES", "Constraints"}

// row is a row of a file, by the names of its columns.
type row struct {
	*rows.Row
	place map[string]int
}

// header reads the line of names.
func header(path, line string) (row, error) {
	names := strings.Split(line, "|")
	known, place := make([]string, len(names)), map[string]int{}
	for i, name := range names {
		k := slices.IndexFunc(fields, func(f string) bool { return strings.EqualFold(f, strings.TrimSpace(name)) })
		if k < 0 {
			continue
		}
		if _, twice := place[fields[k]]; !twice {
			known[i], place[fields[k]] = fields[k], i
		}
	}
	r := row{rows.New(path, known), place}
	r.Skip()
	if !r.has("JobID") {
		return r, fmt.Errorf("%s:row 1: no column JobID between |: sacct --parsable2 writes them, with the names first (columns: %s)", input.Path(path), input.Names(names))
	}
	return r, nil
}

// has reports whether the file has one of the columns.
func (r row) has(columns ...string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { _, ok := r.place[c]; return ok })
}

// get returns the first of the columns whose value is known, and its name; "" for
// none.
func (r row) get(columns ...string) (text, column string) {
	for _, c := range columns {
		if i, ok := r.place[c]; ok {
			if text := strings.TrimSpace(r.Text(i)); !slices.Contains(absent, text) {
				return text, c
			}
		}
	}
	return "", ""
}

// fail records an error of a column.
func (r row) fail(column string, err error) {
	if column != "" {
		r.Fail(r.place[column], err)
	}
}

// time returns a time, whether it is known, and whether it was read in the zone.
func (r row) time(column string, zone *time.Location) (us int64, known, local bool) {
	text, at := r.get(column)
	if text == "" {
		return 0, false, false
	}
	us, local, err := instant(text, zone)
	r.fail(at, err)
	return us, true, local
}

// elapsed returns how long a job ran, and whether that is known.
func (r row) elapsed() (us int64, known bool) {
	if text, at := r.get("ElapsedRaw"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err == nil && (seconds < 0 || seconds > longestS) {
			err = errBeyond
		}
		r.fail(at, err)
		return seconds * 1e6, true
	}
	text, at := r.get("Elapsed")
	if text == "" {
		return 0, false
	}
	us, err := elapsed(text)
	r.fail(at, err)
	return us, true
}

// tres returns trackable resources.
func (r row) tres(column string) tres {
	text, at := r.get(column)
	all, err := parseTRES(text)
	r.fail(at, err)
	return all
}

// number returns the first of some columns that is known, and whether one is.
func (r row) number(columns ...string) (float64, bool) {
	text, at := r.get(columns...)
	if text == "" {
		return 0, false
	}
	v, err := amount(text)
	r.fail(at, err)
	return v, true
}
