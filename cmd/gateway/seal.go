package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"gateway.example/internal/attest"
	"gateway.example/internal/seal"
)

// rootsPath is where the pages of the ledger are published, on the API address and the portal.
const rootsPath = "/.well-known/ledger-roots.json"

func (g *gateway) seal(ctx context.Context) error {
	err := g.sealer.Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		g.sealFails.Inc()
	}
	return err
}

// verifyProof proves what is in a file of proofs, and says what is wrong with it.
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
	published, err := readKeys(ctx, from)
	if err != nil {
		return err
	}
	keys, err := attest.ParseKeys(published)
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

// readRoots reads the published pages of some months, nil where none are to be read. A file has
// whatever it has.
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
