package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/experiments/run"
	"github.com/leontief-sim/leontief/experiments/sweeps"
	"github.com/leontief-sim/leontief/plots/text"
	"github.com/leontief-sim/leontief/sim/cluster"
	"github.com/leontief-sim/leontief/traces/machines"
	"github.com/leontief-sim/leontief/traces/output"
)

type clusterFlags struct {
	trace, memory, format, out string
	attributes                 []string
}

func (c *command) cluster() *cobra.Command {
	f := clusterFlags{}
	cmd := &cobra.Command{
		Use:   "cluster FILE",
		Short: "Show what is understood of a cluster, and write it as an environment file",
		Long: `Show what is understood of a cluster, and write it as an environment file, which
simulate --cluster, sweeps and Python read. FILE is what simulate --cluster takes
as well; what it is its content says, not its name, and - is standard input:

  machines.parquet                  of traces import --machines
  kubectl get nodes -o json         what is allocatable; memory in GiB
  scontrol show nodes --json        of Slurm 23.02 or later; sinfo --json of Slurm
                                    21.08 and 22.05; or scontrol show nodes
  an environment file               without users

Equal machines become one class, named after what one has: c96-m384-g8 has 96 of
cpu, 384 of memory and 8 of gpu. Nodes that take no work are left out and counted
by reason, and so is what no job of a trace requests. Taints keep off the jobs
that do not tolerate them.

With --trace classes are those that the jobs' placement constraints tell apart,
memory is in the jobs' unit where that is GB or GiB, and it is shown how many of the
jobs may run on each class.`,
		Example: `  kubectl get nodes -o json | leontief cluster -
  leontief cluster machines.parquet --out cluster.json
  leontief cluster nodes.json --trace jobs.parquet --out cluster.json
  leontief cluster nodes.json --attributes zone,ssd --memory GB --format json`,
		Args: takes(argument{name: "FILE", what: "machines.parquet, or what kubectl get nodes -o json or scontrol show nodes --json prints"}),
		RunE: func(_ *cobra.Command, args []string) error { return c.runCluster(args[0], f) },
	}
	cmd.Flags().StringVar(&f.trace, "trace", "", "Parquet `FILE` of the jobs that are to run there, from traces import or generate")
	listVar(cmd.Flags(), &f.attributes, "attributes", "attributes of machines (labels, features) by which classes differ as well, separated by commas")
	cmd.Flags().StringVar(&f.memory, "memory", "", "unit of memory of Kubernetes and Slurm: "+joinOr(machines.MemoryUnits())+" (default that of the jobs of --trace, or "+machines.MemoryUnits()[0]+")")
	choose(cmd, &f.format, "format", "how to print", "text", "json")
	outputFile(cmd, &f.out, "out", "environment `FILE` to write", "json")
	suggest(cmd, "trace", files("parquet"))
	suggest(cmd, "memory", fixed(machines.MemoryUnits()...))
	suggest(cmd, "attributes", cobra.NoFileCompletions)
	cmd.ValidArgsFunction = oneArgument(files("json", "parquet"))
	return cmd
}

// understood is what a file says of a cluster, and what the jobs of a trace make of it.
type understood struct {
	path string
	*machines.Inventory
	*machines.Classes
	jobs *run.Population // as they run there; nil for none
	mays []int           // jobs that may run on each class
}

func (c *command) runCluster(path string, f clusterFlags) error {
	if f.memory != "" {
		if err := among("--memory", "unit", []string{f.memory}, machines.MemoryUnits()); err != nil {
			return err
		}
	}
	u, err := c.understand(path, f)
	if err != nil {
		return err
	}
	var env bytes.Buffer
	if err := cluster.WriteEnvironment(&env, u.Classes.Environment); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if f.out != "" {
		if err := output.WriteFile(f.out, env.Bytes()); err != nil {
			return writing(err)
		}
	}
	if f.format == "json" {
		return c.printJSON(u.json(env.Bytes()))
	}
	return c.say("%s", u.text())
}

// understand reads the cluster and the jobs.
func (c *command) understand(path string, f clusterFlags) (*understood, error) {
	inv, err := c.readMachines(path)
	if err != nil {
		return nil, err
	}
	u := &understood{path: path, Inventory: inv}
	var view machines.View
	if f.trace != "" {
		if u.jobs, err = run.TraceWorkload(f.trace); err != nil {
			return nil, err
		}
		view = sweeps.View(u.jobs)
	}
	view.Attributes = f.attributes
	if f.memory != "" {
		view.Memory = f.memory
	}
	if u.Classes, err = inv.Classes(view); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if u.jobs != nil {
		if u.jobs, err = u.jobs.On(u.Classes.Environment, path, lacking(u.Classes.Resources)); err != nil {
			return nil, err
		}
		u.mays = run.MayRun(u.Classes.Environment, u.jobs.Jobs)
	}
	return u, nil
}

// lacking are the resources that jobs may request and are not among those given.
func lacking(resources []string) []string {
	return slices.DeleteFunc(slices.Clone(run.Requests), func(name string) bool { return slices.Contains(resources, name) })
}

// mostClasses is the number of classes that are shown.
const mostClasses = 40

