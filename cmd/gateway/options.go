package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// setting ties a flag to its environment variable and default. Some have no
// variable.
type setting struct {
	target                     *string
	flag, env, otherwise, help string
}

// options are the flags, arguments and environment variables of a command.
type options struct {
	*flag.FlagSet
	command   command
	variables []variable
	// behind maps flags to their environment variables.
	behind map[string]string
	help   io.Writer
}

// newOptions gives each setting the value of its variable, or its default. The
// help shows the defaults of the program, because values of the environment
// may be secret.
func newOptions(
	name string, getenv func(string) string, help io.Writer, settings []setting, variables ...variable,
) *options {
	o := &options{
		FlagSet: flag.NewFlagSet(name, flag.ContinueOnError),
		command: commandNamed(name), variables: variables, behind: map[string]string{}, help: help,
	}
	o.SetOutput(io.Discard)
	for _, s := range settings {
		o.StringVar(s.target, s.flag, s.otherwise, s.help)
		if s.env == "" {
			continue
		}
		o.behind[s.flag] = s.env
		if set := getenv(s.env); set != "" {
			*s.target = set
		}
	}
	return o
}

// parse reads flags and the named arguments, in any order. The last argument
// is optional if its name is in brackets. With -h it prints the help and
// returns flag.ErrHelp.
func (o *options) parse(args []string, names ...string) ([]string, error) {
	var found []string
	for {
		err := o.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, errors.Join(err, o.print())
		}
		if err != nil {
			return nil, o.wrong(err)
		}
		if o.NArg() == 0 {
			break
		}
		found, args = append(found, o.Arg(0)), o.Args()[1:]
	}
	switch {
	case len(found) > len(names):
		// The error does not quote it, because it may be a misplaced
		// secret.
		return nil, o.wrong(errors.New("too many arguments"))
	case len(found) < len(names) && !strings.HasPrefix(names[len(found)], "["):
		return nil, o.wrong(fmt.Errorf("%s is missing", names[len(found)]))
	}
	return found, nil
}

func (o *options) given(name string) bool {
	found := false
	o.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// usageError is a mistake in the command line. The exit status is 2.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// wrong adds to an error where to find the command's help.
func (o *options) wrong(err error) error {
	return usageError{fmt.Errorf("%s: %w: see gateway %s -h", o.Name(), err, o.Name())}
}

// print prints a command's help: usage, flags, and the variables without a
// flag. It shows defaults, never values of the environment, which may be
// secret.
func (o *options) print() error {
	var text strings.Builder
	fmt.Fprintf(&text, "usage: gateway %s\n\n%s\n", o.command.usage(), o.command.does)
	if o.command.more != "" {
		fmt.Fprintf(&text, "\n%s\n", o.command.more)
	}
	title := "\nFlags. Each wins over its environment variable:\n"
	o.VisitAll(func(f *flag.Flag) {
		text.WriteString(title + o.describe(f))
		title = ""
	})
	title = "\nEnvironment variables without a flag:\n"
	for _, v := range o.variables {
		fmt.Fprintf(&text, "%s\n  %s\n      %s\n", title, v.name, strings.ReplaceAll(v.help, "`", ""))
		title = ""
	}
	_, err := io.WriteString(o.help, text.String())
	return err
}

// describe describes a flag in the help, with its variable and default.
func (o *options) describe(f *flag.Flag) string {
	text := "\n  -" + f.Name
	if env := o.behind[f.Name]; env != "" {
		text += ", variable " + env
	}
	if f.DefValue != "" {
		text += ", default " + f.DefValue
	}
	return text + "\n      " + f.Usage + "\n"
}
