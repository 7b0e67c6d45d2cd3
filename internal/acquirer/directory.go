package acquirer

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/vault"
)

// Directory knows each trader's acquirer.
type Directory struct {
	pool  db.Beginner
	q     *db.Queries
	clock clock.Clock
	vault *vault.Vault
	// addresses decides at which addresses a processor may be.
	addresses *outbound.Addresses
	client    *http.Client
	// otherwise serves traders without a processor of their own; it is nil
	// outside a sandbox.
	otherwise Acquirer
	Config
}

// Config says who may change processors, and whether any are called.
type Config struct {
	// FourEyes says when setting a trader's processor takes two operators.
	FourEyes foureyes.Rules
	// Offline makes For and Began answer ErrOffline, so that no acquirer is
	// called.
	Offline bool
}

// NewDirectory makes the directory. Processors may be at the given addresses
// only. In a sandbox, otherwise serves traders without an acquirer of their
// own; it may be nil.
func NewDirectory(
	pool db.Pool, c clock.Clock, v *vault.Vault, addresses *outbound.Addresses, otherwise Acquirer,
	config Config,
) *Directory {
	return &Directory{
		pool: pool, q: db.New(pool), clock: c, vault: v,
		addresses: addresses, client: newClient(addresses), otherwise: otherwise, Config: config,
	}
}

// Approved returns the directory for use inside the transaction in which a
// second operator approves a change. It does not ask for another approval.
func (d *Directory) Approved(tx pgx.Tx) *Directory {
	within := *d
	within.pool, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// sandboxID is the id of the acquirer of a sandbox's traders without one of
// their own.
const sandboxID = 0

// For returns the acquirer for a trader's new cards, or ErrNone, and the id
// under which Began finds it again.
func (d *Directory) For(ctx context.Context, traderID int64) (Acquirer, int64, error) {
	if d.Offline {
		return nil, 0, ErrOffline
	}
	row, err := d.q.AcquirerPresent(ctx, traderID)
	if db.NoRows(err) {
		found, err := d.Began(ctx, sandboxID)
		return found, sandboxID, err
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read acquirer: %w", err)
	}
	found, err := d.processor(row)
	return found, row.ID, err
}

// Began returns the acquirer that an attempt began with, even if it has been
// replaced since: no other one knows of the charge.
func (d *Directory) Began(ctx context.Context, id int64) (Acquirer, error) {
	switch {
	case d.Offline:
		return nil, ErrOffline
	case id != sandboxID:
	case d.otherwise == nil:
		return nil, ErrNone
	default:
		return d.otherwise, nil
	}
	row, err := d.q.AcquirerGet(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read acquirer %d: %w", id, err)
	}
	return d.processor(row)
}

func (d *Directory) processor(row db.TraderAcquirer) (Acquirer, error) {
	secret, err := d.vault.Open(row.Secret, place(row.TraderID))
	if err != nil {
		return nil, fmt.Errorf("open the secret of acquirer %d: %w", row.ID, err)
	}
	return &HTTP{client: d.client, url: row.URL, keyID: row.KeyID, secret: string(secret)}, nil
}

func place(traderID int64) vault.Place {
	return vault.Place{Table: "trader_acquirer", Column: "secret", Row: traderID}
}

// Setting is a trader's processor.
type Setting struct {
	TraderID   int64
	URL, KeyID string
	Secret     string `json:",omitempty"`
	// Seen is the version of the processor that the caller wants to
	// replace; "" means any version.
	Seen string `json:",omitempty"`
}

const (
	maxText   = 255
	minSecret = 16
)

// Set gives a trader a processor for their new cards. If only the key or the
// secret differs, it stays the same processor. Attempts that began at another
// address stay there: Set returns how many are still open.
func (d *Directory) Set(ctx context.Context, who caller.Caller, s Setting) (
	done db.Changed[Processor], elsewhere int64, err error,
) {
	c := db.SettingChange{
		At:         d.clock.Now(),
		Actor:      who.Actor(),
		Subject:    "trader_acquirer",
		SubjectKey: strconv.FormatInt(s.TraderID, 10),
	}
	if err := who.Need(caller.OperatorDirectory); err != nil {
		return done, 0, err
	}
	s.URL = strings.TrimSuffix(s.URL, "/")
	if err := d.check(ctx, s); err != nil {
		return done, 0, err
	}
	sealed := d.vault.Seal([]byte(s.Secret), place(s.TraderID))
	c, err = db.ChangeSetting(ctx, d.pool, c, db.Setting{
		New:  true,
		Seen: s.Seen,
		Read: func(q *db.Queries) ([]byte, error) { return q.AcquirerSetting(ctx, s.TraderID) },
		Apply: func(q *db.Queries) error {
			if err := q.AcquirerRetire(ctx, db.AcquirerRetireParams{TraderID: s.TraderID, URL: s.URL}); err != nil {
				return err
			}
			return q.AcquirerSet(ctx, db.AcquirerSetParams{
				TraderID: s.TraderID, URL: s.URL, KeyID: s.KeyID, Secret: sealed,
			})
		},
		May: func(_ *db.Queries, c db.SettingChange) error {
			// An approval changes this state only.
			s.Seen = db.VersionOf(c.Before)
			return foureyes.WithAction(d.FourEyes.Always(), foureyes.SetAcquirer, s)
		},
	})
	if db.IsForeignKeyViolation(err) {
		return done, 0, fault.Fields{"traderId": {"is not a trader"}}.Err()
	}
	if err != nil {
		return done, 0, err
	}
	if elsewhere, err = d.q.AttemptOpenElsewhere(ctx, s.TraderID); err != nil {
		return done, 0, err
	}
	done, err = db.Settled(c, nil, func() (Processor, error) { return d.present(ctx, who, s.TraderID) })
	return done, elsewhere, err
}

func (d *Directory) check(ctx context.Context, s Setting) error {
	f := fault.Decoded(ctx)
	flaw := d.flaw(s.URL)
	f.Check(flaw == "", "url", "%s", flaw)
	f.Check(s.KeyID != "" && len(s.KeyID) <= maxText, "keyId", "must be 1 to %d characters", maxText)
	f.Check(len(s.Secret) >= minSecret && len(s.Secret) <= maxText, "secret",
		"must be %d to %d characters", minSecret, maxText)
	return f.Err()
}

// flaw says what is wrong with the address of a processor, or "".
func (d *Directory) flaw(address string) string {
	if flaw := d.addresses.Check(address); flaw != "" {
		return flaw
	}
	if strings.ContainsAny(address, "?#") {
		return "must not have a query or fragment"
	}
	return ""
}
