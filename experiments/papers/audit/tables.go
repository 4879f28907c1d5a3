package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/leontief-sim/leontief/experiments/ledger"
	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/audit"
	"github.com/leontief-sim/leontief/sim/cluster"
)

// Cell is one tick or cross of a paper.
type Cell struct {
	Paper, Item string
	Rule        string
	Property    policies.Property
	Holds       bool
	Shape       audit.Shape
	// Allow and Deny fit the environments to the paper's model, see
	// [audit.Rule].
	Allow, Deny cluster.Feature
	// Note is what is known where we disagree, one sentence.
	Note string
	// Refuted is the argument, from the paper's own definitions, that a cross
	// cannot stand. Where the search finds nothing either, the cell is refuted.
	Refuted string
	// Remark is what has to be known of the cell whatever its verdict.
	Remark string
	// Reading marks a cell that counts for nothing: what became of the claim with an
	// assumption that the paper does not make.
	Reading string
}

// The features that the papers' models do not have.
const (
	// One link, or several that all servers or disjoint groups share; weights,
	// task caps; positive capacities; no constraints.
	notTSFER = cluster.Eligibility | cluster.DemandOn | cluster.VaryingLinks | cluster.LinkOnly | cluster.ZeroCapacities
	// Placement constraints and weights; no links.
	notPSDSF = cluster.Links | cluster.DemandOn | cluster.LinkOnly | cluster.Caps
	notTSF   = notPSDSF | cluster.ZeroCapacities
)

// Cells are the cells of all tables, in the papers' order. Rules that are not
// registered are left out.
func Cells() []Cell {
	all := slices.Concat(tsferCells(), psdsfCells(), tsfCells(), magiksCells(), mtpCells())
	return slices.DeleteFunc(all, func(c Cell) bool { return !slices.Contains(policies.Names(), c.Rule) })
}

// row is a row of a table: a rule with the properties that it has and those
// that it lacks.
func row(cell Cell, rule string, has, lacks []policies.Property) []Cell {
	var cells []Cell
	for _, p := range policies.Properties {
		if slices.Contains(has, p) || slices.Contains(lacks, p) {
			c := cell
			c.Rule, c.Property, c.Holds = rule, p, slices.Contains(has, p)
			cells = append(cells, c)
		}
	}
	return cells
}

type list = []policies.Property

func tsferCells() []Cell {
	cell := Cell{Paper: "tsf-er", Item: "table2", Deny: notTSFER}
	cells := row(cell, "cru", list{policies.EF, policies.PO, policies.SI}, list{policies.SP})
	cells = append(cells, row(cell, "mnw", list{policies.EF, policies.PO, policies.SI}, list{policies.SP})...)
	for _, family := range []string{"drf", "tsf"} {
		for _, alpha := range []string{"cpu", "mem", "eq"} {
			cells = append(cells, row(cell, family+"-"+alpha, list{policies.EF, policies.SP}, list{policies.PO, policies.SI})...)
		}
	}
	cells = append(cells, row(cell, "drf-er", list{policies.EF, policies.PO, policies.SP}, list{policies.SI})...)
	return append(cells, row(cell, "tsf-er", list{policies.EF, policies.PO, policies.SP, policies.SI}, nil)...)
}

func psdsfCells() []Cell {
	cell := Cell{Paper: "ps-dsf", Item: "table1", Deny: notPSDSF, Allow: cluster.Eligibility | cluster.ZeroCapacities}
	cells := row(cell, "drfh", list{policies.SP, policies.EF, policies.PO}, list{policies.SI, policies.BF})
	for i := range cells {
		if cells[i].Property == policies.PO {
			cells[i].Deny |= cluster.ZeroCapacities // a user that needs what nobody has has no dominant share
		}
	}
	tsf := row(cell, "tsf", list{policies.SI, policies.SP, policies.EF, policies.PO}, list{policies.BF})
	for i := range tsf {
		if tsf[i].Property == policies.SI {
			tsf[i].Note = "TSF guarantees what a user runs in a pool of its own if the weights are k/h (its Theorem 1), not the uniform allocation with the weights as they are: h counts servers that cannot run the user, and the uniform allocation does not"
		}
	}
	return slices.Concat(cells, tsf, row(cell, "ps-dsf", list{policies.SI, policies.SP, policies.EF, policies.PO, policies.BF, policies.SRF}, nil))
}

