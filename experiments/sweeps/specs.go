package sweeps

import (
	"embed"
	"path"
	"slices"
	"strings"
)

//go:embed specs/*.yaml
var specs embed.FS

// Specs returns the names of the specs that are shipped, in order.
func Specs() []string {
	entries, err := specs.ReadDir("specs")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	slices.Sort(names)
	return names
}

// Spec returns the text of a spec that is shipped.
func Spec(name string) ([]byte, bool) {
	data, err := specs.ReadFile("specs/" + name + ".yaml")
	return data, err == nil
}
