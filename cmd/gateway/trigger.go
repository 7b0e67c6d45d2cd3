package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

// trigger makes an event happen in the running sandbox and prints what came of
// it.
func (e environment) trigger(ctx context.Context, args []string) error {
	var c config
	var id string
	found, err := newOptions("trigger", e.getenv, e.stdout, append(c.only("data-dir"),
		setting{&id, "id", "", "", "uuid of the payment or payout that it happens to; empty: a new one is made"},
	)).parse(args, "EVENT")
	if err != nil {
		return err
	}
	info, err := sandbox.Read(c.dataDir)
	if err != nil {
		return err
	}
	request := &sandboxv1.TriggerRequest{Event: found[0]}
	if id != "" {
		request.Id = &id
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	answer, err := connect.NewClient[sandboxv1.TriggerRequest, sandboxv1.TriggerResponse](
		direct, info.BaseURL+sandboxv1connect.SandboxServiceTriggerProcedure,
	).CallUnary(ctx, connect.NewRequest(request))
	if err != nil {
		return triggerError(err, info.BaseURL)
	}
	happened := answer.Msg
	_, err = fmt.Fprintf(e.stdout, "%s: %s, order %s, is %s\n",
		happened.GetEvent(), happened.GetId(), happened.GetOrderId(), happened.GetStatus())
	return err
}

// triggerError explains why nothing happened: with the gateway's own words, or
// that no sandbox is running.
func triggerError(err error, address string) error {
	failed := new(connect.Error)
	if !errors.As(err, &failed) || !connect.IsWireError(err) {
		return fmt.Errorf("no sandbox answers at %s: start it with gateway serve", address)
	}
	var flaws []string
	for _, detail := range failed.Details() {
		value, err := detail.Value()
		if about, ok := value.(*gatewayv1.ErrorDetail); ok && err == nil {
			for _, field := range slices.Sorted(maps.Keys(about.GetErrors())) {
				flaws = append(flaws, field+" "+strings.Join(about.GetErrors()[field].GetMessages(), ", "))
			}
		}
	}
	if len(flaws) > 0 {
		return usageError{errors.New(strings.Join(flaws, "; "))}
	}
	return errors.New(failed.Message())
}
