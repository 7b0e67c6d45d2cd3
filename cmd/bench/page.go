package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"sync/atomic"
)

// cardMethod is checked out on the hosted page.
const cardMethod = "mtstpay"

// pageLinks are so many for each client.
const pageLinks = 20

// pages weighs what a payer's browser loads: the page with its stylesheets and scripts, as they come
// compressed, and measures how often the one of a requisite is shown.
func (b *bench) pages(ctx context.Context) error {
	for method, name := range map[string]string{manyMethod: "r_page_bytes", cardMethod: "pay_page_bytes"} {
		requisite, checkout, err := b.links(ctx, method)
		if errors.Is(err, errStatus) && method == cardMethod {
			b.say("  no card checkout to weigh: %v", err)
			continue
		}
		if method == cardMethod {
			requisite = checkout
		}
		var weight float64
		if err == nil {
			weight, err = weigh(ctx, requisite)
		}
		if err != nil {
			return err
		}
		b.report.sample(name, weight)
		if method == cardMethod {
			continue
		}
		// One link is shown so many times a second only.
		links := []string{requisite}
		for range pageLinks * b.clients {
			requisite, _, err := b.links(ctx, method)
			if err != nil {
				return err
			}
			links = append(links, requisite)
		}
		var next atomic.Int64
		load := load{rate: "r_pages_per_s", use: "r_page", window: "pages", do: func(ctx context.Context, _ int) (bool, error) {
			_, _, err := fetch(ctx, links[next.Add(1)%int64(len(links))])
			return err == nil, err
		}}
		if err := b.inTurn(ctx, load); err != nil {
			return err
		}
	}
	return nil
}

// links creates a payment and answers the pages it names; "" is none.
func (b *bench) links(ctx context.Context, method string) (requisite, checkout string, err error) {
	address := hostOf(b.gateway.BaseURL)
	w, err := dial(ctx, address)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = w.conn.Close() }()
	o := b.scene.orders(b.scene.boxes[0], method, b.hooks.urls()[0])
	answer, err := w.send(o.request(address, o.body(b.scene.next.Add(1))))
	if err != nil {
		return "", "", err
	}
	var created struct {
		Data struct{ PaymentPageURL, CheckoutURL string }
	}
	err = json.Unmarshal(answer, &created)
	return created.Data.PaymentPageURL, created.Data.CheckoutURL, err
}

// loaded finds what a page loads to be shown: stylesheets and scripts.
var loaded = regexp.MustCompile(`(?:<link\b[^>]*\brel="?stylesheet"?[^>]*\bhref|<script\b[^>]*\bsrc)="([^"]+)"`)

// weigh is the compressed bytes of a page and what it loads.
func weigh(ctx context.Context, address string) (float64, error) {
	base, err := url.Parse(address)
	if err != nil {
		return 0, fmt.Errorf("the page's address: %w", err)
	}
	page, total, err := fetch(ctx, address)
	if err != nil {
		return 0, err
	}
	seen := map[string]bool{}
	for _, found := range loaded.FindAllSubmatch(page, -1) {
		reference, err := base.Parse(string(found[1]))
		if err != nil || seen[reference.String()] {
			continue
		}
		seen[reference.String()] = true
		_, size, err := fetch(ctx, reference.String())
		if err != nil {
			return 0, err
		}
		total += size
	}
	return float64(total), nil
}

// browsers keep a connection for each client.
var browsers = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

// fetch gets a file, and its size as it came.
func fetch(ctx context.Context, address string) (content []byte, compressed int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	// Asked for by name, the answer is not unpacked on the way.
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := browsers.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	sent, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%w: %s of a page", errStatus, response.Status)
	}
	if err != nil || response.Header.Get("Content-Encoding") != "gzip" {
		return sent, len(sent), err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(sent))
	if err != nil {
		return nil, 0, err
	}
	content, err = io.ReadAll(unpacked)
	return content, len(sent), err
}
