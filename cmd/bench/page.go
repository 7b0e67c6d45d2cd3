package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"sync/atomic"
)

// cardMethod uses the hosted checkout.
const cardMethod = "mtstpay"

// pageLinks is how many links each client shows.
const pageLinks = 20

// pages measures the size of the hosted pages with their stylesheets and
// scripts, compressed, and how many pages of a requisite are shown a second.
func (b *bench) pages(ctx context.Context) {
	err := caught(func() {
		_, checkouts := b.links(ctx, cardMethod, 1)
		b.weigh(ctx, "pay_page_bytes", checkouts[0])
	})
	if errors.Is(err, errStatus) {
		b.say("  no card checkout to weigh: %v", err)
	} else {
		check(err)
	}
	// The number of views of one link is limited.
	links, _ := b.links(ctx, manyMethod, pageLinks*b.clients)
	b.weigh(ctx, "r_page_bytes", links[0])
	var next atomic.Int64
	b.inTurn(ctx, load{rate: "r_pages_per_s", use: "r_page", window: "pages", brief: true, do: func(ctx context.Context, _ int) (bool, error) {
		_, _, err := fetch(ctx, links[next.Add(1)%int64(len(links))])
		return err == nil, err
	}})
}

// links creates payments and returns the links to their pages; "" is none.
func (b *bench) links(ctx context.Context, method string, count int) (requisites, checkouts []string) {
	requisites, checkouts = make([]string, count), make([]string, count)
	b.each(ctx, count, func(int) []byte {
		return b.create(b.scene.boxes[0], method, 0, orderID(b.scene.next.Add(1)))
	}, func(i int, answer []byte) error {
		var created struct {
			Data struct{ PaymentPageURL, CheckoutURL string }
		}
		err := json.Unmarshal(answer, &created)
		requisites[i], checkouts[i] = created.Data.PaymentPageURL, created.Data.CheckoutURL
		return err
	})
	return requisites, checkouts
}

// loaded matches the stylesheets and scripts that a page loads.
var loaded = regexp.MustCompile(`(?:<link\b[^>]*\brel="?stylesheet"?[^>]*\bhref|<script\b[^>]*\bsrc)="([^"]+)"`)

// weigh adds up the compressed sizes of a page and the files it loads.
func (b *bench) weigh(ctx context.Context, name, address string) {
	base, err := url.Parse(address)
	check(err, "the page's address")
	page, total, err := fetch(ctx, address)
	check(err)
	seen := map[string]bool{}
	for _, found := range loaded.FindAllSubmatch(page, -1) {
		reference, err := base.Parse(string(found[1]))
		if err != nil || seen[reference.String()] {
			continue
		}
		seen[reference.String()] = true
		_, size, err := fetch(ctx, reference.String())
		check(err)
		total += size
	}
	b.report.sample(name, float64(total))
}

// browsers keeps a connection open for each client.
var browsers = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

// fetch reads a file, and its size as it was transferred.
func fetch(ctx context.Context, address string) (content []byte, compressed int, err error) {
	// With an explicit header the client does not decompress the answer.
	response, err := insist(func() (*http.Response, error) {
		return get(ctx, browsers, address, map[string]string{"Accept-Encoding": "gzip"})
	})
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	sent, err := io.ReadAll(response.Body)
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
