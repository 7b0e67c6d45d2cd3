package notify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/money"
)

// summaryFrom is the hour in a user's zone from which on they are told about
// yesterday.
const summaryFrom = 8

// Summaries tells the users who want it the figures of yesterday, a day that
// ended at midnight in their zone. It is a round of its own, because adding up
// the day of a large merchant takes longer than a message about a payment may
// wait.
func (f *Feed) Summaries(ctx context.Context) error {
	if len(f.s.senders) == 0 {
		return nil
	}
	users, err := f.summaries(ctx)
	if err != nil {
		return fmt.Errorf("find who wants a summary: %w", err)
	}
	type day struct {
		merchant  int64
		zone, day string
	}
	known := map[day]string{}
	var events []event
	for _, user := range users {
		of := day{user.MerchantID, user.Zone, user.Yesterday.Format(time.DateOnly)}
		figures, there := known[of]
		if !there {
			var wrong error
			if figures, wrong = f.s.summary(ctx, user); wrong != nil {
				err = errors.Join(err, wrong)
				continue
			}
			known[of] = figures
		}
		e := f.event(DailySummary, ofUser, user.ID, of.day, "")
		e.figures = figures
		events = append(events, e)
	}
	return errors.Join(err, f.s.tell(ctx, events))
}

// summaries lists the users who are to get a summary now. For which zones it is
// late enough is decided here and not by the database, which may not know a
// zone.
func (f *Feed) summaries(ctx context.Context) ([]db.NotifySummariesRow, error) {
	zones, err := f.q.NotifyZones(ctx)
	if err != nil {
		return nil, err
	}
	ask := db.NotifySummariesParams{Kind: string(DailySummary), Holder: f.holder, Channels: f.s.configured(), Most: sourceMost}
	for _, name := range zones {
		if here := f.s.clock.Now().In(zoneOf(name)); here.Hour() >= summaryFrom {
			ask.Zones, ask.Yesterdays = append(ask.Zones, name), append(ask.Yesterdays, here.AddDate(0, 0, -1).Format(time.DateOnly))
		}
	}
	for _, role := range caller.Roles(caller.MerchantPortal) {
		if abouts[DailySummary].hears(caller.Caller{Kind: caller.MerchantPortal, Role: role}) {
			ask.Roles = append(ask.Roles, string(role))
		}
	}
	return f.q.NotifySummaries(ctx, ask)
}

// zoneOf is a user's time zone, or UTC if the zone is not known.
func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// summary adds up a merchant's day, in the form of the kind's figures.
func (s *Service) summary(ctx context.Context, user db.NotifySummariesRow) (string, error) {
	zone := zoneOf(user.Zone)
	year, month, day := user.Yesterday.Date()
	from, until := clock.On(year, month, day, 0, zone), clock.On(year, month, day+1, 0, zone)
	above, below, err := (db.Span{From: &from, To: &until}).IDs(ctx, s.reads, "payment", 0, math.MaxInt64)
	if err != nil {
		return "", err
	}
	list, err := s.reads.NotifyDay(ctx, db.NotifyDayParams{
		MerchantID: user.MerchantID, Above: above, Below: below, FromAt: from, UntilAt: until,
	})
	if err != nil {
		return "", fmt.Errorf("add up a day: %w", err)
	}
	var payments, completed, ended int64
	var usdt decimal.Decimal
	var volumes []string
	for _, row := range list {
		payments, completed, ended, usdt = payments+row.Payments, completed+row.Completed, ended+row.Ended, usdt.Add(row.USDT)
		volumes = append(volumes, money.Fiat(row.Volume)+" "+row.Currency)
	}
	success, volume := "—", "0"
	if ended > 0 {
		success = decimal.NewFromInt(completed*100).DivRound(decimal.NewFromInt(ended), 1).String() + " %"
	}
	if len(volumes) > 0 {
		volume = strings.Join(volumes, ", ")
	}
	return strings.Join([]string{
		from.Format(time.DateOnly), strconv.FormatInt(payments, 10), strconv.FormatInt(completed, 10), success, volume, money.USDT(usdt),
	}, "\t"), nil
}
