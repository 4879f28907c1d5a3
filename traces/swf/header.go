package swf

import (
	"strconv"
	"strings"
)

// The bounds of what is kept of a header: lines, and bytes of one.
const (
	headerLines = 100
	headerBytes = 500
)

// header is what the comments of a log say, by key, in the words of the log. A key
// that stands in several lines (Note, Queue) has all of them.
type header map[string][]string

// add takes in a comment line without its semicolon. Text that is not "Key: value"
// is dropped, and so is what is beyond the bounds. Old logs are in Latin-1: bytes
// that are not UTF-8 become U+FFFD.
func (h header) add(comment string) {
	key, value, stated := strings.Cut(strings.ToValidUTF8(comment, "\ufffd"), ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !stated || value == "" || len(key)+len(value) > headerBytes || h.lines() == headerLines {
		return
	}
	h[key] = append(h[key], value)
}

func (h header) lines() (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

// first is the first value of a key, "" for none.
func (h header) first(key string) string {
	if len(h[key]) == 0 {
		return ""
	}
	return h[key][0]
}

// number is the whole positive number that a key's first value begins with; 0 for
// none. Some logs add a remark to it.
func (h header) number(key string) int64 {
	word, _, _ := strings.Cut(h.first(key), " ")
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
