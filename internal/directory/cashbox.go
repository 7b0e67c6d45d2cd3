package directory

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/setting"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

type Cashbox struct {
	ID           int64  `json:"id"`
	MerchantID   int64  `json:"merchant_id"`
	MerchantName string `json:"-"`
	Name         string `json:"name"`
	Currency     string `json:"currency"`
	// TraderID is the trader to whom the cashbox is bridged, or nil.
	TraderID       *int64  `json:"trader_cashbox_id"`
	CollectEnabled bool    `json:"collect_enabled"`
	PageColor      *string `json:"page_color"`
	// LogoHash is the hash of the shop's logo on hosted pages, or nil.
	LogoHash           *string         `json:"page_logo_hash"`
	FrameOrigin        *string         `json:"frame_origin"`
	ReturnHosts        []string        `json:"return_hosts"`
	ReturnAutomatic    bool            `json:"return_automatic"`
	PayerEvents        bool            `json:"payer_events"`
	DepositCallbackURI *string         `json:"deposit_callback_uri"`
	InsuranceUSDT      decimal.Decimal `json:"insurance_usdt"`
	CreatedAt          time.Time       `json:"created_at"`
	Versioned
}

// CashboxUpdate changes the fields that are set; a TraderID of 0 removes the
// bridge, an empty text clears its field.
type CashboxUpdate struct {
	ID             int64
	Name           *string
	CollectEnabled *bool
	TraderID       *int64
	// PageColor is #rrggbb, FrameOrigin an https origin: see Look.
	PageColor, FrameOrigin *string
	// RemoveLogo removes the shop's logo from the hosted pages; it requires
	// a reason.
	RemoveLogo bool
	// ReturnHosts are the hosts to which payers may be sent back; an empty
	// list allows any.
	ReturnHosts *[]string
	// ReturnAutomatic sends payers back without a click once they have
	// paid. PayerEvents sends the merchant an event when a payer says that
	// they have paid.
	ReturnAutomatic, PayerEvents *bool
	// DepositCallbackURI is where events of deposits go.
	DepositCallbackURI *string
	Reason             string
	Seen               string
}

// NewCashbox is a cashbox to be made. SetMethod then enables its methods.
type NewCashbox struct {
	MerchantID int64
	Name       string
	Currency   string
	// TraderID is the trader it is bridged to; 0 is none.
	TraderID int64
}

// CreateCashbox makes a merchant's cashbox, the accounts of its USDT, and the
// secret that signs its webhooks, which is shown here and never again.
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
			// It is read within the transaction: once the cashbox
			// is there, no error may keep its secret from the
			// caller.
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

// checkNew checks a new cashbox and reports all wrong fields together. It locks
// nothing: what it has read may change before the insert, where the constraints
// of the table decide.
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

// InsertCashbox writes a cashbox, seals the secret that signs its webhooks, and
// opens the accounts of its USDT. The row comes first, because the secret is
// sealed for its id.
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
	err = q.CashboxSetWebhookSecret(ctx, db.CashboxSetWebhookSecretParams{
		ID: id, WebhookSecret: signing.SealSecret(v, id, secret),
	})
	if err != nil {
		return 0, fmt.Errorf("keep webhook secret: %w", err)
	}
	return id, ledger.Open(ctx, q, ledger.Cashbox, id)
}

// UpdateCashbox changes a cashbox's name, whether it collects payments, its
// bridge, or the look of its hosted pages.
func (s *Settings) UpdateCashbox(
	ctx context.Context, who caller.Caller, u CashboxUpdate,
) (done Changed[Cashbox], err error) {
	c, err := s.change(who, setting.Cashbox.Needs, setting.Cashbox.Name, strconv.FormatInt(u.ID, 10))
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	columns := s.cashboxColumns(f, u)
	c.Reason = because(f, u.Reason, u.CollectEnabled)
	if u.RemoveLogo {
		setLogo(columns, nil)
		c.Reason = because(f, u.Reason, new(false))
	}
	if u.TraderID != nil {
		columns["trader_cashbox_id"] = nil
		if *u.TraderID != 0 {
			columns["trader_cashbox_id"] = *u.TraderID
			if err := s.checkTrader(ctx, f, *u.TraderID); err != nil {
				return done, err
			}
		}
	}
	if err := f.Err(); err != nil {
		return done, err
	}
	c, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  u.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxSetting(ctx, u.ID) },
		Apply: func(q *db.Queries) error { return q.Set(ctx, setting.Cashbox.Name, u.ID, columns) },
	})
	return db.Settled(c, err, func() (Cashbox, error) { return s.Cashbox(ctx, who, u.ID) })
}

// cashboxColumns checks the fields of an update except the bridge and the logo,
// and returns them by their columns.
func (s *Settings) cashboxColumns(f fault.Fields, u CashboxUpdate) map[string]any {
	plain := setting.Cashbox.Only("name", "collectEnabled", "returnAutomatic", "payerEvents")
	columns := setting.Subject{Settings: plain}.Read(f, u)
	u.look(f, columns)
	if u.ReturnHosts != nil {
		columns["return_hosts"] = returnHosts(f, *u.ReturnHosts)
	}
	if u.DepositCallbackURI != nil {
		address := optional.Of(strings.TrimSpace(*u.DepositCallbackURI))
		if address != nil {
			f.Flaw("depositCallbackUri", s.Addresses.Check(*address))
		}
		columns["deposit_callback_uri"] = address
	}
	return columns
}

func (s *Settings) checkTrader(ctx context.Context, f fault.Fields, id int64) error {
	_, err := s.q.TraderSetting(ctx, id)
	f.Check(!db.NoRows(err), "traderCashboxId", "is not a trader's cashbox")
	if db.NoRows(err) {
		return nil
	}
	return err
}

// Cashboxes lists cashboxes for an operator. A search can keep to one merchant,
// or to those bridged to one trader.
func (s *Settings) Cashboxes(ctx context.Context, who caller.Caller, search Search) ([]Cashbox, *string, error) {
	return find(ctx, s, who, search, cashboxes, func(c Cashbox) int64 { return c.ID })
}

func (s *Settings) Cashbox(ctx context.Context, who caller.Caller, id int64) (Cashbox, error) {
	return get(ctx, s, who, id, cashboxes)
}

// cashboxes reads one row more than the limit of the listing, by which the
// caller knows whether there is a next page.
func cashboxes(ctx context.Context, q *db.Queries, l listing) ([]Cashbox, error) {
	rows, err := q.CashboxList(ctx, db.CashboxListParams{
		BeforeID: l.before, ID: l.id, MerchantID: optional.Of(l.MerchantID), TraderID: optional.Of(l.TraderID),
		Currency: optional.Of(l.Currency), Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.CashboxListRow) (c Cashbox, err error) {
		c, err = decode[Cashbox](row.Setting)
		c.MerchantName = row.MerchantName
		return c, err
	})
}
