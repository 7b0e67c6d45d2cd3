package directory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/requisite"
)

// OwnRequisite is a requisite as its trader sees it.
type OwnRequisite struct {
	ID               int64
	Currency, Method string
	// Value is the whole value, or its last four digits if the caller may
	// not see it whole. Masked is always the last four. Both are empty for
	// a requisite of card checkout.
	Value, Masked string
	Holder, Bank  *string
	// Enabled is the trader's switch, and EnabledByOperator the operators'.
	// The requisite gets payments only if both are on.
	Enabled, EnabledByOperator bool
	// Set are the operators' limits, and Own the trader's. The stricter one
	// holds.
	Set, Own RequisiteLimits
	// Effective are the limits that result from both. Its hours and zone
	// are empty, because the hours of both apply, each in its own zone.
	Effective RequisiteLimits
	Use       RequisiteUse
}

// RequisiteLimits are limits of a requisite. A field that is nil or not valid
// sets no limit.
type RequisiteLimits struct {
	MinAmount    decimal.NullDecimal `json:"min_amount"`
	MaxAmount    decimal.NullDecimal `json:"max_amount"`
	DailyCount   *int32              `json:"daily_count"`
	DailySum     decimal.NullDecimal `json:"daily_sum"`
	OpenPayments *int32              `json:"open_payments"`
	// WorkFrom and WorkUntil are HH:MM in TimeZone; both are empty for a
	// requisite that works all day.
	WorkFrom  string `json:"work_from"`
	WorkUntil string `json:"work_until"`
	// TimeZone is an IANA name. Daily limits count by the operators' zone;
	// the trader's zone is empty if it is the same.
	TimeZone string `json:"time_zone"`
}

// RequisiteUse is how much a requisite is used.
type RequisiteUse struct {
	// Day is the local day by which limits count. Count and Sum are those
	// of the day's payments, without those that ended unpaid.
	Day   time.Time
	Count int32
	Sum   decimal.Decimal
	// OpenPayments is how many are pending now.
	OpenPayments int32
	// LastUsedAt is when a payment last got it, or nil if that was over a
	// week ago.
	LastUsedAt *time.Time
}

// ListOwnRequisites lists the requisites of the calling trader, in the order of
// their ids.
func (s *Settings) ListOwnRequisites(ctx context.Context, who caller.Caller) ([]OwnRequisite, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return nil, err
	}
	rows, err := s.q.RequisiteListOwn(ctx, who.TraderID)
	if err != nil {
		return nil, fmt.Errorf("list requisites: %w", err)
	}
	return s.own(ctx, who, rows)
}

// OwnQuery asks for a page of a trader's requisites, in the order of their ids.
type OwnQuery struct {
	// Search is the end of the value, of which at most the last four digits
	// are found, or a part of the holder's or the bank's name.
	Search string
	// Currency and Method filter; "" is any.
	Currency, Method string
	// IDs filters by ids; nil is all.
	IDs []int64
	// Page goes upwards from the lowest id.
	db.Page
}

// maxOwnSearch is the maximum length of the search text.
const maxOwnSearch = 100

