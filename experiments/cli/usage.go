package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leontief-sim/leontief/sim/spelling"
)

// argument is one that a command takes, in the order of the command line.
type argument struct {
	name     string // as in the usage line
	what     string // what it is, for the message that it is missing
	many     bool   // the last one: there may be more of it
	optional bool
}

// takes checks the arguments of a command and that its required flags are given:
// everything that is missing is named at once.
func takes(wanted ...argument) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var missing []error
		for i, w := range wanted {
			if i >= len(args) && !w.optional {
				missing = append(missing, fmt.Errorf("%s is missing: %s", w.name, w.what))
			}
		}
		if n := len(wanted); len(args) > n && (n == 0 || !wanted[n-1].many) {
			return tooMany(cmd, args[n:], wanted)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if len(f.Annotations[cobra.BashCompOneRequiredFlag]) > 0 && !f.Changed {
				_, usage := pflag.UnquoteUsage(f)
				missing = append(missing, fmt.Errorf("--%s is missing: %s", f.Name, strings.TrimSuffix(usage, " (required)")))
			}
		})
		if missing == nil {
			return nil
		}
		missing[0] = fmt.Errorf("%s%w", of(cmd), missing[0])
		return errors.Join(append(missing, errors.New("for example: "+example(cmd)))...)
	}
}

func tooMany(cmd *cobra.Command, more []string, wanted []argument) error {
	takes := "no arguments, only flags"
	if len(wanted) > 0 {
		takes = "only " + strings.Join(each(wanted, func(w argument) string { return w.name }), " ")
	}
	return fmt.Errorf("%s%q is one argument too many: it takes %s\nfor example: %s", of(cmd), more[0], takes, example(cmd))
}

// of is the beginning of a message about a command: its name without that of the
// program, and a colon.
func of(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + ": "
}

func example(cmd *cobra.Command) string {
	line, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	return cmp.Or(line, cmd.UseLine())
}

// flagError says what is wrong with a flag, and what is expected of it.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var without *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &without):
		name, usage := pflag.UnquoteUsage(without.GetFlag())
		if name == "" || name == "string" || name == "choice" {
			name = "value"
		}
		return fmt.Errorf("--%s: its %s is missing: %s", without.GetFlag().Name, name, usage)
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		if wanted := expected(flag, invalid.GetValue()); wanted != "" {
			return fmt.Errorf("--%s: %q is %s", flag.Name, invalid.GetValue(), wanted)
		}
		return fmt.Errorf("--%s: %w", flag.Name, invalid.Unwrap())
	}
	return err
}

func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	typed := "--" + name
	if short := err.GetSpecifiedShortnames(); short != "" {
		name, typed = strings.TrimLeft(short, "-"), "-"+short
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	if !cmd.HasParent() {
		return fmt.Errorf("unknown flag %s: a command comes first, as in leontief allocate --help (known without one: %s)", typed, spelling.List(known))
	}
	if first := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, "--"+name) }); len(name) == 1 && len(first) > 0 {
		return fmt.Errorf("%sunknown flag %s: did you mean %s? (known: %s)", of(cmd), typed, strings.Join(first, " or "), spelling.List(known))
	}
	return fmt.Errorf("%sunknown flag %s%s", of(cmd), typed, spelling.Hint(name, known))
}

// expected says why a value is none of a flag's type, and gives an example; "" for
// types that say it themselves.
func expected(f *pflag.Flag, value string) string {
	switch f.Value.Type() {
	case "int", "int64":
		if _, err := strconv.ParseInt(value, 10, 64); errors.Is(err, strconv.ErrRange) {
			return "too large a number"
		}
		return "not a whole number, such as " + sample(f, "20")
	case "uint", "uint64":
		if _, err := strconv.ParseUint(value, 10, 64); errors.Is(err, strconv.ErrRange) {
			return "too large a number"
		}
		return "not a whole number of 0 or more, such as " + sample(f, "1")
	case "float64":
		return "not a number, such as " + sample(f, "0.5")
	case "duration":
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			return fmt.Sprintf("a time without its unit: %ss, %[1]sm and %[1]sh are %[1]s seconds, minutes and hours", value)
		}
		return "not a time with its unit, such as 90s, 10m or 1h30m"
	case "bool":
		return "neither true nor false"
	}
	return ""
}

// sample is a value that a flag takes: its default where that is one.
func sample(f *pflag.Flag, otherwise string) string {
	if f.DefValue == "0" || f.DefValue == "" {
		return otherwise
	}
	return f.DefValue
}

// checkTime refuses a time that is negative or not one of the clock, which counts
// whole microseconds.
func checkTime(flag string, d time.Duration) error {
	switch {
	case d < 0:
		return fmt.Errorf("--%s %v: must not be negative", flag, d)
	case d%time.Microsecond != 0:
		return fmt.Errorf("--%s %v: a whole number of microseconds is needed", flag, d)
	}
	return nil
}
