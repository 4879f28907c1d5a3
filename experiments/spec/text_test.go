package spec

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/experiments/results"
	"github.com/leontief-sim/leontief/policies"
)

// The id of a scenario is the digest of these bytes, so they are those of the encoder
// of the standard library.
func TestScenariosAreWrittenAsTheStandardLibraryWritesThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a", "a b,c[d=1]", `"`, `\`, "<>&", "\t\n\x00\x7f", "ü\u2028", "\xff"}
	values := []results.Value{{}, results.OfInt(math.MinInt64), results.OfInt(7), results.OfFloat(7), results.OfFloat(.1), results.OfFloat(1e300), results.OfFloat(-1e-300), results.OfFloat(1e21)}
	for i := range 5000 {
		s := Scenario{Kind: texts[rng.IntN(len(texts))], Seed: rng.Uint64(), Instances: rng.IntN(100) - 50}
		if i%10 > 0 {
			s.Parameters = map[string]results.Value{}
		}
		for range rng.IntN(6) {
			v := results.OfText(texts[rng.IntN(len(texts))])
			if rng.IntN(2) == 0 {
				v = values[rng.IntN(len(values))]
			}
			if s.Parameters != nil {
				s.Parameters[texts[rng.IntN(len(texts))]] = v
			}
		}
		if rng.IntN(4) == 0 {
			s.Rule = &policies.Program{Command: texts[rng.IntN(len(texts))]}
		}
		want, err := json.Marshal(s)
		if got := s.JSON(); err != nil || string(got) != string(want) {
			t.Fatalf("%s, want %s (%v)", got, want, err)
		}
		// Names are those of kinds and parameters, in which there is nothing to escape.
		if _, there := s.Parameters["<>&"]; there || strings.ContainsAny(s.Kind, "<>&") {
			continue
		}
		want, err = results.IndentedJSON([]Scenario{s})
		got := string(s.AppendIndented([]byte("[\n  "), "  ")) + "\n]\n"
		if err != nil || got != string(want) {
			t.Fatalf("%s, want %s (%v)", got, want, err)
		}
	}
}
