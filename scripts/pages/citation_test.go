package pages

import (
	"os"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v4"
)

// CITATION.cff has what version 1.2.0 of the format requires, and names the newest
// release of the changelog.
func TestCitation(t *testing.T) {
	text, err := os.ReadFile(root + "/CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Format   string `yaml:"cff-version"`
		Message  string
		Title    string
		Authors  []struct{ Name string }
		Version  string
		Released string `yaml:"date-released"`
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.Format != "1.2.0" || c.Message == "" || c.Title == "" || len(c.Authors) == 0 || c.Authors[0].Name == "" {
		t.Errorf("something required is missing: %+v", c)
	}
	changes, err := os.ReadFile(root + "/CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d\S*) \((\S+)\)$`).FindStringSubmatch(string(changes))
	if newest == nil || newest[1] != c.Version || newest[2] != c.Released {
		t.Errorf("the changelog's newest release is %q, and CITATION.cff has %s of %s", newest, c.Version, c.Released)
	}
}
