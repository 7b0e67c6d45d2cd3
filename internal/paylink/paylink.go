// Package paylink has merchants sell without a shop: a link of theirs is a page on which a payer begins a payment.
package paylink

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
)

// The longest texts of a link, in characters, and the most payments that may be allowed.
const (
	maxTitle       = 120
	maxDescription = 1000
	maxPayments    = 10_000 // they are counted while others wait
)

// Service keeps payment links, and makes the payments of those who open them.
type Service struct {
	pools     db.Pools
	q         *db.Queries
	clock     clock.Clock
	settings  *directory.Keeper
	addresses *outbound.Addresses
	payments  *payment.Service
}

// New makes the service.
func New(
	pools db.Pools, c clock.Clock, settings *directory.Keeper, addresses *outbound.Addresses, payments *payment.Service,
) *Service {
	return &Service{
		pools: pools, q: db.New(pools.Calls), clock: c, settings: settings, addresses: addresses, payments: payments,
	}
}

// Terms are what a link was made with.
type Terms struct {
	ID int64
	// The address is made of UUID.
	UUID                  uuid.UUID
	MerchantID, CashboxID int64
	Title                 string
	Description           *string
	// Amount is what is asked for; without one payers say it, between the bounds that there are.
	Amount, MinAmount, MaxAmount decimal.NullDecimal
	// Methods are to choose from; none are all that the cashbox has.
	Methods []string
	// MaxPayments is how many payments may come of it; nil is any number.
	MaxPayments *int32
	EndsAt      *time.Time
	ReturnURL   *string
	// CallbackURI is where events of its payments go; "" is nowhere.
	CallbackURI string
	CreatedAt   time.Time
	CreatedBy   string
	ClosedAt    *time.Time
	// PictureHash names the picture; nil is none.
	PictureHash *string
}

// Link is a payment link as its merchant and operators see it.
type Link struct {
	Terms
	// Currency is what it is paid in.
	Currency string
	// State is whether it takes payments.
	State State
	// Payments are those begun by it, Completed those that were paid, and Came what they brought. Of more than
	// Counted payments only the newest are counted, and More tells so.
	Payments, Completed int64
	Came                decimal.Decimal
	More                bool
}

// Owners are a link's: no trader is one.
func (l Link) Owners() (merchantID, traderID int64) { return l.MerchantID, 0 }

// State is whether a link takes payments.
type State string

// The states of a link: it takes payments, as many came of it as may, its time is over, or somebody has closed it. One that is
// used up takes payments again when one of those fails.
const (
	Taking State = "open"
	UsedUp State = "used_up"
	Over   State = "over"
	Closed State = "closed"
)

// States are all of them.
var States = []string{string(Taking), string(UsedUp), string(Over), string(Closed)}

// Counted is how many payments of a link its sums are made of at most.
const Counted = 500

// Draft is a new link, as it was typed.
type Draft struct {
	CashboxID           int64
	Title, Description  string
	Amount, Least, Most string
	Methods             []string
	MaxPayments         int64
	EndsAt              *time.Time
	ReturnURL, Callback string
}

// Create makes a link of the caller's merchant.
func (s *Service) Create(ctx context.Context, who caller.Caller, d Draft) (Link, error) {
	if err := who.Need(caller.MerchantSell); err != nil {
		return Link{}, err
	}
	row, err := s.checked(ctx, who, d)
	if err != nil {
		return Link{}, err
	}
	c := db.SettingChange{At: row.CreatedAt, Actor: row.CreatedBy, Subject: "payment_link"}
	_, err = db.CreateSetting(ctx, s.pools.Calls, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			row.ID, err = q.PaymentLinkInsert(ctx, db.PaymentLinkInsertParams{
				UUID: row.UUID, MerchantID: row.MerchantID, CashboxID: row.CashboxID, Title: row.Title,
				Description: row.Description, Amount: row.Amount, MinAmount: row.MinAmount, MaxAmount: row.MaxAmount,
				Methods: row.Methods, MaxPayments: row.MaxPayments, EndsAt: row.EndsAt, ReturnURL: row.ReturnURL,
				CallbackURI: row.CallbackURI, CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy,
			})
			return row.ID, err
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) {
			return q.PaymentLinkSetting(ctx, db.PaymentLinkSettingParams{ID: id, MerchantID: who.MerchantID})
		},
	})
	if err != nil {
		return Link{}, fmt.Errorf("make a payment link: %w", err)
	}
	return s.Get(ctx, who, row.ID)
}

