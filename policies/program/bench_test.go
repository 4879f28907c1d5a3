package program

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/solve/twin"
)

// BenchmarkNormalise is a call for N of tsf-er: in this process, of a program in Go and of
// one in Python (docs/your-rule.md).
func BenchmarkNormalise(b *testing.B) {
	commands := map[string]string{"go": command("normaliser:tsf-er")}
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		path, _ := filepath.Abs("../../docs/examples/rules/native.py")
		commands["python"] = "/usr/bin/python3 " + path + " tsf-er"
	}
	for _, users := range []int{20, 1000} {
		env := twin.Random(rand.New(rand.NewPCG(1, 2)), twin.Options{Users: users, Servers: 3, Resources: 2, Links: 1})
		for _, in := range []string{"process", "go", "python"} {
			b.Run(fmt.Sprintf("%d/%s", users, in), func(b *testing.B) {
				rule := "tsf-er"
				if in != "process" {
					if commands[in] == "" {
						b.Skip("there is no /usr/bin/python3")
					}
					r, err := Open("mine", commands[in], Options{})
					if err != nil {
						b.Fatal(err)
					}
					defer r.Close()
					rule = "mine"
				}
				p, err := policies.New(rule)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := p.(policies.Normalizer).Normalize(env); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
