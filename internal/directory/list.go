package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/sensitive"
)

// NotThere is the version of a setting that is not there yet: a change that carries it as Seen makes
// the setting, and is refused where somebody else has made it.
const NotThere = db.NotThere

// Search asks for part of a list of those who take part, the newest first. What is zero is not kept
// to, and each list heeds what it knows.
type Search struct {
	db.Page
	// Text is part of a name, or an id. Requisites are found by their last four characters, too.
	Text string
	// On keeps to what is switched on, or off.
	On                   *bool
	MerchantID, TraderID int64
	Currency, Method     string
}

const maxSearch = 200

// listing is a Search as queries have it.
type listing struct {
	limit    int32
	before   int64
	id       *int64
	text     *string
	searchID *int64
	Search
}

func (s Search) listing(f fault.Fields) listing {
	l := listing{Search: s}
	l.limit, l.before = s.Bounds(f)
	f.MaxLength("search", s.Text, maxSearch)
	if text := strings.TrimSpace(s.Text); text != "" {
		l.text = &text
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			l.searchID = &id
		}
	}
	return l
}

// one keeps to the one of an id.
func one(id int64) listing { return listing{limit: 1, before: id + 1, id: &id} }

// entry is a row of a list, as its query has it.
type entry[T any] func(ctx context.Context, q *db.Queries, l listing) ([]T, error)

