package cluster

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with an environment.
type Problem struct {
	// Path says where, in the notation of the environment file:
	// users[3].demand[1]. It is empty for the file as a whole.
	Path    string
	Message string
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Problems is the error of [ReadEnvironment] and [Validate]: everything that
// is wrong, in the order of the file, what concerns its form first.
type Problems []Problem

// Error returns one problem a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

func (p *Problems) add(path, format string, args ...any) {
	*p = append(*p, Problem{path, fmt.Sprintf(format, args...)})
}

// outside returns the problems of other that do not follow from one of p: those
// whose path is neither that of a problem of p, nor above it, nor below it.
func (p Problems) outside(other Problems) Problems {
	at, above := map[string]bool{}, map[string]bool{}
	for _, problem := range p {
		at[problem.Path] = true
		for path := problem.Path; path != ""; path = parent(path) {
			above[path] = true
		}
	}
	var rest Problems
	for _, problem := range other {
		follows := above[problem.Path]
		for path := problem.Path; path != ""; path = parent(path) {
			follows = follows || at[path]
		}
		if !follows {
			rest = append(rest, problem)
		}
	}
	return rest
}

// parent returns the path one step up: users[3].demand of users[3].demand[1].
func parent(path string) string {
	step := "."
	if strings.HasSuffix(path, `"]`) {
		step = `["` // a quote inside the name stands behind a backslash
	} else if strings.HasSuffix(path, "]") {
		step = "["
	}
	return path[:max(0, strings.LastIndex(path, step))]
}

// quotedStep is the step of a path to a key that is not one of the format's.
func quotedStep(key string) string { return "[" + strconv.Quote(key) + "]" }
