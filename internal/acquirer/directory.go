package acquirer

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook"
)

// Directory knows each trader's acquirer.
type Directory struct {
	// FourEyes are the rules by which a trader's processor is set by two.
	FourEyes foureyes.Rules

	pool  db.Beginner
	q     *db.Queries
	clock clock.Clock
	vault *vault.Vault
	// addresses are those that a processor may be at.
	addresses *webhook.Addresses
	client    *http.Client
	// otherwise is for traders without one of their own; nil outside a sandbox.
	otherwise Acquirer
	// Offline has the directory know nobody, so that nobody is called.
	Offline bool
}

// NewDirectory makes the directory. Processors are at the addresses given only. otherwise, if not
// nil, is for traders without an acquirer of their own: it is for sandboxes.
func NewDirectory(
	pool *pgxpool.Pool, c clock.Clock, v *vault.Vault, addresses *webhook.Addresses, otherwise Acquirer,
) *Directory {
	return &Directory{
		pool: pool, q: db.New(pool), clock: c, vault: v,
		addresses: addresses, client: newClient(addresses), otherwise: otherwise,
	}
}

// Approved is the directory within a transaction in which a second operator approves what is done: it asks for no other.
func (d *Directory) Approved(tx pgx.Tx) *Directory {
	within := *d
	within.pool, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// sandboxID is the id of the acquirer of a sandbox's traders without one of their own.
const sandboxID = 0

// For is the acquirer that a trader's new cards go to, or ErrNone, and the id by which Began finds
// it again.
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

// Began is the acquirer that an attempt began with, also one that has been replaced since: it alone
// knows of the charge.
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
	TraderID           int64
	URL, KeyID, Secret string
	// Seen is the version of the processor that it is set in place of; "" is any.
	Seen string
}

const (
	maxText   = 255
	minSecret = 16
)

// Set gives a trader a processor, which takes their new cards. The same address with another key or
// secret is the same processor. Attempts that began at another address stay with the processor
// there: Set returns how many are under way.
func (d *Directory) Set(
	ctx context.Context,
	who caller.Caller,
	s Setting,
) (c db.SettingChange, elsewhere int64, err error) {
	c = db.SettingChange{
		At:         d.clock.Now(),
		Actor:      who.Actor(),
		Subject:    "trader_acquirer",
		SubjectKey: strconv.FormatInt(s.TraderID, 10),
	}
	if err := who.Need(caller.OperatorDirectory); err != nil {
		return c, 0, err
	}
	s.URL = strings.TrimSuffix(s.URL, "/")
	f := fault.Decoded(ctx)
	flaw := d.flaw(s.URL)
	f.Check(flaw == "", "url", "%s", flaw)
	f.Check(s.KeyID != "" && len(s.KeyID) <= maxText, "keyId", "must be 1 to %d characters", maxText)
	f.Check(
		len(s.Secret) >= minSecret && len(s.Secret) <= maxText,
		"secret",
		"must be %d to %d characters",
		minSecret,
		maxText,
	)
	if err := f.Err(); err != nil {
		return c, 0, err
	}
	if err := d.FourEyes.Always(); err != nil {
		return c, 0, foureyes.Want(err, foureyes.SetAcquirer, s)
	}
	sealed, err := d.vault.Seal([]byte(s.Secret), place(s.TraderID))
	if err != nil {
		return c, 0, err
	}
	c, err = db.ChangeSetting(ctx, d.pool, c, db.Setting{
		New:  true,
		Seen: s.Seen,
		Read: func(q *db.Queries) ([]byte, error) { return q.AcquirerSetting(ctx, s.TraderID) },
		Apply: func(q *db.Queries) error {
			if err := q.AcquirerRetire(ctx, db.AcquirerRetireParams{TraderID: s.TraderID, URL: s.URL}); err != nil {
				return err
			}
			return q.AcquirerSet(
				ctx,
				db.AcquirerSetParams{TraderID: s.TraderID, URL: s.URL, KeyID: s.KeyID, Secret: sealed},
			)
		},
	})
	if db.IsForeignKeyViolation(err) {
		return c, 0, fault.Fields{"traderId": {"is not a trader"}}.Err()
	}
	if err != nil {
		return c, 0, err
	}
	elsewhere, err = d.q.AttemptOpenElsewhere(ctx, s.TraderID)
	return c, elsewhere, err
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
