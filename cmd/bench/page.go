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
	"slices"
)

// cardMethod is checked out on the hosted page.
const cardMethod = "mtstpay"

// pages weighs what a payer's browser loads: the page with its stylesheets and scripts, each
// compressed.
func (b *bench) pages(ctx context.Context) error {
	page, _, err := b.links(ctx, manyMethod)
	if err != nil {
		return err
	}
	if b.report.RequisitePage, err = weigh(ctx, page); err != nil {
		return err
	}
	_, checkout, err := b.links(ctx, cardMethod)
	if errors.Is(err, errStatus) || err == nil && checkout == "" {
		b.say("  no card checkout to weigh: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	b.report.PayPage, err = weigh(ctx, checkout)
	if errors.Is(err, errNoPage) {
		b.say("  no checkout page to weigh: %v", err)
		return nil
	}
	return err
}

// errNoPage says that a link leads to no page.
var errNoPage = errors.New("there is no such page")

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
	if err := json.Unmarshal(answer, &created); err != nil {
		return "", "", fmt.Errorf("read the payment: %w", err)
	}
	return created.Data.PaymentPageURL, created.Data.CheckoutURL, nil
}

// loaded finds what a page loads to be shown: stylesheets and scripts.
var loaded = regexp.MustCompile(`<link\b[^>]*\brel="?stylesheet"?[^>]*>|<script\b[^>]*\bsrc=[^>]*>`)

var target = regexp.MustCompile(`\b(?:href|src)="([^"]+)"`)

// weigh is the compressed bytes of a page and what it loads.
func weigh(ctx context.Context, address string) (*float64, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the page's address: %w", err)
	}
	page, total, err := fetch(ctx, address)
	if err != nil {
		return nil, err
	}
	var seen []string
	for _, tag := range loaded.FindAll(page, -1) {
		found := target.FindSubmatch(tag)
		if found == nil {
			continue
		}
		reference, err := base.Parse(string(found[1]))
		if err != nil || slices.Contains(seen, reference.String()) {
			continue
		}
		seen = append(seen, reference.String())
		_, size, err := fetch(ctx, reference.String())
		if err != nil {
			return nil, err
		}
		total += size
	}
	weight := float64(total)
	return &weight, nil
}

// fetch gets a file, and its size as it came compressed, or as it would have been by gzip's usual
// level.
func fetch(ctx context.Context, address string) (content []byte, compressed int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	// Asked for by name, the answer is not unpacked on the way.
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	sent, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode == http.StatusNotFound {
		err = errNoPage
	}
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET of a page: %d", response.StatusCode)
	}
	if err != nil {
		return nil, 0, err
	}
	if response.Header.Get("Content-Encoding") != "gzip" {
		size, err := gzipped(sent)
		return sent, size, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(sent))
	if err != nil {
		return nil, 0, err
	}
	content, err = io.ReadAll(unpacked)
	return content, len(sent), err
}

func gzipped(content []byte) (int, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(content)
	err = errors.Join(err, w.Close())
	return out.Len(), err
}
