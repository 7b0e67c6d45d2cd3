package search

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var searchRoutes = []route{
	{Pattern: "GET /trader/search", Needs: caller.TraderRead, Handle: (*visit).search},
	{Pattern: "GET /merchant/search", Needs: caller.MerchantRead, Handle: (*visit).search},
	{Pattern: "GET /operator/search", Needs: caller.OperatorRead, Handle: (*visit).search},
}

// most is how many results of a kind are shown.
const most = 6

// finder searches for one kind of things. It is used only if the caller may see
// them.
type finder struct {
	needs caller.Capability
	find  func(v *visit, text string) (Group, error)
}

// finders are the finders of each portal, in the order in which their groups
// are shown.
var finders = map[string][]finder{
	"trader": {
		{caller.TraderRead, (*visit).payments}, {caller.TraderRead, (*visit).payouts},
		{caller.TraderRead, (*visit).ownRequisites}, {caller.TraderRead, (*visit).pages},
	},
	"merchant": {
		{caller.MerchantRead, (*visit).payments}, {caller.MerchantRead, (*visit).payouts},
		{caller.MerchantMoney, (*visit).deposits}, {caller.MerchantRead, (*visit).pages},
	},
	"operator": {
		{caller.OperatorRead, (*visit).payments}, {caller.OperatorRead, (*visit).payouts},
		{caller.OperatorRead, (*visit).deposits}, {caller.OperatorRead, (*visit).merchants},
		{caller.OperatorRead, (*visit).cashboxes}, {caller.OperatorRead, (*visit).traders},
		{caller.OperatorRead, (*visit).requisites}, {caller.OperatorRead, (*visit).users},
		{caller.OperatorRead, (*visit).pages}, {caller.OperatorRead, (*visit).manual},
	},
}

// numbered matches a number with a # or № in front. It leads to the payment
// with that number, if the visitor may see one.
var numbered = regexp.MustCompile(`^[#№]\s*([0-9]{1,18})$`)

// search shows the results for the text in the address, or redirects to the
// only result.
func (v *visit) search() error {
	found := Found{Asked: strings.TrimSpace(v.R.URL.Query().Get(portal.AsksSearch))}
	if len([]rune(found.Asked)) > portal.MaxSearch {
		found.Asked = string([]rune(found.Asked)[:portal.MaxSearch])
	}
	if number := numbered.FindStringSubmatch(found.Asked); number != nil {
		if id, err := strconv.ParseInt(number[1], 10, 64); err == nil && v.has(id) {
			v.Lead(v.PaymentPath(id))
			return nil
		}
		found.Asked = number[1]
	}
	if found.Asked != "" {
		var err error
		if found.Groups, found.Missed, err = v.all(found.Asked); err != nil {
			return err
		}
	}
	if len(found.Groups) == 1 && len(found.Groups[0].Rows) == 1 && !found.Missed {
		v.Lead(string(found.Groups[0].Rows[0].Href))
		return nil
	}
	v.Shell.Title, v.Shell.Search = v.Say(sayTitle), found.Asked
	return portal.Show(v.Visit, http.StatusOK, SearchPage, found)
}

const (
	// soon is how long a search may take, as each of its lists.
	soon = 2 * time.Second
	// atOnce is how many lists are read at the same time, so that one
	// search does not use all connections.
	atOnce = 4
)

// all runs all finders, some of them at the same time, and reports whether one
// of them took too long.
func (v *visit) all(text string) (groups []Group, missed bool, err error) {
	ctx, stop := context.WithTimeout(v.Ctx(), soon)
	defer stop()
	within := *v.Visit
	within.R = v.R.WithContext(ctx)
	asked := &visit{Visit: &within, Services: v.Services}
	var of []finder
	for _, one := range finders[v.Shell.Portal] {
		if v.May(one.needs) {
			of = append(of, one)
		}
	}
	groups = make([]Group, len(of))
	faults := make([]error, len(of))
	places := make(chan struct{}, atOnce)
	var done sync.WaitGroup
	for i, one := range of {
		done.Go(func() {
			select {
			case places <- struct{}{}:
				groups[i], faults[i] = one.find(asked, text)
				<-places
			case <-ctx.Done():
				faults[i] = fault.ErrBusy
			}
		})
	}
	done.Wait()
	for i, err := range faults {
		late := errors.Is(err, fault.ErrBusy) || ctx.Err() != nil && v.Ctx().Err() == nil
		if err != nil && !late {
			return nil, false, err
		}
		if err != nil {
			groups[i], missed = Group{}, true
		}
	}
	return slices.DeleteFunc(groups, func(g Group) bool { return len(g.Rows) == 0 }), missed, nil
}

