package cases

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

// Transfers are the transfers to the platform that are attached to no deposit.
type Transfers struct {
	Items []TransferRow
	Pages view.Pages
}

// TransferRow is a transfer. Action is "" for users who may not attach it.
type TransferRow struct {
	Hash, Amount, Network, Confirmations string
	At                                   time.Time
	Action                               templ.SafeURL
	// NamedBy is the number of the deposit whose merchant has named the
	// transaction, or "".
	NamedBy string
}

const transfersPath = "/operator/transfers"

var transferList = portal.List{Path: transfersPath, Always: true, None: sayCasesNone}

var transferRoutes = []route{
	{Pattern: "GET " + transfersPath, Needs: caller.OperatorRead, Handle: (*visit).transfers},
	{Pattern: "POST " + transfersPath + "/{id}/assign", Needs: caller.OperatorMoney, Handle: (*visit).assign},
}

// transfers lists the transfers that are attached to no deposit. Each has a
// form to attach it, for users who may move money, and the number of the
// deposit whose merchant has named it.
func (v *visit) transfers() error {
	a := v.Asks(transferList)
	var page deposit.Page
	page.Cursor = optional.Of(a.Filter.Cursor)
	found, next, err := v.Deposits.Unmatched(v.Ctx(), v.Who, page.Page)
	if err != nil {
		return err
	}
	var shown Transfers
	var ids []int64
	for _, t := range found {
		row := TransferRow{
			Hash: t.Hash, At: t.SeenAt, Amount: v.USDT(t.Credited()), Network: t.Network, Confirmations: v.confirmations(t),
		}
		if t.NamedBy != 0 {
			row.NamedBy = portal.IDText(t.NamedBy)
		}
		if v.May(caller.OperatorMoney) {
			row.Action = view.Link(transfersPath + "/" + portal.IDText(t.ID) + "/assign")
		}
		shown.Items, ids = append(shown.Items, row), append(ids, t.ID)
	}
	shown.Pages = portal.Around(a, next, ids)
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayTransfers), TransfersPage, shown)
}

// assign attaches a transfer to the deposit that the operator names, once.
func (v *visit) assign() error {
	transfer, form, err := v.Sent()
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(strings.TrimSpace(form.Get("deposit")), 10, 64)
	if err != nil {
		return fault.ErrNotFound
	}
	return v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Deposits.Assign(v.Ctx(), v.Who, transfer, id)
		return submission.Outcome{LedTo: v.DepositPath(id), Said: "transfer-assigned"}, err
	})
}
