package directory

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/requisite"
	"gateway.example/internal/setting"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

// checkName trims the name of something new and wants one.
func checkName(f fault.Fields, name string) string {
	return f.RequiredText("name", name, int(setting.Merchant.Find("name").Max))
}

// checkRename is checkName of what has a name already; nil leaves that.
func checkRename(f fault.Fields, name *string) *string {
	if name == nil {
		return nil
	}
	return new(checkName(f, *name))
}

// NewMerchant is a merchant to be made. A nil APIEnabled is on; an empty RatePercent is no markup
// of its own.
type NewMerchant struct {
	Name        string
	APIEnabled  *bool
	RatePercent string
}

// CreateMerchant makes a merchant.
func (s *Settings) CreateMerchant(
	ctx context.Context, who caller.Caller, n NewMerchant,
) (done Changed[Merchant], err error) {
	c, err := s.change(who, setting.Merchant.Needs, setting.Merchant.Name, "")
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	params := db.MerchantInsertParams{
		Name:        checkName(f, n.Name),
		ApiEnabled:  n.APIEnabled,
		RatePercent: optionalPercent(f, "ratePercent", n.RatePercent),
		CreatedAt:   c.At,
	}
	if err := f.Err(); err != nil {
		return done, err
	}
	return became[Merchant](db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return q.MerchantInsert(ctx, params) },
		Read:   func(q *db.Queries, id int64) ([]byte, error) { return q.MerchantSetting(ctx, id) },
	}))
}

// NewTrader is a trader to be made. An empty RatePercent is no markup of their own.
type NewTrader struct {
	Name string
	// SharePercent is their share of the spread, as a percent of spot.
	SharePercent string
	RatePercent  string
}

// CreateTrader makes a trader, and the accounts of their USDT.
func (s *Settings) CreateTrader(ctx context.Context, who caller.Caller, n NewTrader) (done Changed[Trader], err error) {
	c, err := s.change(who, setting.Trader.Needs, setting.Trader.Name, "")
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	f.Required("sharePercent", n.SharePercent)
	params := db.TraderInsertParams{
		Name: checkName(f, n.Name), SharePercent: optionalPercent(f, "sharePercent", n.SharePercent).Decimal,
		RatePercent: optionalPercent(f, "ratePercent", n.RatePercent), CreatedAt: c.At,
	}
	if err := f.Err(); err != nil {
		return done, err
	}
	return became[Trader](db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return InsertTrader(ctx, q, params) },
		Read:   func(q *db.Queries, id int64) ([]byte, error) { return q.TraderSetting(ctx, id) },
	}))
}

// InsertTrader writes a trader, and opens the accounts of their USDT.
func InsertTrader(ctx context.Context, q *db.Queries, params db.TraderInsertParams) (int64, error) {
	id, err := q.TraderInsert(ctx, params)
	if err != nil {
		return 0, fmt.Errorf("insert trader: %w", err)
	}
	return id, ledger.Open(ctx, q, ledger.Trader, id)
}

// NewCashbox is a cashbox to be made. Its methods are enabled by SetMethod.
type NewCashbox struct {
	MerchantID int64
	Name       string
	Currency   string
	// TraderID is the trader it is bridged to; 0 is none.
	TraderID int64
}

// CreateCashbox makes a merchant's cashbox, the accounts of its USDT, and the secret that signs its
// webhooks, which is shown here and never again.
func (s *Settings) CreateCashbox(
	ctx context.Context, who caller.Caller, n NewCashbox,
) (done Changed[Cashbox], secret string, err error) {
	c, err := s.change(who, setting.Cashbox.Needs, setting.Cashbox.Name, "")
	if err != nil {
		return done, "", err
	}
	params, err := s.checkNew(ctx, n)
	if err != nil {
		return done, "", err
	}
	params.CreatedAt = c.At
	secret = signing.NewSecret()
	done.SettingChange, err = db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return InsertCashbox(ctx, q, s.vault, secret, params) },
		Read: func(q *db.Queries, id int64) ([]byte, error) {
			// It is read here, since no error may keep the secret back once the cashbox is there.
			made, err := cashboxes(ctx, q, one(id))
			if err != nil {
				return nil, err
			}
			done.Now = made[0]
			return q.CashboxSetting(ctx, id)
		},
	})
	if err != nil {
		return done, "", err
	}
	return done, secret, nil
}

func (s *Settings) checkNew(ctx context.Context, n NewCashbox) (db.CashboxInsertParams, error) {
	f := fault.Decoded(ctx)
	params := db.CashboxInsertParams{MerchantID: n.MerchantID, Name: checkName(f, n.Name), Currency: n.Currency}
	f.Required("currency", n.Currency)
	if n.TraderID != 0 {
		params.TraderCashboxID = &n.TraderID
		if err := s.checkTrader(ctx, f, n.TraderID); err != nil {
			return params, err
		}
	}
	_, err := s.q.MerchantSetting(ctx, n.MerchantID)
	if err != nil && !db.NoRows(err) {
		return params, fmt.Errorf("find merchant: %w", err)
	}
	f.Check(err == nil, "merchantId", "is not a merchant")
	checkCurrency(f, n.Currency)
	return params, f.Err()
}

// InsertCashbox writes a cashbox, seals the secret that signs its webhooks, and opens the accounts
// of its USDT. The row comes first, because the secret is sealed for its id.
func InsertCashbox(
	ctx context.Context,
	q *db.Queries,
	v *vault.Vault,
	secret string,
	params db.CashboxInsertParams,
) (int64, error) {
	params.WebhookSecret = []byte{}
	id, err := q.CashboxInsert(ctx, params)
	if err != nil {
		return 0, fmt.Errorf("insert cashbox: %w", err)
	}
	sealed, err := signing.SealSecret(v, id, secret)
	if err != nil {
		return 0, err
	}
	err = q.CashboxSetWebhookSecret(ctx, db.CashboxSetWebhookSecretParams{ID: id, WebhookSecret: sealed})
	if err != nil {
		return 0, fmt.Errorf("keep webhook secret: %w", err)
	}
	return id, ledger.Open(ctx, q, ledger.Cashbox, id)
}

// InsertRequisite writes a requisite, its value sealed for its id. A desk that takes cards has no value.
func InsertRequisite(
	ctx context.Context,
	q *db.Queries,
	safe *requisite.Safe,
	value string,
	params db.RequisiteInsertParams,
) (id int64, err error) {
	if params.ID, err = q.RequisiteNextID(ctx); err != nil {
		return 0, fmt.Errorf("take the id of a requisite: %w", err)
	}
	if value != "" {
		sealed, err := safe.Seal(params.ID, params.Currency, value)
		if err != nil {
			return 0, err
		}
		params.Sealed, params.Hash, params.Last4 = sealed.Value, sealed.Hash, &sealed.Last4
	}
	return q.RequisiteInsert(ctx, params)
}
