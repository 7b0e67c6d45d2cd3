package notify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/db"
)

const (
	often  = time.Second
	seldom = 10 * time.Second
	rarely = 30 * time.Second
	// expiringWithin is how long before its end a payment is about to expire.
	expiringWithin = 2 * time.Minute
	// silentWithin is how far back phones are told that have become silent.
	silentWithin = 10 * time.Minute
	// failingFrom is after how many failed tries an endpoint fails.
	failingFrom = 3
	// failureKept is for how long an endpoint fails to which nothing is sent any more.
	failureKept = 24 * time.Hour
	// knownFor is how long a place is known that somebody signed in from.
	knownFor   = 90 * 24 * time.Hour
	sourceMost = 500
	// overlap is how late something may be committed and is still found at the next look.
	overlap = 5 * time.Second
)

// source is where something is found out.
type source struct {
	kind  Kind
	every time.Duration
	find  func(ctx context.Context, f *Feed) ([]event, error)
}

// found is what every query of a source answers with.
type found = struct {
	OwnerID int64
	Subject string
	Place   string
	At      time.Time
}

// rows has a query's answer be events of a kind.
func rows[R ~struct {
	OwnerID int64
	Subject string
	Place   string
	At      time.Time
}](kind Kind, of owner, every time.Duration, ask func(ctx context.Context, q *db.Queries, now, since time.Time) ([]R, error)) source {
	return source{kind, every, func(ctx context.Context, f *Feed) ([]event, error) {
		now := f.s.clock.Now()
		list, err := ask(ctx, f.q, now, now.Add(-windowBack))
		events := make([]event, 0, len(list))
		for _, row := range list {
			one := found(row)
			events = append(events, f.event(kind, of, one.OwnerID, one.Subject, one.Place))
		}
		return events, err
	}}
}

// paged has payments be events of a kind, which it asks for by pages in the order of their time and number: those of the last two
// minutes before some time from now. It goes on where it ended, with some overlap for what was committed late, and seldom reads all
// of them again, since a payment may be made to end sooner than others.
func paged[R ~struct {
	OwnerID int64
	Subject string
	Place   string
	At      time.Time
}](kind Kind, ahead time.Duration, ask func(ctx context.Context, f *Feed, since, until time.Time, after int64) ([]R, error)) source {
	return source{kind, often, func(ctx context.Context, f *Feed) ([]event, error) {
		until := f.s.clock.Now().Add(ahead)
		since, mark := until.Add(-windowBack), f.read[kind]
		if time.Since(mark.whole) < seldom && mark.until.Add(-overlap).After(since) {
			since = mark.until.Add(-overlap)
		} else {
			mark.whole = time.Now()
		}
		var events []event
		for after := int64(math.MaxInt64); ; {
			page, err := ask(ctx, f, since, until, after)
			for _, row := range page {
				one := found(row)
				events = append(events, f.event(kind, ofTrader, one.OwnerID, one.Subject, one.Place))
			}
			if err != nil {
				return events, err
			}
			if len(page) < feedMost {
				mark.until = until
				f.read[kind] = mark
				return events, nil
			}
			last := found(page[len(page)-1])
			since = last.At
			if after, err = strconv.ParseInt(last.Subject, 10, 64); err != nil {
				return events, err
			}
		}
	}}
}

