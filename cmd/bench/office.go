package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// office is where operators make their calls, in turn: so many calls a second are no single
// operator's to make.
type office struct {
	address string
	wires   []*wire
	tokens  []string
	turn    atomic.Int64
}

func (b *bench) openOffice(ctx context.Context) (*office, func(), error) {
	o := &office{address: hostOf(b.gateway.BaseURL), tokens: b.scene.operators}
	var hangUp func()
	var err error
	o.wires, hangUp, err = dialAll(ctx, o.address, b.clients)
	return o, hangUp, err
}

// call calls a procedure of the operators' over a client's connection.
func (o *office) call(client int, procedure string, request map[string]any, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	token := o.tokens[o.turn.Add(1)%int64(len(o.tokens))]
	text, err := o.wires[client].send(bearerRequest(o.address, operatorService+procedure, token, body))
	if err == nil {
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", procedure, err)
	}
	return nil
}

// candidate is a requisite of a pool as the gateway explains its choice.
type candidate struct {
	DroppedBy string `json:"droppedBy"`
}

// explain lists a pool.
func (o *office) explain(method string, cashboxID int64) ([]candidate, error) {
	var explained struct{ Candidates []candidate }
	err := o.call(0, "ExplainRouting", map[string]any{
		"amount": "1000", "currency": currency, "method": method, "merchantCashboxId": cashboxID,
	}, &explained)
	return explained.Candidates, err
}