func tsfCells() []Cell {
	cell := Cell{Paper: "tsf", Item: "table1", Deny: notTSF}
	per := row(cell, "per-machine-drf", list{policies.SP, policies.EF, policies.SMF}, list{policies.SID, policies.PO, policies.SRF})
	drfh := row(cell, "drfh", list{policies.SP, policies.EF, policies.PO, policies.SMF}, list{policies.SID, policies.SRF})
	for i := range drfh {
		if drfh[i].Property == policies.SRF {
			drfh[i].Refuted = "DRFH maximises the smallest dominant share (section IV-B2), and with one resource the dominant share of a user is its share of that resource, d·x over the total of all machines: " +
				"the total is the same for all users, so that this is max-min fairness of the amounts held, CMMF, which is all that definition 6 asks for; the table has no tick and neither text nor appendix B an argument"
		}
	}
	cdrf := row(cell, "cdrf", list{policies.SID, policies.PO, policies.SMF}, list{policies.SP, policies.EF, policies.SRF})
	tsf := row(cell, "tsf", list{policies.SID, policies.SP, policies.EF, policies.PO, policies.SMF, policies.SRF}, nil)
	return slices.Concat(per, drfh, cdrf, tsf, theorem3Cells())
}

// theorem3Cells are TSF's Theorem 3, and what is left of it where nobody's pool contains a
// machine that its owner cannot use. The paper does not exclude these: "the dedicated
// resource pool given to users can be arbitrary" (section III-A).
func theorem3Cells() []Cell {
	cell := Cell{Paper: "tsf", Item: "theorem3", Deny: notTSF, Note: "(24) in the proof of Theorem 3 bounds by ki, which obeys the user's constraints, tasks on machines of its pool on which it cannot run; theorem3/gain of reproduce tsf quotes the step"}
	claimed := row(cell, "tsf", list{policies.SPD}, nil)
	cell.Reading = "usable-pools"
	return append(claimed, row(cell, "tsf", list{policies.SPU}, nil)...)
}

func magiksCells() []Cell {
	cell := Cell{Paper: "magiks", Item: "properties"}
	var cells []Cell
	for _, rule := range []string{"magiks-rim", "magiks-bim"} {
		cells = append(cells, row(cell, rule, list{policies.LEF, policies.LSI, policies.LPO, policies.TwoE, policies.MMS}, list{policies.SP})...)
	}
	return cells
}

// mtpCells are theorems 1 and 2, that no rule with PO and EF, or PO and SI, is
// strategy-proof with several access points, for the rules that have them, and
// theorems 3 to 5 on MTP itself.
func mtpCells() []Cell {
	cell := Cell{Paper: "mtp", Shape: audit.AccessPoints, Allow: cluster.DemandOn | cluster.VaryingLinks}
	var cells []Cell
	for i, other := range (list{policies.EF, policies.SI}) {
		cell.Item = fmt.Sprintf("theorem%d", i+1)
		for _, meta := range policies.All() {
			if has(meta, policies.PO) && has(meta, other) {
				c := cell
				if meta.Name == "ps-dsf" {
					c.Remark = "PS-DSF is here because its paper claims Pareto optimality, which is refuted (table1/ps-dsf/ps-dsf/PO)"
				}
				cells = append(cells, row(c, meta.Name, nil, list{policies.SP})...)
			}
		}
	}
	for i, p := range (list{policies.PO, policies.EF, policies.SI}) {
		cell.Item = fmt.Sprintf("theorem%d", i+3)
		cells = append(cells, row(cell, "mtp", list{p}, nil)...)
	}
	return cells
}