// text is what is shown to a person.
func (u *understood) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n", u.path, u.Source)
	if u.Inventory.Environment == nil {
		fmt.Fprint(&b, &u.Report)
	}
	fmt.Fprintln(&b)
	env := u.Classes.Environment
	header := []string{"class", "machines"}
	for _, name := range env.Resources {
		header = append(header, u.unit(name))
	}
	table := text.Numbers(header[0], header[1:]...)
	if u.mays != nil {
		table.Header, table.Align = append(table.Header, "jobs"), append(table.Align, text.Right)
	}
	table.Header = append(table.Header, "taints, attributes")
	for s := range env.Servers[:min(mostClasses, len(env.Servers))] {
		table.Rows = append(table.Rows, u.row(s))
	}
	if err := table.WriteText(&b); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	if more := len(env.Servers) - mostClasses; more > 0 {
		fmt.Fprintf(&b, "… and %d more classes; --format json and --out have all\n", more)
	}
	u.totals(&b)
	if u.jobs != nil {
		fmt.Fprintf(&b, "\n%d jobs\n", len(u.jobs.Jobs))
		for _, note := range u.jobs.Notes {
			fmt.Fprintln(&b, note)
		}
	}
	return b.Bytes()
}

// unit is a resource with its unit in brackets.
func (u *understood) unit(resource string) string {
	if unit := u.Classes.Units[resource]; unit != "" {
		return resource + " (" + unit + ")"
	}
	return resource
}

// row is a class in the table.
func (u *understood) row(s int) []string {
	server := &u.Classes.Servers[s]
	row := []string{server.Name, strconv.Itoa(server.Count)}
	for _, capacity := range server.Capacity {
		row = append(row, figure(capacity))
	}
	if u.mays != nil {
		row = append(row, strconv.Itoa(u.mays[s]))
	}
	var more []string
	for _, t := range server.Taints {
		more = append(more, t.String())
	}
	for _, name := range sortedKeys(server.Attributes) {
		more = append(more, name+"="+server.Attributes[name])
	}
	return append(row, strings.Join(more, ", "))
}

// figure writes an amount to seven digits.
func figure(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }

// totals writes what all machines have together, and which class has most of it.
func (u *understood) totals(b *bytes.Buffer) {
	env := u.Classes.Environment
	fmt.Fprintf(b, "\nclasses: %d\n\n", len(env.Servers))
	table := text.Table{Header: []string{"", "total", "most of it in", "", "share"}, Align: []text.Align{text.Left, text.Right, text.Left, text.Right, text.Right}}
	for _, d := range u.dominant() {
		table.Rows = append(table.Rows, []string{u.unit(d.Resource), figure(d.Total), d.Class, figure(d.Amount), fmt.Sprintf("%.1f%%", 100*d.Amount/d.Total)})
	}
	if err := table.WriteText(b); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
}

func machineCount(env *cluster.Environment) (n int) {
	for _, s := range env.Servers {
		n += s.Count
	}
	return n
}

// dominantKind is the class of machines that has most of something.
type dominantKind struct {
	Resource string  `json:"resource"` // or machines
	Total    float64 `json:"total"`
	Class    string  `json:"class"`
	Amount   float64 `json:"amount"` // that the class has
}

// dominant are the classes with most machines and most of each resource, the first of
// several that have as much.
func (u *understood) dominant() (kinds []dominantKind) {
	env := u.Classes.Environment
	add := func(of string, amount func(s int) float64) {
		d := dominantKind{Resource: of}
		for s := range env.Servers {
			v := amount(s)
			if d.Total += v; v > d.Amount {
				d.Class, d.Amount = env.Servers[s].Name, v
			}
		}
		if d.Total > 0 {
			kinds = append(kinds, d)
		}
	}
	add("machines", func(s int) float64 { return float64(env.Servers[s].Count) })
	for r, name := range env.Resources {
		add(name, func(s int) float64 { return env.Capacity(s, r) })
	}
	return kinds
}

// classInfo is a class in JSON.
type classInfo struct {
	Name     string   `json:"name"`
	Count    int      `json:"count"`
	Machines []string `json:"machines,omitempty"`
	Jobs     *int     `json:"jobs_that_may_run,omitempty"`
}

// json is the same for a program.
func (u *understood) json(env []byte) any {
	var classes []classInfo
	for s, server := range u.Classes.Servers {
		info := classInfo{Name: server.Name, Count: server.Count}
		if u.Classes.Machines != nil {
			info.Machines = u.Classes.Machines[s]
		}
		if u.mays != nil {
			info.Jobs = &u.mays[s]
		}
		classes = append(classes, info)
	}
	notes := []string{}
	if u.jobs != nil {
		notes = append(notes, u.jobs.Notes...)
	}
	return struct {
		Source      string          `json:"source"`
		Machines    int             `json:"machines"`
		Classes     []classInfo     `json:"classes"`
		Dominant    []dominantKind  `json:"dominant"`
		Report      any             `json:"report"`
		Notes       []string        `json:"notes"`
		Environment json.RawMessage `json:"environment"`
	}{u.Source, machineCount(u.Classes.Environment), classes, u.dominant(), &u.Report, notes, env}
}
