package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
	"gateway.example/rpc"
	rpcportal "gateway.example/rpc/portal"
	"gateway.example/rpc/portal/operator"
	rpcreport "gateway.example/rpc/portal/report"
	"gateway.example/rpc/rest"
	"gateway.example/web/pay"
	"gateway.example/web/portals"
	"gateway.example/web/reference"
)

// descriptionPath serves the description of the API. Every other path below
// /api/ is a call.
const descriptionPath = "/api/v1/openapi.json"

// apiHandler serves the API address: the documented paths and the Connect
// procedures.
func (g *gateway) apiHandler() (http.Handler, error) {
	services := g.procedures()
	door, err := rpc.NewDoor(g.keys, g.users, g.limits, services)
	if err != nil {
		return nil, err
	}
	door.WarnIgnored = g.sandbox
	door.Device = g.messages.Admit
	// Twice as many calls run at once as there are connections: half of
	// them creates, half all others.
	door.Turns = limit.NewTurns(2*g.connections, g.ops.metrics)
	mux := http.NewServeMux()
	if err := services.Mount(mux, door); err != nil {
		return nil, err
	}
	describe := sync.OnceValues(func() ([]byte, error) {
		return rest.OpenAPI(services, rest.About{BaseURL: g.baseURL, Headers: g.headers})
	})
	g.publish(mux, describe)
	calls := g.observer.Observe(besides(mux, rest.New(services, door.Guard)))
	pages := g.observer.Observe(whenAsked(func() (http.Handler, error) { return g.referenceHandler(describe, calls) }))
	return rpc.AllowPages(g.portalOrigins, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reference.Serves(r.URL.Path) {
			pages.ServeHTTP(w, r)
			return
		}
		calls.ServeHTTP(w, r)
	})), nil
}

// procedures gives each procedure of the API its services. All of them must be
// built before. Without a test clock Sandbox stays nil, so its procedures do
// not exist in production.
func (g *gateway) procedures() rpc.Services {
	view := rpc.PaymentView{Checkouts: g.checkouts, Links: g.links, PayURL: g.payURL}
	services := rpc.Services{
		Payment:  &rpc.PaymentService{Payments: g.payments, PaymentView: view},
		Checkout: &rpc.CheckoutService{PaymentView: view},
		Payin:    &rpc.PayinService{Payouts: g.payouts},
		Deposit:  &rpc.DepositService{Deposits: g.deposits},
		Cashbox:  &rpc.CashboxService{Deposits: g.deposits},
		Events:   &rpc.EventService{Events: g.events},
		Messages: &rpc.MessageService{Messages: g.messages},

		Withdrawals:    &rpc.WithdrawalService{Withdrawals: g.withdrawals},
		OwnWithdrawals: &rpcportal.WithdrawalService{Withdrawals: g.withdrawals},

		Proposals: g.proposals,
		Auth:      &rpcportal.AuthService{Users: g.users},
		Trader: &rpcportal.TraderService{
			Payments: g.payments, Payouts: g.payouts, Settings: g.settings, Proposals: g.proposals, Messages: g.messages,
			PaymentView: view, Threads: rpcportal.Threads{Of: g.payments},
		},
		Merchant: &rpcportal.MerchantService{
			Events: g.events, Payouts: g.payouts, Deposits: g.deposits, Payments: g.payments, Settings: g.settings,
			Reports: g.programs.reports,
			Replays: rpcportal.Replays{Of: g.events}, AppealFiles: rpcportal.AppealFiles{Of: g.payments},
		},
		Receipt:    &rpcportal.ReceiptService{Payments: g.payments, Payouts: g.payouts},
		Report:     rpcreport.New(g.reportRooms()),
		Credential: &rpcportal.CredentialService{Keys: g.merchantKeys},
		Team:       &rpcportal.TeamService{Users: g.users},
		Proof:      &rpcreport.ProofService{Proofs: g.proofs},
		Requests:   &rpcreport.RequestLogService{Reports: g.programs.reports},
		Looks:      &rpcportal.LookService{Settings: g.settings},
		Notices:    &rpcportal.NotificationService{Notices: g.notices},
		Blocks:     &rpcportal.BlockService{Settings: g.settings},
		PayLinks:   &rpcportal.LinkService{Links: g.payLinks, Tokens: g.links, PayURL: g.payURL},
		Files:      &rpcportal.PayoutFileService{Payouts: g.payouts},
		Arrivals:   &rpcportal.ArrivalService{Payments: g.payments, Messages: g.messages, PaymentView: view},
		Trust:      &rpcreport.TrustService{Log: g.programs.auditLog, Audits: g.audits, Alarms: g.alarms},
		Operator:   operator.New(g.operatorRooms()),
	}
	if g.testClock != nil {
		services.Sandbox = &rpc.SandboxService{Advance: g.advanceClock, Simulator: g.simulator, Happen: g.trigger}
	}
	return services
}

