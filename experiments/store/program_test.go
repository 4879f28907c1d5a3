package store

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
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

// A program is known by the code in packages.txt alone only where its build says that it
// is leontief as it was committed or published; every other one by its executable.
func TestWhichProgramsAreKnownByTheirExecutable(t *testing.T) {
	committed := []debug.BuildSetting{{Key: "vcs.revision", Value: "c"}, {Key: "vcs.modified", Value: "false"}}
	modified := []debug.BuildSetting{{Key: "vcs.revision", Value: "c"}, {Key: "vcs.modified", Value: "true"}}
	local := []*debug.Module{{Path: "m", Version: "v1", Replace: &debug.Module{Path: "../m"}}}
	for name, c := range map[string]struct {
		info  debug.BuildInfo
		exact bool
	}{
		"committed":                 {debug.BuildInfo{Main: debug.Module{Path: module}, Settings: committed}, true},
		"published":                 {debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1", Sum: "h1:"}}, true},
		"modified":                  {debug.BuildInfo{Main: debug.Module{Path: module}, Settings: modified}, false},
		"not said":                  {debug.BuildInfo{Main: debug.Module{Path: module}}, false},
		"with a module of a folder": {debug.BuildInfo{Main: debug.Module{Path: module}, Settings: committed, Deps: local}, false},
		"in another module":         {debug.BuildInfo{Main: debug.Module{Path: "own.example/rule"}, Settings: committed}, false},
	} {
		if got := buildOf(&c.info).exact; got != c.exact {
			t.Errorf("%s: exact %v, want %v", name, got, c.exact)
		}
	}
	if module != "github.com/leontief-sim/leontief" {
		t.Errorf("the module is %s", module)
	}
	id, err := programOf(Build{exact: true})
	other, otherErr := programOf(Build{})
	if err != nil || otherErr != nil || id.Executable != "" || len(other.Executable) != 64 || id.short() == other.short() {
		t.Errorf("%+v, %v; %+v, %v", id, err, other, otherErr)
	}
}