// find lists what a caller may see of the directory.
func find[T any](
	ctx context.Context, s *Settings, who caller.Caller, search Search, read entry[T], id func(T) int64,
) ([]T, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	l := search.listing(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	list, err := db.List(ctx, s.reads, func(q *db.Queries) ([]T, error) { return read(ctx, q, l) })
	if err != nil {
		return nil, nil, fmt.Errorf("list the directory: %w", err)
	}
	list, cursor := db.Cut(list, l.limit, id)
	return list, cursor, nil
}

// get reads the one of an id.
func get[T any](ctx context.Context, s *Settings, who caller.Caller, id int64, read entry[T]) (T, error) {
	var none T
	if err := who.Need(caller.OperatorRead); err != nil {
		return none, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return none, err
	}
	list, err := read(ctx, s.q, one(id))
	if err != nil {
		return none, fmt.Errorf("read the directory: %w", err)
	}
	if len(list) == 0 {
		return none, fault.ErrNotFound
	}
	return list[0], nil
}

// decodeAll reads rows into a room's own type.
func decodeAll[R, T any](rows []R, decode func(R) (T, error)) ([]T, error) {
	list := make([]T, 0, len(rows))
	for _, row := range rows {
		one, err := decode(row)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// orNil is v, or nil for nothing.
func orNil[T comparable](v T) *T {
	var nothing T
	if v == nothing {
		return nil
	}
	return &v
}

// Merchant is a merchant's settings. Version names them as they were read: a change that carries it
// as Seen is refused where they have changed since.
type Merchant struct {
	ID              int64               `json:"id"`
	Name            string              `json:"name"`
	APIEnabled      bool                `json:"api_enabled"`
	RatePercent     decimal.NullDecimal `json:"rate_percent"`
	MaxOpenPayments int32               `json:"max_open_payments"`
	CreatedAt       time.Time           `json:"created_at"`
	Version         string              `json:"-"`
}

// Merchants lists merchants for an operator. The cursor is nil on the last page.
func (s *Settings) Merchants(ctx context.Context, who caller.Caller, search Search) ([]Merchant, *string, error) {
	return find(ctx, s, who, search, merchants, func(m Merchant) int64 { return m.ID })
}

// Merchant reads a merchant for an operator.
func (s *Settings) Merchant(ctx context.Context, who caller.Caller, id int64) (Merchant, error) {
	return get(ctx, s, who, id, merchants)
}

func merchants(ctx context.Context, q *db.Queries, l listing) ([]Merchant, error) {
	rows, err := q.MerchantList(ctx, db.MerchantListParams{
		BeforeID: l.before, ID: l.id, Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.MerchantListRow) (m Merchant, err error) {
		m.Version, err = db.DecodeSetting(row.Setting, &m)
		return m, err
	})
}

// Cashbox is a cashbox's settings.
type Cashbox struct {
	ID           int64  `json:"id"`
	MerchantID   int64  `json:"merchant_id"`
	MerchantName string `json:"-"`
	Name         string `json:"name"`
	Currency     string `json:"currency"`
	// TraderID is the trader it is bridged to, or nil.
	TraderID        *int64          `json:"trader_cashbox_id"`
	CollectEnabled  bool            `json:"collect_enabled"`
	PageColor       *string         `json:"page_color"`
	FrameOrigin     *string         `json:"frame_origin"`
	ReturnHosts     []string        `json:"return_hosts"`
	ReturnAutomatic bool            `json:"return_automatic"`
	PayerEvents     bool            `json:"payer_events"`
	InsuranceUSDT   decimal.Decimal `json:"insurance_usdt"`
	CreatedAt       time.Time       `json:"created_at"`
	Version         string          `json:"-"`
}

// Cashboxes lists cashboxes for an operator: also a merchant's, or those bridged to a trader.
func (s *Settings) Cashboxes(ctx context.Context, who caller.Caller, search Search) ([]Cashbox, *string, error) {
	return find(ctx, s, who, search, cashboxes, func(c Cashbox) int64 { return c.ID })
}

// Cashbox reads a cashbox for an operator.
func (s *Settings) Cashbox(ctx context.Context, who caller.Caller, id int64) (Cashbox, error) {
	return get(ctx, s, who, id, cashboxes)
}

func cashboxes(ctx context.Context, q *db.Queries, l listing) ([]Cashbox, error) {
	rows, err := q.CashboxList(ctx, db.CashboxListParams{
		BeforeID: l.before, ID: l.id, MerchantID: orNil(l.MerchantID), TraderID: orNil(l.TraderID),
		Currency: orNil(l.Currency), Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.CashboxListRow) (c Cashbox, err error) {
		c.Version, err = db.DecodeSetting(row.Setting, &c)
		c.MerchantName = row.MerchantName
		return c, err
	})
}

// Trader is a trader's settings.
type Trader struct {
	ID            int64               `json:"id"`
	Name          string              `json:"name"`
	Enabled       bool                `json:"enabled"`
	OnBreak       bool                `json:"on_break"`
	RatePercent   decimal.NullDecimal `json:"rate_percent"`
	SharePercent  decimal.Decimal     `json:"share_percent"`
	MaxOpenPayins int32               `json:"max_open_payins"`
	CreatedAt     time.Time           `json:"created_at"`
	Version       string              `json:"-"`
}

// Traders lists traders for an operator.
func (s *Settings) Traders(ctx context.Context, who caller.Caller, search Search) ([]Trader, *string, error) {
	return find(ctx, s, who, search, traders, func(t Trader) int64 { return t.ID })
}

// Trader reads a trader for an operator.
func (s *Settings) Trader(ctx context.Context, who caller.Caller, id int64) (Trader, error) {
	return get(ctx, s, who, id, traders)
}

func traders(ctx context.Context, q *db.Queries, l listing) ([]Trader, error) {
	rows, err := q.TraderList(ctx, db.TraderListParams{
		BeforeID: l.before, ID: l.id, Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	})
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.TraderListRow) (t Trader, err error) {
		t.Version, err = db.DecodeSetting(row.Setting, &t)
		return t, err
	})
}

// Requisite is a requisite as operators see it. Of its value they see the last characters: see
// RequisiteValue.
type Requisite struct {
	ID         int64  `json:"id"`
	TraderID   int64  `json:"trader_id"`
	TraderName string `json:"-"`
	Currency   string `json:"currency"`
	Method     string `json:"method"`
	// Masked is empty for a desk that takes cards.
	Masked string  `json:"-"`
	Holder *string `json:"holder"`
	Bank   *string `json:"bank"`
	// Enabled is the operators' switch, and OwnEnabled the trader's. Both have to be on.
	Enabled    bool `json:"enabled"`
	OwnEnabled bool `json:"own_enabled"`
	// Set are the operators' limits, and Own the trader's. The stricter of two holds.
	Set, Own  RequisiteLimits `json:"-"`
	Weight    int32           `json:"weight"`
	CreatedAt time.Time       `json:"created_at"`
	Version   string          `json:"-"`
}

// Requisites lists requisites for an operator: also a trader's, or those of a pool.
func (s *Settings) Requisites(ctx context.Context, who caller.Caller, search Search) ([]Requisite, *string, error) {
	return find(ctx, s, who, search, s.listRequisites, func(r Requisite) int64 { return r.ID })
}

// Requisite reads a requisite for an operator.
func (s *Settings) Requisite(ctx context.Context, who caller.Caller, id int64) (Requisite, error) {
	return get(ctx, s, who, id, s.listRequisites)
}

// valueForm is a number of a card, phone or account, or the end of one.
var valueForm = regexp.MustCompile(`^(\+?[0-9]+|[A-Z]{2}[0-9]{2}[0-9A-Z]{8,})$`)

func (s *Settings) listRequisites(ctx context.Context, q *db.Queries, l listing) ([]Requisite, error) {
	params := db.RequisiteListParams{
		BeforeID: l.before, ID: l.id, TraderID: orNil(l.TraderID), Currency: orNil(l.Currency), Method: orNil(l.Method),
		Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	}
	if value := strings.ReplaceAll(l.Text, " ", ""); valueForm.MatchString(value) { // no holder or bank is called so
		params.Ending, params.Search, params.Hashes = &value, nil, s.requisites.Hashes(value)
	}
	rows, err := q.RequisiteList(ctx, params)
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.RequisiteListRow) (Requisite, error) {
		r, err := decodeRequisite(row.Setting)
		r.TraderName = row.TraderName
		return r, err
	})
}

