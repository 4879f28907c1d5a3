package report

import "encoding/json"

// SectionsFile is the file of a folder whose findings are said in words: a list of
// sections, as JSON. The page shows them before the tables of the folder.
const SectionsFile = "findings.json"

// Section is a finding: what is said of it, and a table.
type Section struct {
	Title string     `json:"title"`
	Lead  []string   `json:"lead"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
	Notes []string   `json:"notes"`
	ID    string     `json:"-"` // on the page
}

// sectionsOf reads sections.
func sectionsOf(data []byte) (all []Section, err error) {
	return all, json.Unmarshal(data, &all)
}
