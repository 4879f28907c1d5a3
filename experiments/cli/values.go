package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leontief-sim/leontief/experiments/spec"
	"github.com/leontief-sim/leontief/sim/spelling"
)

// choice is the value of a flag that is one of a few texts.
type choice struct {
	to    *string
	known []string
}

// Set implements [pflag.Value].
func (c choice) Set(text string) error {
	if err := spelling.Check("", text, c.known); err != nil {
		return err
	}
	*c.to = text
	return nil
}

// String implements [pflag.Value].
func (c choice) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}

// Type implements [pflag.Value].
func (c choice) Type() string { return "choice" }

// choose adds a flag whose value is one of known, the first of them the default.
// usage is followed by the list of the values.
func choose(cmd *cobra.Command, to *string, flag, usage string, known ...string) {
	*to = known[0]
	cmd.Flags().Var(choice{to, known}, flag, usage+": "+joinOr(known))
	suggest(cmd, flag, fixed(known...))
}

// chooseParameter adds the flag of a parameter that is one of a few texts.
func chooseParameter(cmd *cobra.Command, p spec.Parameter) *string {
	to := p.Default
	usage := strings.ToLower(p.Doc[:1]) + strings.TrimSuffix(p.Doc[1:], ".")
	cmd.Flags().Var(choice{&to, p.Values()}, p.Name, usage)
	suggest(cmd, p.Name, fixed(p.Values()...))
	return &to
}

// list is the value of a flag with several names, separated by commas; blanks
// around them do not count, and the flag may be given again. Commas in brackets
// separate parameters of one name, as in rule[a=1,b=2]; a name in double quotes is
// taken as it is.
type list struct {
	to    *[]string
	given bool
}

// Set implements [pflag.Value].
func (l *list) Set(text string) error {
	names, err := splitList(text)
	if err != nil {
		return err
	}
	if !l.given {
		*l.to, l.given = nil, true // instead of the default
	}
	*l.to = append(*l.to, names...)
	return nil
}

// String implements [pflag.Value].
func (l *list) String() string {
	if l.to == nil {
		return ""
	}
	return strings.Join(*l.to, ",")
}

// Type implements [pflag.Value].
func (l *list) Type() string { return "list" }

// Append implements [pflag.SliceValue].
func (l *list) Append(text string) error { *l.to = append(*l.to, text); return nil }

// Replace implements [pflag.SliceValue].
func (l *list) Replace(names []string) error { *l.to = names; return nil }

// GetSlice implements [pflag.SliceValue].
func (l *list) GetSlice() []string { return *l.to }

// listVar adds a flag with several names, whose default is what to holds.
func listVar(flags *pflag.FlagSet, to *[]string, flag, usage string) {
	flags.Var(&list{to: to}, flag, usage)
}

// alsoCalled lets a flag be given by another name, which no help shows: allocate has
// --policy and simulate --policies.
func alsoCalled(cmd *cobra.Command, other, flag string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == other {
			name = flag
		}
		return pflag.NormalizedName(name)
	})
}

// splitList splits a text at its commas, see [list]. An empty text has no names; an
// empty name among others is an error.
func splitList(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var names []string
	depth, quoted, start := 0, false, 0
	add := func(end int) error {
		name := strings.TrimSpace(text[start:end])
		if name == "" {
			return fmt.Errorf("%q: a name is missing beside a comma", text)
		}
		if len(name) >= 2 && name[0] == '"' && name[len(name)-1] == '"' {
			name = name[1 : len(name)-1]
		}
		names = append(names, name)
		start = end + 1
		return nil
	}
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && depth <= 0:
			if err := add(i); err != nil {
				return nil, err
			}
		}
	}
	return names, errors.Join(add(len(text)))
}

// namesIn are the names in arguments, each of which may be a [list].
func namesIn(args []string) ([]string, error) {
	var all []string
	for _, arg := range args {
		names, err := splitList(strings.Trim(arg, ", "))
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
	}
	return all, nil
}

// pairs is the value of a flag with several name=value, as a [list].
type pairs struct{ to *map[string]string }

// Set implements [pflag.Value].
func (p pairs) Set(text string) error {
	all, err := splitList(text)
	if err != nil {
		return err
	}
	if *p.to == nil {
		*p.to = map[string]string{}
	}
	for _, pair := range all {
		name, value, ok := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return fmt.Errorf("%q is not of the form name=value", pair)
		}
		if old, twice := (*p.to)[name]; twice && old != value {
			return fmt.Errorf("%s is given twice, as %s and %s", name, old, value)
		}
		(*p.to)[name] = value
	}
	return nil
}

// String implements [pflag.Value].
func (p pairs) String() string {
	if p.to == nil {
		return ""
	}
	return strings.Join(each(sortedKeys(*p.to), func(name string) string { return name + "=" + (*p.to)[name] }), ",")
}

// Type implements [pflag.Value].
func (p pairs) Type() string { return "name=value" }

// joinLists joins the arguments that a blank after or before a comma made of one
// list: --policies tsf-er, mnw is --policies tsf-er,mnw.
func joinLists(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil {
		return args
	}
	isList := func(flag string) bool {
		f := cmd.Flags().Lookup(flag)
		return f != nil && (f.Value.Type() == (&list{}).Type() || f.Value.Type() == pairs{}.Type())
	}
	var joined []string
	for i := 0; i < len(args); i++ {
		joined = append(joined, args[i])
		if args[i] == "--" {
			return append(joined, args[i+1:]...)
		}
		name, ok := strings.CutPrefix(args[i], "--")
		if !ok {
			continue
		}
		name, _, assigned := strings.Cut(name, "=")
		if !isList(name) {
			continue
		}
		if !assigned && i+1 < len(args) {
			i++
			joined = append(joined, args[i])
		}
		last := &joined[len(joined)-1]
		for i+1 < len(args) && continues(*last, args[i+1]) {
			i++
			*last += args[i]
		}
	}
	return joined
}

// continues reports whether an argument goes on with a list.
func continues(list, next string) bool {
	return !strings.HasPrefix(next, "-") && (strings.HasSuffix(strings.TrimSpace(list), ",") || strings.HasPrefix(next, ","))
}
