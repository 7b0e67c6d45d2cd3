package directory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/requisite"
	"gateway.example/internal/setting"
	"gateway.example/internal/vault"
)

// Settings changes settings for operators.
type Settings struct {
	pool  db.Beginner
	reads *pgxpool.Pool
	q     *db.Queries
	clock clock.Clock
	vault *vault.Vault
	// requisites seals and opens what payers send money to.
	requisites *requisite.Safe
	Config
}

// Config is how settings are changed here.
type Config struct {
	// FourEyes are the rules by which moving money by hand takes a second operator.
	FourEyes foureyes.Rules
	// CardsWithoutAcquirer lets traders take cards without a processor of their own, as in a
	// sandbox.
	CardsWithoutAcquirer bool
	// Markup is that of payments for which nothing else names one.
	Markup decimal.Decimal
	// Addresses judges where events may go; nil admits public addresses.
	Addresses *outbound.Addresses
}

// NewSettings makes the service. The vault seals the secrets of new cashboxes.
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

// Approved is the service within a transaction in which a second operator approves what is done: it
// asks for no other.
func (s *Settings) Approved(tx pgx.Tx) *Settings {
	within := *s
	within.pool, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// change begins a change of a setting by a caller with the capability; nobody else may make one.
func (s *Settings) change(who caller.Caller, needed caller.Capability, subject, key string) (Change, error) {
	if err := who.Need(needed); err != nil {
		return Change{}, err
	}
	return Change{At: s.clock.Now(), Actor: who.Actor(), Subject: subject, SubjectKey: key}, nil
}

const maxReason = 500

// because is why something is changed, as the log has it. Who switches off what others work with has to say why; the
// switch is nil where it stays as it is.
func because(f fault.Fields, reason string, on *bool) *string {
	if on != nil && !*on {
		return orNil(f.RequiredText("reason", reason, maxReason))
	}
	reason = strings.TrimSpace(reason)
	f.MaxLength("reason", reason, maxReason)
	return orNil(reason)
}

// UpdateMerchant renames a merchant, switches its API, or sets its profile markup or how many open
// payments it may have.
func (s *Settings) UpdateMerchant(
	ctx context.Context, who caller.Caller, u MerchantUpdate,
) (done Changed[Merchant], err error) {
	c, err := s.change(who, setting.Merchant.Needs, setting.Merchant.Name, strconv.FormatInt(u.ID, 10))
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	columns := setting.Merchant.Read(f, u)
	c.Reason = because(f, u.Reason, u.APIEnabled)
	if err := f.Err(); err != nil {
		return done, err
	}
	read := func(q *db.Queries) ([]byte, error) { return q.MerchantSetting(ctx, u.ID) }
	return became[Merchant](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  u.Seen,
		Read:  read,
		Apply: func(q *db.Queries) error {
			if err := s.terms(ctx, q, c, read, setting.Merchant.Terms(u)); err != nil {
				return foureyes.Want(err, foureyes.UpdateMerchant, u)
			}
			return q.Set(ctx, setting.Merchant.Name, u.ID, columns)
		},
	}))
}

// CashboxUpdate changes the fields that are set; a TraderID of 0 removes the bridge, an empty text
// clears its field.
type CashboxUpdate struct {
	ID             int64
	Name           *string
	CollectEnabled *bool
	TraderID       *int64
	// PageColor is #rrggbb, FrameOrigin an https origin: see Look.
	PageColor, FrameOrigin *string
	// RemoveLogo takes the shop's logo off the hosted pages, and takes a reason.
	RemoveLogo bool
	// ReturnHosts are the hosts that payers may be led back to; none is any.
	ReturnHosts *[]string
	// ReturnAutomatic leads them back by itself once they have paid, and PayerEvents tells the
	// merchant when a payer says that they have.
	ReturnAutomatic, PayerEvents *bool
	// DepositCallbackURI is where events of deposits go.
	DepositCallbackURI *string
	Reason             string
	Seen               string
}

