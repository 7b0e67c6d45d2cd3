package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/auth"
	"gateway/internal/caller"
	"gateway/internal/checkdigit"
	"gateway/internal/db"
)

const (
	requisiteMin = "1"
	requisiteMax = "5000000"
	// Tokens in the sandbox's file do not run out.
	tokenLife = 100 * 365 * 24 * time.Hour
)

// user is a person to sign in as; number picks his merchant or trader.
type user struct {
	kind   caller.Kind
	login  string
	number int
}

var users = []user{
	{caller.Cabinet, "payer", 0},
	{caller.MerchantPortal, "merchant", 0},
	{caller.MerchantPortal, "merchant-2", 1},
	{caller.Trader, "trader-1", 0},
	{caller.Trader, "trader-2", 1},
	{caller.Trader, "trader-3", 2},
	{caller.Operator, "operator", 0},
	{caller.MerchantPortal, "merchant-legacy", 2},
}

func (s *seeder) users(ctx context.Context, merchantIDs, traderIDs []int64) error {
	for _, u := range users {
		params := db.UserInsertParams{Kind: string(u.kind), Login: u.login, CreatedAt: s.now}
		switch u.kind {
		case caller.MerchantPortal:
			params.MerchantID = &merchantIDs[u.number]
		case caller.Trader:
			params.TraderID = &traderIDs[u.number]
		default:
		}
		hash, err := auth.HashPassword(s.key.password(u.login))
		if err != nil {
			return fmt.Errorf("seed user: %w", err)
		}
		params.PasswordHash = hash
		id, err := s.q.UserInsert(ctx, params)
		if err != nil {
			return fmt.Errorf("seed user: %w", err)
		}
		if u.kind == caller.Cabinet {
			if err := s.q.UserLink(ctx, db.UserLinkParams{UserID: id, MerchantIds: merchantIDs}); err != nil {
				return fmt.Errorf("link user: %w", err)
			}
		}
		err = s.q.TokenInsert(ctx, db.TokenInsertParams{
			Hash: auth.HashSecret(s.key.token(u.login)), UserID: id, CreatedAt: s.now, ExpiresAt: s.now.Add(tokenLife),
		})
		if err != nil {
			return fmt.Errorf("seed token: %w", err)
		}
	}
	return nil
}

func (k Key) password(login string) string { return k.Secret("password " + login) }
func (k Key) token(login string) string    { return k.Secret("token " + login) }

// requisites copies them in: they are many, and every first start waits for them.
func (s *seeder) requisites(ctx context.Context, traderIDs []int64) error {
	columns := []string{
		"currency", "method", "trader_id", "value", "holder", "bank",
		"min_amount", "max_amount", "created_at",
	}
	minimum, maximum := decimal.RequireFromString(requisiteMin), decimal.RequireFromString(requisiteMax)
	var rows [][]any
	for i, pool := range pools {
		for n := range pool.count {
			holder, bank := &holders[n%len(holders)], &sampleBank
			if isDesk(pool.method) {
				holder, bank = nil, nil
			}
			rows = append(rows, []any{
				pool.currency, pool.method, traderIDs[pool.trader], value(pool.method, i*1000+n), holder,
				bank, minimum, maximum, s.now,
			})
		}
	}
	if _, err := s.tx.CopyFrom(ctx, pgx.Identifier{"requisite"}, columns, pgx.CopyFromRows(rows)); err != nil {
		return fmt.Errorf("seed requisites: %w", err)
	}
	return nil
}

var sampleBank = "Sample Bank"

// isDesk reports whether the method's requisites are desks that take cards.
func isDesk(method string) bool { return method == "mtstpay" || method == "quasi_ecom" }

var holders = []string{"Ivan P.", "Anna S.", "Leyla M.", "Bat-Erdene D."}

// value makes up the nth requisite of a method: well formed, and nobody's.
func value(method string, n int) string {
	switch method {
	case "mtstpay", "quasi_ecom":
		return ""
	case "sbp", "sim":
		return fmt.Sprintf("+7900%07d", n)
	case "iban":
		return checkdigit.NewIBAN("MN", fmt.Sprintf("0005%012d", n))
	default:
		return checkdigit.WithLuhn(fmt.Sprintf("220000%09d", n))
	}
}
