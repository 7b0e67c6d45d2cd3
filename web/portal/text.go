package portal

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/clock"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// OwnersOf names a merchant, its cashbox and a trader, with links to their
// pages.
func (v *Visit) OwnersOf(settings *directory.Settings, cashboxID int64, traderID *int64) ([]view.Fact, error) {
	box, err := settings.Cashbox(v.Ctx(), v.Who, cashboxID)
	if err != nil {
		return nil, err
	}
	facts := []view.Fact{
		{
			Label: say.PortalMerchant, Value: Titled(box.MerchantName, box.MerchantID),
			Href: view.Link(Numbered(MerchantsPath, box.MerchantID)),
		},
		{
			Label: say.Cashbox, Value: Titled(box.Name, cashboxID),
			Href: view.Link(Numbered(CashboxesPath, cashboxID)),
		},
	}
	if traderID == nil {
		return facts, nil
	}
	trader, err := settings.Trader(v.Ctx(), v.Who, *traderID)
	return append(facts, view.Fact{
		Label: say.PortalTrader, Value: Titled(trader.Name, *traderID),
		Href: view.Link(Numbered(TradersPath, *traderID)),
	}), err
}

// Whose says in a list who owns an item.
func Whose(names report.Names, of report.Owned) string {
	merchant, trader := of.Owners()
	text := Titled(names.Merchants[merchant], merchant)
	if trader != 0 {
		text += ", " + Titled(names.Traders[trader], trader)
	}
	return text
}

// Titled is a name with the number, by which logs and programs identify its
// bearer.
func Titled(name string, id int64) string {
	return strings.TrimSpace(name + " №\u00a0" + strconv.FormatInt(id, 10))
}

// Numbered is the number in the address.
func (v *Visit) Numbered() (int64, error) {
	id, err := strconv.ParseInt(v.R.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// Named reads the item whose number is in the address, by a service's method,
// for the user.
func Named[T any](v *Visit, read func(context.Context, caller.Caller, int64) (T, error)) (one T, err error) {
	id, err := v.Numbered()
	if err != nil {
		return one, err
	}
	return read(v.Ctx(), v.Who, id)
}

// MethodName is a method's name, with the API's name if another one has the
// same name.
func (v *Visit) MethodName(method string) string {
	name := v.Say(say.Method(method))
	for _, other := range catalogue.Methods {
		if other.Name != method && v.Say(say.Method(other.Name)) == name {
			return name + " (" + method + ")"
		}
	}
	return name
}

// Holding is what an owner has; nil if there is no such account.
func (v *Visit) Holding(owner ledger.Owner, id int64) (*books.Holding, error) {
	list, _, err := v.server.Books.Accounts(v.Ctx(), v.Who, books.AccountFilter{Owner: owner.String(), OwnerID: &id, Limit: 1})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// OwnerName says to whom an account belongs.
func (v *Visit) OwnerName(h books.Holding) string {
	id := h.Account.OwnerID
	switch h.Account.Owner {
	case ledger.Trader:
		return strings.TrimSpace(v.Say(say.TraderOwner, id, h.Name))
	case ledger.Cashbox:
		return strings.TrimSpace(v.Say(say.CashboxOwner, id, strings.TrimPrefix(h.Merchant+", "+h.Name, ", ")))
	case ledger.Platform:
		return v.Say(say.PlatformOwner)
	case ledger.External:
	}
	return v.Say(say.OutsideWorld)
}

// ReadID reads a number that names something.
func ReadID(form url.Values, name string, f fault.Fields) int64 {
	id, err := strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 64)
	if f.Required(name, form.Get(name)) {
		f.Check(err == nil && id > 0, name, "must be a number")
	}
	return id
}

// Size formats a number of bytes for people.
func Size(bytes int64) string {
	const kilo, mega = 1 << 10, 1 << 20
	switch {
	case bytes >= mega:
		return strconv.FormatInt((bytes+mega/2)/mega, 10) + "\u00a0MB"
	case bytes >= kilo:
		return strconv.FormatInt((bytes+kilo/2)/kilo, 10) + "\u00a0kB"
	}
	return strconv.FormatInt(bytes, 10) + "\u00a0B"
}

// PayoutID is the id of a payout that the address names.
func (v *Visit) PayoutID() string { return v.R.PathValue("id") }

// OwnValues are limits as values of a form.
func OwnValues(l directory.RequisiteLimits) url.Values {
	amount := func(d decimal.NullDecimal) string {
		if !d.Valid {
			return ""
		}
		return money.Fiat(d.Decimal)
	}
	values := url.Values{}
	for name, value := range map[string]string{
		"minAmount": amount(l.MinAmount), "maxAmount": amount(l.MaxAmount), "dailySum": amount(l.DailySum),
		"dailyCount": Counted(l.DailyCount), "openPayments": Counted(l.OpenPayments),
		"workFrom": l.WorkFrom, "workUntil": l.WorkUntil, "timeZone": l.TimeZone,
	} {
		values.Set(name, value)
	}
	return values
}

// ShortLimits has the mistakes of a form under the short names of limits,
// without their prefix.
func ShortLimits(wrong map[string]string) map[string]string {
	short := map[string]string{}
	for name, text := range wrong {
		short[strings.TrimPrefix(name, "limits.")] = text
	}
	return short
}

// Counted formats a number that may be missing.
func Counted(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// Makes is the address where a new item is made, for users who may do so;
// otherwise "".
func (v *Visit) Makes(href view.Link, needs caller.Capability) view.Link {
	if !v.May(needs) {
		return ""
	}
	return href
}

// errNoDay is about a date that nobody means, or only as never: no client of
// the API can read the day after the last one of the year 9999.
var errNoDay = errors.New("the date is of no year of these")

// dayIn reads a date, and is when that day begins in a zone.
func dayIn(zone *time.Location, typed string) (time.Time, error) {
	date, err := time.Parse(time.DateOnly, typed)
	if err == nil && (date.Year() < 2000 || date.Year() >= 3000) {
		err = errNoDay
	}
	if err != nil {
		return time.Time{}, err
	}
	return clock.On(date.Year(), date.Month(), date.Day(), 0, zone), nil
}

// LastDay is the end of a day in the user's time zone, or nil.
func (v *Visit) LastDay(typed string) (*time.Time, error) {
	if typed == "" {
		return nil, nil
	}
	day, err := dayIn(v.Shell.Zone, typed)
	if err != nil {
		return nil, err
	}
	return new(clock.Midnight(day, 1)), nil
}

// longNote is the length in bytes from which on a value is shown as a text and
// not as a link to what else has it.
const longNote = 100

// Noted are the pairs of metadata of an item. Each links to the items in the
// merchant's list that have the same pair. Traders see none.
func (v *Visit) Noted(noted metadata.Set, list string) []view.Fact {
	if v.Who.Kind == caller.Trader {
		return nil
	}
	var facts []view.Fact
	for _, key := range noted.Keys() {
		fact := view.Fact{Label: say.Both(key, key), Value: cmp.Or(noted[key], "—")}
		if v.Who.Kind == caller.MerchantPortal && len(noted[key]) < longNote {
			fact.Href = view.Query(v.Path(list), AsksMetadata, key+"="+noted[key])
		}
		facts = append(facts, fact)
	}
	return facts
}
