// Command gateway is the payment gateway: the service and the commands around
// it. It parses, wires and shuts down; what it does is in the packages below.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"gateway.example/internal/db"
)

// main runs a command and ends with the status that exitStatus gives. The first
// signal ends the command's context, so that it can stop in order; a second one
// kills the process.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal kills the process.
	context.AfterFunc(ctx, stop)
	env := environment{getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	err := env.run(ctx, os.Args[1:])
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	message := db.Explain(err)
	if errors.As(err, new(notAudited)) {
		message = "not audited: " + message
	}
	fmt.Fprintln(os.Stderr, "gateway:", message)
	os.Exit(exitStatus(err)) //nolint:gocritic // stop has nothing left to do
}

// exitStatus returns 2 if the command or a setting is wrong, or if it could
// not be found out whether the ledger is right. It returns 1 for any other
// error.
func exitStatus(err error) int {
	if errors.As(err, new(usageError)) || errors.As(err, new(notAudited)) {
		return 2
	}
	return 1
}

// environment is everything outside of the program that a command may use.
type environment struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
}

type command struct {
	name string
	// arguments describes the arguments after the command's name.
	arguments string
	// does describes the command in one line; more is added in its own
	// help.
	does, more string
	run        func(environment, context.Context, []string) error
}

func (c command) usage() string {
	if c.arguments == "" {
		return c.name + " [flags]"
	}
	return c.name + " " + c.arguments + " [flags]"
}

// commands returns all commands, in the order of the help.
func commands() []command {
	return []command{
		{name: "serve", run: environment.serve,
			does: "Runs the gateway. This is what happens without a command. Without DATABASE_URL it runs a sandbox."},
		{name: "migrate", run: environment.migrate,
			does: "Brings the database to the schema of this program, and ends."},
		{name: "audit", run: environment.audit, does: "Proves the ledger.",
			more: "The exit status is 0 if every invariant holds, 1 if not, and 2 if the ledger could not be audited."},
		{name: "rehearse", arguments: "BACKUP", run: environment.rehearse,
			does: "Restores a backup beside the database, proves its ledger and compares the sealed days of both.",
			more: "BACKUP is a file of pg_dump -Fc, or a directory as pg_basebackup makes it, which is copied to TMPDIR " +
				"and started there. It needs PostgreSQL's programs. The exit status is 0 if the backup can be " +
				"restored and is whole, 1 if not, and 2 if nobody knows."},
		{name: "operator", arguments: "create", run: environment.operator, does: "Makes an operator.",
			more: "The password, of at least 12 characters, is read from standard input."},
		{name: "keys", arguments: "[rotate|push]", run: environment.manageKeys,
			does: "Lists the keys in use, by fingerprint, and how many values each vault key opens.",
			more: "With rotate it first seals with the first vault key what the others sealed. Gateways that have all " +
				"these keys may run meanwhile. The exit status is 1 if a key is missing, or still needed after a rotation. " +
				"With push it makes keys for pushes to browsers and prints them."},
		{name: "adopt", run: environment.adopt,
			does: "Makes a restored database the one that counts, so that the gateway starts on it.",
			more: "The next start takes the database for its own, and calls processors, webhooks and feeds. " +
				"New events get numbers beyond all that were given before the restore."},
		{name: "healthcheck", run: environment.healthcheck,
			does: "Asks the gateway of this machine whether it is ready. The exit status is 0 if it is."},
		{name: "listen", run: environment.listen,
			does: "Receives the webhooks of a sandbox, verifies and prints them. With -forward it sends them on."},
		{name: "trigger", arguments: "EVENT", run: environment.trigger,
			does: "Makes an event happen in a sandbox, whose webhook is then sent.",
			more: "EVENT is payment.completed, payment.failed, payment.code_resend or payin.completed."},
		{name: "sign", run: environment.sign, does: "Prints the headers that sign the body on standard input.",
			more: "With -check it says what is wrong with a request that was sent. " +
				"The exit status is then 0 if the signature is right."},
		{name: "verify-timeline", arguments: "FILE", run: environment.verifyTimeline,
			does: "Proves a signed timeline. The exit status is 0 if it is as it was signed."},
		{name: "verify-proof", arguments: "FILE", run: environment.verifyProof,
			does: "Proves what was moved in the ledger. The exit status is 0 if it is proven."},
		{name: "version", run: environment.version, does: "Prints the version of the program and of Go."},
		{name: "help", run: environment.help, does: "Lists the commands."},
	}
}

// commandNamed finds a command by its name. It returns the zero value for an
// unknown one.
func commandNamed(name string) command {
	all := commands()
	if at := slices.IndexFunc(all, func(c command) bool { return c.name == name }); at >= 0 {
		return all[at]
	}
	return command{}
}

// run runs the command that the arguments begin with, or serve without one. An
// unknown command is a usageError.
func (e environment) run(ctx context.Context, args []string) error {
	name := "serve"
	switch {
	case len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]):
		name, args = "help", nil
	case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		name, args = args[0], args[1:]
	}
	found := commandNamed(name)
	if found.run == nil {
		return usageError{fmt.Errorf("unknown command %q: gateway help lists the commands", name)}
	}
	return found.run(e, ctx, args)
}

// help lists all commands. It takes no arguments: each command explains itself
// with -h.
func (e environment) help(_ context.Context, args []string) error {
	if _, err := newOptions("help", e.getenv, e.stdout, nil).parse(args); err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("usage: gateway [COMMAND] [flags]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&text, "  %-16s %s\n", c.name, c.does)
	}
	text.WriteString("\ngateway COMMAND -h lists a command's flags and environment variables.\n" +
		"The exit status is 0 if all went well, 1 after a failure, and 2 if the command or a setting is wrong.\n")
	_, err := io.WriteString(e.stdout, text.String())
	return err
}