// has reports whether a rule is claimed to have a property where demands differ
// between access points.
func has(meta policies.Meta, p policies.Property) bool {
	return meta.Outside[p]&cluster.DemandOn == 0 && slices.Contains(meta.Claims, policies.Claim{Property: p, Holds: true})
}

// question returns what is asked for a cell.
func (c Cell) question() (Question, error) {
	rule, err := audit.Named(c.Rule)
	rule.Allow, rule.Deny = c.Allow, c.Deny
	return Question{rule, c.Property, c.Shape}, err
}

// Ask asks for the cell.
func (c *Cell) Ask(ctx context.Context, o Options) (*Answer, error) {
	q, err := c.question()
	if err != nil {
		return nil, err
	}
	a, err := Ask(ctx, q, o)
	if err == nil {
		a.Cell = c
	}
	return a, err
}

// Tables asks for every cell of some papers (none: all), and returns the
// answers with their ledger entries.
func Tables(ctx context.Context, papers []string, o Options, progress func(done, total int)) ([]*Answer, []ledger.Entry, error) {
	cells := Cells()
	if len(papers) > 0 {
		cells = slices.DeleteFunc(cells, func(c Cell) bool { return !slices.Contains(papers, c.Paper) })
	}
	var answers []*Answer
	var entries []ledger.Entry
	for i := range cells {
		c := &cells[i]
		a, err := c.Ask(ctx, o)
		if err != nil {
			return nil, nil, fmt.Errorf("%s, %s: %w", c.Rule, c.Property, err)
		}
		answers, entries = append(answers, a), append(entries, c.Entry(a))
		if progress != nil {
			progress(i+1, len(cells))
		}
	}
	return answers, entries, nil
}

// largest is the size of a violation that is written where somebody has
// nothing at all.
const largest = 1e9

// ID is that of the cell's entry in the ledger.
func (c Cell) ID() string {
	id := fmt.Sprintf("%s/%s/%s/%s", c.Item, c.Paper, c.Rule, c.Property)
	if c.Reading != "" {
		id += "#" + c.Reading
	}
	return id
}

// Entry judges a cell by its answer. A tick stands if nothing is found; a cross
// if the violation is larger than [audit.Margin].
func (c Cell) Entry(a *Answer) ledger.Entry {
	e := ledger.Entry{Paper: c.Paper, Item: c.Item, ID: c.ID()}
	found, evidence := ledger.Observed(0, max(1, a.Tally.Environments)), ""
	if a.Found != nil {
		evidence = a.Sentence() + " (" + a.File() + ", " + a.verified() + ")"
	}
	if c.Holds {
		e.Claim = fmt.Sprintf("%s of %s: environments without it", c.Property.Title(), c.Rule)
		if a.Found != nil {
			found.Value = 1
		}
		e = e.Words(found, ledger.AtMost(0))
		if a.Found != nil {
			e.Verdict, e.Notes = ledger.Refuted, []string{evidence}
		}
	} else {
		e.Claim = fmt.Sprintf("no %s of %s: size of a violation", c.Property.Title(), c.Rule)
		if a.Found != nil {
			found.Value = min(a.Found.Outcome.Size, largest)
		}
		e = e.Words(found, ledger.AtLeast(audit.Margin))
		if a.Found == nil {
			e.Notes = []string{fmt.Sprintf("none found in %d environments", a.Tally.Environments)}
		}
		if a.Found == nil && c.Refuted != "" {
			evidence = fmt.Sprintf("%s; no violation in %d environments", c.Refuted, a.Tally.Environments)
			e.Verdict, e.Notes = ledger.Refuted, []string{evidence}
		}
	}
	if evidence != "" {
		e.Why = evidence
	}
	if e.Verdict != ledger.Reproduced && c.Note != "" {
		e.Why += "; " + c.Note
		e.Notes = append(e.Notes, c.Note)
	}
	return e.Remark(c.Remark)
}
