// Package portals builds the portals: the core and every feature, each with the
// services it uses.
package portals

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/alarm"
	"gateway.example/internal/attest"
	"gateway.example/internal/audit"
	"gateway.example/internal/auditlog"
	"gateway.example/internal/auth"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/books"
	"gateway.example/internal/checkout"
	"gateway.example/internal/clock"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/figures"
	"gateway.example/internal/limit"
	"gateway.example/internal/notify"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/routing"
	"gateway.example/internal/savedview"
	"gateway.example/internal/seal"
	"gateway.example/internal/session"
	"gateway.example/internal/simulator"
	"gateway.example/internal/submission"
	"gateway.example/internal/timeline"
	"gateway.example/internal/waits"
	"gateway.example/internal/webhook"
	"gateway.example/internal/withdrawal"
	"gateway.example/internal/work"
	"gateway.example/web/portal"
	"gateway.example/web/portal/account"
	"gateway.example/web/portal/appeals"
	"gateway.example/web/portal/arrivals"
	"gateway.example/web/portal/bankstatement"
	"gateway.example/web/portal/cases"
	"gateway.example/web/portal/deposits"
	"gateway.example/web/portal/desk"
	"gateway.example/web/portal/developers"
	"gateway.example/web/portal/links"
	"gateway.example/web/portal/messages"
	"gateway.example/web/portal/money"
	"gateway.example/web/portal/notices"
	"gateway.example/web/portal/overview"
	"gateway.example/web/portal/payers"
	"gateway.example/web/portal/payments"
	"gateway.example/web/portal/payoutfiles"
	"gateway.example/web/portal/rates"
	"gateway.example/web/portal/requisites"
	routepages "gateway.example/web/portal/routing"
	"gateway.example/web/portal/sandbox"
	"gateway.example/web/portal/search"
	"gateway.example/web/portal/settings"
	"gateway.example/web/portal/statement"
	"gateway.example/web/portal/team"
	"gateway.example/web/portal/trust"
	"gateway.example/web/portal/withdrawals"
)

// Services are what the portals show and drive.
type Services struct {
	Sessions    *session.Service
	Submissions *submission.Service
	Views       *savedview.Service
	Payments    *payment.Service
	Checkouts   *checkout.Service
	Payouts     *payout.Service
	Settings    *directory.Settings
	Looks       *directory.Looks
	Acquirers   *acquirer.Directory
	Deposits    *deposit.Service
	Withdrawals *withdrawal.Service
	Rates       *rate.Settings
	// Sums tell how payments come to be worth what they are, Refusals which
	// nobody could be found for.
	Sums      *rate.Explainer
	Refusals  *routing.Refusals
	Proposals *proposal.Service
	// PayLinks are merchants' payment links, whose addresses Tokens make
	// below PayURL.
	PayLinks *paylink.Service
	Tokens   *auth.Links
	PayURL   string
	// Messages are those of traders' banks.
	Messages *bankmessage.Service
	// Reports, Books and the audit log answer pages, their exports write
	// files.
	Reports, Exports          *report.Service
	Books, BookExports        *books.Service
	AuditLog, AuditLogExports *auditlog.Service
	// Figures tell how payments went, and Waits what waits for whom.
	Figures *figures.Service
	Waits   *waits.Service
	// Timelines tell what happened to a payment or a payout.
	Timelines *timeline.Service
	// Work is what waits for operators.
	Work   *work.Service
	Keys   *auth.MerchantKeys
	Events *webhook.Events
	// Signer signs what is exported to be proven.
	Signer *attest.Signer
	// Proofs prove what is in the ledger, and publish its pages.
	Proofs *seal.Service
	// Audits tell whether the ledger holds, and Alarms what needs somebody
	// now.
	Audits *audit.Service
	Alarms *alarm.Service
	// Notices are what users are told.
	Notices *notify.Service
	Limits  *limit.Limits
	Clock   clock.Clock
	// APIURL is where merchants' programs call, and Headers are what their
	// signed requests carry.
	APIURL  string
	Headers auth.Headers
	// Secure tells that the portals are public by https alone.
	Secure bool
	// Sandbox has everybody sign in with a click and tries payments out;
	// nil outside a sandbox.
	Sandbox *sandbox.Page
	// Simulator answers for traders; nil outside a sandbox.
	Simulator *simulator.Service
	// Stopping is closed when the program is about to end: live pages are
	// let go then.
	Stopping <-chan struct{}
}

