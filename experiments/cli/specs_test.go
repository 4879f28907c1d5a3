package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leontief-sim/leontief/experiments/papers"
	"github.com/leontief-sim/leontief/experiments/papers/papertest"
	"github.com/leontief-sim/leontief/experiments/spec"
)

// ids are the scenarios' hashes, in order.
func ids(all []spec.Scenario) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.ID())
	}
	return out
}

// What a paper reproduces are the scenarios of its spec, in its order, at every
// scale and with instances chosen; of an item, some of them.
func TestPapersRunTheirSpecs(t *testing.T) {
	for _, p := range []struct {
		paper                    string
		scenarios                int
		quick, scaled, instances int // of all scenarios; the last one if two are chosen
	}{
		{"ps-dsf", 11, 2524, 25204, 18}, // 4 scenarios of which are deterministic
		{"mtp", 14, 140, 140, 28},
		{"magiks", 34, 340, 1660, 68},
		{"tsf", 7, 140, 550, 14},
	} {
		for _, c := range []struct {
			scale         string
			chosen, total int
		}{{"quick", 0, p.quick}, {"paper", 0, p.scaled}, {"quick", 2, p.instances}, {"paper", 2, p.instances}} {
			t.Run(fmt.Sprint(p.paper, c.scale, c.chosen), func(t *testing.T) {
				seed := uint64(7)
				spec := papertest.Shipped(t, p.paper, spec.Choice{Scale: c.scale, Seed: &seed, Instances: c.chosen})
				r := papers.Request{Scale: c.scale, Seed: seed, Instances: c.chosen}
				if d := cmp.Diff(ids(spec.Scenarios), ids(papertest.Planned(t, p.paper, r))); d != "" {
					t.Errorf("spec and plan: %s", d)
				}
				total := 0
				for _, s := range spec.Scenarios {
					total += s.Instances
				}
				if len(spec.Scenarios) != p.scenarios || total != c.total {
					t.Errorf("%d scenarios with %d instances, want %d with %d", len(spec.Scenarios), total, p.scenarios, c.total)
				}
				itemsAreOf(t, p.paper, r, ids(spec.Scenarios))
			})
		}
	}
}

// The scenarios of the TSF-ER paper, with table 4 in all readings, are those of its four
// specs.
func TestTheTSFERPaperRunsItsSpecs(t *testing.T) {
	specs := []string{"tsf-er-table3", "tsf-er-figures", "tsf-er-table4", "tsf-er-cloud"}
	for _, c := range []struct {
		scale         string
		chosen, total int
	}{
		// At one number of instances 56 readings in all columns are those of one column.
		{"quick", 0, 24*500 + 48*50 + 110*40 + 360*100 + 9}, {"paper", 0, 24*1500 + 48*200 + (110+360-56)*1000 + 18}, {"quick", 2, 2*(24+48+110+360-56) + 9},
	} {
		seed := uint64(7)
		var want []string
		total := 0
		for _, name := range specs {
			for _, s := range papertest.Shipped(t, name, spec.Choice{Scale: c.scale, Seed: &seed, Instances: c.chosen}).Scenarios {
				want = append(want, s.ID())
				total += s.Instances
			}
		}
		r := papers.Request{Scale: c.scale, Seed: seed, Instances: c.chosen, Options: map[string]string{"readings": "all"}}
		if d := cmp.Diff(want, ids(papertest.Planned(t, "tsf-er", r))); d != "" || total != c.total {
			t.Errorf("%s, %d instances: %d in all, want %d; specs and plan: %s", c.scale, c.chosen, total, c.total, d)
		}
		itemsAreOf(t, "tsf-er", r, want)
	}
}

// itemsAreOf plans each item by itself: together they need all scenarios, and
// no other.
func itemsAreOf(t *testing.T, paper string, r papers.Request, all []string) {
	t.Helper()
	needed := map[string]bool{}
	for _, p := range papers.Papers() {
		if p.Name != paper {
			continue
		}
		for _, item := range p.Items {
			r.Items = []string{item}
			for _, id := range ids(papertest.Planned(t, paper, r)) {
				needed[id] = true
				if !slices.Contains(all, id) {
					t.Errorf("item %s needs a scenario that the spec has not", item)
				}
			}
		}
	}
	if len(needed) != len(all) {
		t.Errorf("the items need %d scenarios of %d", len(needed), len(all))
	}
}

