package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/policies"
)

// ruleInfo is what is said of one rule.
type ruleInfo struct {
	policyInfo
	Family     policies.Family      `json:"family"`
	Definition string               `json:"definition"`
	Claimed    []claimInfo          `json:"claimed"`
	Refuses    string               `json:"refuses"`
	Parameters []policies.Parameter `json:"parameters"`
	TaskModels map[string]string    `json:"task_models"`
	Example    string               `json:"example"`
}

// claimInfo is one claim of the papers about a rule.
type claimInfo struct {
	Property policies.Property `json:"property"`
	Title    string            `json:"title"`
	Holds    bool              `json:"holds"`
	// Outside are the features of environments for which it is not claimed.
	Outside []string `json:"not_claimed_with,omitempty"`
}

// describe says all of one rule.
func describe(m policies.Meta) (*ruleInfo, error) {
	info := &ruleInfo{policyInfo: infoOf(m), Family: m.Family, Definition: m.Definition, Claimed: []claimInfo{}, Refuses: m.Refuses, Parameters: m.Parameters,
		Example: "leontief allocate docs/examples/servers.json --policy " + m.Name}
	for _, c := range m.Claims {
		info.Claimed = append(info.Claimed, claimInfo{c.Property, c.Property.Title(), c.Holds, m.NotClaimedWith(c.Property)})
	}
	if info.Parameters == nil {
		info.Parameters = []policies.Parameter{}
	}
	rule, err := policies.New(m.Name)
	if err != nil {
		return nil, internal(err)
	}
	info.TaskModels = taskModels(rule)
	return info, nil
}

// taskModels says how a rule works in each task model.
func taskModels(rule policies.Policy) map[string]string {
	whole := "its fluid allocation is rounded at each slot, and the rest filled at random"
	if _, ordered := rule.(policies.Normalizer); ordered {
		whole = "whoever has the smallest share is served next"
		if splitter, ok := rule.(policies.LinkSplitter); ok && splitter.SplitsLinks() {
			whole += "; not where there are links"
		}
	}
	return map[string]string{modelFluid: "the cluster is divided anew at each arrival and completion", modelWhole: whole}
}

// showPolicy prints what is said of one rule.
func (c *command) showPolicy(text, format string) error {
	name, _, err := policies.Parse(text)
	if err != nil {
		return err
	}
	meta, err := policies.Lookup(name)
	if err != nil {
		return err
	}
	if _, err := policies.New(text); err != nil {
		return err
	}
	info, err := describe(meta)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return c.printJSON(info)
	case "markdown":
		return errors.New("--format markdown: of one rule there is text or json")
	}
	var b bytes.Buffer
	info.text(&b)
	return c.say("%s", &b)
}

// text writes what is said of a rule for a person.
func (r *ruleInfo) text(b *bytes.Buffer) {
	say := func(what, words string) {
		lines := text.Wrap(words, lineWidth-len("definition  "))
		fmt.Fprintf(b, "%-10s  %s\n", what, strings.Join(lines, "\n            "))
	}
	fmt.Fprintf(b, "%s: %s\n\n", r.Name, r.Title)
	say("paper", r.Paper)
	say("family", strings.Join([]string{string(r.Family), r.Family.Title()}, ": "))
	say("definition", r.Definition)
	say("fluid", r.TaskModels[modelFluid])
	say("whole", r.TaskModels[modelWhole])
	say("refuses", orNone(r.Refuses))
	for i, p := range r.Parameters {
		what := "parameters"
		if i > 0 {
			what = ""
		}
		values := ""
		if p.Values != nil {
			values = ": " + joinOr(p.Values)
		}
		say(what, fmt.Sprintf("%s%s (default %s). %s", p.Name, values, p.Default, p.Doc))
	}
	for i, claim := range r.Claimed {
		what := "claims"
		if i > 0 {
			what = ""
		}
		say(what, claim.text())
	}
	if len(r.Claimed) == 0 {
		say("claims", "none of a paper")
	}
	say("example", r.Example)
}

// text writes a claim with what it assumes away.
func (c claimInfo) text() string {
	text := fmt.Sprintf("%s, %s", c.Property, c.Title)
	if !c.Holds {
		text = "not " + text
	}
	if len(c.Outside) > 0 {
		text += " (not claimed with " + strings.Join(c.Outside, ", ") + ")"
	}
	return text
}
