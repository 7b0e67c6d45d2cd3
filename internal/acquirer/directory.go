package acquirer

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/auth"
	"gateway/internal/clock"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/vault"
)

// Directory knows each trader's acquirer.
type Directory struct {
	pool   *pgxpool.Pool
	q      *db.Queries
	clock  clock.Clock
	vault  *vault.Vault
	client *http.Client
	// otherwise is for traders without one of their own; nil outside a sandbox.
	otherwise Acquirer
}

// NewDirectory makes the directory. otherwise, if not nil, is for traders without an acquirer of their own, and lets
// processors be at http addresses on this machine: it is for sandboxes.
func NewDirectory(pool *pgxpool.Pool, c clock.Clock, v *vault.Vault, otherwise Acquirer) *Directory {
	return &Directory{pool: pool, q: db.New(pool), clock: c, vault: v, client: newClient(), otherwise: otherwise}
}

// For is the acquirer of a trader, or ErrNone.
func (d *Directory) For(ctx context.Context, traderID int64) (Acquirer, error) {
	row, err := d.q.AcquirerGet(ctx, traderID)
	switch {
	case db.NoRows(err) && d.otherwise != nil:
		return d.otherwise, nil
	case db.NoRows(err):
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf("read acquirer: %w", err)
	}
	secret, err := d.vault.Open(row.Secret, place(traderID))
	if err != nil {
		return nil, err
	}
	return &HTTP{client: d.client, url: strings.TrimSuffix(row.URL, "/"), keyID: row.KeyID, secret: string(secret)}, nil
}

func place(traderID int64) vault.Place {
	return vault.Place{Table: "trader_acquirer", Column: "secret", Row: traderID}
}

// Setting is a trader's processor.
type Setting struct {
	TraderID           int64
	URL, KeyID, Secret string
}

const (
	maxText   = 255
	minSecret = 16
)

// Set gives a trader his processor, or another one. Attempts under way are asked about at the new address.
func (d *Directory) Set(ctx context.Context, caller auth.Caller, s Setting) (db.SettingChange, error) {
	c := db.SettingChange{
		At: d.clock.Now(), Actor: caller.Actor(), Subject: "trader_acquirer", SubjectKey: strconv.FormatInt(s.TraderID, 10),
	}
	if err := caller.NeedOperator(); err != nil {
		return c, err
	}
	f := fault.Decoded(ctx)
	f.Check(d.admits(s.URL), "url", "must be an https URL without user, query or fragment")
	f.Check(s.KeyID != "" && len(s.KeyID) <= maxText, "keyId", "must be 1 to %d characters", maxText)
	f.Check(len(s.Secret) >= minSecret && len(s.Secret) <= maxText, "secret", "must be %d to %d characters", minSecret, maxText)
	if err := f.Err(); err != nil {
		return c, err
	}
	sealed, err := d.vault.Seal([]byte(s.Secret), place(s.TraderID))
	if err != nil {
		return c, err
	}
	c, err = db.ChangeSetting(ctx, d.pool, c, db.Setting{
		New:  true,
		Read: func(q *db.Queries) ([]byte, error) { return q.AcquirerSetting(ctx, s.TraderID) },
		Apply: func(q *db.Queries) error {
			return q.AcquirerSet(ctx, db.AcquirerSetParams{TraderID: s.TraderID, URL: s.URL, KeyID: s.KeyID, Secret: sealed})
		},
	})
	if db.IsForeignKeyViolation(err) {
		return c, fault.Fields{"traderId": {"is not a trader"}}.Err()
	}
	return c, err
}

func (d *Directory) admits(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || len(address) > 2048 {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && d.otherwise != nil && err == nil && ip.IsLoopback()
}
