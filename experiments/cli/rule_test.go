package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/leontief-sim/leontief/policies"
)

// The example that is given for a rule works, from the top of a clone.
func TestTheExampleOfEveryRuleWorks(t *testing.T) {
	t.Chdir("../..")
	for _, m := range policies.All() {
		if strings.HasPrefix(m.Name, "faulty") {
			continue // of the test program
		}
		info, err := describe(m)
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		args := strings.Fields(strings.TrimPrefix(info.Example, "leontief "))
		if got := Main(args, Streams{strings.NewReader(""), &out, &errs}); got != statusOK || out.Len() == 0 {
			t.Errorf("%s: status %d, %s", info.Example, got, &errs)
		}
	}
}