func (g *gateway) reportRooms() rpcreport.Services {
	return rpcreport.Services{
		Reports: g.programs.reports, Books: g.programs.books, Figures: g.programs.figures, Timelines: g.timelines, Signer: g.signer,
	}
}

func (g *gateway) operatorRooms() operator.Services {
	return operator.Services{
		Payments: g.payments, Rates: g.rateSettings, Proposals: g.proposals, Settings: g.settings, Users: g.users,
		Events: g.events, Deposits: g.deposits, Payouts: g.payouts, Checkouts: g.checkouts, Acquirers: g.acquirers,
		Reads: g.reads, Work: g.queues, Messages: g.messages, PayLinks: g.payLinks, Sums: g.sums, Refusals: g.refusals,
	}
}

// rootsPath publishes the pages of the ledger, at the API address and in the
// portal.
const rootsPath = "/.well-known/ledger-roots.json"

// publish adds what anybody may read without signing in: the description of
// the API, the public keys and the pages of the ledger.
func (g *gateway) publish(mux *http.ServeMux, describe func() ([]byte, error)) {
	description := whenAsked(func() (http.Handler, error) {
		written, err := describe()
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, written) }), err
	})
	for _, path := range []string{"/openapi.json", descriptionPath} {
		mux.Handle(path, rest.OnlyRead(description))
	}
	mux.Handle("/.well-known/gateway-keys.json", rest.OnlyRead(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, err := g.signer.Published(r.Context())
		if err != nil {
			slog.ErrorContext(r.Context(), "public keys", "error", err)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		writeJSON(w, file)
	})))
	mux.Handle(rootsPath, rest.OnlyRead(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch err := g.proofs.ServeRoots(w, r); {
		case errors.Is(err, fault.ErrNotFound):
			w.WriteHeader(http.StatusNotFound)
		case err != nil:
			slog.ErrorContext(r.Context(), "published pages of the ledger", "error", err)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})))
}

func writeJSON(w http.ResponseWriter, file []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(file)
}

// besides serves a path by mux if it is exactly a procedure's, and all other
// paths by documented. A ServeMux alone would redirect paths such as //x.
func besides(mux *http.ServeMux, documented http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == descriptionPath || !strings.HasPrefix(r.URL.Path, "/api/") {
			if _, pattern := mux.Handler(r); pattern != "" && pattern == r.URL.Path {
				mux.ServeHTTP(w, r)
				return
			}
		}
		if r.URL.Path == "/" && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, "/docs", http.StatusFound) // somebody looks for it in a browser
			return
		}
		documented.ServeHTTP(w, r)
	})
}

// referenceHandler serves the reference of the API. In a sandbox its pages
// make calls, which are checked like all others.
func (g *gateway) referenceHandler(describe func() ([]byte, error), calls http.Handler) (http.Handler, error) {
	description, err := describe()
	if err != nil {
		return nil, err
	}
	services := reference.Services{Description: description}
	if g.sandbox {
		services.API, services.Sandbox = calls, &reference.Sandbox{Secret: g.externalSecret}
		for _, box := range g.introduced.Cashboxes {
			services.Sandbox.Keys = append(services.Sandbox.Keys, reference.Key{
				ID:     box.KeyID,
				Secret: box.Secret,
				About:  fmt.Sprintf("cashbox %d, %s: %s", box.MerchantCashboxID, box.Currency, strings.Join(box.Methods, ", ")),
			})
		}
	}
	return reference.New(services)
}

