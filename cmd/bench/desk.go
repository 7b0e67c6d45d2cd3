package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"gateway.example/internal/session"
)

const (
	// openDesks is how many desks are open in browsers, shared by
	// deskTraders traders. They are measured for deskRuns runs, and
	// without desks for as long before.
	openDesks   = 200
	deskTraders = 20
	deskRuns    = 2
	// deskPause is the pause between two payments. Each payment appears on
	// one trader's desk.
	deskPause    = 500 * time.Millisecond
	deskPassword = "bench desk password"
)

// openDesksCost measures what open desks cost while a few payments are
// created; the cost of the same payments without desks is subtracted. It uses
// an own place, because real desks show the payments of some hours, not the
// thousands of a load.
func (b *bench) openDesksCost(ctx context.Context) {
	b.vacuum(ctx)
	a := b.apart(ctx, "desks")
	defer a.leave()
	alone := a.trickle(ctx)
	watching, stop := context.WithCancel(ctx)
	defer stop()
	browsers := a.openBrowsers(watching)
	more := a.trickle(ctx).since(alone).per((deskRuns * b.seconds).Seconds() * 1000)
	stop()
	browsers()
	b.report.sample("open_desks_cpu_ms_per_s.gateway", more[gatewayCPU])
	b.report.sample("open_desks_cpu_ms_per_s.postgres", more[postgresCPU])
}

// trickle creates payments slowly and returns what was used meanwhile.
func (b *bench) trickle(ctx context.Context) usage {
	over := b.creator(ctx, manyMethod, 1)
	defer over.hangUp()
	before := b.use(ctx)
	for end := time.Now().Add(deskRuns * b.seconds); time.Now().Before(end); pause(ctx, deskPause) {
		must(over.act(ctx, 0))
	}
	return b.use(ctx).since(before)
}

// openBrowsers signs traders in and opens their desks. It waits until each
// desk has loaded once. The returned function waits until the browsers have
// ended, and ends the part if one of them failed.
func (b *bench) openBrowsers(ctx context.Context) func() {
	b.exec(ctx, "give the traders a password", "update app_user set password_hash = $1 where login like 'bench-trader-%'",
		must(session.HashPassword(deskPassword)))
	// Signing in is slow on purpose, so several browsers share a session.
	sessions := make([]*http.Client, min(len(b.scene.traderIDs), deskTraders))
	for n := range sessions {
		sessions[n] = b.signIn(ctx, b.scene.traderIDs[n])
	}
	errs, opened := make(chan error, openDesks), make(chan struct{}, openDesks)
	for n := range openDesks {
		go func() { errs <- b.watchDesk(ctx, sessions[n%len(sessions)], opened) }()
	}
	for range openDesks {
		select {
		case <-opened:
		case err := <-errs:
			panic(failure{errors.Join(err, ctx.Err())})
		}
	}
	return func() {
		var failed error
		for range openDesks {
			failed = errors.Join(failed, <-errs)
		}
		check(failed)
	}
}

// signIn signs a trader in to the portal and returns a client with the
// session's cookie. The trader's password must be deskPassword. If the trader
// is refused, the part ends.
func (b *bench) signIn(ctx context.Context, traderID int64) *http.Client {
	client := &http.Client{Jar: must(cookiejar.New(nil))}
	form := url.Values{"login": {fmt.Sprintf("bench-trader-%d", traderID)}, "password": {deskPassword}}
	r := must(http.NewRequestWithContext(ctx, http.MethodPost, b.gateway.PortalURL+"/sign-in", strings.NewReader(form.Encode())))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.gateway.PortalURL)
	response, err := client.Do(r)
	check(err, "sign in")
	_ = response.Body.Close()
	if response.Request.URL.Path != "/trader" || response.StatusCode != http.StatusOK {
		check(fmt.Errorf("%w: trader %d is not let in: %s", errStatus, traderID, response.Status))
	}
	return client
}

// watchDesk listens like an open desk and reloads when something changes. It
// sends to opened after the first reload.
func (b *bench) watchDesk(ctx context.Context, client *http.Client, opened chan<- struct{}) error {
	ask := func(path string) (*http.Response, error) {
		return insist(func() (*http.Response, error) {
			return get(ctx, client, b.gateway.PortalURL+path, map[string]string{"HX-Request": "true"})
		})
	}
	line, err := ask("/trader/live")
	if err != nil {
		return err
	}
	defer func() { _ = line.Body.Close() }()
	var once sync.Once
	for events := bufio.NewScanner(line.Body); events.Scan(); {
		if events.Text() != "event: changed" {
			continue
		}
		region, err := ask("/trader/desk")
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, region.Body)
		_ = region.Body.Close()
		once.Do(func() { opened <- struct{}{} })
	}
	if ctx.Err() == nil {
		return errors.New("a desk's line has ended")
	}
	return nil
}
