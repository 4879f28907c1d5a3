package results

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Type is the type of a [Value].
type Type int

// The types.
const (
	Null  Type = iota // no value: the parameter does not apply
	Int               // a whole number
	Float             // a finite number
	Text              // UTF-8, not empty
)

// Value is one value of a parameter; the zero value is null. Values of one type
// are equal (==) iff they are the same.
type Value struct {
	of    Type
	whole int64
	float float64
	text  string
}

// OfInt returns the value of a whole number.
func OfInt(v int64) Value { return Value{of: Int, whole: v} }

// OfFloat returns the value of a number. It panics where v is not finite.
func OfFloat(v float64) Value {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic(fmt.Sprintf("results: a parameter is %v", v))
	}
	return Value{of: Float, float: v + 0} // no negative zero
}

// OfText returns the value of a text; null for "".
func OfText(s string) Value {
	if s == "" {
		return Value{}
	}
	return Value{of: Text, text: s}
}

// Type returns the type of the value.
func (v Value) Type() Type { return v.of }

// IsNull reports whether the parameter does not apply.
func (v Value) IsNull() bool { return v.of == Null }

// Number returns a number as it is, and whether the value is one.
func (v Value) Number() (float64, bool) {
	switch v.of {
	case Int:
		return float64(v.whole), true
	case Float:
		return v.float, true
	}
	return 0, false
}

// String writes the value: numbers with all their digits, null as "".
func (v Value) String() string {
	switch v.of {
	case Int:
		return strconv.FormatInt(v.whole, 10)
	case Float:
		return strconv.FormatFloat(v.float, 'g', -1, 64)
	}
	return v.text
}

// appendKey writes the value so that values that differ are written differently,
// whatever stands behind them.
func (v Value) appendKey(key []byte) []byte {
	key = append(key, byte(v.of))
	switch v.of {
	case Int:
		return binary.BigEndian.AppendUint64(key, uint64(v.whole))
	case Float:
		return binary.BigEndian.AppendUint64(key, math.Float64bits(v.float))
	}
	return append(binary.BigEndian.AppendUint64(key, uint64(len(v.text))), v.text...)
}

// Compare orders values: null, then numbers by size, then texts.
func (v Value) Compare(o Value) int {
	rank := func(v Value) int { return [...]int{Null: 0, Int: 1, Float: 1, Text: 2}[v.of] }
	if c := cmp.Compare(rank(v), rank(o)); c != 0 || v.of == Null {
		return c
	}
	if v.of == Text {
		return strings.Compare(v.text, o.text)
	}
	a, _ := v.Number()
	b, _ := o.Number()
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(v.of, o.of), cmp.Compare(v.whole, o.whole))
}

// MarshalJSON implements [json.Marshaler]. A [Float] always has a point or an
// exponent, which tells it from an [Int].
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// AppendJSON appends what [Value.MarshalJSON] returns.
func (v Value) AppendJSON(text []byte) []byte {
	switch v.of {
	case Null:
		return append(text, "null"...)
	case Int:
		return strconv.AppendInt(text, v.whole, 10)
	case Text:
		return AppendText(text, v.text)
	}
	before := len(text)
	text = strconv.AppendFloat(text, v.float, 'g', -1, 64)
	if !bytes.ContainsAny(text[before:], ".e") {
		text = append(text, ".0"...)
	}
	return text
}

// AppendText appends a text as [json.Marshal] writes it.
func AppendText(text []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic(err) // a text has a form in JSON
			}
			return append(text, quoted...)
		}
	}
	return append(append(append(text, '"'), s...), '"')
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Value) UnmarshalJSON(data []byte) error {
	var err error
	switch {
	case string(data) == "null":
		*v = Value{}
	case data[0] == '"':
		var text string
		err = json.Unmarshal(data, &text)
		*v = OfText(text)
	case bytes.ContainsAny(data, ".eE"):
		var f float64
		err = json.Unmarshal(data, &f)
		*v = OfFloat(f)
	default:
		var i int64
		err = json.Unmarshal(data, &i)
		*v = OfInt(i)
	}
	return err
}
