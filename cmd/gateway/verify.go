package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"gateway.example/internal/attest"
)

var errNotGenuine = errors.New("the file is not as it was signed")

// keysMost bounds what is read of files of keys and of signed files.
const keysMost = 64 << 20

// verifyTimeline proves a signed timeline with the gateway's public keys, and says what is wrong
// with it.
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
	published, err := readKeys(ctx, from)
	if err != nil {
		return err
	}
	keys, err := attest.ParseKeys(published)
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

// keysSetting is where the gateway's public keys are.
func keysSetting(from *string) setting {
	return setting{
		from, "keys", "", "http://127.0.0.1:8080/.well-known/gateway-keys.json",
		"file or address of the gateway's public keys",
	}
}

// readKeys reads public keys from a file or an address.
func readKeys(ctx context.Context, from string) ([]byte, error) {
	if !strings.HasPrefix(from, "http://") && !strings.HasPrefix(from, "https://") {
		file, err := os.ReadFile(from) //nolint:gosec // whoever runs the command names the file
		if err != nil {
			return nil, fmt.Errorf("read the public keys: %w", err)
		}
		return file, nil
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
