package traces

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/traces/parquet"
)

// SchemaVersions are the versions of the canonical files that this package
// writes, by kind. It also reads those since oldest. Machines have attributes since
// version 2, and jobs a user, a weight and a priority.
var (
	SchemaVersions = map[string]int{"jobs": 2, "machines": 2}
	oldest         = map[string]int{"jobs": 1, "machines": 2}
)

// Meta says where a trace comes from. It is written into its files.
type Meta struct {
	Source string // e.g. "google 2011 (clusterdata-2011-2)"
	// Checksum is the SHA-256 over the source files, see [SourceSum]; empty
	// where there are none.
	Checksum string
	Options  string // the import or generator options, as JSON
	// Label is what every result made from the trace is marked with: "real",
	// "hybrid", "… (synthetic)", or "unlabelled" where nobody said.
	Label string
	// Units says what cpu, mem and gpu count, as "cpu: cores; mem: GB" or "cpu,
	// mem: fraction of the largest machine"; see [UnitOf].
	Units string
}

// UnitOf returns the unit of a resource in the text of a trace's units: parts
// separated by semicolons, each of names separated by commas, a colon and the
// unit. It is "" if the text does not say.
func UnitOf(units, resource string) string {
	for _, part := range strings.Split(units, ";") {
		names, unit, stated := strings.Cut(part, ":")
		for _, name := range strings.Split(names, ",") {
			if stated && strings.TrimSpace(name) == resource {
				return strings.TrimSpace(unit)
			}
		}
	}
	return ""
}

// OptionsText writes the options of an import or a generator as [Meta] has them.
// It panics if they can not be marshalled.
func OptionsText(options any) string {
	text, err := json.Marshal(options)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// pairs returns the metadata of a file of the given kind ("jobs",
// "machines").
func (m Meta) pairs(kind string) []parquet.KeyValue {
	return []parquet.KeyValue{
		{Key: "leontief.kind", Value: kind},
		{Key: "leontief.schema_version", Value: strconv.Itoa(SchemaVersions[kind])},
		{Key: "leontief.source", Value: m.Source},
		{Key: "leontief.source_sha256", Value: m.Checksum},
		{Key: "leontief.options", Value: m.Options},
		{Key: "leontief.label", Value: m.Label},
		{Key: "leontief.units", Value: m.Units},
	}
}

// parseMeta is the inverse of pairs.
func parseMeta(kind string, pairs []parquet.KeyValue) (Meta, error) {
	values := map[string]string{}
	for _, p := range pairs {
		values[p.Key] = p.Value
	}
	if got := values["leontief.kind"]; got != kind {
		return Meta{}, fmt.Errorf("a file of %q, not of %q", got, kind)
	}
	text := values["leontief.schema_version"]
	if v, err := strconv.Atoi(text); err != nil || v < oldest[kind] || v > SchemaVersions[kind] {
		return Meta{}, fmt.Errorf("schema version %q; this program reads versions %d to %d", text, oldest[kind], SchemaVersions[kind])
	}
	return Meta{
		Source: values["leontief.source"], Checksum: values["leontief.source_sha256"],
		Options: values["leontief.options"], Label: values["leontief.label"], Units: values["leontief.units"],
	}, nil
}