func TestShippedSpecsExpandAtEveryScale(t *testing.T) {
	names := papers.ShippedSpecs()
	want := []string{"magiks", "mtp", "ps-dsf", "tsf", "tsf-load", "tsf-raw", "tsf-er-cloud", "tsf-er-figures", "tsf-er-table3", "tsf-er-table4"}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("no spec %s", name)
		}
	}
	for _, name := range names {
		for _, scale := range []string{"quick", "paper"} {
			if s := papertest.Shipped(t, name, spec.Choice{Scale: scale}); len(s.Scenarios) == 0 || s.Title == "" {
				t.Errorf("%s at scale %s: %d scenarios, title %q", name, scale, len(s.Scenarios), s.Title)
			}
		}
	}
}

// Options take the place of the spec's values where they are meant to.
func TestOptionsOfPapersWithSpecs(t *testing.T) {
	count := func(paper, option, value, parameter, want string) (hits, all int) {
		r := papers.Request{Seed: 1, Options: map[string]string{option: value}}
		for _, s := range papertest.Planned(t, paper, r) {
			all++
			if s.Parameters[parameter].String() == want {
				hits++
			}
		}
		return hits, all
	}
	folder := pods(t, "1000")
	for _, c := range []struct {
		paper, option, value, parameter, want string
		hits, all                             int
	}{
		{"mtp", "gamma", "scale", "gamma", "rate", 1, 14},
		{"mtp", "gamma", "rate", "gamma", "rate", 13, 13}, // the other reading is the main one
		{"magiks", "alibaba", "", "workload", "pai", 11, 34},
		{"magiks", "alibaba", folder, "workload", "gpu2023", 11, 34},
		{"magiks", "alibaba", folder, "alibaba", "", 23, 34},
		{"tsf-er", "gamma", "rate", "gamma", "rate", 191, 191},
		{"tsf-er", "workload", "google", "workload", "google", 182, 191}, // all but figures 5 to 10
		{"tsf-er", "verify", "yes", "verify", "yes", 110, 191},           // what has whole tasks
	} {
		if hits, all := count(c.paper, c.option, c.value, c.parameter, c.want); hits != c.hits || all != c.all {
			t.Errorf("%s, %s=%q: %s=%s in %d scenarios of %d, want %d of %d", c.paper, c.option, c.value, c.parameter, c.want, hits, all, c.hits, c.all)
		}
	}
}

// pods writes lists of one pod and one node in the layout of Alibaba's GPU trace
// of 2023, and returns their folder.
func pods(t *testing.T, milliCPU string) string {
	t.Helper()
	dir := t.TempDir()
	writePods(t, dir, milliCPU)
	return dir
}

func writePods(t *testing.T, dir, milliCPU string) {
	t.Helper()
	for name, text := range map[string]string{
		"openb_pod_list_default.csv": "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n" +
			"p," + milliCPU + ",1024,1,1000,,LS,Succeeded,10,30,20\n",
		"openb_node_list_all_node.csv": "sn,cpu_milli,memory_mib,gpu,model\nn,64000,262144,2,P100\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Lists that change in their folder are another workload: no stored scenario of
// the old ones may stand for one of the new ones.
func TestChangedListsAreOtherScenarios(t *testing.T) {
	dir := pods(t, "1000")
	plan := func() []string {
		return ids(papertest.Planned(t, "magiks", papers.Request{Seed: 1, Items: []string{"fig4"}, Options: map[string]string{"alibaba": dir}}))
	}
	old := plan()
	if again := plan(); !slices.Equal(old, again) {
		t.Error("the same lists give other scenarios")
	}
	writePods(t, dir, "2000")
	for _, id := range plan() {
		if slices.Contains(old, id) {
			t.Errorf("scenario %s is the same with other lists", id)
		}
	}
}
