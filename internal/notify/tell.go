package notify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// tell queues notices in the lines of all users who may know about the events
// and want to.
func (s *Service) tell(ctx context.Context, events []event) error {
	var ask db.NotifyAudienceParams
	for _, e := range events {
		switch e.of {
		case ofTrader:
			ask.Traders = append(ask.Traders, e.ownerID)
		case ofMerchant:
			ask.Merchants = append(ask.Merchants, e.ownerID)
		case ofUser:
			ask.Users = append(ask.Users, e.ownerID)
		case ofOperators:
			ask.Operators = true
		}
	}
	ask.Traders, ask.Merchants, ask.Users = once(ask.Traders), once(ask.Merchants), once(ask.Users)
	audience, err := s.q.NotifyAudience(ctx, ask)
	if err != nil || len(audience) == 0 {
		return named("read who is told", err)
	}
	params := s.notices(audience, events)
	if len(params.ChannelIds) == 0 {
		return nil
	}
	_, err = s.q.NoticeInsert(ctx, params)
	return named("keep notices", err)
}

func named(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func once(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// notices are the rows to insert: which event is told on which channel, and
// after how long.
func (s *Service) notices(audience []db.NotifyAudienceRow, events []event) (p db.NoticeInsertParams) {
	now := s.clock.Now()
	type group struct {
		of owner
		id int64
	}
	by := map[group][]event{}
	for _, e := range events {
		by[group{e.of, e.ownerID}] = append(by[group{e.of, e.ownerID}], e)
	}
	for _, to := range audience {
		if s.senders[Channel(to.Channel)] == nil {
			continue
		}
		who := caller.Caller{Kind: caller.Kind(to.Kind), ID: to.UserID, Role: caller.Role(to.Role)}
		groups := []group{{ofUser, to.UserID}}
		if to.TraderID != nil {
			groups = append(groups, group{ofTrader, *to.TraderID})
		}
		if to.MerchantID != nil {
			groups = append(groups, group{ofMerchant, *to.MerchantID})
		}
		if who.Kind == caller.Operator {
			groups = append(groups, group{ofOperators, 0})
		}
		quiet := quietFor(to, now)
		for _, g := range groups {
			for _, e := range by[g] {
				about := abouts[e.kind]
				itself := e.kind == ChannelAdded && e.subject == strconv.FormatInt(to.ID, 10)
				if itself || !about.hears(who) || !wants(about, to) {
					continue
				}
				wait := quiet
				if about.Security {
					wait = 0
				}
				if wait > about.Lasts { // too late to be of use by then
					continue
				}
				p.ChannelIds, p.Kinds = append(p.ChannelIds, to.ID), append(p.Kinds, string(e.kind))
				p.Subjects, p.Paths = append(p.Subjects, e.subject), append(p.Paths, e.path)
				p.Figures = append(p.Figures, e.figures)
				p.Ats, p.Seconds = append(p.Ats, now), append(p.Seconds, wait.Seconds())
			}
		}
	}
	return p
}

// wants reports whether a user wants to be told about a kind on a channel.
func wants(a About, to db.NotifyAudienceRow) bool {
	if a.Off {
		return slices.Contains(to.Wanted, string(a.Kind))
	}
	return a.Security || !slices.Contains(to.Unwanted, string(a.Kind))
}

// quietFor is how long from now on a user is not to be disturbed.
func quietFor(to db.NotifyAudienceRow, now time.Time) time.Duration {
	var wait time.Duration
	if to.MutedUntil != nil {
		wait = max(wait, to.MutedUntil.Sub(now))
	}
	if to.QuietFrom == nil || to.QuietUntil == nil {
		return wait
	}
	zone := zoneOf(to.Zone)
	local := now.In(zone)
	from, until := int(*to.QuietFrom), int(*to.QuietUntil)
	minute := local.Hour()*60 + local.Minute()
	const day = 24 * 60
	if (minute-from+day)%day >= (until-from+day)%day { // the hours may go over midnight
		return wait
	}
	year, month, today := local.Date()
	if minute >= until {
		today++
	}
	end := clock.On(year, month, today, time.Duration(until)*time.Minute, zone)
	if !end.After(now) { // clocks were put back, and show this time of day again
		end = now.Add(time.Duration(until-minute) * time.Minute)
	}
	return max(wait, end.Sub(now))
}