// sources are all but the openings of payments, which are read from their history.
var sources = []source{
	paged(PaymentClaimed, 0, func(ctx context.Context, f *Feed, since, until time.Time, after int64) ([]db.NotifyClaimedRow, error) {
		return f.q.NotifyClaimed(ctx, db.NotifyClaimedParams{Since: since, Until: until, After: after, Traders: f.traders, Most: feedMost})
	}),
	paged(PaymentExpiring, expiringWithin, func(ctx context.Context, f *Feed, since, until time.Time, after int64) ([]db.NotifyExpiringRow, error) {
		return f.q.NotifyExpiring(ctx, db.NotifyExpiringParams{Since: since, Until: until, After: after, Traders: f.traders, Most: feedMost})
	}),
	rows(PayoutOffered, ofTrader, often, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyPayoutsRow, error) {
		return q.NotifyPayouts(ctx, db.NotifyPayoutsParams{Since: since, Most: feedMost})
	}),
	rows(TraderAppeal, ofTrader, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyAppealsRow, error) {
		return q.NotifyAppeals(ctx, db.NotifyAppealsParams{Since: since, Most: sourceMost})
	}),
	rows(TraderAppeal, ofTrader, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyAppealMessagesRow, error) {
		return q.NotifyAppealMessages(ctx, db.NotifyAppealMessagesParams{Since: since, Most: sourceMost})
	}),
	rows(RequisiteLimit, ofTrader, rarely, func(ctx context.Context, q *db.Queries, now, since time.Time) ([]db.NotifyRequisitesRow, error) {
		return q.NotifyRequisites(ctx, db.NotifyRequisitesParams{Day: now.AddDate(0, 0, -1), Now: now, Since: since, Most: sourceMost})
	}),
	rows(DeviceSilent, ofTrader, rarely, func(ctx context.Context, q *db.Queries, now, _ time.Time) ([]db.NotifySilentRow, error) {
		until := now.Add(-db.PhoneSilent)
		return q.NotifySilent(ctx, db.NotifySilentParams{Until: until, Since: until.Add(-silentWithin), Most: sourceMost})
	}),
	rows(TraderWithdrawal, ofTrader, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyWithdrawalsRow, error) {
		return q.NotifyWithdrawals(ctx, db.NotifyWithdrawalsParams{OwnerKind: "trader", Since: since, Most: sourceMost})
	}),
	rows(WithdrawalEnded, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyWithdrawalsRow, error) {
		return q.NotifyWithdrawals(ctx, db.NotifyWithdrawalsParams{OwnerKind: "merchant", Since: since, Most: sourceMost})
	}),
	rows(AppealDecided, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyDecidedRow, error) {
		return q.NotifyDecided(ctx, db.NotifyDecidedParams{Since: since, Most: sourceMost})
	}),
	rows(DepositDecided, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyDepositsRow, error) {
		return q.NotifyDeposits(ctx, db.NotifyDepositsParams{Since: since, Most: sourceMost})
	}),
	rows(KeyMade, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, _ time.Time) ([]db.NotifyKeysRow, error) {
		return q.NotifyKeys(ctx, db.NotifyKeysParams{Since: time.Now().Add(-windowBack), Most: sourceMost})
	}),
	rows(TeamChanged, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, _ time.Time) ([]db.NotifyTeamRow, error) {
		return q.NotifyTeam(ctx, db.NotifyTeamParams{Since: time.Now().Add(-windowBack), Most: sourceMost})
	}),
	{AlarmFires, seldom, alarms},
	{KeyElsewhere, seldom, elsewhere},
	rows(ProposalWaiting, ofOperators, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyProposalsRow, error) {
		return q.NotifyProposals(ctx, db.NotifyProposalsParams{Since: since, Most: sourceMost})
	}),
	// Sign-ins are noted by the real time, wherever a sandbox's clock is.
	rows(NewDevice, ofUser, often, func(ctx context.Context, q *db.Queries, _, _ time.Time) ([]db.NotifySignInsRow, error) {
		now := time.Now()
		return q.NotifySignIns(ctx, db.NotifySignInsParams{Since: now.Add(-windowBack), KnownSince: now.Add(-knownFor), Most: sourceMost})
	}),
	{"said", often, func(ctx context.Context, f *Feed) ([]event, error) {
		rows, err := f.q.NotifyEvents(ctx, db.NotifyEventsParams{Since: time.Now().Add(-windowBack), Most: sourceMost})
		var events []event
		for _, row := range rows {
			events = append(events, f.event(Kind(row.Kind), ofUser, row.OwnerID, row.Subject, ""))
		}
		return events, err
	}},
	{ShortOfUSDT, rarely, short},
	{EndpointFailing, rarely, failing},
}

// alarms finds what has begun to fire. It leads to what is to be done: to its part of the manual, or to the work that waits.
func alarms(ctx context.Context, f *Feed) ([]event, error) {
	list, err := f.q.NotifyAlarms(ctx, db.NotifyAlarmsParams{Since: f.s.clock.Now().Add(-windowBack), Most: sourceMost})
	var events []event
	for _, row := range list {
		kind, about := AlarmFires, f.s.alarms[row.Place]
		if about.Work {
			kind = WorkLate
		}
		e := f.event(kind, ofOperators, 0, row.Subject, "")
		e.path = cmp.Or(about.Path, e.path)
		events = append(events, e)
	}
	return events, err
}

