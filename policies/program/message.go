package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// Protocol is the version of what is spoken with other programs.
const Protocol = 1

// greeting is what a program is sent first.
const greeting = `{"leontief": 1}`

// The kinds of programs.
const (
	kindNormaliser = "normaliser"
	kindAllocation = "allocation"
)

// Tolerance is how far, relative, an allocation may be beyond a constraint.
const Tolerance = 1e-6

// hello is what a program says of itself.
type hello struct {
	Leontief *int                       `json:"leontief"`
	Kind     string                     `json:"kind"`
	Title    string                     `json:"title"`
	Claims   map[policies.Property]bool `json:"claims"`
	Version  string                     `json:"version"`
}

func parseHello(line []byte) (h hello, err error) {
	if err := strictly(line, &h); err != nil {
		return h, err
	}
	switch {
	case h.Leontief == nil:
		return h, fmt.Errorf(`its first line has no "leontief": %s`, excerpt(line))
	case *h.Leontief != Protocol:
		return h, fmt.Errorf("it speaks version %d of the protocol, and this is version %d", *h.Leontief, Protocol)
	case h.Kind != kindNormaliser && h.Kind != kindAllocation:
		return h, fmt.Errorf("its kind is %q, and not %s or %s", oneLine(h.Kind), kindNormaliser, kindAllocation)
	}
	var known []string
	for _, p := range policies.Properties {
		known = append(known, string(p))
	}
	for claim := range h.Claims {
		err = errors.Join(err, spelling.Check("property", string(claim), known))
	}
	if h.Title = oneLine(h.Title); h.Title == "" {
		h.Title = "a rule that is a program"
	}
	h.Version = oneLine(h.Version)
	return h, err
}

// answer is what a program answers to a request: one of the three is there.
type answer struct {
	ID          *int64           `json:"id"`
	Normaliser  *[]normal        `json:"normaliser"`
	Allocation  *[][]json.Number `json:"allocation"`
	Unsupported *string          `json:"unsupported"`
}

// normal is one N: a number, or "inf".
type normal float64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *normal) UnmarshalJSON(text []byte) error {
	if string(text) == `"inf"` {
		*n = normal(cluster.Inf)
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(v, 0) || v < 0 {
		return fmt.Errorf(`%s is no normaliser: a number of 0 or more, or "inf"`, excerpt(text))
	}
	*n = normal(v)
	return nil
}

func parseAnswer(line []byte, id int64) (*answer, error) {
	a := &answer{}
	if err := strictly(line, a); err != nil {
		return nil, err
	}
	given := 0
	for _, is := range []bool{a.Normaliser != nil, a.Allocation != nil, a.Unsupported != nil} {
		if is {
			given++
		}
	}
	switch {
	case a.ID == nil:
		return nil, fmt.Errorf("its answer has no id: %s", excerpt(line))
	case *a.ID != id:
		return nil, fmt.Errorf("its answer is to request %d, and request %d was asked", *a.ID, id)
	case given != 1:
		return nil, fmt.Errorf("its answer has %d of normaliser, allocation and unsupported, and not one: %s", given, excerpt(line))
	}
	return a, nil
}

// strictly reads one JSON object with no other keys than those of v.
func strictly(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more after it")
		}
	}
	if err == nil {
		return nil
	}
	if bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity")) {
		err = errors.New("JSON has no NaN and no Infinity")
	}
	return fmt.Errorf("its answer is not of the form: %w: %s", err, excerpt(line))
}

// excerpt is the beginning of what a program wrote.
func excerpt(line []byte) string {
	const most = 120
	text := line[:min(most, len(line))]
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", bytes.ToValidUTF8(text, nil), len(line))
	}
	return fmt.Sprintf("%q", text)
}

// normaliser returns N of all users.
func (a *answer) normaliser(users int) ([]float64, error) {
	if a.Normaliser == nil {
		return nil, fmt.Errorf("it is of kind %s, and answers with an allocation", kindNormaliser)
	}
	if got := len(*a.Normaliser); got != users {
		return nil, fmt.Errorf("its answer has %d normalisers for %d users", got, users)
	}
	norm := make([]float64, users)
	for j, n := range *a.Normaliser {
		norm[j] = float64(n)
	}
	return norm, nil
}

// allocation returns the allocation, within the feasible region.
func (a *answer) allocation(env *cluster.Environment) (*cluster.Allocation, error) {
	if a.Allocation == nil {
		return nil, fmt.Errorf("it is of kind %s, and answers with normalisers", kindAllocation)
	}
	n, width := len(env.Users), len(env.Servers)
	if got := len(*a.Allocation); got != n {
		return nil, fmt.Errorf("its allocation has %d rows for %d users", got, n)
	}
	out := &cluster.Allocation{Region: env, Tasks: make([]float64, n), X: make([]float64, n*width), Share: make([]float64, n)}
	for j, row := range *a.Allocation {
		if len(row) != width {
			return nil, fmt.Errorf("its allocation has %d numbers for user %q, and there are %d servers", len(row), env.Users[j].Name, width)
		}
		for s, text := range row {
			x, err := text.Float64()
			if err != nil || math.IsInf(x, 0) {
				return nil, fmt.Errorf("its allocation to user %q on server %q is %q, which is no finite number", env.Users[j].Name, env.Servers[s].Name, oneLine(text.String()))
			}
			out.On(j)[s] = x
		}
	}
	if err := enter(out); err != nil {
		return nil, err
	}
	return out, nil
}

// enter moves an allocation that is feasible within [Tolerance] into the feasible
// region, and fills in totals and shares.
func enter(a *cluster.Allocation) error {
	env := a.Region
	etas := env.Etas(nil)
	for j := range env.Users {
		hosted := false
		for s, x := range a.On(j) {
			most, allowed := env.Psi(j, s), env.MayRun(j, s)
			if math.IsInf(most, 1) {
				most = 1
			}
			hosted = hosted || allowed && most > 0
			if x >= 0 && allowed {
				continue
			}
			if what := "holds a negative number of tasks"; math.Abs(x) > Tolerance*most {
				if !allowed {
					what = "holds tasks, where it may not run,"
				}
				return fmt.Errorf("its allocation is infeasible: user %q %s on server %q: %g", env.Users[j].Name, what, env.Servers[s].Name, x)
			}
			a.On(j)[s] = 0
		}
		if !hosted {
			a.Unservable = append(a.Unservable, j)
		}
	}
	sum(a)
	worst := a.Worst()
	if worst.Excess > Tolerance {
		return fmt.Errorf("its allocation is infeasible: %w", &worst)
	}
	if worst.Excess > 0 {
		for i := range a.X {
			a.X[i] /= 1 + worst.Excess
		}
		sum(a)
	}
	for j, x := range a.Tasks {
		if etas[j] > 0 {
			a.Share[j] = x / etas[j]
		}
	}
	return nil
}

// sum sets the totals.
func sum(a *cluster.Allocation) {
	for j := range a.Tasks {
		a.Tasks[j] = 0
		for _, x := range a.On(j) {
			a.Tasks[j] += x
		}
	}
}
