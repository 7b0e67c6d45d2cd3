package portal

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/seal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Proofs that what was moved for a merchant is in the ledger as it was sealed, and the pages that are
// published of it.
var proofRoutes = []route{
	{
		pattern: "GET /merchant/payments/{id}/proof.json", kinds: merchants, needs: caller.MerchantRead,
		handle: (*visit).paymentProof,
	},
	{
		pattern: "GET /merchant/payouts/{id}/proof.json", kinds: merchants, needs: caller.MerchantRead,
		handle: (*visit).payoutProof,
	},
	{
		pattern: "GET /merchant/deposits/{id}/proof.json", kinds: merchants, needs: caller.MerchantMoney,
		handle: (*visit).depositProof,
	},
	{pattern: "GET /.well-known/ledger-roots.json", open: true, handle: (*visit).ledgerRoots},
}

func (v *visit) paymentProof() error {
	return v.sendProof(v.Proofs.Payment(v.ctx(), v.who, v.r.PathValue("id")))
}

func (v *visit) payoutProof() error {
	return v.sendProof(v.Proofs.Payout(v.ctx(), v.who, v.payoutID()))
}

func (v *visit) depositProof() error {
	id, err := v.numbered()
	if err != nil {
		return err
	}
	return v.sendProof(v.Proofs.Deposit(v.ctx(), v.who, id))
}

// sendProof sends a file of proofs, or says from when on there is one.
func (v *visit) sendProof(p seal.Proof, err error) error {
	if err != nil {
		return err
	}
	if len(p.Transfers) == 0 {
		text := v.shell.Say(say.NothingToProve)
		if len(p.Waiting) > 0 {
			text = v.shell.Say(say.NotSealedText, v.shell.When(p.Waiting[0].SealedAfter))
		}
		v.messageText(http.StatusConflict, say.NotSealedTitle, text)
		return nil
	}
	file, err := p.File()
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+p.Subject+`-proof.json"`)
	_, _ = v.w.Write(file) //nolint:gosec // JSON, and sent as such
	return nil
}

func (v *visit) ledgerRoots() error { return v.Proofs.ServeRoots(v.w, v.r) }

// proofOf leads to the proof of a payment that moved something to the merchant who looks at it.
func (v *visit) proofOf(shown *view.Payment, p payment.Payment) {
	if v.who.Kind == caller.MerchantPortal && p.Status == payment.Completed {
		shown.Proof = view.Link("/merchant/payments/" + strconv.FormatInt(p.ID, 10) + "/proof.json")
	}
}
