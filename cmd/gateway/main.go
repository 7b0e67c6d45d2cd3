// Command gateway is the payment gateway: the service and the commands around it. It parses, wires
// and shuts down; what it does is in the rooms below.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Whoever signals a second time is not made to wait.
	context.AfterFunc(ctx, stop)
	env := environment{getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	err := env.run(ctx, os.Args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, new(notAudited)):
		fmt.Fprintln(os.Stderr, "gateway: not audited:", err)
		os.Exit(2) //nolint:gocritic // stop has nothing left to do
	default:
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

// environment is what a command may touch of the world it was started in.
type environment struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
}

const usage = `usage: gateway [command] [flags]

  serve             run the gateway (the default); without DATABASE_URL a sandbox
  migrate           bring the database to the present schema
  audit             prove the ledger; exit 0 when every invariant holds, 1 when not, 2 when it could not be audited
  operator create   create an operator: -login, and the password on standard input
  sign              print the signature headers for the body on standard input; with -check say what is wrong with a request
  verify-timeline   prove a signed timeline: FILE [-keys FILE|URL]; exit 0 when it is as it was signed, 1 when not
  verify-proof      prove what was moved: FILE [-keys FILE|URL] [-roots FILE|URL]; exit 0 when it is proven, 1 when not
  listen            receive webhooks, verify and print them

gateway <command> -h lists a command's flags.`

// run runs the command that args name.
func (e environment) run(ctx context.Context, args []string) error {
	command := "serve"
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	switch command {
	case "serve":
		return e.serve(ctx, args)
	case "migrate":
		return e.migrate(ctx, args)
	case "audit":
		return e.audit(ctx, args)
	case "operator":
		return e.operator(ctx, args)
	case "sign":
		return e.sign(args)
	case "verify-timeline":
		return e.verifyTimeline(ctx, args)
	case "verify-proof":
		return e.verifyProof(ctx, args)
	case "listen":
		return e.listen(ctx, args)
	case "help":
		_, err := fmt.Fprintln(e.stdout, usage)
		return err
	default:
		return fmt.Errorf("unknown command %q\n%s", command, usage)
	}
}
