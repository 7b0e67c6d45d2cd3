package directory

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/optional"
	"gateway.example/internal/outbound"
	"gateway.example/internal/requisite"
	"gateway.example/internal/vault"
)

type Settings struct {
	pool  db.Beginner
	reads db.Pool
	q     *db.Queries
	clock clock.Clock
	vault *vault.Vault
	// requisites encrypts and decrypts requisites.
	requisites *requisite.Safe
	Config
}

type Config struct {
	// FourEyes are the rules by which moving money by hand requires a
	// second operator.
	FourEyes foureyes.Rules
	// CardsWithoutAcquirer lets traders take cards without a processor of
	// their own, as in a sandbox.
	CardsWithoutAcquirer bool
	// Markup applies to payments for which no other markup is set.
	Markup decimal.Decimal
	// Addresses checks where events may be sent; nil allows public
	// addresses only.
	Addresses *outbound.Addresses
}

// NewSettings makes the service. The vault encrypts the secrets of new
// cashboxes.
func NewSettings(
	pools db.Pools, c clock.Clock, v *vault.Vault, requisites *requisite.Safe, config Config,
) *Settings {
	if config.Addresses == nil {
		config.Addresses = outbound.NewAddresses(false)
	}
	return &Settings{
		pool: pools.Calls, reads: pools.Reads, q: db.New(pools.Reads), clock: c, vault: v, requisites: requisites,
		Config: config,
	}
}

// Approved returns the service for use inside the transaction in which a second
// operator approves a change. It does not ask for another approval.
func (s *Settings) Approved(tx pgx.Tx) *Settings {
	within := *s
	within.pool, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// change begins the log entry for a change of a setting. The caller needs the
// capability.
func (s *Settings) change(who caller.Caller, needed caller.Capability, subject, key string) (Change, error) {
	if err := who.Need(needed); err != nil {
		return Change{}, err
	}
	return Change{At: s.clock.Now(), Actor: who.Actor(), Subject: subject, SubjectKey: key}, nil
}

const maxReason = 500

// because reads the reason of a change for the audit log. A reason is required
// to switch something off. on is the switch; nil leaves it as it is.
func because(f fault.Fields, reason string, on *bool) *string {
	if on != nil && !*on {
		return optional.Of(f.RequiredText("reason", reason, maxReason))
	}
	reason = strings.TrimSpace(reason)
	f.MaxLength("reason", reason, maxReason)
	return optional.Of(reason)
}

// ChangePage asks for part of the log, the newest first.
type ChangePage struct {
	db.Page
	Subject, SubjectKey *string
	// Also is another subject whose changes are listed as well.
	Also *string
}

// Change is an entry of the audit log of settings.
type Change = db.SettingChange

// Changes lists the log of settings. The cursor is nil on the last page.
func (s *Settings) Changes(ctx context.Context, who caller.Caller, page ChangePage) ([]Change, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	return db.ListPage(ctx, s.reads, fault.Decoded(ctx), page.Page, "list setting changes",
		func(q *db.Queries, before int64, rows int32) ([]Change, error) {
			return q.SettingChangeList(ctx, db.SettingChangeListParams{
				BeforeID: before, Subject: page.Subject, Also: page.Also, SubjectKey: page.SubjectKey, Page: rows,
			})
		},
		func(c Change) int64 { return c.ID })
}
