package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/vault"
)

// Purposes of keys, as the table secret_key has them.
const (
	purposeVault = "vault"
	purposeLink  = "link"
)

const (
	keysEvery = time.Minute
	// linkKeyKept is how long after a process last made links with a key all processes must know
	// it: payers open links for hours.
	linkKeyKept = 24 * time.Hour
)

// errKeysDiffer makes a process not ready.
var errKeysDiffer = errors.New("keys are missing")

// checkKeys refuses to start without a key that something is sealed with, which would fail call by
// call later on. A vault key that nothing is sealed with any more is forgotten.
func (g *gateway) checkKeys(ctx context.Context) error {
	q := db.New(g.workPool)
	missing, err := g.missingKeys(ctx, q)
	if err != nil {
		return err
	}
	for _, key := range missing {
		if key.Purpose != purposeVault {
			continue
		}
		places, err := q.SealedWith(ctx, key.Fingerprint)
		if err != nil {
			return fmt.Errorf("look for what is sealed: %w", err)
		}
		if len(places) > 0 {
			return fmt.Errorf(
				"%s lacks the key with the fingerprint %s, which alone opens what is in %s: put it behind the first one",
				envVaultKeys,
				key.Fingerprint,
				strings.Join(places, ", "),
			)
		}
		if err := q.SecretKeyForget(ctx, db.SecretKeyForgetParams(key)); err != nil {
			return fmt.Errorf("forget a vault key: %w", err)
		}
	}
	if err := g.noteKeys(ctx); !errors.Is(err, errKeysDiffer) {
		return err
	}
	return nil // it starts, but readyz says why it is not ready
}

// noteKeys tells the other replicas which keys this one uses. One that lacks a key of theirs keeps
// silent: its settings may be wrong, and then it must not be the reason for which the others are
// not ready.
func (g *gateway) noteKeys(ctx context.Context) error {
	if err := g.keysAgree(ctx); err != nil {
		return err
	}
	q, now := db.New(g.workPool), time.Now()
	return errors.Join(
		q.SecretKeyPut(
			ctx,
			db.SecretKeyPutParams{Purpose: purposeVault, Fingerprint: vault.Fingerprint(g.vaultKeys[0]), SeenAt: now},
		),
		q.SecretKeyPut(
			ctx,
			db.SecretKeyPutParams{Purpose: purposeLink, Fingerprint: vault.Fingerprint(g.linkKeys[0]), SeenAt: now},
		),
	)
}

// keysAgree reports, in words that give no key away, which keys that are in use this process lacks.
func (g *gateway) keysAgree(ctx context.Context) error {
	missing, err := g.missingKeys(ctx, db.New(g.opsPool))
	if err != nil || len(missing) == 0 {
		return err
	}
	var words []string
	for _, key := range missing {
		words = append(
			words,
			fmt.Sprintf(
				"%s lacks %s",
				map[string]string{purposeVault: envVaultKeys, purposeLink: envLinkKeys}[key.Purpose],
				key.Fingerprint,
			),
		)
	}
	return fmt.Errorf("%w: %s; replicas use them", errKeysDiffer, strings.Join(words, ", "))
}

func (g *gateway) missingKeys(ctx context.Context, q *db.Queries) ([]db.SecretKeyNeededRow, error) {
	needed, err := q.SecretKeyNeeded(ctx, time.Now().Add(-linkKeyKept))
	if err != nil {
		return nil, fmt.Errorf("read which keys are in use: %w", err)
	}
	have := map[db.SecretKeyNeededRow]bool{}
	for purpose, keys := range map[string][][]byte{purposeVault: g.vaultKeys, purposeLink: g.linkKeys} {
		for _, key := range keys {
			have[db.SecretKeyNeededRow{Purpose: purpose, Fingerprint: vault.Fingerprint(key)}] = true
		}
	}
	var missing []db.SecretKeyNeededRow
	for _, key := range needed {
		if !have[key] {
			missing = append(missing, key)
		}
	}
	return missing, nil
}
