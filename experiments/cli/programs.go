package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leontief-sim/leontief/policies"
	"github.com/leontief-sim/leontief/policies/program"
)

// The flags of commands that take rules that are programs.
const (
	ruleFlag      = "rule"
	ruleLimitFlag = "rule-limit"
)

// commands is the value of the flag --rule, which may be given again.
type commands struct{ all []ruleCommand }

// ruleCommand is a rule and the command that is its program.
type ruleCommand struct{ name, command string }

// Set implements [pflag.Value].
func (c *commands) Set(text string) error {
	name, command, ok := strings.Cut(text, "=")
	if name, command = strings.TrimSpace(name), strings.TrimSpace(command); !ok || name == "" || command == "" {
		return fmt.Errorf("%q is not of the form NAME=COMMAND", text)
	}
	if slices.ContainsFunc(c.all, func(r ruleCommand) bool { return r.name == name }) {
		return fmt.Errorf("%s is given twice", name)
	}
	c.all = append(c.all, ruleCommand{name, command})
	return nil
}

// String implements [pflag.Value].
func (c *commands) String() string {
	return strings.Join(each(c.all, func(r ruleCommand) string { return r.name + "=" + r.command }), " ")
}

// Type implements [pflag.Value].
func (c *commands) Type() string { return "NAME=COMMAND" }

// takesPrograms adds --rule to a command. The programs are started before it works, and
// ended when leontief ends.
func takesPrograms(cmd *cobra.Command) {
	cmd.Flags().Var(&commands{}, ruleFlag, "a rule that is a program, `NAME=COMMAND`, as 'mine=python3 mine.py'; may be given again (docs/your-rule.md)")
	cmd.Flags().Duration(ruleLimitFlag, program.Limit, "longest time for an answer of such a program")
	suggest(cmd, ruleFlag, cobra.NoFileCompletions)
}

// openPrograms starts the programs that a command line names.
func (c *command) openPrograms(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup(ruleFlag)
	if f == nil {
		return nil
	}
	limit, err := cmd.Flags().GetDuration(ruleLimitFlag)
	if err != nil {
		return internal(err)
	}
	if limit <= 0 {
		return fmt.Errorf("--%s %v: it must be positive", ruleLimitFlag, limit)
	}
	c.ruleLimit = limit
	for _, r := range f.Value.(*commands).all {
		if err := c.openProgram(r.name, r.command, ""); err != nil {
			return fmt.Errorf("--%s: %w", ruleFlag, err)
		}
	}
	return nil
}

// programNames are the names of the rules that a command line gives a command, in order.
func programNames(cmd *cobra.Command) []string {
	f := cmd.Flags().Lookup(ruleFlag)
	if f == nil {
		return nil
	}
	return each(f.Value.(*commands).all, func(r ruleCommand) string { return r.name })
}

// openProgram starts a program, which finds its files from the folder dir.
func (c *command) openProgram(name, text, dir string) error {
	if dir == "." {
		dir = ""
	}
	r, err := program.Open(name, text, program.Options{Dir: dir, Limit: c.ruleLimit, Errors: c.Err})
	if err == nil {
		c.programs = append(c.programs, r)
	}
	return err
}

// closePrograms ends all programs that were started.
func (c *command) closePrograms() {
	for _, r := range c.programs {
		r.Close()
	}
	c.programs = nil
}

// saidOnce is an error of several scenarios in which a program's failure, which all have
// that ask it afterwards, stands once.
func saidOnce(err error) error {
	var of *program.Error
	if !errors.As(err, &of) || isOne(err, new(internalError)) {
		return err
	}
	var kept []string
	more, at := 0, -1
	for line := range strings.SplitSeq(err.Error(), "\n") {
		switch same := strings.HasSuffix(line, of.Error()); {
		case same && at >= 0:
			more++
			continue
		case same:
			at = len(kept)
		}
		kept = append(kept, line)
	}
	if more == 0 {
		return err
	}
	kept[at] += fmt.Sprintf(" (%d more scenarios ended with the same)", more)
	return errors.New(strings.Join(kept, "\n"))
}

// programsOf returns what results know those rules by that are programs, by name; nil
// where none is.
func programsOf(rules []string) map[string]*policies.Program {
	var all map[string]*policies.Program
	for _, text := range rules {
		name, _, _ := policies.Parse(text)
		if m, err := policies.Lookup(name); err == nil && m.Program != nil {
			if all == nil {
				all = map[string]*policies.Program{}
			}
			all[name] = m.Program
		}
	}
	return all
}