// elsewhere finds keys that are used from a new address, and says which.
func elsewhere(ctx context.Context, f *Feed) ([]event, error) {
	list, err := f.q.NotifyKeyAddresses(ctx, db.NotifyKeyAddressesParams{Since: f.s.clock.Now().Add(-windowBack), Most: sourceMost})
	var events []event
	for _, row := range list {
		e := f.event(KeyElsewhere, ofMerchant, row.OwnerID, row.Subject, "")
		e.figures = strings.ReplaceAll(row.Name, "\t", " ")
		events = append(events, e)
	}
	return events, err
}

// short finds the traders who have become short of USDT.
func short(ctx context.Context, f *Feed) ([]event, error) {
	if len(f.traders) == 0 {
		return nil, nil
	}
	ids, err := f.q.NotifyShort(ctx, db.NotifyShortParams{Traders: f.traders, Most: sourceMost})
	if err != nil {
		return nil, err
	}
	now := map[event]bool{}
	for _, id := range ids {
		now[f.event(ShortOfUSDT, ofTrader, id, "", "")] = true
	}
	begun, _ := f.edges(ShortOfUSDT, now)
	return begun, nil
}

// failure is when an endpoint was last seen to fail, and the newest event that it did not take then.
type failure struct {
	at    time.Time
	event uuid.UUID
}

// failing finds endpoints that have begun to fail, or take webhooks again. One whose events were given up, or are sent again from the
// first try on, fails until it has taken one.
func failing(ctx context.Context, f *Feed) ([]event, error) {
	if len(f.merchants) == 0 {
		return nil, nil
	}
	at := f.s.clock.Now()
	list, err := f.q.NotifyFailing(ctx, db.NotifyFailingParams{Merchants: f.merchants, Attempts: failingFrom, Most: sourceMost})
	if err != nil {
		return nil, err
	}
	now := map[event]bool{}
	for _, row := range list {
		e := f.event(EndpointFailing, ofMerchant, row.OwnerID, row.Subject, "")
		now[e], f.failures[e] = true, failure{at, row.EventID}
	}
	for e, last := range f.failures {
		if at.Sub(last.at) > failureKept {
			delete(f.failures, e)
			delete(f.held[EndpointFailing], e)
		} else if f.held[EndpointFailing][e] && !now[e] {
			taken, err := f.q.NotifyTaken(ctx, db.NotifyTakenParams{
				MerchantID: e.ownerID, Host: e.subject, EventID: last.event, Since: last.at.Add(-rarely), Most: sourceMost,
			})
			if err != nil {
				return nil, err
			}
			if !taken {
				now[e] = true
			}
		}
	}
	begun, over := f.edges(EndpointFailing, now)
	for _, e := range over {
		e.kind = EndpointBack
		begun = append(begun, e)
	}
	return begun, nil
}

// edges compares what holds with what held before: what has begun, and what is over. A process that looks for the first time
// knows neither. Each time is told, so it is part of the subject.
func (f *Feed) edges(kind Kind, now map[event]bool) (begun, over []event) {
	held, before := f.held[kind]
	f.held[kind] = now
	if !before {
		return nil, nil
	}
	stamp := fmt.Sprint("@", f.s.clock.Now().Unix())
	for e := range now {
		if !held[e] {
			e.subject += stamp
			begun = append(begun, e)
		}
	}
	for e := range held {
		if !now[e] {
			e.subject += stamp
			over = append(over, e)
		}
	}
	return begun, over
}

// owners reads of which traders and merchants somebody can be told.
func (f *Feed) owners(ctx context.Context) error {
	rows, err := f.q.NotifyOwners(ctx)
	if err != nil {
		return fmt.Errorf("read of whom somebody is told: %w", err)
	}
	f.traders, f.merchants = nil, nil
	for _, row := range rows {
		if row.TraderID != 0 {
			f.traders = append(f.traders, row.TraderID)
		}
		if row.MerchantID != 0 {
			f.merchants = append(f.merchants, row.MerchantID)
		}
	}
	return nil
}
