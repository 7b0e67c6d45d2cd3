package notify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/db"
)

const (
	often  = time.Second
	seldom = 10 * time.Second
	rarely = 30 * time.Second
	// expiringWithin is how long before its expiry users are told that a
	// payment is about to expire.
	expiringWithin = 2 * time.Minute
	// failingFrom is the number of failed attempts from which on an
	// endpoint counts as failing.
	failingFrom = 3
	// failureKept is how long an endpoint to which nothing more is sent
	// still counts as failing.
	failureKept = 24 * time.Hour
	// knownFor is how long an address from which a user has signed in is
	// known.
	knownFor   = 90 * 24 * time.Hour
	sourceMost = 500 // a page
	// waitsLongest is how long a payout may wait, however often it is given
	// back.
	waitsLongest = 7 * 24 * time.Hour
	// overlap is how late an event may be committed and still be found by
	// the next look.
	overlap = 5 * time.Second
)

// source finds events of one kind that happened since a time.
type source struct {
	kind  Kind
	every time.Duration
	find  func(ctx context.Context, f *Feed, now, since time.Time) ([]event, error)
	// real says that the events are stored with the real time, even if a
	// sandbox's clock shows another.
	real bool
}

func really(s source) source {
	s.real = true
	return s
}

// found is the row that every query of a source returns.
type found = struct {
	OwnerID int64
	Subject string
	Place   string
	At      time.Time
}

// rows makes a source from a query that returns pages of rows in the order of
// their time.
func rows[R ~struct {
	OwnerID int64
	Subject string
	Place   string
	At      time.Time
}](kind Kind, of owner, every time.Duration, ask func(ctx context.Context, q *db.Queries, now, since time.Time) ([]R, error)) source {
	return source{kind: kind, every: every, find: func(ctx context.Context, f *Feed, now, since time.Time) ([]event, error) {
		var events []event
		for {
			page, err := ask(ctx, f.q, now, since)
			for _, row := range page {
				one := found(row)
				events = append(events, f.event(kind, of, one.OwnerID, one.Subject, one.Place))
			}
			if err != nil || len(page) < sourceMost {
				return events, err
			}
			// The next page may have more rows with the time of the
			// last row. So that time is read again, unless the
			// whole page has it.
			last := found(page[len(page)-1]).At
			if since = last.Add(-time.Microsecond); !found(page[0]).At.Before(last) {
				since = last
			}
		}
	}}
}

// paged makes a source from a query that returns pages of payments in the order
// of their time and number, up to a time that is ahead of now. It continues
// where it stopped, with some overlap for rows that were committed late. Now
// and then it reads all again, since the end of a payment may be moved forward.
func paged[R ~struct {
	OwnerID int64
	Subject string
	Place   string
	At      time.Time
}](kind Kind, ahead time.Duration, ask func(ctx context.Context, f *Feed, since, until time.Time, after int64) ([]R, error)) source {
	return source{kind: kind, every: often, find: func(ctx context.Context, f *Feed, now, since time.Time) ([]event, error) {
		until, mark := now.Add(ahead), f.read[kind]
		since = since.Add(ahead)
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
			if after, err = strconv.ParseInt(last.Place, 10, 64); err != nil {
				return events, err
			}
		}
	}}
}

