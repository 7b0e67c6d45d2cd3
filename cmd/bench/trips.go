package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// creation is a creation as the database saw it.
type creation struct {
	orderID, amount string
	unit            unit
}

const (
	// unrecorded creations come first, until the connection they use has its statements prepared,
	// and each merchant's key and open payments are known.
	unrecorded = 200
	recordings = 60
)

// idleTime is how long the gateway is heard before its first creation: whatever it says each second
// comes by.
const idleTime = 1500 * time.Millisecond

// roundTrips runs a second gateway behind a proxy, has one client create payments with it, and
// notes the statements. What counts is all that it says to PostgreSQL meanwhile, in whatever
// tables, but for what it also says while it idles.
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
	time.Sleep(idleTime)
	said, err := b.record(ctx, second, &heard, background(heard.told()))
	if err := errors.Join(err, second.stop()); err != nil {
		return err
	}
	trips, statements := 0.0, 0.0
	for _, u := range said {
		for _, g := range u {
			if len(g.calls) > 0 { // preparing a statement is done once on a connection
				trips++
				statements += float64(g.completed)
			}
		}
	}
	trips, statements = trips/recordings, statements/recordings
	b.report.CreateRoundTrips, b.report.CreateStatements = &trips, &statements
	b.say("  %.2f statements in %.2f round trips", statements, trips)
	return nil
}

// launchSecond starts a gateway with the first one's key: they are replicas.
func (b *bench) launchSecond(ctx context.Context, databaseURL string) (*child, error) {
	dir, name := filepath.Join(b.dir, "second"), "sandbox.key"
	key, err := os.ReadFile(filepath.Join(b.gateway.dir, name))
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

// record creates payments one after the other and keeps the statements of each. It answers all that
// was said for them.
func (b *bench) record(ctx context.Context, through *child, heard *ear, idle map[string]bool) ([]unit, error) {
	address := hostOf(through.BaseURL)
	w, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.conn.Close() }()
	o := b.scene.orders(b.scene.recording, manyMethod, b.hooks.urls()[0])
	var said []unit
	for i := range unrecorded + recordings {
		c := creation{orderID: orderID(b.scene.next.Add(1)), amount: amount()}
		if _, err := w.send(o.request(address, o.bodyOf(c.orderID, c.amount))); err != nil {
			return nil, err
		}
		units := heard.told()
		if i < unrecorded {
			continue
		}
		for _, u := range units {
			if u.within(idle) {
				continue
			}
			said = append(said, u)
			// One that has to try again begins a new transaction.
			if u.names(c.orderID) {
				c.unit = u
			}
		}
		if c.unit == nil {
			return nil, errors.New("the proxy did not see a creation")
		}
		b.recorded = append(b.recorded, c)
	}
	return said, nil
}

// background is the statements of some units.
func background(units []unit) map[string]bool {
	said := map[string]bool{}
	for _, u := range units {
		for _, g := range u {
			for _, c := range g.calls {
				said[c.sql] = true
			}
		}
	}
	return said
}

// within tells that all the unit's statements are among those.
func (u unit) within(those map[string]bool) bool {
	for _, g := range u {
		for _, c := range g.calls {
			if !those[c.sql] {
				return false
			}
		}
	}
	return true
}

// names tells that the text is in a parameter of one of the unit's statements. Of text the binary
// form is the text itself.
func (u unit) names(text string) bool {
	for _, g := range u {
		for _, c := range g.calls {
			if slices.ContainsFunc(c.params, func(p []byte) bool { return bytes.Contains(p, []byte(text)) }) {
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

// told is what was heard since the last time.
func (e *ear) told() []unit {
	e.mu.Lock()
	defer e.mu.Unlock()
	units := e.units
	e.units = nil
	return units
}
