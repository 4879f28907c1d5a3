package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	arrowparquet "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// texter writes value i of a column, which is no null, as text.
type texter func(v *Values, i int) (string, error)

// Texts returns the function that writes the values of a column as text: numbers
// so that reading them gives the same number, decimals exactly, timestamps and
// dates as RFC 3339 in UTC (a timestamp without a zone is taken for UTC), Booleans
// as true and false, texts as they are, a null as the empty text. A column whose
// type has no text, or that is nested, is an error that names it.
func (t *Table) Texts(column int) (func(v *Values, i int) (string, error), error) {
	f := &t.fields[column]
	if f.nested {
		return nil, fmt.Errorf("column %q: %w", f.name, ErrNested)
	}
	if f.text == nil {
		return nil, fmt.Errorf("column %q: values of type %s, which are not read", f.name, f.kind)
	}
	return func(v *Values, i int) (string, error) {
		if v.Null(i) {
			return "", nil
		}
		return f.text(v, i)
	}, nil
}

// texterOf returns how values of a column are written, nil where they can not be,
// and the name of their type.
func texterOf(p *schema.PrimitiveNode) (texter, string) {
	kind := p.PhysicalType().String()
	logical := p.LogicalType()
	if logical == nil || logical.IsNone() {
		return plainTexter(p.PhysicalType()), kind
	}
	kind = fmt.Sprintf("%s (%s)", logical, kind)
	switch l := logical.(type) {
	case schema.StringLogicalType, *schema.StringLogicalType, schema.EnumLogicalType, *schema.EnumLogicalType, schema.JSONLogicalType, *schema.JSONLogicalType:
		return utf8Text, kind
	case schema.UUIDLogicalType, *schema.UUIDLogicalType:
		return uuidText, kind
	case *schema.DecimalLogicalType:
		return decimalTexter(p.PhysicalType(), l.Scale()), kind
	case schema.DateLogicalType, *schema.DateLogicalType:
		return dateText, kind
	case *schema.TimestampLogicalType:
		return timestampTexter(l.TimeUnit()), kind
	case *schema.IntLogicalType:
		if !l.IsSigned() {
			return unsignedTexter(p.PhysicalType()), kind
		}
		return plainTexter(p.PhysicalType()), kind
	case schema.NullLogicalType, *schema.NullLogicalType:
		return plainTexter(p.PhysicalType()), kind // all are null
	}
	return nil, kind
}

// plainTexter writes values without a logical type.
func plainTexter(of arrowparquet.Type) texter {
	switch of {
	case arrowparquet.Types.Boolean:
		return func(v *Values, i int) (string, error) { return strconv.FormatBool(v.Bools[i]), nil }
	case arrowparquet.Types.Int32, arrowparquet.Types.Int64:
		return func(v *Values, i int) (string, error) { return strconv.FormatInt(v.Ints[i], 10), nil }
	case arrowparquet.Types.Float:
		return func(v *Values, i int) (string, error) { return strconv.FormatFloat(v.Floats[i], 'g', -1, 32), nil }
	case arrowparquet.Types.Double:
		return func(v *Values, i int) (string, error) { return strconv.FormatFloat(v.Floats[i], 'g', -1, 64), nil }
	case arrowparquet.Types.Int96:
		return int96Text
	case arrowparquet.Types.ByteArray:
		return utf8Text
	}
	return nil
}

var errNotUTF8 = errors.New("a text that is not UTF-8")

func utf8Text(v *Values, i int) (string, error) {
	if !utf8.ValidString(v.Strings[i]) {
		return "", errNotUTF8
	}
	return v.Strings[i], nil
}

func uuidText(v *Values, i int) (string, error) {
	b := v.Strings[i]
	if len(b) != 16 {
		return "", fmt.Errorf("%w: a UUID of %d bytes", ErrFormat, len(b))
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

func dateText(v *Values, i int) (string, error) {
	return rfc3339(time.Unix(0, 0).UTC().AddDate(0, 0, int(v.Ints[i])))
}

func timestampTexter(unit schema.TimeUnitType) texter {
	from := map[schema.TimeUnitType]func(int64) time.Time{
		schema.TimeUnitMillis: time.UnixMilli, schema.TimeUnitMicros: time.UnixMicro,
		schema.TimeUnitNanos: func(ns int64) time.Time { return time.Unix(ns/1e9, ns%1e9) },
	}[unit]
	if from == nil {
		return nil
	}
	return func(v *Values, i int) (string, error) { return rfc3339(from(v.Ints[i])) }
}

// int96Text reads a timestamp as older programs write it: the nanoseconds of the
// day, and the day by the Julian calendar.
func int96Text(v *Values, i int) (string, error) {
	const epoch = 2440588 // the Julian day of 1970-01-01
	b := []byte(v.Strings[i])
	ns, day := binary.LittleEndian.Uint64(b[:8]), int64(binary.LittleEndian.Uint32(b[8:]))
	if ns >= 24*3600e9 {
		return "", fmt.Errorf("a timestamp with %d ns of a day", ns)
	}
	return rfc3339(time.Unix((day-epoch)*24*3600, int64(ns)))
}

func rfc3339(t time.Time) (string, error) {
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return "", fmt.Errorf("a time in the year %d", t.Year())
	}
	return t.Format(time.RFC3339Nano), nil
}

func unsignedTexter(of arrowparquet.Type) texter {
	return func(v *Values, i int) (string, error) {
		u := uint64(v.Ints[i])
		if of == arrowparquet.Types.Int32 {
			u = uint64(uint32(u))
		}
		return strconv.FormatUint(u, 10), nil
	}
}

// decimalTexter writes unscaled integers of any size with a number of digits
// behind the point.
func decimalTexter(of arrowparquet.Type, scale int32) texter {
	if scale < 0 || scale > 1000 {
		return nil
	}
	return func(v *Values, i int) (string, error) {
		n := new(big.Int)
		if of == arrowparquet.Types.Int32 || of == arrowparquet.Types.Int64 {
			n.SetInt64(v.Ints[i])
		} else if b := []byte(v.Strings[i]); len(b) > 0 && len(b) <= 64 { // two's complement, the first byte first
			n.SetBytes(b)
			if b[0]&0x80 != 0 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		} else {
			return "", fmt.Errorf("a decimal of %d bytes", len(b))
		}
		sign := ""
		if n.Sign() < 0 {
			sign = "-"
			n.Neg(n)
		}
		digits := n.String()
		if short := int(scale) + 1 - len(digits); short > 0 {
			digits = strings.Repeat("0", short) + digits
		}
		if scale == 0 {
			return sign + digits, nil
		}
		point := len(digits) - int(scale)
		return sign + digits[:point] + "." + digits[point:], nil
	}
}
