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
	"gateway.example/internal/db"
	"gateway.example/internal/money"
)

// summaryFrom is the hour from which a user reads of yesterday, in their zone.
const summaryFrom = 8

// Summaries has the users who want it told how yesterday was, which ended at midnight where they are. It is a round of its own,
// since a day of a large merchant takes longer to add up than a payment may wait to be told.
func (f *Feed) Summaries(ctx context.Context) error {
	if len(f.s.senders) == 0 {
		return nil
	}
	users, err := f.q.NotifySummaries(ctx, db.NotifySummariesParams{
		Kind: string(DailySummary), Now: f.s.clock.Now(), FromHour: summaryFrom, Holder: f.holder, Most: sourceMost,
	})
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
		who := caller.Caller{Kind: caller.Kind(user.Kind), ID: user.ID, Role: caller.Role(user.Role)}
		if !abouts[DailySummary].hears(who) {
			continue
		}
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

// summary adds up a merchant's day, as the texts of the kind have it.
func (s *Service) summary(ctx context.Context, user db.NotifySummariesRow) (string, error) {
	zone, err := time.LoadLocation(user.Zone)
	if err != nil {
		zone = time.UTC
	}
	year, month, day := user.Yesterday.Date()
	from, until := time.Date(year, month, day, 0, 0, 0, 0, zone), time.Date(year, month, day+1, 0, 0, 0, 0, zone)
	list, err := s.reads.NotifyDay(ctx, db.NotifyDayParams{MerchantID: user.MerchantID, FromAt: from, UntilAt: until})
	if err != nil {
		return "", fmt.Errorf("add up a day: %w", err)
	}
	above, below, err := (db.Span{From: &from, To: &until}).IDs(ctx, s.reads, "payment", 0, math.MaxInt64)
	if err != nil {
		return "", err
	}
	usdt, err := s.reads.NotifyCredited(ctx, db.NotifyCreditedParams{
		MerchantID: user.MerchantID, Above: above, Below: below, FromAt: from, UntilAt: until,
	})
	if err != nil {
		return "", fmt.Errorf("add up what a day brought: %w", err)
	}
	var payments, completed, ended int64
	var volumes []string
	for _, row := range list {
		payments, completed, ended = payments+row.Payments, completed+row.Completed, ended+row.Ended
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