// params checks the query and returns it as parameters of the database's query.
func (q OwnQuery) params(f fault.Fields) db.RequisitePageOwnParams {
	limit, after := q.Bounds(f)
	if q.Cursor == nil {
		after = 0
	}
	p := db.RequisitePageOwnParams{
		AfterID: after, Currency: q.Currency, Method: q.Method, Ids: q.IDs, Search: strings.TrimSpace(q.Search), Page: limit + 1,
	}
	for field, text := range map[string]string{"search": q.Search, "currency": q.Currency, "method": q.Method} {
		f.Flaw(field, fault.NameFlaw(text))
		f.MaxLength(field, text, maxOwnSearch)
	}
	if digits := strings.NewReplacer(" ", "", "+", "", "•", "").Replace(p.Search); allDigits(digits) {
		p.Search, p.Ending = "", digits[max(0, len(digits)-4):]
	}
	return p
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// OwnPage lists a page of the requisites of the calling trader. The cursor is
// nil on the last page.
func (s *Settings) OwnPage(ctx context.Context, who caller.Caller, query OwnQuery) ([]OwnRequisite, *string, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	params := query.params(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	params.TraderID = who.TraderID
	rows, err := s.q.RequisitePageOwn(ctx, params)
	if err != nil {
		return nil, nil, fmt.Errorf("list requisites: %w", err)
	}
	rows, cursor := db.Cut(rows, params.Page-1, func(r db.Requisite) int64 { return r.ID })
	list, err := s.own(ctx, who, rows)
	return list, cursor, err
}

// OwnRequisite reads a requisite of the calling trader. That of another trader
// is not found.
func (s *Settings) OwnRequisite(ctx context.Context, who caller.Caller, id int64) (OwnRequisite, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return OwnRequisite{}, err
	}
	row, err := s.q.RequisiteOwn(ctx, db.RequisiteOwnParams{ID: id, TraderID: who.TraderID})
	if db.NoRows(err) {
		return OwnRequisite{}, fault.ErrNotFound
	}
	if err != nil {
		return OwnRequisite{}, fmt.Errorf("read requisite: %w", err)
	}
	list, err := s.own(ctx, who, []db.Requisite{row})
	if err != nil {
		return OwnRequisite{}, err
	}
	return list[0], nil
}

// own converts rows to requisites, and adds how much each is used.
func (s *Settings) own(ctx context.Context, who caller.Caller, rows []db.Requisite) ([]OwnRequisite, error) {
	params, now := db.RequisiteUsesParams{TraderID: who.TraderID}, s.clock.Now()
	list := make([]OwnRequisite, 0, len(rows))
	at := map[int64]*OwnRequisite{}
	for _, row := range rows {
		list = append(list, s.ownRequisite(who, row))
		own := &list[len(list)-1]
		own.Use.Day = day(row.TimeZone, now)
		params.Ids, params.Days = append(params.Ids, row.ID), append(params.Days, own.Use.Day)
		at[row.ID] = own
	}
	uses, err := s.q.RequisiteUses(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("read what requisites were given: %w", err)
	}
	for _, use := range uses {
		own := &at[use.ID].Use
		own.Count, own.Sum, own.OpenPayments = use.Count, use.Sum, use.OpenPayments
		if use.UsedAt.Unix() > 0 {
			own.LastUsedAt = &use.UsedAt
		}
	}
	return list, nil
}

// day is the local day in a zone; it is the day in UTC if the zone is no longer
// known.
func day(zone string, now time.Time) time.Time {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	year, month, day := now.In(location).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// ownRequisite converts a row for a user of its trader. Who may not see whole
// requisites gets the mask as the value, and so does everybody if the value
// cannot be opened. Use is added by own.
func (s *Settings) ownRequisite(who caller.Caller, row db.Requisite) OwnRequisite {
	own := OwnRequisite{
		ID: row.ID, Currency: row.Currency, Method: row.Method,
		Value:  optional.Value(s.requisites.Read(&row.ID, row.Sealed, row.Last4)),
		Holder: row.Holder, Bank: row.Bank, Enabled: row.OwnEnabled, EnabledByOperator: row.Enabled,
		Set: RequisiteLimits{
			MinAmount: decimal.NewNullDecimal(row.MinAmount), MaxAmount: decimal.NewNullDecimal(row.MaxAmount),
			DailyCount: row.DailyCount, DailySum: row.DailySum, OpenPayments: row.OpenPayments,
			WorkFrom: clockOf(row.WorkFrom), WorkUntil: clockOf(row.WorkUntil), TimeZone: row.TimeZone,
		},
		Own: RequisiteLimits{
			MinAmount: row.OwnMinAmount, MaxAmount: row.OwnMaxAmount, DailyCount: row.OwnDailyCount,
			DailySum: row.OwnDailySum, OpenPayments: row.OwnOpenPayments,
			WorkFrom: clockOf(row.OwnWorkFrom), WorkUntil: clockOf(row.OwnWorkUntil), TimeZone: optional.Value(row.OwnTimeZone),
		},
		Effective: RequisiteLimits{
			MinAmount:    decimal.NewNullDecimal(row.EffectiveMinAmount),
			MaxAmount:    decimal.NewNullDecimal(row.EffectiveMaxAmount),
			DailyCount:   row.EffectiveDailyCount,
			DailySum:     row.EffectiveDailySum,
			OpenPayments: row.EffectiveOpenPayments,
		},
	}
	if own.Value != "" {
		own.Masked = requisite.Mask(own.Value)
	}
	if !who.SeesWholeRequisites() {
		own.Value = own.Masked
	}
	return own
}

// clockOf formats a time of day as HH:MM; "" is none.
func clockOf(t pgtype.Time) string {
	if !t.Valid {
		return ""
	}
	return time.UnixMicro(t.Microseconds).UTC().Format("15:04")
}

// Break reports whether the caller's trader is on a break.
func (s *Settings) Break(ctx context.Context, who caller.Caller) (bool, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return false, err
	}
	on, err := s.q.TraderOnBreak(ctx, who.TraderID)
	return on, fault.Doing("read break", err)
}
