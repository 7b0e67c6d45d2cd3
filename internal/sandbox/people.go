package sandbox

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/requisite"
	"gateway.example/internal/session"
)

const (
	requisiteMin = "1"
	requisiteMax = "5000000"
	// The tokens in the sandbox's file do not expire.
	tokenLife = 100 * 365 * 24 * time.Hour
)

// user is a sample user; number selects their merchant or trader.
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

// users makes the sample users, with passwords and tokens derived from the key.
// A user's number is an index into the ids, so these must be in the order of
// the samples. A cabinet user belongs to every merchant.
func (s *seeder) users(ctx context.Context, merchantIDs, traderIDs []int64) error {
	for _, u := range users {
		made := session.NewUser{Kind: u.kind, Login: u.login}
		switch u.kind {
		case caller.MerchantPortal:
			made.MerchantID = &merchantIDs[u.number]
		case caller.Trader:
			made.TraderID = &traderIDs[u.number]
		case caller.Cabinet:
			made.MerchantIDs = merchantIDs
		default:
		}
		hash, err := session.HashPassword(s.key.password(u.login))
		if err != nil {
			return fmt.Errorf("seed user: %w", err)
		}
		id, err := session.InsertUser(ctx, s.q, made, hash, s.now)
		if err != nil {
			return fmt.Errorf("seed user: %w", err)
		}
		if err := session.InsertToken(ctx, s.q, s.key.token(u.login), id, s.now, tokenLife); err != nil {
			return fmt.Errorf("seed token: %w", err)
		}
	}
	return nil
}

func (k Key) password(login string) string { return k.Secret("password " + login) }
func (k Key) token(login string) string    { return k.Secret("token " + login) }

// requisites inserts the requisites by COPY, because they are many and every
// first start waits for them.
func (s *seeder) requisites(ctx context.Context, traderIDs []int64) error {
	columns := strings.Fields("id currency method trader_id sealed hash last4 holder bank min_amount max_amount created_at")
	minimum, maximum := decimal.RequireFromString(requisiteMin), decimal.RequireFromString(requisiteMax)
	var rows [][]any
	for i, pool := range pools {
		method, _ := catalogue.Find(catalogue.Methods, pool.method)
		for n := range pool.count {
			id, err := s.q.RequisiteNextID(ctx)
			if err != nil {
				return fmt.Errorf("take the id of a requisite: %w", err)
			}
			row := []any{id, pool.currency, pool.method, traderIDs[pool.trader]}
			if kind := method.RequisiteType; kind != "" {
				sealed := s.safe.Seal(id, pool.currency, requisite.Of(kind).Sample(i*1000+n))
				row = append(row, sealed.Value, sealed.Hash, sealed.Last4, holders[n%len(holders)], sampleBank)
			} else { // a desk for card payments has no value
				row = append(row, nil, nil, nil, nil, nil)
			}
			rows = append(rows, append(row, minimum, maximum, s.now))
		}
	}
	if _, err := s.tx.CopyFrom(ctx, pgx.Identifier{"requisite"}, columns, pgx.CopyFromRows(rows)); err != nil {
		return fmt.Errorf("seed requisites: %w", err)
	}
	return nil
}

var sampleBank = "Sample Bank"

var holders = []string{"Ivan P.", "Anna S.", "Leyla M.", "Bat-Erdene D."}
