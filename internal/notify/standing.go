package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/db"
)

const (
	// PhoneSilent is how long a phone may send nothing, while its trader
	// gets payments, before the trader and operators are told.
	PhoneSilent = 30 * time.Minute
	// shortOver is how long a trader must not have been seen short until
	// that is over. What is available changes with each payment.
	shortOver = 10 * time.Minute
	// silentHalf is half of PhoneSilent. A phone has to be silent for that
	// long before the condition is noted, and then for as long again until
	// it is told: at night a phone has nothing to report, and with the
	// first payment of a day it needs some time to do so.
	silentHalf = PhoneSilent / 2
)

// standing is a condition of an owner that lasts: since when, and when it was
// last seen. For an endpoint it also has the newest event that the endpoint had
// not accepted when it was last seen.
type standing struct {
	ownerID       int64
	subject       string
	began, seenAt time.Time
	event         uuid.UUID
	told          bool
}

// short finds the traders who have become short of USDT.
func short(ctx context.Context, f *Feed, now, _ time.Time) ([]event, error) {
	ids, err := f.q.NotifyShort(ctx, db.NotifyShortParams{Traders: f.traders, Most: standingMost})
	list := db.Each(ids, func(id int64) standing { return standing{ownerID: id} })
	if err != nil {
		return nil, err
	}
	begun, _, err := f.stands(ctx, ShortOfUSDT, ofTrader, now, 0, list, func(s standing) (bool, error) {
		return now.Sub(s.seenAt) >= shortOver, nil
	})
	return begun, err
}

// silent finds the phones that have become silent.
func silent(ctx context.Context, f *Feed, now, _ time.Time) ([]event, error) {
	phones, err := f.q.NotifySilent(ctx, db.NotifySilentParams{Until: now.Add(-silentHalf), Traders: f.traders, Most: standingMost})
	list := db.Each(phones, func(phone db.NotifySilentRow) standing {
		return standing{ownerID: phone.OwnerID, subject: phone.Subject}
	})
	if err != nil {
		return nil, err
	}
	begun, _, err := f.stands(ctx, DeviceSilent, ofTrader, now, silentHalf, list, func(standing) (bool, error) { return true, nil })
	return begun, err
}

// failing finds endpoints that have begun to fail, and those that accept
// webhooks again. An endpoint whose events became dead, or are being sent again
// with new attempts, counts as failing until it has accepted one. If nothing is
// sent to it for failureKept, its condition is no longer known.
func failing(ctx context.Context, f *Feed, now, _ time.Time) ([]event, error) {
	hosts, err := f.q.NotifyFailing(ctx, db.NotifyFailingParams{Merchants: f.merchants, Attempts: failingFrom, Most: standingMost})
	list := db.Each(hosts, func(host db.NotifyFailingRow) standing {
		return standing{ownerID: host.OwnerID, subject: host.Subject, event: host.EventID}
	})
	if err != nil {
		return nil, err
	}
	begun, over, err := f.stands(ctx, EndpointFailing, ofMerchant, now, 0, list, func(s standing) (bool, error) {
		return f.q.NotifyTaken(ctx, db.NotifyTakenParams{
			MerchantID: s.ownerID, Host: s.subject, EventID: s.event, Since: s.seenAt.Add(-rarely), Most: sourceMost,
		})
	})
	for _, e := range over {
		e.kind = EndpointBack
		begun = append(begun, e)
	}
	return begun, err
}

// stands stores which conditions of a kind exist now, and compares them with
// those that existed before, whichever process stored them. It returns those
// that have begun, once they have lasted for the time after, and those that are
// over. A condition that is no longer listed is over once shows says so, or
// once it was last seen longer than failureKept ago.
func (f *Feed) stands(
	ctx context.Context, kind Kind, of owner, now time.Time, after time.Duration, list []standing, shows func(standing) (bool, error),
) (begun, over []event, err error) {
	put := db.NotifyStandParams{Kind: string(kind), Now: now, Holder: f.holder}
	type key struct {
		ownerID int64
		subject string
	}
	stand := map[key]bool{}
	for _, s := range list {
		stand[key{s.ownerID, s.subject}] = true
		put.OwnerIds, put.Subjects = append(put.OwnerIds, s.ownerID), append(put.Subjects, s.subject)
		put.EventIds = append(put.EventIds, s.event)
	}
	if len(list) > 0 {
		if err := f.q.NotifyStand(ctx, put); err != nil {
			return nil, nil, err
		}
	}
	rows, err := f.q.NotifyStandings(ctx, string(kind))
	if err != nil {
		return nil, nil, err
	}
	told := db.NotifyStandingToldParams{Kind: string(kind)}
	for _, row := range rows {
		s := standing{row.OwnerID, row.Subject, row.BeganAt, row.SeenAt, row.EventID, row.Told}
		e := f.event(kind, of, s.ownerID, fmt.Sprint(s.subject, "@", s.began.UnixMicro()), "")
		stands := stand[key{s.ownerID, s.subject}]
		switch {
		case stands && (s.told || now.Sub(s.began) < after):
			continue
		case stands:
			begun = append(begun, e)
		case now.Sub(s.seenAt) <= failureKept:
			is, err := shows(s)
			if err != nil {
				return nil, nil, err
			}
			if !is {
				continue
			}
			if s.told {
				over = append(over, e)
			}
		}
		told.OwnerIds, told.Subjects = append(told.OwnerIds, s.ownerID), append(told.Subjects, s.subject)
		told.Begans, told.Overs = append(told.Begans, s.began), append(told.Overs, !stands)
	}
	if len(told.Subjects) > 0 {
		f.stood[kind] = told
	}
	return begun, over, nil
}

// standingTold stores which conditions were told. If that fails, the same
// conditions are found again, but nobody is told twice.
func (f *Feed) standingTold(ctx context.Context) error {
	for kind, told := range f.stood {
		if err := f.q.NotifyStandingTold(ctx, told); err != nil {
			return fmt.Errorf("note that %s is told: %w", kind, err)
		}
		delete(f.stood, kind)
	}
	return nil
}
