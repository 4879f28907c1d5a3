package program

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// split splits a command into words at blanks. Single quotes keep all between them,
// double quotes all but backslashes before " and \; outside quotes a backslash keeps
// the next character, except on Windows, where it is one of paths.
func split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quote, escaped := false, rune(0), false
	for _, c := range command {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'' && (runtime.GOOS != "windows" || quote == '"'):
			begun, escaped = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			begun, quote = true, c
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			begun = true
			word.WriteRune(c)
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("the command %q ends within a quotation", command)
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("the command is empty")
	}
	return words, nil
}

// checksums returns the SHA-256 of the files among the words of a command. What a word
// finds in the PATH is not among them: an interpreter is known by its name.
func checksums(words []string, dir string) (map[string]string, error) {
	var sums map[string]string
	for i, word := range words {
		if i == 0 && filepath.Base(word) == word {
			continue
		}
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // an option, or something else that is no file
		}
		sum, err := checksum(path)
		if err != nil {
			return nil, err
		}
		if sums == nil {
			sums = map[string]string{}
		}
		sums[word] = sum
	}
	return sums, nil
}

func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
