package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/fault"
	"gateway.example/internal/seal"
)

var errNotGenuine = errors.New("the file is not as it was signed")

// keysMost limits the size of a file of keys and of a signed file.
const keysMost = 64 << 20

// verifyTimeline verifies a signed timeline with the gateway's public keys,
// and says what is wrong with it.
func (e environment) verifyTimeline(ctx context.Context, args []string) error {
	var from string
	found, err := newOptions("verify-timeline", e.getenv, e.stdout, []setting{keysSetting(&from)}).parse(args, "FILE")
	if err != nil {
		return err
	}
	file, err := os.ReadFile(found[0]) //nolint:gosec // whoever runs the command names the file
	if err != nil {
		return fmt.Errorf("read the signed file: %w", err)
	}
	keys, err := publicKeys(ctx, from)
	if err != nil {
		return err
	}
	wrong := attest.Verify(file, keys)
	for _, what := range wrong {
		_, _ = fmt.Fprintln(e.stdout, what)
	}
	if len(wrong) > 0 {
		return errNotGenuine
	}
	_, err = fmt.Fprintln(e.stdout, "valid: the file is as the gateway signed it")
	return err
}

func keysSetting(from *string) setting {
	return setting{
		from, "keys", "", "http://127.0.0.1:8080/.well-known/gateway-keys.json",
		"file or address of the gateway's public keys",
	}
}

// publicKeys parses the keys of a file or URL.
func publicKeys(ctx context.Context, from string) (attest.Keys, error) {
	published, err := readKeys(ctx, from)
	if err != nil {
		return attest.Keys{}, err
	}
	return attest.ParseKeys(published)
}

// readKeys reads public keys from a file, or from a URL within ten seconds. It
// trusts them: whether they really are the gateway's, the user must know.
func readKeys(ctx context.Context, from string) ([]byte, error) {
	if !strings.HasPrefix(from, "http://") && !strings.HasPrefix(from, "https://") {
		file, err := os.ReadFile(from) //nolint:gosec // whoever runs the command names the file
		return file, fault.Doing("read the public keys", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil) //nolint:gosec // the same for the address
	if err != nil {
		return nil, fmt.Errorf("read the public keys: %w", err)
	}
	answer, err := http.DefaultClient.Do(r) //nolint:gosec // the same
	if err != nil {
		return nil, fmt.Errorf("read the public keys: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the public keys: %s answers %s", from, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, keysMost))
}

// verifyProof verifies a file of proofs, and says what is wrong with it.
func (e environment) verifyProof(ctx context.Context, args []string) error {
	var from, rootsFrom string
	found, err := newOptions("verify-proof", e.getenv, e.stdout, []setting{
		keysSetting(&from),
		{&rootsFrom, "roots", "", "", "file or address of the published pages to compare with"},
	}).parse(args, "FILE")
	if err != nil {
		return err
	}
	file, err := os.ReadFile(found[0]) //nolint:gosec // whoever runs the command names the file
	if err != nil {
		return fmt.Errorf("read the proof: %w", err)
	}
	keys, err := publicKeys(ctx, from)
	if err != nil {
		return err
	}
	proof, err := seal.ParseProof(file)
	if err != nil {
		_, _ = fmt.Fprintln(e.stdout, err)
		return errNotProven
	}
	pages, err := readRoots(ctx, rootsFrom, proof.Months())
	if err != nil {
		return err
	}
	return e.printVerdict(proof.Verify(keys, pages), rootsFrom)
}

var errNotProven = errors.New("the file proves nothing")

// printVerdict prints what is proven, or prints what is wrong and returns
// errNotProven. rootsFrom is the source of the published pages; if it is "",
// nothing was compared with them, and the output says so.
func (e environment) printVerdict(v seal.Verdict, rootsFrom string) error {
	for _, what := range v.Wrong {
		_, _ = fmt.Fprintln(e.stdout, what)
	}
	if len(v.Wrong) > 0 {
		return errNotProven
	}
	for _, what := range v.Proven {
		_, _ = fmt.Fprintln(e.stdout, "proven: "+what)
	}
	compared := "the pages are those that " + rootsFrom + " publishes"
	if rootsFrom == "" {
		compared = "the pages were not compared with those that are published: name them with -roots"
	}
	_, err := fmt.Fprintln(e.stdout, compared)
	return err
}

// readRoots reads the published pages of some months from a URL, or all pages
// of a file. It returns nil if from is empty.
func readRoots(ctx context.Context, from string, months []string) ([]seal.Page, error) {
	if from == "" {
		return nil, nil
	}
	addresses := []string{from}
	if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
		addresses = nil
		for _, month := range months {
			addresses = append(addresses, from+"?month="+url.QueryEscape(month))
		}
	}
	pages := []seal.Page{}
	for _, address := range addresses {
		file, err := readKeys(ctx, address)
		if err != nil {
			return nil, fmt.Errorf("published pages: %w", err)
		}
		roots, err := seal.ParseRoots(file)
		if err != nil {
			return nil, err
		}
		pages = append(pages, roots.Pages...)
	}
	return pages, nil
}
