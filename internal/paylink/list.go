package paylink

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Page asks for a part of the list.
type Page struct {
	db.Page
	// States are the states to list; empty means all.
	States []string
	// MerchantID limits the list to one merchant, for operators only; 0
	// means all merchants.
	MerchantID int64
	// Search is a part of the title, or the id; "" means all links.
	Search string
}

// MaxSearch is how many characters may be looked for.
const MaxSearch = 200

// readable is the id of the merchant whose links the caller may read; nil means
// the links of all merchants.
func readable(who caller.Caller) (*int64, error) {
	if who.Kind == caller.Operator {
		return nil, who.Need(caller.OperatorRead)
	}
	return &who.MerchantID, who.Need(caller.MerchantRead)
}

// List lists the links of the caller's merchant, or for an operator the links
// of all merchants, the newest first. The cursor is nil on the last page.
func (s *Service) List(ctx context.Context, who caller.Caller, page Page) ([]Link, *string, error) {
	own, err := readable(who)
	if err != nil {
		return nil, nil, err
	}
	if own == nil && page.MerchantID != 0 {
		own = &page.MerchantID
	}
	f := fault.Decoded(ctx)
	for _, state := range page.States {
		f.Check(slices.Contains(States, state), "state", "must be one of: %s", strings.Join(States, ", "))
	}
	f.MaxLength("search", page.Search, MaxSearch)
	links, cursor, err := db.ListPage(ctx, s.pools.Reads, f, page.Page, "list payment links",
		func(q *db.Queries, before int64, rows int32) ([]Link, error) {
			return s.found(ctx, q, page.States, db.PaymentLinkListParams{
				MerchantID: own, BeforeID: before, Part: strings.TrimSpace(page.Search), Page: rows,
			})
		},
		func(l Link) int64 { return l.ID })
	if err != nil {
		return nil, nil, err
	}
	return links, cursor, s.count(ctx, links)
}

// searched is how many links are read at a time after the first batch of a list
// did not have enough links in the states asked for. searchedFor is how long
// the search may go on.
const (
	searched    = 500
	searchedFor = 2 * time.Second
)

// found reads enough links for a page, or more. Whether a link is used up is
// known only after its places are counted, so it reads on until enough links
// are in the states asked for.
func (s *Service) found(
	ctx context.Context, q *db.Queries, states []string, p db.PaymentLinkListParams,
) ([]Link, error) {
	var found []Link
	wanted := int(p.Page)
	p.States, p.Now = states, s.clock.Now()
	began := time.Now()
	for ; ; p.Page = searched {
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
		if len(found) >= wanted || len(rows) < int(p.Page) {
			return found, nil
		}
	}
}

// Get reads a link of the caller's merchant, or for an operator a link of any
// merchant.
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

// stated adds the states to links.
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

// placesTaken counts the places of links that are taken, by link id.
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

// count adds the numbers of payments and their sums to links, with one query
// for each merchant.
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

// newest is how many payments are listed with a link.
const newest = 50

// Payments lists the newest payments of a link. It returns fault.ErrNotFound if
// the link is of another merchant.
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
	return rows, fault.Doing("list payments of a link", err)
}
