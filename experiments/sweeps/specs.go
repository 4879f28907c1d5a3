package sweeps

import (
	"embed"
	"strings"

	"github.com/leontief-sim/leontief/experiments"
)

//go:embed specs/*.yaml
var specs embed.FS

func init() {
	entries, err := specs.ReadDir("specs")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		text, err := specs.ReadFile("specs/" + e.Name())
		if err != nil {
			panic(err)
		}
		experiments.RegisterSpec(strings.TrimSuffix(e.Name(), ".yaml"), text)
	}
}