// checked is a link's row, or what is wrong with it.
func (s *Service) checked(ctx context.Context, who caller.Caller, d Draft) (db.PaymentLink, error) {
	f := fault.Decoded(ctx)
	now := s.clock.Now()
	row := db.PaymentLink{
		UUID: uuid.New(), MerchantID: who.MerchantID, CashboxID: d.CashboxID, Description: optional(d.Description),
		Methods: d.Methods, EndsAt: d.EndsAt, ReturnURL: optional(d.ReturnURL), CallbackURI: strings.TrimSpace(d.Callback),
		CreatedAt: now, CreatedBy: who.Actor(),
	}
	row.Title = f.RequiredText("title", d.Title, maxTitle)
	f.MaxLength("description", d.Description, maxDescription)
	row.Amount, row.MinAmount, row.MaxAmount = amount(f, "amount", d.Amount), amount(f, "minAmount", d.Least), amount(f, "maxAmount", d.Most)
	f.Check(!row.Amount.Valid || !row.MinAmount.Valid && !row.MaxAmount.Valid, "amount", "must not be set beside bounds")
	f.Check(!row.MinAmount.Valid || !row.MaxAmount.Valid || row.MinAmount.Decimal.LessThanOrEqual(row.MaxAmount.Decimal),
		"maxAmount", "must not be less than minAmount")
	if d.MaxPayments != 0 {
		f.Check(d.MaxPayments >= 1 && d.MaxPayments <= maxPayments, "maxPayments", "must be between 1 and %d", maxPayments)
		row.MaxPayments = new(int32(min(max(d.MaxPayments, 1), maxPayments)))
	}
	f.Check(d.EndsAt == nil || d.EndsAt.After(now), "endsAt", "must be in the future")
	if row.ReturnURL != nil {
		f.Flaw("returnUrl", s.addresses.CheckLink(*row.ReturnURL))
	}
	if row.CallbackURI != "" {
		f.Flaw("callbackUri", s.addresses.Check(row.CallbackURI))
	}
	if err := f.Err(); err != nil {
		return row, err
	}
	known, err := s.q.CashboxOfMerchant(ctx, db.CashboxOfMerchantParams{ID: d.CashboxID, MerchantID: who.MerchantID})
	switch {
	case db.NoRows(err):
		return row, fault.ErrCashboxAccessDenied
	case err != nil:
		return row, fmt.Errorf("read the cashbox of a link: %w", err)
	}
	if row.Methods == nil {
		row.Methods = []string{}
	}
	for _, name := range row.Methods {
		all := catalogue.Names(catalogue.Payments(known))
		f.Check(slices.Contains(all, name), "methods", "must be of %s", strings.Join(all, ", "))
	}
	return row, f.Err()
}

