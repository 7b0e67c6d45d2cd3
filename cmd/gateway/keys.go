package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/reseal"
	"gateway.example/internal/vault"
)

// Purposes of keys, as the table secret_key has them.
const (
	purposeVault = "vault"
	purposeLink  = "link"
)

const (
	keysEvery = time.Minute
	// linkKeyKept is how long all processes must know a link key after it
	// was last used to make links. A payment is open for up to a day, or a
	// little longer after an outage, and for a day after it ended unpaid
	// its payer may send a receipt.
	linkKeyKept = 3 * 24 * time.Hour
	// keyGone is after how long without a sign of a process using it as
	// the first key nobody seals with a key any more.
	keyGone = 3 * keysEvery
)

// errKeysDiffer is why a process is not ready.
var errKeysDiffer = errors.New("keys are missing")

// checkKeys refuses to start without a vault key that sealed data needs, or a
// link key that recent links need: otherwise calls would fail one by one
// later. It forgets vault keys with which nothing is sealed any more.
func (g *gateway) checkKeys(ctx context.Context) error {
	q := db.New(g.workPool)
	missing, err := g.missingKeys(ctx, q)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := refuseWithout(ctx, q, missing); err != nil {
			return err
		}
	}
	return g.noteKeys(ctx)
}

// refuseWithout returns an error that says what needs the missing keys.
func refuseWithout(ctx context.Context, q *db.Queries, missing []db.SecretKeyNeededRow) error {
	uses, err := reseal.Count(ctx, q)
	if err != nil {
		return err
	}
	for _, key := range missing {
		if key.Purpose == purposeLink {
			return fmt.Errorf("%s lacks the key with the fingerprint %s, which alone opens the links of the last three days: "+
				"put it behind the first one", envLinkKeys, key.Fingerprint)
		}
		if opens := describeUses(uses, key.Fingerprint); opens != "" {
			return fmt.Errorf(
				"%s lacks the key with the fingerprint %s, which alone opens %s: put it behind the first one",
				envVaultKeys,
				key.Fingerprint,
				opens,
			)
		}
		if err := q.SecretKeyForget(ctx, db.SecretKeyForgetParams(key)); err != nil {
			return fmt.Errorf("forget a vault key: %w", err)
		}
	}
	return nil
}

// describeUses says what a vault key opens, for example "3 of payin.address".
// It returns "" if it opens nothing.
func describeUses(uses []reseal.Use, fingerprint string) string {
	var words []string
	for _, use := range uses {
		if use.Fingerprint == fingerprint {
			words = append(words, fmt.Sprintf("%d of %s", use.Values, use.Column))
		}
	}
	return strings.Join(words, ", ")
}

// noteKeys stores which keys this process uses, for the other replicas. If it
// lacks a key of theirs, it adds no key of its own that is new: its keys may
// be the wrong ones, and must not make the others unready.
func (g *gateway) noteKeys(ctx context.Context) error {
	differ := g.keysAgree(ctx)
	if differ != nil && !errors.Is(differ, errKeysDiffer) {
		return differ
	}
	q, now := db.New(g.workPool), time.Now()
	for purpose, first := range map[string][]byte{purposeVault: g.vaultKeys[0], purposeLink: g.linkKeys[0]} {
		key := db.SecretKeyPutParams{Purpose: purpose, Fingerprint: vault.Fingerprint(first), SeenAt: now}
		var err error
		if differ == nil {
			err = q.SecretKeyPut(ctx, key)
		} else {
			err = q.SecretKeySeen(ctx, db.SecretKeySeenParams{SeenAt: now, Purpose: purpose, Fingerprint: key.Fingerprint})
		}
		if err != nil {
			return fmt.Errorf("note a key: %w", err)
		}
	}
	return differ
}

// keysAgree reports which keys in use this process lacks. It reveals no key.
func (g *gateway) keysAgree(ctx context.Context) error {
	missing, err := g.missingKeys(ctx, db.New(g.opsPool))
	if err != nil || len(missing) == 0 {
		return err
	}
	var words []string
	for _, key := range missing {
		words = append(words, fmt.Sprintf("%s lacks %s", keyVariable(key.Purpose), key.Fingerprint))
	}
	return fmt.Errorf("%w: %s; replicas use them", errKeysDiffer, strings.Join(words, ", "))
}

func keyVariable(purpose string) string {
	return map[string]string{purposeVault: envVaultKeys, purposeLink: envLinkKeys}[purpose]
}

func (g *gateway) missingKeys(ctx context.Context, q *db.Queries) ([]db.SecretKeyNeededRow, error) {
	needed, err := q.SecretKeyNeeded(ctx, time.Now().Add(-linkKeyKept))
	if err != nil {
		return nil, fmt.Errorf("read which keys are in use: %w", err)
	}
	return slices.DeleteFunc(needed, func(key db.SecretKeyNeededRow) bool {
		return slices.Contains(g.fingerprints(key.Purpose), key.Fingerprint)
	}), nil
}

// fingerprints are the fingerprints of the keys that are set for a purpose,
// beginning with the key in use.
func (c *config) fingerprints(purpose string) []string {
	var all []string
	for _, key := range map[string][][]byte{purposeVault: c.vaultKeys, purposeLink: c.linkKeys}[purpose] {
		all = append(all, vault.Fingerprint(key))
	}
	return all
}
