package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/reseal"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/vault"
)

// manageKeys lists the keys in use. With "rotate" it first seals everything
// with the first key.
func (e environment) manageKeys(ctx context.Context, args []string) error {
	var c config
	found, err := newOptions("keys", e.getenv, e.stdout, c.only("data-dir", "database-url"),
		vaultKeysVariable, linkKeysVariable, postgresVariable).parse(args, "[rotate|push]")
	if err != nil {
		return err
	}
	if len(found) == 1 && found[0] == "push" {
		return printPushKey(e.stdout)
	}
	var wrong problems
	c.checkDatabaseURL(&wrong)
	c.sandbox = c.databaseURL == ""
	c.readSecrets(&wrong, texts{vaultKeys: e.getenv(envVaultKeys), linkKeys: e.getenv(envLinkKeys)})
	if len(found) == 1 && found[0] != "rotate" {
		wrong = append(wrong, errors.New("keys: only keys rotate and keys push are known: see gateway keys -h"))
	}
	if len(wrong) > 0 {
		return usageError{errors.Join(wrong...)}
	}
	return e.withDatabase(ctx, c, func(pool db.Pool, _ place) error {
		if c.sandbox {
			own, err := sandbox.LoadKey(c.dataDir)
			if err != nil {
				return err
			}
			c.completeKeys(own)
		}
		if len(found) == 1 {
			return c.rotateKeys(ctx, pool, e.stdout)
		}
		missing, err := c.listKeys(ctx, db.New(pool), e.stdout)
		if err == nil && missing > 0 {
			err = errors.New(counted(int64(missing), "key is missing", "keys are missing"))
		}
		return err
	})
}

// rotateKeys seals everything with the first vault key, forgets the keys that
// nothing needs any more, and lists the others.
func (c *config) rotateKeys(ctx context.Context, pool db.Pool, out io.Writer) error {
	q, first := db.New(pool), c.fingerprints(purposeVault)[0]
	if err := othersSeal(ctx, q, first); err != nil {
		return err
	}
	// From now on no process starts without it.
	err := q.SecretKeyPut(ctx, db.SecretKeyPutParams{Purpose: purposeVault, Fingerprint: first, SeenAt: time.Now()})
	if err != nil {
		return fmt.Errorf("note the first key: %w", err)
	}
	v, err := vault.New(c.vaultKeys...)
	if err != nil {
		return fmt.Errorf("%s: %w", envVaultKeys, err)
	}
	sealed, err := reseal.Run(ctx, pool, v, first)
	_, _ = fmt.Fprintf(out, "%s sealed again, with the key %s.\n", counted(sealed, "value was", "values were"), first)
	if err != nil {
		return err
	}
	left, err := forgetUnused(ctx, q, first)
	if err != nil {
		return err
	}
	if _, err := c.listKeys(ctx, q, out); err != nil {
		return err
	}
	if left > 0 {
		return fmt.Errorf(
			"%s still sealed with other keys: run the command again, with the keys that are missing",
			counted(left, "value is", "values are"),
		)
	}
	return nil
}

// othersSeal refuses a rotation while a process seals with another key: it may
// lack the new one, and then could not open what was sealed again.
func othersSeal(ctx context.Context, q *db.Queries, first string) error {
	keys, err := q.SecretKeyList(ctx)
	if err != nil {
		return fmt.Errorf("read which keys are in use: %w", err)
	}
	for _, key := range keys {
		if key.Purpose == purposeVault && key.Fingerprint != first && time.Since(key.SeenAt) < keyGone {
			return fmt.Errorf("a process has the key %s as its first, or had it at %s: put %s first on every process "+
				"and restart them, and try again %s after that", key.Fingerprint, key.SeenAt.UTC().Format(time.RFC3339), first, keyGone)
		}
	}
	return nil
}

// forgetUnused forgets the vault keys that open nothing, and returns how many
// values other keys than the first still open.
func forgetUnused(ctx context.Context, q *db.Queries, first string) (left int64, err error) {
	uses, err := reseal.Count(ctx, q)
	if err != nil {
		return 0, err
	}
	for _, use := range uses {
		if use.Fingerprint != first {
			left += use.Values
		}
	}
	keys, err := q.SecretKeyList(ctx)
	if err != nil {
		return left, fmt.Errorf("read which keys are in use: %w", err)
	}
	for _, key := range keys {
		if key.Purpose != purposeVault || key.Fingerprint == first || describeUses(uses, key.Fingerprint) != "" {
			continue
		}
		err := q.SecretKeyForget(ctx, db.SecretKeyForgetParams{Purpose: key.Purpose, Fingerprint: key.Fingerprint})
		if err != nil {
			return left, fmt.Errorf("forget a vault key: %w", err)
		}
	}
	return left, nil
}

// listKeys lists the keys that are set and those that are needed, and counts
// the missing ones.
func (c *config) listKeys(ctx context.Context, q *db.Queries, out io.Writer) (missing int, err error) {
	uses, err := reseal.Count(ctx, q)
	if err != nil {
		return 0, err
	}
	keys, err := q.SecretKeyList(ctx)
	if err != nil {
		return 0, fmt.Errorf("read which keys are in use: %w", err)
	}
	for _, purpose := range []string{purposeVault, purposeLink} {
		_, _ = fmt.Fprintf(out, "%s keys (%s):\n", purpose, keyVariable(purpose))
		given := c.fingerprints(purpose)
		for _, one := range known(given, purpose, keys, uses) {
			place, what := "given", describeKey(one, purpose, keys, uses)
			switch at := slices.Index(given, one); {
			case at == 0:
				place = "first"
			case at < 0 && what == unneeded:
				continue
			case at < 0:
				place = "MISSING"
				missing++
			}
			_, _ = fmt.Fprintf(out, "  %s  %-7s  %s\n", one, place, what)
		}
	}
	return missing, nil
}

// known are the fingerprints of a purpose's keys that are set or were ever
// used.
func known(given []string, purpose string, keys []db.SecretKey, uses []reseal.Use) []string {
	all := slices.Clone(given)
	for _, key := range keys {
		if key.Purpose == purpose {
			all = append(all, key.Fingerprint)
		}
	}
	for _, use := range uses {
		if purpose == purposeVault {
			all = append(all, use.Fingerprint)
		}
	}
	var once []string
	for _, one := range all {
		if !slices.Contains(once, one) {
			once = append(once, one)
		}
	}
	return once
}

const unneeded = "opens nothing that is needed"

// describeKey says what a key is still needed for. A vault key opens what it
// has sealed; a link key opens links until linkKeyKept after a process last
// used it, by the real time.
func describeKey(fingerprint, purpose string, keys []db.SecretKey, uses []reseal.Use) string {
	if purpose == purposeVault {
		if opens := describeUses(uses, fingerprint); opens != "" {
			return "opens " + opens
		}
		return unneeded
	}
	for _, key := range keys {
		if until := key.SeenAt.Add(linkKeyKept); key.Purpose == purpose && key.Fingerprint == fingerprint &&
			until.After(time.Now()) {
			return "opens links, until " + until.UTC().Format(time.RFC3339)
		}
	}
	return unneeded
}