// has reports whether there is a payment with a number that the visitor may
// see.
func (v *visit) has(id int64) bool {
	_, err := v.Payments.Get(v.Ctx(), v.Who, strconv.FormatInt(id, 10))
	return err == nil
}

// sought is the filter of a list for a text.
func sought(text string) report.Filter {
	return report.Filter{Search: text, Paging: report.Paging{Limit: most}}
}

// payments finds payments as their list does. A text that is exactly the id of
// a payer also finds the payer, once for each merchant. A trader sees the
// requisite, and others the order and the payer.
func (v *visit) payments(text string) (Group, error) {
	group := Group{Label: say.Payments}
	page, err := v.Reports.Payments(v.Ctx(), v.Who, sought(text))
	if err != nil {
		return group, err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, page.Items)
	payers := map[view.Link]bool{}
	for _, p := range page.Items {
		about := []string{v.Amount(p.Amount, p.Currency), v.MethodName(p.Method)}
		switch v.Who.Kind {
		case caller.Trader:
			about = append(about, v.RequisiteOf(p.Payment).Value)
		case caller.Operator:
			about = append(about, p.OrderID, optional.Value(p.PayerUserID), portal.Whose(names, p))
		default:
			about = append(about, p.OrderID, optional.Value(p.PayerUserID))
		}
		if to := v.PayerPath(p.MerchantID, p.PayerUserID); to != "" && *p.PayerUserID == text && !payers[to] {
			payers[to] = true
			group.Rows = slices.Insert(group.Rows, 0, Row{Text: text, Note: v.Say(sayPayer), Href: to})
		}
		group.Rows = append(group.Rows, Row{
			Text: portal.IDText(p.ID), Note: line(about), Href: view.Link(v.PaymentPath(p.ID)),
			Badge: view.PaymentBadge(string(p.Status)), At: &p.CreatedAt,
		})
	}
	if page.Next != nil {
		group.All = view.Query(v.Path("/payments"), portal.AsksSearch, text)
	}
	return group, err
}

// line joins what is known of something, with dots between.
func line(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// payouts finds payouts as their list does: those that a trader took, a
// merchant's own, and for operators all.
func (v *visit) payouts(text string) (Group, error) {
	group := Group{Label: say.Payouts}
	page, err := v.Reports.Payouts(v.Ctx(), v.Who, sought(text))
	if err != nil {
		return group, err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, page.Items)
	for _, p := range page.Items {
		about := []string{v.Amount(p.Amount, p.Currency), p.AddressMask, p.OrderID}
		if v.Who.Kind == caller.Operator {
			about = append(about, portal.Whose(names, p))
		}
		group.Rows = append(group.Rows, Row{
			Text: portal.IDText(p.ID), Note: line(about), Href: view.Link(v.PayoutPath(p.UUID.String())),
			Badge: view.PayoutBadge(string(p.Status)), At: &p.CreatedAt,
		})
	}
	if page.Next != nil {
		group.All = view.Query(v.Path("/payouts"), portal.AsksSearch, text)
	}
	return group, err
}

// deposits finds deposits by their number, or by the hash that names their
// transfer.
func (v *visit) deposits(text string) (Group, error) {
	group := Group{Label: say.Deposits}
	list, err := v.Deposits.Search(v.Ctx(), v.Who, text, most)
	for _, d := range list {
		group.Rows = append(group.Rows, Row{
			Text: portal.IDText(d.ID), Note: line([]string{v.USDT(d.Amount), d.Network, optional.Value(d.ExternalReference)}),
			Href: view.Link(v.DepositPath(d.ID)), Badge: view.DepositBadge(d.Status), At: &d.CreatedAt,
		})
	}
	return group, err
}
