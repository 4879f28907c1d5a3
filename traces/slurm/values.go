package slurm

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leontief-sim/leontief/traces/rows"
)

// absent are the words for what is not known.
var absent = []string{"", "Unknown", "None", "N/A", "INVALID", "?"}

// longestS bounds times and durations, in s.
const longestS = 1e11

var errBeyond = errors.New("beyond the clock")

// layouts are the forms of times with a zone, and without.
var (
	zoned   = []string{time.RFC3339, "2006-01-02T15:04:05-0700"}
	unzoned = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05"}
)

// instant reads a time, in µs since 1970; local says that it was read in the zone.
func instant(text string, zone *time.Location) (us int64, local bool, err error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		if seconds > longestS || seconds < -longestS {
			return 0, false, errBeyond
		}
		return seconds * 1e6, false, nil
	}
	for _, layout := range zoned {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UnixMicro(), false, nil
		}
	}
	for _, layout := range unzoned {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at.UnixMicro(), true, nil
		}
	}
	return 0, false, errors.New("not a time of the form 2006-01-02T15:04:05, nor seconds since 1970")
}

// elapsed reads a duration [days-][hours:]minutes:seconds[.fraction], in µs.
func elapsed(text string) (int64, error) {
	wrong := errors.New("not a duration of the form 1-02:03:04")
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	parts := append([]string{days}, strings.Split(clock, ":")...)
	if len(parts) == 3 && !hasDays { // no hours
		parts = []string{days, "0", parts[1], parts[2]}
	}
	if len(parts) != 4 {
		return 0, wrong
	}
	seconds := 0.0
	for i, unit := range []float64{86400, 3600, 60, 1} {
		if strings.Trim(parts[i], "0123456789.") != "" || i < 3 && strings.Contains(parts[i], ".") {
			return 0, wrong
		}
		v, err := strconv.ParseFloat(parts[i], 64)
		if err != nil {
			return 0, wrong
		}
		seconds += v * unit
	}
	if seconds > longestS {
		return 0, errBeyond
	}
	return int64(seconds*1e6 + 0.5), nil
}

// memory reads an amount of memory, in GiB; a number without a unit is MiB.
func memory(text string) (float64, error) {
	factor := 1. / 1024
	if i := strings.IndexAny(text, "KMGTPE"); i >= 0 && i == len(text)-1 {
		factor = map[byte]float64{'K': 1. / (1 << 20), 'M': 1. / 1024, 'G': 1, 'T': 1024, 'P': 1 << 20, 'E': 1 << 30}[text[i]]
		text = text[:i]
	}
	v, err := amount(text)
	return v * factor, err
}

// amount reads a number of things.
func amount(text string) (float64, error) {
	v, err := rows.Number(text)
	if errors.Is(err, strconv.ErrSyntax) {
		err = errors.New("not a number (sacct --noconvert writes plain ones)")
	}
	if err == nil && (v > largest || v > 0 && v < 1/largest) {
		err = errors.New("beyond any cluster")
	}
	return v, err
}

// largest bounds amounts (of processors, of GPUs, of memory in its unit) that are not 0,
// and 1/largest does from below.
const largest = 1e12

// tres are trackable resources by name: cpu, mem, node, gres/gpu, ….
type tres map[string]string

// parseTRES reads cpu=4,gres/gpu:a100=1,mem=16G,node=2.
func parseTRES(text string) (tres, error) {
	all := tres{}
	if text == "" {
		return all, nil
	}
	for _, part := range strings.Split(text, ",") {
		name, value, stated := strings.Cut(part, "=")
		if _, twice := all[name]; !stated || twice {
			return nil, errors.New("not a list as cpu=4,mem=16G,node=1")
		}
		all[name] = value
	}
	return all, nil
}

// gpus returns the GPUs of the resources, and whether these mention them.
func (t tres) gpus() (n float64, mentioned bool, err error) {
	if text, ok := t["gres/gpu"]; ok {
		n, err = amount(text)
		return n, true, err
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if !strings.HasPrefix(name, "gres/gpu:") {
			continue
		}
		v, err := amount(t[name])
		if err != nil {
			return 0, true, err
		}
		n, mentioned = n+v, true
	}
	return n, mentioned, nil
}