// New makes the handler of everything on the portals' address. It refuses
// services of which one is missing that the core or a feature works with.
func New(r Services) (http.Handler, error) {
	core := Core(r)
	routes, err := Routes(r)
	if err := errors.Join(err, whole(core)); err != nil {
		return nil, err
	}
	return portal.New(core, routes...)
}

// Routes are those of all features.
func Routes(r Services) ([]portal.Route, error) {
	f := &features{}
	f.ofAll(r)
	f.ofTradersAndMerchants(r)
	f.ofOperators(r)
	return f.routes, f.wrong
}

// features are the routes of features, and which services of theirs are
// missing.
type features struct {
	routes []portal.Route
	wrong  error
}

// add adds a feature, made with its services.
func add[S any](f *features, routes func(S) []portal.Route, services S) {
	if err := whole(services); err != nil {
		f.wrong = errors.Join(f.wrong, err)
		return
	}
	f.routes = append(f.routes, routes(services)...)
}

// whole reports a service that is left out, unless its field says when it may
// be absent. It would be missed when a page is opened.
func whole(services any) error {
	for field, value := range reflect.ValueOf(services).Fields() {
		switch value.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan:
			if _, may := field.Tag.Lookup("absent"); value.IsNil() && !may {
				return fmt.Errorf("%T: there is no %s", services, field.Name)
			}
		default:
		}
	}
	return nil
}

// ofAll adds what users of several kinds have.
func (f *features) ofAll(r Services) {
	add(f, account.Routes, account.Services{Sessions: r.Sessions, Sandbox: r.Sandbox != nil})
	add(f, notices.Routes, notices.Services{Notices: r.Notices})
	add(f, sandbox.Routes, sandbox.Services{
		Sessions: r.Sessions, Payments: r.Payments, Payouts: r.Payouts, Reports: r.Reports,
		Page: r.Sandbox, Simulator: r.Simulator, Deposits: r.Deposits, Withdrawals: r.Withdrawals,
	})
	add(f, payments.Routes, payments.Services{
		Payments: r.Payments, Checkouts: r.Checkouts, Payouts: r.Payouts, Settings: r.Settings,
		Reports: r.Reports, Exports: r.Exports, Timelines: r.Timelines, Sums: r.Sums, Signer: r.Signer, Proofs: r.Proofs, Clock: r.Clock,
		Claim: cases.Claim(ofCases(r)), OnPayout: cases.OnPayout(ofCases(r)),
		PayLinks: r.PayLinks,
	})
	add(f, bankstatement.Routes, bankstatement.Services{Settings: r.Settings, Reports: r.Reports})
	add(f, statement.Routes, statement.Services{Books: r.Books, BookExports: r.BookExports})
	add(f, payers.Routes, payers.Services{Settings: r.Settings, Reports: r.Reports})
	add(f, search.Routes, search.Services{
		Sessions: r.Sessions, Settings: r.Settings, Deposits: r.Deposits, Payments: r.Payments, Reports: r.Reports,
	})
	add(f, appeals.Routes, appeals.Services{Payments: r.Payments, Clock: r.Clock})
	add(f, developers.Routes, developers.Services{
		Submissions: r.Submissions, Settings: r.Settings, Looks: r.Looks, Reports: r.Reports, Keys: r.Keys, Events: r.Events,
	})
}