// sources are all sources except the openings of payments, which are read from
// the payments' history.
var sources = []source{
	paged(PaymentClaimed, 0, func(ctx context.Context, f *Feed, since, until time.Time, after int64) ([]db.NotifyClaimedRow, error) {
		return f.q.NotifyClaimed(ctx, db.NotifyClaimedParams{Since: since, Until: until, After: after, Traders: f.traders, Most: feedMost})
	}),
	paged(PaymentExpiring, expiringWithin, func(ctx context.Context, f *Feed, since, until time.Time, after int64) ([]db.NotifyExpiringRow, error) {
		return f.q.NotifyExpiring(ctx, db.NotifyExpiringParams{Since: since, Until: until, After: after, Traders: f.traders, Most: feedMost})
	}),
	rows(PayoutOffered, ofTrader, often, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyPayoutsRow, error) {
		return q.NotifyPayouts(ctx, db.NotifyPayoutsParams{
			Since: since, GivenSince: since.Add(-waitsLongest), Most: feedMost,
		})
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
	rows(TraderWithdrawal, ofTrader, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyWithdrawalsRow, error) {
		return q.NotifyWithdrawals(ctx, db.NotifyWithdrawalsParams{OwnerKind: "trader", Since: since, Most: sourceMost})
	}),
	rows(WithdrawalEnded, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyWithdrawalsRow, error) {
		return q.NotifyWithdrawals(ctx, db.NotifyWithdrawalsParams{OwnerKind: "merchant", Since: since, Most: sourceMost})
	}),
	rows(TraderAddress, ofTrader, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyAddressesRow, error) {
		return q.NotifyAddresses(ctx, db.NotifyAddressesParams{OwnerKind: "trader", Since: since, Most: sourceMost})
	}),
	rows(AddressAdded, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyAddressesRow, error) {
		return q.NotifyAddresses(ctx, db.NotifyAddressesParams{OwnerKind: "merchant", Since: since, Most: sourceMost})
	}),
	rows(PhonePaired, ofTrader, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyPhonesRow, error) {
		return q.NotifyPhones(ctx, db.NotifyPhonesParams{Since: since, Most: sourceMost})
	}),
	rows(AppealDecided, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyDecidedRow, error) {
		return q.NotifyDecided(ctx, db.NotifyDecidedParams{Since: since, Most: sourceMost})
	}),
	rows(DepositDecided, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyDepositsRow, error) {
		return q.NotifyDeposits(ctx, db.NotifyDepositsParams{Since: since, Most: sourceMost})
	}),
	really(rows(KeyMade, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyKeysRow, error) {
		return q.NotifyKeys(ctx, db.NotifyKeysParams{Since: since, Most: sourceMost})
	})),
	really(rows(TeamChanged, ofMerchant, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyTeamRow, error) {
		return q.NotifyTeam(ctx, db.NotifyTeamParams{Since: since, Most: sourceMost})
	})),
	{kind: AlarmFires, every: seldom, find: alarms},
	{kind: KeyElsewhere, every: seldom, find: elsewhere},
	rows(ProposalWaiting, ofOperators, seldom, func(ctx context.Context, q *db.Queries, _, since time.Time) ([]db.NotifyProposalsRow, error) {
		return q.NotifyProposals(ctx, db.NotifyProposalsParams{Since: since, Most: sourceMost})
	}),
	really(rows(NewDevice, ofUser, often, func(ctx context.Context, q *db.Queries, now, since time.Time) ([]db.NotifySignInsRow, error) {
		return q.NotifySignIns(ctx, db.NotifySignInsParams{Since: since, KnownSince: now.Add(-knownFor), Most: sourceMost})
	})),
	really(source{kind: "said", every: often, find: said}),
	{kind: ShortOfUSDT, every: rarely, find: short},
	{kind: DeviceSilent, every: rarely, find: silent},
	{kind: EndpointFailing, every: rarely, find: failing},
}

// said finds the events that other packages queued by Say.
func said(ctx context.Context, f *Feed, _, since time.Time) ([]event, error) {
	rows, err := f.q.NotifyEvents(ctx, db.NotifyEventsParams{Since: since, Most: feedMost})
	var events []event
	for _, row := range rows {
		events = append(events, f.event(Kind(row.Kind), ofUser, row.OwnerID, row.Subject, ""))
	}
	return events, err
}

// alarms finds alarms that have begun to fire. The message links to the part of
// the manual that says what to do, or to the work that waits.
func alarms(ctx context.Context, f *Feed, _, since time.Time) ([]event, error) {
	list, err := f.q.NotifyAlarms(ctx, db.NotifyAlarmsParams{Since: since, Most: sourceMost})
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

// elsewhere finds API keys that are used from a new address, with the keys'
// names.
func elsewhere(ctx context.Context, f *Feed, _, since time.Time) ([]event, error) {
	list, err := f.q.NotifyKeyAddresses(ctx, db.NotifyKeyAddressesParams{Since: since, Most: feedMost})
	var events []event
	for _, row := range list {
		e := f.event(KeyElsewhere, ofMerchant, row.OwnerID, row.Subject, "")
		e.figures = strings.ReplaceAll(row.Name, "\t", " ")
		events = append(events, e)
	}
	return events, err
}

// owners reads the traders and merchants that have a user who can be told
// something.
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
