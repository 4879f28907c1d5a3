package psdsf

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	rational "github.com/leontief-sim/leontief/policies/solve/exact"
)

// table3 is γ.
var table3 = [][]float64{{80, 340, 82.5, 55}, {40, 170, 41.25, 41.25}, {0, 0, 82.5, 27.5}, {0, 0, 27.5, 27.5}}

func table3Entries() ([]ledger.Entry, error) {
	env := Figure5(LargestCPU2)
	var entries []ledger.Entry
	for j, row := range table3 {
		for s, want := range row {
			gamma := 0.0
			if env.MayRun(j, s) {
				gamma = env.Gamma(j, s)
			}
			e := entry("table3", fmt.Sprintf("user%d/%s", j+1, Classes[s]), "tasks of the user alone on the class").
				Value(want, ledger.Computed(gamma, exact))
			e.FittedTo = true // numbers of servers and demands were found from it
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// table4 is what each user runs on each class, as printed.
var table4 = map[string][][]string{
	"ps-dsf": {{"40", "170", "0", "0"}, {"20", "85", "0", "0"}, {"0", "0", "82.5", "0"}, {"0", "0", "0", "27.5"}},
	"tsf":    {{"35", "170", "0", "0"}, {"22.5", "85", "0", "0"}, {"0", "0", "58.33", "0"}, {"0", "0", "8.05", "27.5"}},
}

// slips are what is known of a number that is not the one of the definition.
var slips = map[string][]string{"tsf58.33": {"users 3 and 4 fill the memory of classes C and D, and TSF gives them tasks in the proportion of γ = 320 to 195: 8.25·2/(.1·320 + .3·195) = .182320 of γ each, 58.3425 and 35.5525, split in one way; so the last digit of 58.33 is off by one, and 8.05 + 27.5 is right"}}

// printed returns a printed number and half a unit of its last digit.
func printed(text string) (value, half float64) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	_, digits, _ := strings.Cut(text, ".")
	return value, 0.5 * math.Pow10(-len(digits))
}

// table4Entries judges each number at its printed precision, and as readings the totals,
// which are not printed. The split of ps-dsf over the classes is its own; under tsf, where
// the totals alone are unique, it is the one nearest to the print.
func table4Entries() ([]ledger.Entry, error) {
	env := Figure5(LargestCPU2)
	a, err := policies.AllocateBy("ps-dsf", env)
	if err != nil {
		return nil, err
	}
	own := make([][]float64, len(env.Users))
	for j := range own {
		own[j] = a.On(j)
	}
	entries := table4Rows("ps-dsf", own)
	near, err := nearestTSF(rational.New(env), table4["tsf"])
	if err != nil {
		return nil, err
	}
	return append(entries, table4Rows("tsf", near)...), nil
}

// table4Rows judges the rows of a rule.
func table4Rows(rule string, x [][]float64) []ledger.Entry {
	var entries []ledger.Entry
	for j, row := range table4[rule] {
		want, has, slack := 0.0, 0.0, 0.0
		for s, text := range row {
			value, half := printed(text)
			want, has = want+value, has+x[j][s]
			if value > 0 {
				slack += half
			}
			entries = append(entries, entry("table4", fmt.Sprintf("%s/user%d/%s", rule, j+1, Classes[s]), "tasks of the user on the class under "+rule).
				Value(value, ledger.Computed(x[j][s], half), slips[rule+text]...))
		}
		entries = append(entries, entry("table4", fmt.Sprintf("%s/user%d#total", rule, j+1), "tasks of the user under "+rule+", the sum of its row").
			Value(want, ledger.Computed(has, slack)))
	}
	return entries
}

// nearestTSF returns the allocation of the totals of TSF that is nearest to the print: the
// sum of the differences, in halves of the last printed digit, is least.
func nearestTSF(e *rational.Environment, print [][]string) ([][]float64, error) {
	norm := make([]*big.Rat, e.Users())
	for j := range norm {
		var err error
		if norm[j], err = e.Alone(j, false); err != nil {
			return nil, err
		}
	}
	totals, err := e.MaxMin(norm)
	if err != nil {
		return nil, err
	}
	cells := e.Users() * e.Servers()
	p, one, far := e.Region(cells), big.NewRat(1, 1), map[int]*big.Rat{}
	for j, row := range print {
		p.Equal(e.Total(j), totals[j])
		for s, text := range row {
			value, half := printed(text)
			at, unit := j*e.Servers()+s, new(big.Rat).Neg(rational.Rational(half))
			p.AtMost(map[int]*big.Rat{at: one, cells + at: unit}, rational.Rational(value))
			p.AtLeast(map[int]*big.Rat{at: one, cells + at: new(big.Rat).Neg(unit)}, rational.Rational(value))
			far[cells+at] = big.NewRat(-1, 1)
		}
	}
	_, columns, err := p.Maximize(far)
	if err != nil {
		return nil, err
	}
	x := make([][]float64, e.Users())
	for j, row := range e.Unflatten(columns) {
		for _, v := range row {
			f, _ := v.Float64()
			x[j] = append(x[j], f)
		}
	}
	return x, nil
}