func amount(f fault.Fields, field, literal string) decimal.NullDecimal {
	if literal == "" {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(fault.Read(f, field, literal, money.ParseFiat))
}

func optional(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

// stateAt is a link's at a moment.
func stateAt(closedAt, endsAt *time.Time, now time.Time) State {
	switch {
	case closedAt != nil:
		return Closed
	case endsAt != nil && !now.Before(*endsAt):
		return Over
	}
	return Taking
}

// Page asks for a part of the list.
type Page struct {
	db.Page
	// States are those that are asked for; none is any.
	States []string
	// MerchantID is whose they are, for operators alone; 0 is anybody's.
	MerchantID int64
	// Search is a part of the title, or the id; "" is any.
	Search string
}

// MaxSearch is how many characters may be looked for.
const MaxSearch = 200

// readable is whose links the caller reads; nil is everybody's.
func readable(who caller.Caller) (*int64, error) {
	if who.Kind == caller.Operator {
		return nil, who.Need(caller.OperatorRead)
	}
	return &who.MerchantID, who.Need(caller.MerchantRead)
}

// List lists the links of the caller's merchant, or for an operator everybody's, the newest first. The cursor is nil on the last page.
func (s *Service) List(ctx context.Context, who caller.Caller, page Page) ([]Link, *string, error) {
	own, err := readable(who)
	if err != nil {
		return nil, nil, err
	}
	if own == nil && page.MerchantID != 0 {
		own = &page.MerchantID
	}
	f := fault.Decoded(ctx)
	limit, before := page.Bounds(f)
	for _, state := range page.States {
		f.Check(slices.Contains(States, state), "state", "must be one of: %s", strings.Join(States, ", "))
	}
	f.MaxLength("search", page.Search, MaxSearch)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	links, err := db.List(ctx, s.pools.Reads, func(q *db.Queries) ([]Link, error) {
		return s.found(ctx, q, page.States, limit, db.PaymentLinkListParams{
			MerchantID: own, BeforeID: before, Part: strings.TrimSpace(page.Search),
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list payment links: %w", err)
	}
	links, cursor := db.Cut(links, limit, func(l Link) int64 { return l.ID })
	return links, cursor, s.count(ctx, links)
}

// searched is how many links are looked at together once the first of a list were not in the states that are asked for, and
// searchedFor for how long.
const (
	searched    = 500
	searchedFor = 2 * time.Second
)

// found reads the links of a page, or more. Which of them are used up is known once their places are counted, so it reads on
// until enough are in the states that are asked for.
func (s *Service) found(
	ctx context.Context, q *db.Queries, states []string, limit int32, p db.PaymentLinkListParams,
) ([]Link, error) {
	var found []Link
	p.States, p.Now = states, s.clock.Now()
	began := time.Now()
	for p.Page = limit + 1; ; p.Page = searched {
		if time.Since(began) > searchedFor {
			return nil, fault.ErrBusy
		}
		rows, err := q.PaymentLinkList(ctx, p)
		if err != nil {
			return nil, err
		}
		links, err := stated(ctx, q, rows, p.Now)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			if len(states) == 0 || slices.Contains(states, string(l.State)) {
				found = append(found, l)
			}
			p.BeforeID = l.ID
		}
		if len(found) > int(limit) || len(rows) < int(p.Page) {
			return found, nil
		}
	}
}

// Get reads a link of the caller's merchant, or for an operator anybody's.
func (s *Service) Get(ctx context.Context, who caller.Caller, id int64) (Link, error) {
	own, err := readable(who)
	if err != nil {
		return Link{}, err
	}
	row, err := s.q.PaymentLinkGet(ctx, db.PaymentLinkGetParams{ID: id, MerchantID: own})
	switch {
	case db.NoRows(err):
		return Link{}, fault.ErrNotFound
	case err != nil:
		return Link{}, fmt.Errorf("read a payment link: %w", err)
	}
	links, err := stated(ctx, s.q, []db.PaymentLinkListRow{db.PaymentLinkListRow(row)}, s.clock.Now())
	if err != nil {
		return Link{}, err
	}
	return links[0], s.count(ctx, links)
}

// stated are links with their states.
func stated(ctx context.Context, q *db.Queries, rows []db.PaymentLinkListRow, now time.Time) ([]Link, error) {
	places := db.LinkPlacesTakenParams{Since: now.Add(-making)}
	for _, row := range rows {
		if l := row.PaymentLink; l.MaxPayments != nil {
			places.MerchantIds, places.LinkIds = append(places.MerchantIds, l.MerchantID), append(places.LinkIds, l.ID)
		}
	}
	taken, err := placesTaken(ctx, q, places)
	if err != nil {
		return nil, err
	}
	links := make([]Link, 0, len(rows))
	for _, row := range rows {
		l := Link{Terms: Terms(row.PaymentLink), Currency: row.Currency}
		l.State = stateAt(l.ClosedAt, l.EndsAt, now)
		if l.State == Taking && l.MaxPayments != nil && taken[l.ID] >= int64(*l.MaxPayments) {
			l.State = UsedUp
		}
		links = append(links, l)
	}
	return links, nil
}

// placesTaken is how many places of links are taken, by their ids.
func placesTaken(ctx context.Context, q *db.Queries, p db.LinkPlacesTakenParams) (map[int64]int64, error) {
	taken := map[int64]int64{}
	if len(p.LinkIds) == 0 {
		return taken, nil
	}
	rows, err := q.LinkPlacesTaken(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("count the payments of links: %w", err)
	}
	for _, row := range rows {
		taken[row.LinkID] = row.Taken
	}
	return taken, nil
}

// count adds what came of links, of each merchant's by a question of its own.
func (s *Service) count(ctx context.Context, links []Link) error {
	ids := map[int64][]int64{}
	for _, l := range links {
		ids[l.MerchantID] = append(ids[l.MerchantID], l.ID)
	}
	sums, err := db.List(ctx, s.pools.Reads, func(q *db.Queries) ([]db.LinkSumsRow, error) {
		var all []db.LinkSumsRow
		for merchantID, of := range ids {
			found, err := q.LinkSums(ctx, db.LinkSumsParams{Ids: of, MerchantID: merchantID, Most: Counted + 1})
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	})
	if err != nil {
		return fmt.Errorf("sum up payments of links: %w", err)
	}
	for i := range links {
		l := &links[i]
		if at := slices.IndexFunc(sums, func(sum db.LinkSumsRow) bool { return sum.LinkID == l.ID }); at >= 0 {
			sum := sums[at]
			l.Payments, l.Completed, l.Came, l.More = sum.Payments, sum.Completed, sum.Amount, sum.Payments > Counted
		}
	}
	return nil
}

// newest is how many payments of a link are listed with it.
const newest = 50

// Payments lists the newest payments of a link that the caller reads.
func (s *Service) Payments(ctx context.Context, who caller.Caller, l Link) ([]Paid, error) {
	own, err := readable(who)
	switch {
	case err != nil:
		return nil, err
	case own != nil && *own != l.MerchantID:
		return nil, fault.ErrNotFound
	}
	rows, err := db.List(ctx, s.pools.Reads, func(q *db.Queries) ([]Paid, error) {
		return q.LinkPaymentList(ctx, db.LinkPaymentListParams{MerchantID: l.MerchantID, LinkID: l.ID, Page: newest})
	})
	if err != nil {
		return nil, fmt.Errorf("list payments of a link: %w", err)
	}
	return rows, nil
}

// Close has a link take no payment any more. One that was closed stays so; what was begun by it goes on.
func (s *Service) Close(ctx context.Context, who caller.Caller, id int64) (Link, error) {
	if err := who.Need(caller.MerchantSell); err != nil {
		return Link{}, err
	}
	now := s.clock.Now()
	_, err := db.ChangeSetting(ctx, s.pools.Calls,
		db.SettingChange{At: now, Actor: who.Actor(), Subject: "payment_link", SubjectKey: fmt.Sprint(id)},
		db.Setting{
			Whole: true,
			Read: func(q *db.Queries) ([]byte, error) {
				return q.PaymentLinkSetting(ctx, db.PaymentLinkSettingParams{ID: id, MerchantID: who.MerchantID})
			},
			Apply: func(q *db.Queries) error {
				return q.PaymentLinkClose(ctx, db.PaymentLinkCloseParams{ID: id, MerchantID: who.MerchantID, ClosedAt: now})
			},
		})
	if err != nil {
		return Link{}, err
	}
	return s.Get(ctx, who, id)
}

// Paid is a payment that came by a link.
type Paid = db.LinkPaymentListRow

// URL is where payers open the link.
func (l Terms) URL(payURL string, tokens *auth.Links) string {
	return payURL + "/l/" + tokens.Token(l.UUID)
}

// PictureURL is where the picture of a link is that has one.
func (l Terms) PictureURL(payURL string, tokens *auth.Links) string {
	return l.URL(payURL, tokens) + BelowPicture + *l.PictureHash
}

// BelowPicture is what stands between a link's address and the hash of its picture.
const BelowPicture = "/picture/"

// Callback is where events of its payments go, or nil.
func (l Link) Callback() *string { return optional(l.CallbackURI) }