// UpdateCashbox renames a cashbox, switches collecting, sets the bridge, or the look of the hosted pages.
func (s *Settings) UpdateCashbox(
	ctx context.Context, who caller.Caller, u CashboxUpdate,
) (done Changed[Cashbox], err error) {
	c, err := s.change(who, setting.Cashbox.Needs, setting.Cashbox.Name, strconv.FormatInt(u.ID, 10))
	if err != nil {
		return done, err
	}
	params := db.CashboxUpdateParams{ID: u.ID, CollectEnabled: u.CollectEnabled, SetBridge: u.TraderID != nil}
	f := fault.Decoded(ctx)
	params.Name = checkRename(f, u.Name)
	u.look(f, &params)
	u.payer(f, &params)
	s.callback(f, u.DepositCallbackURI, &params)
	c.Reason = because(f, u.Reason, u.CollectEnabled)
	if u.RemoveLogo {
		params.SetPageLogo = true
		c.Reason = because(f, u.Reason, new(false))
	}
	if u.TraderID != nil && *u.TraderID != 0 {
		params.TraderCashboxID = u.TraderID
		if err := s.checkTrader(ctx, f, *u.TraderID); err != nil {
			return done, err
		}
	}
	if err := f.Err(); err != nil {
		return done, err
	}
	c, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  u.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxSetting(ctx, u.ID) },
		Apply: func(q *db.Queries) error { return q.CashboxUpdate(ctx, params) },
	})
	return db.Settled(c, err, func() (Cashbox, error) { return s.Cashbox(ctx, who, u.ID) })
}

func (s *Settings) checkTrader(ctx context.Context, f fault.Fields, id int64) error {
	_, err := s.q.TraderSetting(ctx, id)
	f.Check(!db.NoRows(err), "traderCashboxId", "is not a trader's cashbox")
	if db.NoRows(err) {
		return nil
	}
	return err
}

// CashboxMethod is a method of a cashbox. An empty text is none.
type CashboxMethod struct {
	CashboxID            int64
	Name                 string
	Enabled              bool
	MarginPercent        string
	ValiditySeconds      int32
	MinAmount, MaxAmount string
	// ClaimSeconds is how long a payment waits at least once its payer says that they have paid, and
	// Cards how many cards may be tried for it; nil leaves what is set.
	ClaimSeconds, Cards *int32
	// AmountPolicy says what becomes of another amount than asked for, DifferenceTo whose the
	// difference is; nil leaves what is set, and so it does of the tolerances, which "" clears.
	AmountPolicy, TolerancePercent, ToleranceAmount, DifferenceTo *string
	// LateSeconds is how long after its time a payment can still be completed; nil leaves what is set.
	LateSeconds *int32
	Seen        string
}

// SetMethod makes or changes a method of a cashbox.
func (s *Settings) SetMethod(
	ctx context.Context, who caller.Caller, m CashboxMethod,
) (done Changed[MethodSetting], err error) {
	c, err := s.change(who, setting.Method.Needs, setting.Method.Name, strconv.FormatInt(m.CashboxID, 10)+"/"+m.Name)
	if err != nil {
		return done, err
	}
	currency, err := s.q.CashboxCurrency(ctx, m.CashboxID)
	if db.NoRows(err) {
		return done, fault.ErrNotFound
	}
	if err != nil {
		return done, err
	}
	params, err := m.validate(ctx, currency)
	if err != nil {
		return done, err
	}
	key := db.CashboxMethodSettingParams{CashboxID: m.CashboxID, Method: m.Name}
	read := func(q *db.Queries) ([]byte, error) { return q.CashboxMethodSetting(ctx, key) }
	return became[MethodSetting](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  m.Seen,
		Read:  read,
		Apply: func(q *db.Queries) error {
			known := func(q *db.Queries) ([]byte, error) { return s.marginNow(ctx, q, m, read) }
			if err := s.terms(ctx, q, c, known, map[string]*string{"margin_percent": &m.MarginPercent}); err != nil {
				return foureyes.Want(err, foureyes.SetCashboxMethod, m)
			}
			return q.CashboxMethodSet(ctx, params)
		},
		New: true,
	}))
}

func (m CashboxMethod) validate(ctx context.Context, currency string) (db.CashboxMethodSetParams, error) {
	f := fault.Decoded(ctx)
	params := db.CashboxMethodSetParams{
		CashboxID:       m.CashboxID,
		Method:          m.Name,
		Enabled:         m.Enabled,
		ValiditySeconds: m.ValiditySeconds,
		MarginPercent:   optionalPercent(f, "marginPercent", m.MarginPercent),
		MinAmount:       optionalAmount(f, "minAmount", m.MinAmount),
		MaxAmount:       optionalAmount(f, "maxAmount", m.MaxAmount),
	}
	_, known := catalogue.Find(catalogue.Payments(currency), m.Name)
	f.Check(known, "method", "is not a method for %s", currency)
	setting.Method.Find("validitySeconds").Between(f, m.ValiditySeconds)
	checkOrder(f, params.MinAmount, params.MaxAmount)
	if s := m.ClaimSeconds; s != nil {
		setting.Method.Find("claimSeconds").Between(f, *s)
		params.ClaimSeconds = s
	}
	if c := m.Cards; c != nil {
		cards := setting.Method.Find("cards")
		cards.Between(f, *c)
		params.Cards = new(int16(max(0, min(*c, cards.Max))))
	}
	if s := m.LateSeconds; s != nil {
		setting.Method.Find("lateSeconds").Between(f, *s)
		params.LateSeconds = s
	}
	m.validatePolicy(f, &params)
	return params, f.Err()
}

