package portal_test

import (
	"bytes"
	"slices"
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
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/portal"
)

// Merchants' users ask for proofs, and operators for the list of days.
func TestProofAccess(t *testing.T) {
	t.Parallel()
	for procedure, want := range map[string]caller.Kind{
		portalv1connect.ProofServiceGetPaymentProofProcedure:    caller.MerchantPortal,
		portalv1connect.ProofServiceGetPayinProofProcedure:      caller.MerchantPortal,
		portalv1connect.ProofServiceGetDepositProofProcedure:    caller.MerchantPortal,
		portalv1connect.ProofServiceGetWithdrawalProofProcedure: caller.MerchantPortal,
		portalv1connect.ProofServiceListSealedDaysProcedure:     caller.Operator,
	} {
		if got := rpc.Access(procedure); !slices.Equal(got, []caller.Kind{want}) {
			t.Errorf("%s lets in %v", procedure, got)
		}
	}
}

// A deposit of 25 USDT, before and after its day is sealed, and the day as operators see it.
func TestProofOfADeposit(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	clock := &dbtest.Clock{}
	shop := d.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeDeposits}})
	deposits := deposit.New(d.Pools(), clock, foureyes.Rules{})
	made, err := deposits.Create(t.Context(), shop.Caller, deposit.Request{
		Amount: "25", Network: "TRC20", Address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
		IdempotencyKey: "7c0d4d5e-55f4-4d18-a66c-60b90aef3c55",
	})
	testenv.NoError(t, err)
	operator := caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Treasury}
	_, err = deposits.Confirm(t.Context(), operator, made.Deposit.ID)
	testenv.NoError(t, err)
	signer, err := attest.New(d.Pool, bytes.Repeat([]byte{7}, 32))
	testenv.NoError(t, err)
	service := portal.NewProofService(seal.New(d.Pools(), clock, seal.Rooms{Deposits: deposits, Signer: signer}))
	owner := caller.With(t.Context(),
		caller.Caller{Kind: caller.MerchantPortal, ID: 5, MerchantID: shop.ID, Role: caller.Owner})
	get := func() *portalv1.ProofResponse {
		t.Helper()
		answer, err := service.GetDepositProof(owner,
			connect.NewRequest(&portalv1.GetDepositProofRequest{DepositId: made.Deposit.ID}))
		testenv.NoError(t, err)
		return answer.Msg
	}
	early := get()
	if w := early.GetWaiting(); early.GetProven() != 0 || len(w) != 1 ||
		!w[0].GetSealedAfter().AsTime().Equal(time.Date(2026, 11, 21, 0, 10, 0, 0, time.UTC)) {
		t.Errorf("before its day is sealed: %v", early)
	}
	clock.Advance(24 * time.Hour)
	testenv.NoError(t, seal.NewSealer(d.Pool, clock, signer).Run(t.Context()))
	sealed := get()
	proof, err := seal.ParseProof(sealed.GetFile())
	if err != nil || sealed.GetProven() != 1 || len(sealed.GetWaiting()) != 0 || proof.Transfers[0].Index != 0 {
		t.Errorf("%v, %v", sealed, err)
	}
	list, err := service.ListSealedDays(caller.With(t.Context(), operator),
		connect.NewRequest(&portalv1.ListSealedDaysRequest{}))
	testenv.NoError(t, err)
	days := list.Msg.GetData()
	if len(days) != 1 || days[0].GetDay() != "2026-11-20" || days[0].GetTransfers() != 1 || days[0].GetEntries() != 2 ||
		days[0].GetState() != "valid" || days[0].GetRoot() != proof.Pages[0].Root.String() {
		t.Fatalf("%v", days)
	}
	kind, balance := days[0].GetKinds()[0], days[0].GetBalances()[0]
	if kind.GetKind() != "deposit" || kind.GetAmount() != "25.00000000" ||
		balance.GetOwner() != ledger.Cashbox.String() || balance.GetAmount() != "25.00000000" {
		t.Errorf("%v, %v", kind, balance)
	}
}