// limitColumns are limits as a requisite's row has them.
type limitColumns struct {
	MinAmount    decimal.NullDecimal `json:"min_amount"`
	MaxAmount    decimal.NullDecimal `json:"max_amount"`
	DailyCount   *int32              `json:"daily_count"`
	DailySum     decimal.NullDecimal `json:"daily_sum"`
	OpenPayments *int32              `json:"open_payments"`
	WorkFrom     string              `json:"work_from"`
	WorkUntil    string              `json:"work_until"`
	TimeZone     string              `json:"time_zone"`
}

func (c limitColumns) limits() RequisiteLimits {
	l := RequisiteLimits(c)
	l.WorkFrom, l.WorkUntil = minutes(l.WorkFrom), minutes(l.WorkUntil)
	return l
}

// minutes leaves the seconds of a time of day out.
func minutes(clock string) string { return clock[:min(len(clock), len("15:04"))] }

func decodeRequisite(setting []byte) (Requisite, error) {
	var r Requisite
	var err error
	if r.Version, err = db.DecodeSetting(setting, &r); err != nil {
		return r, err
	}
	columns := map[string]json.RawMessage{}
	if err := json.Unmarshal(setting, &columns); err != nil {
		return r, fmt.Errorf("read requisite: %w", err)
	}
	if r.Set, err = limitsOf(columns, ""); err != nil {
		return r, err
	}
	if r.Own, err = limitsOf(columns, "own_"); err != nil {
		return r, err
	}
	if err := json.Unmarshal(columns["value"], &r.Masked); err != nil {
		return r, fmt.Errorf("read requisite: %w", err)
	}
	return r, nil
}

// limitsOf are the limits among columns whose names begin so.
func limitsOf(columns map[string]json.RawMessage, prefix string) (RequisiteLimits, error) {
	named := map[string]json.RawMessage{}
	for name, value := range columns {
		if short, is := strings.CutPrefix(name, prefix); is {
			named[short] = value
		}
	}
	content, err := json.Marshal(named)
	if err != nil {
		return RequisiteLimits{}, fmt.Errorf("read limits: %w", err)
	}
	var found limitColumns
	if err := json.Unmarshal(content, &found); err != nil {
		return RequisiteLimits{}, fmt.Errorf("read limits: %w", err)
	}
	return found.limits(), nil
}

// RequisiteValue reads what payers send money to, whole, and notes who read it.
func (s *Settings) RequisiteValue(ctx context.Context, who caller.Caller, id int64) (string, error) {
	if err := who.Need(caller.OperatorReveal); err != nil {
		return "", err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return "", err
	}
	sealed, err := s.q.RequisiteValue(ctx, id)
	if db.NoRows(err) {
		return "", fault.ErrNotFound
	}
	if err != nil {
		return "", fmt.Errorf("read requisite: %w", err)
	}
	var value string // a desk has none
	if sealed != nil {
		if value, err = s.requisites.Open(id, sealed); err != nil {
			return "", err
		}
	}
	subject := sensitive.Subject{Kind: "requisite", Key: strconv.FormatInt(id, 10), What: "value"}
	return value, sensitive.Record(ctx, s.q, who, s.clock.Now(), subject)
}

// MethodSetting is a method of a cashbox, as it is set.
type MethodSetting struct {
	CashboxID       int64               `json:"cashbox_id"`
	Name            string              `json:"method"`
	Enabled         bool                `json:"enabled"`
	MarginPercent   decimal.NullDecimal `json:"margin_percent"`
	ValiditySeconds int32               `json:"validity_seconds"`
	MinAmount       decimal.NullDecimal `json:"min_amount"`
	MaxAmount       decimal.NullDecimal `json:"max_amount"`
	ClaimSeconds    int32               `json:"claim_seconds"`
	Cards           int32               `json:"cards"`
	Version         string              `json:"-"`
}

