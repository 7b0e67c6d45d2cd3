package sandbox

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/deposit"
	"gateway.example/internal/optional"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Purse sends USDT on the networks of a sandbox.
type Purse struct {
	// Deposit sends the USDT that a deposit waits for, and Pay pays a
	// withdrawal, each only once.
	Deposit, Pay func(ctx context.Context, id int64) error
	// Latest are the latest transfers, the newest first.
	Latest func(ctx context.Context) ([]Transferred, error)
}

// Transferred is a transfer on a network of a sandbox.
type Transferred struct {
	Network, Hash, To string
	Amount            decimal.Decimal
	At                time.Time
	Confirmations     int64
}

const walletPath = "/sandbox/wallet"

var walletRoutes = []route{
	{Pattern: "GET " + walletPath, Open: true, Handle: portal.After((*visit).wallet, (*visit).walletPage)},
	{Pattern: "GET " + walletPath + "/list", Open: true, Fragment: true, Handle: portal.After((*visit).wallet, (*visit).walletRegion)},
	{Pattern: "POST " + walletPath + "/deposits/{id}", Open: true, Handle: (*visit).sendDeposit},
	{Pattern: "POST " + walletPath + "/withdrawals/{id}", Open: true, Handle: (*visit).payWithdrawal},
}

func (v *visit) walletPage(w Wallet) error {
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayWallet), WalletPage, w)
}

func (v *visit) walletRegion(w Wallet) error {
	return portal.Show(v.Visit, http.StatusOK, WalletRegion, w)
}

// anybody is the caller as whom the sandbox's wallet is read.
var anybody = caller.Caller{Kind: caller.Operator, Role: caller.Auditor}

// wallet reads what the sandbox's wallet has sent, and what can be sent from
// it: to pending deposits, and for withdrawals that were handed over. Everybody
// may see this page, so it is read as an auditor. A withdrawal for which
// something was sent has no button.
func (v *visit) wallet() (w Wallet, err error) {
	latest, err := v.Page.Purse.Latest(v.Ctx())
	if err != nil {
		return w, err
	}
	for _, t := range latest {
		n, _ := chain.Find(t.Network)
		w.Sent = append(w.Sent, Sent{
			Hash: n.Hash(t.Hash), Network: t.Network, To: t.To, Amount: v.USDT(t.Amount), At: t.At,
			Confirmations: v.Say(say.ConfirmationsOf, min(t.Confirmations, n.Confirmations), n.Confirmations),
		})
	}
	deposits, _, err := v.Deposits.List(v.Ctx(), anybody, deposit.Page{Status: optional.Of("pending")})
	if err != nil {
		return w, err
	}
	for _, d := range deposits {
		w.Deposits = append(w.Deposits, Due{
			Name: v.Say(say.DepositTitle, d.ID), Amount: v.USDT(d.Amount), Network: d.Network, Address: d.Address,
			Send: view.Link(walletPath + "/deposits/" + strconv.FormatInt(d.ID, 10)),
		})
	}
	paying, _, err := v.Withdrawals.List(v.Ctx(), anybody, withdrawal.Page{Status: optional.Of(string(withdrawal.HandedOver))})
	for _, p := range paying {
		due := Due{
			Name: v.Say(say.WithdrawalTitle, p.ID), Amount: v.USDT(p.Amount), Network: p.Network, Address: p.Address,
		}
		if p.Hash == nil {
			due.Send = view.Link(walletPath + "/withdrawals/" + strconv.FormatInt(p.ID, 10))
		}
		w.Withdrawals = append(w.Withdrawals, due)
	}
	return w, err
}

// sendDeposit sends the USDT that a deposit waits for, and redirects back to
// it.
func (v *visit) sendDeposit() error {
	return v.send(v.Page.Purse.Deposit, "/deposits/", "wallet-sent", caller.MerchantPortal)
}

// payWithdrawal does what the outside signer does.
func (v *visit) payWithdrawal() error {
	return v.send(v.Page.Purse.Pay, "/withdrawals/", "wallet-paid", caller.Operator)
}

// send sends what the address names. Users who have a page about it are
// redirected there.
func (v *visit) send(do func(context.Context, int64) error, page, word string, whose caller.Kind) error {
	id, err := v.Numbered()
	if err != nil {
		return err
	}
	if err := do(v.Ctx(), id); err != nil {
		return err
	}
	if v.Who.Kind == whose {
		return v.Done(portal.Numbered(v.Path(page[:len(page)-1]), id), word)
	}
	return v.Done(walletPath, word)
}
