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
	// openDesks are traders' desks that are open in browsers. They are watched for deskRuns runs, and before
	// it as long without them.
	openDesks = 200
	// deskTraders have them open, so many each.
	deskTraders = 20
	deskRuns    = 4
	// deskPause lies between two payments, each of which comes onto some trader's desk.
	deskPause    = 500 * time.Millisecond
	deskPassword = "bench desk password"
)

// openDesksCost measures what desks cost that are open in browsers, while payments come now and then:
// what the same payments cost without them is taken off.
func (b *bench) openDesksCost(ctx context.Context) error {
	hash, err := session.HashPassword(deskPassword)
	if err != nil {
		return fmt.Errorf("hash a password: %w", err)
	}
	_, err = b.pool.Exec(ctx, "update app_user set password_hash = $1 where login like 'bench-trader-%'", hash)
	if err != nil {
		return fmt.Errorf("give the traders a password: %w", err)
	}
	alone, err := b.trickle(ctx)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	browsers, err := b.openBrowsers(watching)
	if err != nil {
		return err
	}
	beside, err := b.trickle(ctx)
	if err != nil {
		return err
	}
	stop()
	if err := browsers(); err != nil {
		return err
	}
	more := beside.since(alone)
	perSecond := func(used time.Duration) float64 {
		return float64(used.Microseconds()) / 1000 / b.deskTime().Seconds()
	}
	b.report.sample("open_desks_cpu_ms_per_s.gateway", perSecond(more.gateway))
	b.report.sample("open_desks_cpu_ms_per_s.postgres", perSecond(more.postgres))
	return nil
}

func (b *bench) deskTime() time.Duration { return deskRuns * b.seconds }

// trickle has payments come now and then, and tells what was used meanwhile.
func (b *bench) trickle(ctx context.Context) (usage, error) {
	over, hangUp, err := b.creator(ctx, manyMethod, 1)
	if err != nil {
		return usage{}, err
	}
	defer hangUp()
	before, err := b.use(ctx)
	if err != nil {
		return usage{}, err
	}
	for end := time.Now().Add(b.deskTime()); time.Now().Before(end); time.Sleep(deskPause) {
		if _, err := over.act(ctx, 0); err != nil {
			return usage{}, err
		}
	}
	after, err := b.use(ctx)
	return after.since(before), err
}

// openBrowsers signs traders in and opens their desks, which each ask once for what happened while they opened. What it
// returns waits for the browsers' end and tells what went wrong.
func (b *bench) openBrowsers(ctx context.Context) (func() error, error) {
	var all sync.WaitGroup
	errs, opened := make(chan error, openDesks), make(chan struct{}, openDesks)
	// A sign-in takes long on purpose: the browsers share some.
	traders := b.scene.traderIDs[:min(len(b.scene.traderIDs), deskTraders)]
	sessions := map[int64]*http.Client{}
	for n := range openDesks {
		trader := traders[n%len(traders)]
		if sessions[trader] == nil {
			client, err := b.signIn(ctx, fmt.Sprintf("bench-trader-%d", trader))
			if err != nil {
				return nil, err
			}
			sessions[trader] = client
		}
		all.Go(func() { errs <- b.watchDesk(ctx, sessions[trader], opened) })
	}
	for range openDesks {
		select {
		case <-opened:
		case err := <-errs:
			return nil, errors.Join(err, ctx.Err())
		}
	}
	return func() error {
		all.Wait()
		close(errs)
		var failed error
		for err := range errs {
			failed = errors.Join(failed, err)
		}
		return failed
	}, nil
}

func (b *bench) signIn(ctx context.Context, login string) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("make a cookie jar: %w", err)
	}
	client := &http.Client{Jar: jar}
	form := url.Values{"login": {login}, "password": {deskPassword}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.gateway.PortalURL+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.gateway.PortalURL)
	response, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("sign in: %w", err)
	}
	_ = response.Body.Close()
	if response.Request.URL.Path != "/trader" || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: %s is not let in: %s", errStatus, login, response.Status)
	}
	return client, nil
}

// watchDesk listens as an open desk does, and asks for it anew when something has changed. opened hears of the first time.
func (b *bench) watchDesk(ctx context.Context, client *http.Client, opened chan<- struct{}) error {
	line, err := b.ask(ctx, client, "/trader/live")
	if err != nil {
		return err
	}
	defer func() { _ = line.Close() }()
	var once sync.Once
	for events := bufio.NewScanner(line); events.Scan(); {
		if events.Text() != "event: changed" {
			continue
		}
		region, err := b.ask(ctx, client, "/trader/desk")
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, region)
		_ = region.Close()
		once.Do(func() { opened <- struct{}{} })
	}
	if ctx.Err() == nil {
		return errors.New("a desk's line has ended")
	}
	return nil
}

func (b *bench) ask(ctx context.Context, client *http.Client, path string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.gateway.PortalURL+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("HX-Request", "true")
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("HX-Redirect") != "" {
		_ = response.Body.Close()
		return nil, fmt.Errorf("%w: %s of %s", errStatus, response.Status, path)
	}
	return response.Body, nil
}