// PayoutMethodSetting is a method by which a cashbox pays out, as it is set.
type PayoutMethodSetting struct {
	CashboxID       int64           `json:"cashbox_id"`
	Name            string          `json:"method"`
	Enabled         bool            `json:"enabled"`
	MarkupPercent   decimal.Decimal `json:"markup_percent"`
	ValiditySeconds int32           `json:"validity_seconds"`
	// MinAmount and MaxAmount bound a payout, where they are set.
	MinAmount decimal.NullDecimal `json:"min_amount"`
	MaxAmount decimal.NullDecimal `json:"max_amount"`
	Version   string              `json:"-"`
}

// TraderPayoutSetting is a method that a trader pays out by, as it is set.
type TraderPayoutSetting struct {
	TraderID int64  `json:"trader_id"`
	Currency string `json:"currency"`
	Method   string `json:"method"`
	Enabled  bool   `json:"enabled"`
	Version  string `json:"-"`
}

// PlatformLimit are the limits of every payment in a currency.
type PlatformLimit struct {
	Currency  string          `json:"currency"`
	MinAmount decimal.Decimal `json:"min_amount"`
	MaxAmount decimal.Decimal `json:"max_amount"`
	Version   string          `json:"-"`
}

// few lists what there are only a few of.
func few[T any](
	ctx context.Context, who caller.Caller, read func() ([][]byte, error), version func(*T) *string,
) ([]T, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, err
	}
	rows, err := read()
	if err != nil {
		return nil, fmt.Errorf("list the directory: %w", err)
	}
	return decodeAll(rows, func(row []byte) (t T, err error) {
		*version(&t), err = db.DecodeSetting(row, &t)
		return t, err
	})
}

// Methods lists the methods of a cashbox for an operator.
func (s *Settings) Methods(ctx context.Context, who caller.Caller, cashboxID int64) ([]MethodSetting, error) {
	return few(ctx, who, func() ([][]byte, error) { return s.q.CashboxMethodList(ctx, cashboxID) },
		func(m *MethodSetting) *string { return &m.Version })
}

// PayoutMethods lists the methods by which a cashbox pays out.
func (s *Settings) PayoutMethods(
	ctx context.Context, who caller.Caller, cashboxID int64,
) ([]PayoutMethodSetting, error) {
	return few(ctx, who, func() ([][]byte, error) { return s.q.CashboxPayoutMethodList(ctx, cashboxID) },
		func(m *PayoutMethodSetting) *string { return &m.Version })
}

// TraderPayouts lists the methods that a trader pays out by.
func (s *Settings) TraderPayouts(
	ctx context.Context, who caller.Caller, traderID int64,
) ([]TraderPayoutSetting, error) {
	return few(ctx, who, func() ([][]byte, error) { return s.q.TraderPayoutMethodList(ctx, traderID) },
		func(m *TraderPayoutSetting) *string { return &m.Version })
}

// PlatformLimits lists the limits of the currencies that have any.
func (s *Settings) PlatformLimits(ctx context.Context, who caller.Caller) ([]PlatformLimit, error) {
	return few(ctx, who, func() ([][]byte, error) { return s.q.PlatformLimitSettings(ctx) },
		func(l *PlatformLimit) *string { return &l.Version })
}

// Balance is what an owner has of USDT.
type Balance struct{ Available, Reserved decimal.Decimal }

// Balance reads what a trader or a cashbox has, for an operator.
func (s *Settings) Balance(ctx context.Context, who caller.Caller, owner ledger.Owner, id int64) (Balance, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Balance{}, err
	}
	available, err := ledger.Balance(ctx, s.q, ledger.Available(owner, id))
	if err != nil {
		return Balance{}, err
	}
	reserved, err := ledger.Balance(ctx, s.q, ledger.Reserved(owner, id))
	return Balance{Available: available, Reserved: reserved}, err
}

// Whose says of whom payments are counted. What is zero is not kept to.
type Whose struct{ MerchantID, CashboxID, TraderID, RequisiteID int64 }

// OpenMost is how far open payments are counted.
const OpenMost = 100

// OpenPayments counts somebody's pending payments for an operator, no further than OpenMost.
func (s *Settings) OpenPayments(ctx context.Context, who caller.Caller, of Whose) (int, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return 0, err
	}
	counts, err := db.List(ctx, s.reads, func(q *db.Queries) ([]int32, error) {
		n, err := q.PaymentOpenCount(ctx, db.PaymentOpenCountParams{
			MerchantID: orNil(of.MerchantID), CashboxID: orNil(of.CashboxID), TraderID: orNil(of.TraderID),
			RequisiteID: orNil(of.RequisiteID), Most: OpenMost,
		})
		return []int32{n}, err
	})
	if err != nil {
		return 0, fmt.Errorf("count open payments: %w", err)
	}
	return int(counts[0]), nil
}
