package store

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// childArithmetic makes the test below say how the program computes.
const childArithmetic = "LEONTIEF_TEST_ARITHMETIC"

// Programs that compute with other last digits, because their processor rounds
// otherwise, are different programs. GODEBUG takes the means to round once from
// an amd64 processor that has them.
func TestArithmeticIsToldApart(t *testing.T) {
	if os.Getenv(childArithmetic) != "" {
		sum := uint64(0)
		for i := range 100000 {
			sum = 31*sum + math.Float64bits(math.Exp(float64(i)*.00013-5))
		}
		fmt.Printf("\n=%s %x=\n", arithmetic(), sum)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	says := func(debug string) []string {
		cmd := exec.Command(self, "-test.run", "^TestArithmeticIsToldApart$")
		cmd.Env = append(os.Environ(), childArithmetic+"=1", "GODEBUG="+debug)
		text, err := cmd.Output()
		found := regexp.MustCompile(`=([0-9a-f]{12}) ([0-9a-f]+)=`).FindStringSubmatch(string(text))
		if err != nil || found == nil {
			t.Fatalf("%v: %s", err, text)
		}
		return found[1:]
	}
	one, again, other := says(""), says(""), says("cpu.fma=off")
	if one[0] != again[0] || one[1] != again[1] {
		t.Errorf("the same program twice: %s and %s", one, again)
	}
	if (one[0] == other[0]) != (one[1] == other[1]) {
		t.Errorf("with one rounding and with two: %s and %s", one, other)
	}
	if one[1] == other[1] {
		t.Log("this processor rounds in one way only")
	}
}