func (m CashboxMethod) validatePolicy(f fault.Fields, params *db.CashboxMethodSetParams) {
	if p := m.AmountPolicy; p != nil {
		setting.Method.Find("amountPolicy").Among(f, *p)
		params.AmountPolicy = p
	}
	if p := m.TolerancePercent; p != nil {
		params.SetTolerancePercent, params.TolerancePercent = true, optionalPercent(f, "tolerancePercent", *p)
	}
	if a := m.ToleranceAmount; a != nil {
		params.SetToleranceAmount, params.ToleranceAmount = true, optionalAmount(f, "toleranceAmount", *a)
	}
	if d := m.DifferenceTo; d != nil {
		setting.Method.Find("differenceTo").Among(f, *d)
		params.DifferenceTo = d
	}
}

// NewPlatformLimit are the limits that a currency is to have, of every payment in it.
type NewPlatformLimit struct {
	Currency, MinAmount, MaxAmount string
	Reason                         string
	Seen                           string
}

// Check says what is wrong with them, whether or not a reason is given yet.
func (n NewPlatformLimit) Check(ctx context.Context) error {
	f := fault.Decoded(ctx)
	n.params(f)
	return f.Err()
}

func (n NewPlatformLimit) params(f fault.Fields) db.PlatformLimitSetParams {
	f.Check(n.Currency != "", "currency", "is required")
	low, high := optionalAmount(f, "minAmount", n.MinAmount), optionalAmount(f, "maxAmount", n.MaxAmount)
	f.Check(n.MinAmount != "", "minAmount", "is required")
	f.Check(n.MaxAmount != "", "maxAmount", "is required")
	checkOrder(f, low, high)
	checkCurrency(f, n.Currency)
	return db.PlatformLimitSetParams{Currency: n.Currency, MinAmount: low.Decimal, MaxAmount: high.Decimal}
}

// SetPlatformLimit makes or changes a currency's limits. They stop payments of every merchant, so it takes a reason.
func (s *Settings) SetPlatformLimit(
	ctx context.Context, who caller.Caller, n NewPlatformLimit,
) (done Changed[PlatformLimit], err error) {
	c, err := s.change(who, setting.Limit.Needs, setting.Limit.Name, n.Currency)
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	params := n.params(f)
	c.Reason = orNil(f.RequiredText("reason", n.Reason, maxReason))
	if err := f.Err(); err != nil {
		return done, err
	}
	return became[PlatformLimit](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  n.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.PlatformLimitSetting(ctx, n.Currency) },
		Apply: func(q *db.Queries) error { return q.PlatformLimitSet(ctx, params) },
		New:   true,
	}))
}

// checkCurrency wants a currency that is known. That there is none is for others to say.
func checkCurrency(f fault.Fields, currency string) {
	known := currency == "" || slices.Contains(catalogue.Currencies, currency)
	f.Check(known, "currency", "is not a known currency")
}

// ChangePage asks for part of the log, the newest first.
type ChangePage struct {
	db.Page
	Subject, SubjectKey *string
	// Also is another subject, whose changes are listed beside those of Subject.
	Also *string
}

// Change is one row of the log of settings.
type Change = db.SettingChange

// Changes lists the log of settings. The cursor is nil on the last page.
func (s *Settings) Changes(ctx context.Context, who caller.Caller, page ChangePage) ([]Change, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	limit, before := page.Bounds(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.SettingChange, error) {
		return q.SettingChangeList(ctx, db.SettingChangeListParams{
			BeforeID: before, Subject: page.Subject, Also: page.Also, SubjectKey: page.SubjectKey, Page: limit + 1,
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list setting changes: %w", err)
	}
	rows, cursor := db.Cut(rows, limit, func(c Change) int64 { return c.ID })
	return rows, cursor, nil
}

// PlatformLimit are the limits of every payment in a currency.
type PlatformLimit struct {
	Currency  string          `json:"currency"`
	MinAmount decimal.Decimal `json:"min_amount"`
	MaxAmount decimal.Decimal `json:"max_amount"`
	Versioned
}

// PlatformLimits lists the limits of the currencies that have any.
func (s *Settings) PlatformLimits(ctx context.Context, who caller.Caller) ([]PlatformLimit, error) {
	return few[PlatformLimit](ctx, who, func() ([][]byte, error) { return s.q.PlatformLimitSettings(ctx) })
}
