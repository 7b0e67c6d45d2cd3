package report_test

import (
	"bytes"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	rpcreport "gateway.example/rpc/portal/report"
)

// A deposit of 25 USDT, before and after its day is sealed, and the day as operators see it.
func TestProofOfADeposit(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	clock := &dbtest.Clock{}
	shop := d.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeDeposits}})
	deposits := deposit.New(d.Pools(), clock, foureyes.Rules{})
	made := testenv.Must(deposits.Create(t.Context(), shop.Caller, deposit.Request{
		Amount: "25", Network: "TRC20", Address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
		IdempotencyKey: "7c0d4d5e-55f4-4d18-a66c-60b90aef3c55",
	}))(t)
	operator := caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Treasury}
	testenv.Must(deposits.Confirm(t.Context(), operator, made.Deposit.ID))(t)
	signer := testenv.Must(attest.New(d.Pool, bytes.Repeat([]byte{7}, 32)))(t)
	service := rpcreport.NewProofService(seal.New(d.Pools(), clock, seal.Rooms{Deposits: deposits, Signer: signer}))
	owner := caller.With(t.Context(),
		caller.Caller{Kind: caller.MerchantPortal, ID: 5, MerchantID: shop.ID, Role: caller.Owner})
	get := func() *portalv1.ProofResponse {
		t.Helper()
		answer := testenv.Must(service.GetDepositProof(owner,
			connect.NewRequest(&portalv1.GetDepositProofRequest{DepositId: made.Deposit.ID})))(t)
		return answer.Msg
	}
	early := get()
	w := early.GetWaiting()
	testenv.Check(t, early.GetProven() == 0 && len(w) == 1 &&
		w[0].GetSealedAfter().AsTime().Equal(time.Date(2026, 11, 21, 0, 10, 0, 0, time.UTC)),
		"before its day is sealed: %v", early)
	clock.Advance(24 * time.Hour)
	testenv.NoError(t, seal.NewSealer(d.Pool, clock, signer).Run(t.Context()))
	sealed := get()
	proof, err := seal.ParseProof(sealed.GetFile())
	testenv.Check(t, err == nil && sealed.GetProven() == 1 && len(sealed.GetWaiting()) == 0 && proof.Transfers[0].Index == 0,
		"%v, %v", sealed, err)
	list := testenv.Must(service.ListSealedDays(caller.With(t.Context(), operator),
		connect.NewRequest(&portalv1.ListSealedDaysRequest{})))(t)
	days := list.Msg.GetData()
	if len(days) != 1 || days[0].GetDay() != "2026-11-20" || days[0].GetTransfers() != 1 || days[0].GetEntries() != 2 ||
		days[0].GetState() != "valid" || days[0].GetRoot() != proof.Pages[0].Root.String() {
		t.Fatalf("%v", days)
	}
	kind, balance := days[0].GetKinds()[0], days[0].GetBalances()[0]
	testenv.Check(t, kind.GetKind() == "deposit" && kind.GetAmount() == "25.00000000" &&
		balance.GetOwner() == ledger.Cashbox.String() && balance.GetAmount() == "25.00000000", "%v, %v", kind, balance)
}
