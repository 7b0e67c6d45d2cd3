// Package payments shows payments and payouts to traders, merchants and
// operators.
package payments

import (
	"gateway.example/internal/attest"
	"gateway.example/internal/checkout"
	"gateway.example/internal/clock"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/seal"
	"gateway.example/internal/timeline"
	"gateway.example/internal/work"
	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

type Services struct {
	Payments  *payment.Service
	Checkouts *checkout.Service
	Payouts   *payout.Service
	Settings  *directory.Settings
	Reports   *report.Service
	Exports   *report.Service
	Timelines *timeline.Service
	// Sums explain how payments are calculated.
	Sums *rate.Explainer
	// Signer signs exports, so that they can be verified.
	Signer *attest.Signer
	// Proofs prove what is in the ledger, and publish its pages.
	Proofs *seal.Service
	Clock  clock.Clock
	// PayLinks has the payment links by which some payments were made.
	PayLinks *paylink.Service
	// Claim shows which operator works on a payment or an appeal.
	Claim func(v *portal.Visit, kind work.Kind, id int64) (*view.Claim, error)
	// OnPayout shows what an operator may do about a payout, and who works
	// on it.
	OnPayout func(*portal.Visit, payout.Payout) ([]view.Act, *view.Claim, error)
}

type visit struct {
	*portal.Visit
	Services
	// uploads limits the proofs that are being sent, by trader.
	uploads *edge.Files
}

// traderFiles is how many proofs of one trader's payouts are received at the
// same time.
const traderFiles = 16

type route = portal.RouteOf[*visit]

func Routes(s Services) []portal.Route {
	uploads := edge.NewFiles(traderFiles)
	return portal.Bind(func(v *portal.Visit) *visit { return &visit{Visit: v, Services: s, uploads: uploads} },
		signedRoutes, paymentRoutes, caseRoutes, payoutRoutes, payoutFileRoutes, proofRoutes)
}