// ofTradersAndMerchants adds what traders alone and merchants alone have.
func (f *features) ofTradersAndMerchants(r Services) {
	add(f, desk.Routes, desk.Services{
		Sessions: r.Sessions, Payments: r.Payments, Checkouts: r.Checkouts, Payouts: r.Payouts,
		Settings: r.Settings, Figures: r.Figures, Messages: r.Messages, Stopping: r.Stopping,
	})
	add(f, arrivals.Routes, arrivals.Services{Payments: r.Payments, Settings: r.Settings})
	add(f, messages.Routes, messages.Services{
		Messages: r.Messages, Settings: r.Settings, Submissions: r.Submissions, Address: r.APIURL,
	})
	add(f, requisites.Routes, requisites.Services{Payments: r.Payments, Settings: r.Settings, Proposals: r.Proposals})
	add(f, overview.Routes, overview.Services{Figures: r.Figures})
	add(f, team.Routes, team.Services{Sessions: r.Sessions, Submissions: r.Submissions})
	add(f, deposits.Routes, deposits.Services{Deposits: r.Deposits})
	add(f, withdrawals.Routes, withdrawals.Services{
		Withdrawals: r.Withdrawals, Deposits: r.Deposits, Reports: r.Reports, Books: r.Books,
	})
	add(f, payoutfiles.Routes, payoutfiles.Services{Payouts: r.Payouts})
	add(f, links.Routes, links.Services{PayLinks: r.PayLinks, Settings: r.Settings, Reports: r.Reports, Tokens: r.Tokens, PayURL: r.PayURL})
}

// ofOperators adds what operators have.
func (f *features) ofOperators(r Services) {
	add(f, cases.Routes, ofCases(r))
	add(f, money.Routes, money.Services{
		Settings: r.Settings, Rates: r.Rates, Proposals: r.Proposals, Books: r.Books, BookExports: r.BookExports,
	})
	add(f, rates.Routes, rates.Services{Rates: r.Rates, Sums: r.Sums})
	add(f, routepages.Routes, routepages.Services{Payments: r.Payments, Settings: r.Settings, Refusals: r.Refusals})
	add(f, trust.Routes, trust.Services{
		Books: r.Books, AuditLog: r.AuditLog, AuditLogExports: r.AuditLogExports, Proofs: r.Proofs, Audits: r.Audits, Alarms: r.Alarms, Clock: r.Clock,
	})
	add(f, settings.Routes, settings.Services{
		Sessions: r.Sessions, Submissions: r.Submissions, Settings: r.Settings, Acquirers: r.Acquirers, Reports: r.Reports, Figures: r.Figures,
		Deposits: r.Deposits, Withdrawals: r.Withdrawals,
	})
}

// ofCases are the services of cases, which payments ask what may be done with a
// payout.
func ofCases(r Services) cases.Services {
	return cases.Services{
		Sessions: r.Sessions, Payments: r.Payments, Checkouts: r.Checkouts, Messages: r.Messages, Payouts: r.Payouts,
		Settings: r.Settings, Deposits: r.Deposits, Rates: r.Rates, Proposals: r.Proposals, Reports: r.Reports,
		Books: r.Books, Figures: r.Figures, Timelines: r.Timelines, Work: r.Work, Alarms: r.Alarms,
	}
}

// Core is what the core needs of them.
func Core(r Services) portal.Core {
	return portal.Core{
		Sessions:    r.Sessions,
		Submissions: r.Submissions,
		Views:       r.Views,
		Proposals:   r.Proposals,
		Reports:     r.Reports,
		Books:       r.Books,
		Waits:       r.Waits,
		Settings:    r.Settings,
		Limits:      r.Limits,
		Clock:       r.Clock,
		APIURL:      r.APIURL,
		Headers:     r.Headers,
		Secure:      r.Secure,
		Sandbox:     r.Sandbox != nil,
	}
}