// whenAsked builds a handler at its first request, so that a start does not
// wait for pages that few open. Building it needs only data of the program
// itself, so it fails always or never.
func whenAsked(build func() (http.Handler, error)) http.Handler {
	made := sync.OnceValues(build)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, err := made()
		if err != nil {
			slog.ErrorContext(r.Context(), "make a page", "path", r.URL.Path, "error", err)
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// advanceClock moves the test clock forward and runs the work that is due
// then, so that the caller sees the outcome.
func (g *gateway) advanceClock(ctx context.Context, seconds int64) (time.Time, error) {
	now, err := g.testClock.Advance(ctx, seconds)
	if err != nil {
		return now, err
	}
	return now, errors.Join(g.round.payments.ExpireAll(ctx), g.round.payouts.ExpireAll(ctx), g.round.checkouts.Poll(ctx))
}

// payHandler serves the pay address. Long polls end when stopping is closed.
func (g *gateway) payHandler(stopping <-chan struct{}) http.Handler {
	services := pay.Services{
		Payments:  g.payments,
		Checkouts: g.checkouts,
		Looks:     g.looks,
		PayLinks:  g.payLinks,
		Links:     g.links,
		Limits:    g.limits,
		Clock:     g.clock,
		URL:       g.payURL,
		Operator:  g.payOperator,
		Stopping:  stopping,
		Secure:    strings.HasPrefix(g.payURL, "https://"),
		Sandbox:   g.sandbox,
	}
	if g.sandbox {
		services.Simulate = g.simulateTransfer
	}
	return g.observer.Observe(pay.New(services))
}

// simulateTransfer plays the payer's bank and the trader who sees the money
// arrive.
func (g *gateway) simulateTransfer(ctx context.Context, p payment.Payment) error {
	trader := caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: p.TraderID}
	_, err := g.payments.Confirm(ctx, trader, p.ID)
	return err
}

// portalHandler serves the portals' address. Long polls end when stopping is
// closed.
func (g *gateway) portalHandler(stopping <-chan struct{}) (http.Handler, error) {
	services := portals.Services{
		Sessions:    g.users,
		Submissions: g.submissions,
		Views:       g.savedViews,
		Payments:    g.payments,
		Checkouts:   g.checkouts,
		Payouts:     g.payouts,
		Settings:    g.settings,
		Looks:       g.looks,
		Deposits:    g.deposits,
		Withdrawals: g.withdrawals,
		Rates:       g.rateSettings,
		Sums:        g.sums,
		Refusals:    g.refusals,
		Proposals:   g.proposals,
		Acquirers:   g.acquirers,
		PayLinks:    g.payLinks,
		Tokens:      g.links,
		PayURL:      g.payURL,
		Messages:    g.messages,
		Reports:     g.pages.reports,
		Books:       g.pages.books,
		Figures:     g.pages.figures,
		Waits:       g.waits,
		AuditLog:    g.pages.auditLog,
		Timelines:   g.timelines,
		Exports:     g.exports.reports,
		BookExports: g.exports.books,

		AuditLogExports: g.exports.auditLog,
		Work:            g.queues,
		Keys:            g.merchantKeys,
		Events:          g.events,
		Signer:          g.signer,
		Proofs:          g.proofs,
		Audits:          g.audits,
		Alarms:          g.alarms,
		Limits:          g.limits,
		Notices:         g.notices,
		Clock:           g.clock,
		APIURL:          g.baseURL,
		Headers:         g.headers,
		Secure:          strings.HasPrefix(g.portalURL, "https://"),
		Stopping:        stopping,
	}
	if g.sandbox {
		services.Sandbox, services.Simulator = g.startPage(), g.simulator
	}
	pages, err := portals.New(services)
	if err != nil {
		return nil, err
	}
	return g.observer.Observe(pages), nil
}
