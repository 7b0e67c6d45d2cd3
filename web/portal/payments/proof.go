package payments

import (
	"net/http"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/seal"
	"gateway.example/web/portal/view"
)

// Proofs that a merchant's transfers are in the sealed ledger, and the
// published pages of the ledger.
var proofRoutes = []route{
	{Pattern: "GET /merchant/payments/{id}/proof.json", Needs: caller.MerchantRead, Handle: (*visit).paymentProof},
	{Pattern: "GET /merchant/payouts/{id}/proof.json", Needs: caller.MerchantRead, Handle: (*visit).payoutProof},
	{Pattern: "GET /merchant/deposits/{id}/proof.json", Needs: caller.MerchantMoney, Handle: (*visit).depositProof},
	{Pattern: "GET /merchant/withdrawals/{id}/proof.json", Needs: caller.MerchantMoney, Handle: (*visit).withdrawalProof},
	{Pattern: "GET /.well-known/ledger-roots.json", Open: true, Handle: (*visit).ledgerRoots},
}

func (v *visit) paymentProof() error {
	return v.sendProof(v.Proofs.Payment(v.Ctx(), v.Who, v.R.PathValue("id")))
}

func (v *visit) payoutProof() error {
	return v.sendProof(v.Proofs.Payout(v.Ctx(), v.Who, v.PayoutID()))
}

func (v *visit) depositProof() error {
	return v.sendProof(portal.Named(v.Visit, v.Proofs.Deposit))
}

func (v *visit) withdrawalProof() error {
	return v.sendProof(portal.Named(v.Visit, v.Proofs.Withdrawal))
}

// sendProof sends a file of proofs, or says from when on there will be one.
func (v *visit) sendProof(p seal.Proof, err error) error {
	if err != nil {
		return err
	}
	if len(p.Transfers) == 0 {
		text := v.Say(sayNothingToProve)
		if len(p.Waiting) > 0 {
			text = v.Say(sayNotSealedText, v.When(p.Waiting[0].SealedAfter))
		}
		v.MessageText(http.StatusConflict, sayNotSealedTitle, text)
		return nil
	}
	file, err := p.File()
	if err != nil {
		return err
	}
	v.W.Header().Set("Content-Type", "application/json")
	v.W.Header().Set("Content-Disposition", `attachment; filename="`+p.Subject+`-proof.json"`)
	_, _ = v.W.Write(file)
	return nil
}

func (v *visit) ledgerRoots() error { return v.Proofs.ServeRoots(v.W, v.R) }

// proofOf links to the proof of a payment, for its merchant and only if it
// moved anything.
func (v *visit) proofOf(shown *Payment, p payment.Payment) {
	if v.Who.Kind == caller.MerchantPortal && p.Status == payment.Completed {
		shown.Proof = view.Link(portal.Numbered(portal.OwnPaymentsPath, p.ID) + "/proof.json")
	}
}
