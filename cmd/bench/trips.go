package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// creation is a creation as the database saw it.
type creation struct {
	orderID, amount string
	unit            unit
}

const (
	// unrecorded creations come first, until the connection they use has its statements prepared.
	unrecorded = 40
	recordings = 60
)

// roundTrips runs a second gateway behind a proxy, has one client create payments with it, and notes the statements.
// What counts is every round trip of the creations' own transactions, from BEGIN to COMMIT, and every look-up of the key
// they are signed with, which the gateway keeps for half a second. What its background work says does not.
func (b *bench) roundTrips(ctx context.Context) error {
	var heard ear
	p, err := openProxy(ctx, filepath.Join(b.dir, "proxy"), b.url, heard.hear)
	if err != nil {
		return err
	}
	defer p.close()
	second, err := b.launchSecond(ctx, p.url(b.url))
	if err != nil {
		return err
	}
	trips, err := b.record(ctx, second, &heard)
	if err := errors.Join(err, second.stop()); err != nil {
		return err
	}
	mean := float64(trips) / recordings
	b.report.CreateRoundTrips = &mean
	return nil
}

// launchSecond starts a gateway with the first one's key: they are replicas.
func (b *bench) launchSecond(ctx context.Context, databaseURL string) (*child, error) {
	dir, name := filepath.Join(b.dir, "second"), "sandbox.key"
	key, err := os.ReadFile(filepath.Join(b.dir, "gateway", name))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, name), key, 0o600); err != nil { //nolint:gosec // in our own directory
		return nil, err
	}
	return b.launch(ctx, dir, databaseURL)
}

// record creates payments one after the other and keeps their statements. It answers how many round trips they took.
func (b *bench) record(ctx context.Context, through *child, heard *ear) (int, error) {
	address := hostOf(through.BaseURL)
	w, err := dial(ctx, address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = w.conn.Close() }()
	o := b.scene.orders(b.scene.boxes[0], manyMethod, b.hooks.urls()[0])
	trips := 0
	for i := range unrecorded + recordings {
		c := creation{orderID: orderID(b.scene.next.Add(1)), amount: amount()}
		heard.forget()
		if _, err := w.send(o.request(address, o.bodyOf(c.orderID, c.amount))); err != nil {
			return 0, err
		}
		if i < unrecorded {
			continue
		}
		for _, u := range heard.told() {
			switch {
			case u.mentions("into payment_key"):
				c.unit = u
				b.recorded = append(b.recorded, c)
				trips += len(u)
			case u.mentions("api_key"):
				trips += len(u)
			}
		}
	}
	if len(b.recorded) < recordings {
		return 0, errors.New("not every creation was seen by the proxy")
	}
	return trips, nil
}

func (u unit) mentions(what string) bool {
	for _, g := range u {
		for _, c := range g.calls {
			if strings.Contains(c.sql, what) {
				return true
			}
		}
	}
	return false
}

// ear gathers what taps hear.
type ear struct {
	mu    sync.Mutex
	units []unit
}

func (e *ear) hear(u unit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.units = append(e.units, u)
}

func (e *ear) forget() { _ = e.told() }

// told is what was heard since the last time.
func (e *ear) told() []unit {
	e.mu.Lock()
	defer e.mu.Unlock()
	units := e.units
	e.units = nil
	return units
}
