package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
)

// office is where operators set things, several at a time and in turn: so many calls a second are
// no single operator's to make.
type office struct {
	address string
	wires   []*wire
	tokens  []string
	turn    atomic.Int64
}

// setting is something to be set: a procedure of the operators' and its request.
type setting struct {
	procedure string
	body      map[string]any
}

func (b *bench) openOffice(ctx context.Context) (*office, func(), error) {
	o := &office{address: hostOf(b.gateway.BaseURL), tokens: b.scene.operators}
	var hangUp func()
	var err error
	o.wires, hangUp, err = dialAll(ctx, o.address, b.clients)
	return o, hangUp, err
}

// call calls a procedure over a client's connection.
func (o *office) call(client int, what setting, answer any) error {
	body, err := json.Marshal(what.body)
	if err != nil {
		return err
	}
	token := o.tokens[o.turn.Add(1)%int64(len(o.tokens))]
	text, err := o.wires[client].send(bearerRequest(o.address, operatorService+what.procedure, token, body))
	if err == nil {
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what.procedure, err)
	}
	return nil
}

// set makes the settings, in no order.
func (o *office) set(ctx context.Context, settings []setting) error {
	_, err := o.all(ctx, settings)
	return err
}

// create makes what the settings tell of, in no order, and answers the ids that they got, in
// theirs.
func (o *office) create(ctx context.Context, settings []setting) ([]int64, error) {
	keys, err := o.all(ctx, settings)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, len(keys))
	for _, key := range keys {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read an id: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// all makes the settings and answers the keys under which they are kept.
func (o *office) all(ctx context.Context, settings []setting) ([]string, error) {
	keys := make([]string, len(settings))
	_, err := workOff(ctx, len(o.wires), len(settings), func(_ context.Context, client, i int) error {
		var made struct{ Change struct{ SubjectKey string } }
		err := o.call(client, settings[i], &made)
		keys[i] = made.Change.SubjectKey
		return err
	})
	return keys, err
}

// candidate is a requisite of a pool as the gateway explains its choice.
type candidate struct {
	RequisiteID int64  `json:"requisiteId,string"`
	DroppedBy   string `json:"droppedBy"`
}

// explain lists a pool.
func (o *office) explain(method string, cashboxID int64) ([]candidate, error) {
	var explained struct{ Candidates []candidate }
	err := o.call(0, setting{"ExplainRouting", map[string]any{
		"amount": "1000", "currency": currency, "method": method, "merchantCashboxId": cashboxID,
	}}, &explained)
	return explained.Candidates, err
}
