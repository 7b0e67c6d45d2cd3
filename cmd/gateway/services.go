package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/alarm"
	"gateway.example/internal/attest"
	"gateway.example/internal/audit"
	"gateway.example/internal/auditlog"
	"gateway.example/internal/auth"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/books"
	"gateway.example/internal/checkout"
	"gateway.example/internal/db"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/figures"
	"gateway.example/internal/inforce"
	"gateway.example/internal/limit"
	"gateway.example/internal/notify"
	"gateway.example/internal/outbound"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/requestlog"
	"gateway.example/internal/routing"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/savedview"
	"gateway.example/internal/seal"
	"gateway.example/internal/sensitive"
	"gateway.example/internal/session"
	"gateway.example/internal/simulator"
	"gateway.example/internal/submission"
	"gateway.example/internal/timeline"
	"gateway.example/internal/waits"
	"gateway.example/internal/webhook"
	"gateway.example/internal/withdrawal"
	"gateway.example/internal/work"
)

// services are all services of the gateway. wire builds each of them once.
type services struct {
	// keys authenticate merchants' programs, users those who sign in;
	// limits limits the calls of both.
	keys         *auth.Keys
	merchantKeys *auth.MerchantKeys
	users        *session.Service
	limits       *limit.Limits
	observer     *edge.Observer
	// requests stores the calls of merchants' programs, submissions which
	// forms were sent already.
	requests    *requestlog.Log
	submissions *submission.Service

	// keeper holds in memory the settings that payments need; settings and
	// rateSettings change them.
	keeper       *inforce.Keeper
	settings     *directory.Settings
	looks        *directory.Looks
	rateSettings *rate.Settings
	rates        *rate.Poller
	// sums explain the amounts of payments; refusals counts payments for
	// which nobody was found.
	sums      *rate.Explainer
	refusals  *routing.Refusals
	acquirers *acquirer.Directory
	// proposals are actions that need two operators.
	proposals *proposal.Service

	// The embedded movers serve calls, round does background work.
	movers
	round    movers
	deposits *deposit.Service
	// chains watch networks; matcher finds the deposits for their
	// transfers.
	chains  []loop
	matcher *deposit.Service
	// messages are messages of banks, which confirm payments.
	messages *bankmessage.Service
	// payLinks are for merchants without a shop.
	payLinks *paylink.Service
	// simulator plays the traders; nil outside of a sandbox.
	simulator *simulator.Service
	// phones are the phones of a sandbox's traders.
	phones *sandbox.Phones

	events *webhook.Events
	// replays continues with events that are to be sent again.
	replays   *webhook.Events
	relay     *webhook.Relay
	deliverer *webhook.Deliverer

	// programs reads for calls that need what they have just written,
	// pages may read from the replica, and exports has connections of its
	// own.
	programs, pages, exports readers
	// timelines lists what happened to payments and payouts.
	timelines *timeline.Service
	hours     *figures.Hours
	// waits counts what waits for a user, queues lists what waits for
	// operators, and savedViews are lists that users have saved under a
	// name.
	waits      *waits.Service
	queues     *work.Service
	savedViews *savedview.Service
	reads      *sensitive.Reads

	// notices notifies users. bot answers them in Telegram; it is nil
	// without a bot.
	notices         *notify.Service
	noticeFeed      *notify.Feed
	noticeDeliverer *notify.Deliverer
	bot             *notify.TelegramSender

	signer *attest.Signer
	// sealer seals the days of the ledger; proofs shows what its pages
	// contain.
	sealer    *seal.Sealer
	proofs    *seal.Service
	sealFails prometheus.Counter
	audits    *audit.Service
	auditRuns prometheus.Counter
	alarms    *alarm.Service
	skew      *db.Skew
}

// readers are the services that only read.
type readers struct {
	reports  *report.Service
	books    *books.Service
	figures  *figures.Service
	auditLog *auditlog.Service
}

// movers are the services that move money.
type movers struct {
	payments  *payment.Service
	payouts   *payout.Service
	checkouts *checkout.Service
	// withdrawals pay out USDT.
	withdrawals *withdrawal.Service
}

// wire builds the services, each after those it needs.
func (g *gateway) wire(ctx context.Context) error {
	addresses := outbound.NewAddresses(g.sandbox, g.callbackHosts...)
	g.wireEvents(addresses)
	for _, build := range []func(context.Context) error{
		g.wireCallers,
		func(ctx context.Context) error { return g.wireSettings(ctx, addresses) },
		func(context.Context) error { return g.wireMoney(addresses) },
		func(ctx context.Context) error { return g.payLinks.Prove(ctx) },
		g.wireProofs,
		g.wireChains,
		g.wireNotify,
	} {
		if err := build(ctx); err != nil {
			return err
		}
	}
	g.wireReports()
	return g.wireWatch(ctx)
}

func (g *gateway) wireEvents(addresses *outbound.Addresses) {
	g.deliverer = webhook.NewDeliverer(g.deliveryPool, g.vault, g.clock, addresses, g.ops.metrics)
	g.relay = webhook.NewRelay(g.deliveryPool, g.clock, g.ops.metrics)
	g.events = webhook.NewEvents(g.pools, g.vault, g.clock)
	g.replays = webhook.NewEvents(db.OnePool(g.workPool), g.vault, g.clock)
}

// wireCallers builds what authenticates callers, limits their calls and signs
// users in. It reads the limits before it returns, so that no call is served
// without them.
func (g *gateway) wireCallers(ctx context.Context) (err error) {
	g.keys = auth.NewKeys(g.pools.Reads, g.vault, g.headers, auth.Config{
		Secret: g.externalSecret, OnlyV2: g.callbackV2, Address: edge.Address,
	})
	g.merchantKeys = auth.NewMerchantKeys(g.pools.Calls, g.vault, g.headers)
	g.requests = requestlog.New(g.workPool, g.clock, g.ops.metrics)
	g.observer = edge.NewObserver(g.log, g.ops.metrics, g.keys.LoggableID, g.requests)
	g.submissions = submission.New(g.pools)
	g.limits = limit.New(g.pools.Reads)
	if err := g.limits.Load(ctx); err != nil {
		return err
	}
	g.users, err = session.New(g.pools, g.vault, g.limits, session.Config{
		Compulsory: !g.sandbox, Sandbox: g.sandbox, PortalURL: g.portalURL,
		FourEyes: g.fourEyes, CookieKeys: g.links.DeriveAll("session cookie", session.CookieKeySize),
	})
	return err
}

// wireSettings builds the services of settings. Only a sandbox has an acquirer
// of its own, and there traders can take cards without a processor.
func (g *gateway) wireSettings(ctx context.Context, addresses *outbound.Addresses) (err error) {
	if g.keeper, err = inforce.NewKeeper(ctx, g.opsPool, inforce.Usable, g.ops.metrics); err != nil {
		return err
	}
	g.settings = directory.NewSettings(g.pools, g.clock, g.vault, g.requisites, directory.Config{
		FourEyes: g.fourEyes, CardsWithoutAcquirer: g.sandbox, Markup: g.markup, Addresses: addresses,
	})
	g.looks = directory.NewLooks(g.pools)
	feeds := outbound.NewAddresses(g.sandbox)
	g.rates = rate.NewPoller(g.workPool, g.clock, feeds, g.ops.metrics)
	g.rateSettings = rate.NewSettings(g.pools.Calls, g.clock, feeds, g.fourEyes)
	var otherwise acquirer.Acquirer
	if g.sandbox {
		otherwise = acquirer.NewSandbox(g.pools.Calls, g.clock)
	}
	processors := outbound.NewAddressesWithin(g.sandbox, g.processorNetworks)
	g.acquirers = acquirer.NewDirectory(g.pools.Calls, g.clock, g.vault, processors, otherwise, acquirer.Config{
		FourEyes: g.fourEyes, Offline: g.offline,
	})
	return nil
}

// wireMoney builds the services that move money twice: for calls, and as round
// for background work, each with connections of its own. The settings must be
// built before.
func (g *gateway) wireMoney(addresses *outbound.Addresses) (err error) {
	if g.signer, err = attest.New(g.workPool, g.vaultKeys...); err != nil {
		return err
	}
	g.refusals = routing.NewRefusals(g.pools, g.clock, g.ops.metrics)
	g.sums = rate.NewExplainer(g.pools, g.clock, g.markup, g.keeper.Rate)
	if g.movers, err = g.newMovers(g.pools, addresses); err != nil {
		return err
	}
	if g.round, err = g.newMovers(db.OnePool(g.workPool), addresses); err != nil {
		return err
	}
	g.deposits = deposit.New(g.pools, g.clock, g.fourEyes)
	g.matcher = deposit.New(db.OnePool(g.workPool), g.clock, g.fourEyes)
	g.matcher.ConfirmSeen = g.confirmDepositsSeen || g.sandbox
	g.messages = bankmessage.New(g.pools, g.clock, g.vault, g.payments)
	g.payLinks = paylink.New(g.pools, g.clock, g.keeper, addresses, g.payments, g.links)
	if g.sandbox {
		g.phones = sandbox.NewPhones(g.workPool, g.clock, g.sandboxKey, g.vault)
		g.simulator = simulator.New(g.workPool, g.clock, g.round.payments)
		g.simulator.Phones = g.phones
	}
	g.proposals = proposal.New(g.pools, g.clock, g.vault, proposal.Services{
		Settings: g.settings, Rates: g.rateSettings, Deposits: g.deposits, Users: g.users, Acquirers: g.acquirers,
		Payments: g.payments, Payouts: g.payouts, Withdrawals: g.withdrawals,
	})
	return nil
}

// newMovers builds the services that move money.
func (g *gateway) newMovers(pools db.Pools, addresses *outbound.Addresses) (m movers, err error) {
	m.payouts = payout.New(pools, g.clock, g.vault, addresses, g.fourEyes)
	m.payouts.Requisites = g.requisites
	m.withdrawals = withdrawal.New(pools, g.clock, addresses, g.signer, g.fourEyes)
	m.payments, err = payment.New(pools, g.clock, addresses, g.keeper, payment.Config{
		FourEyes:       g.fourEyes,
		Markup:         g.markup,
		ExternalSecret: g.externalSecret != "",
		Refusals:       g.refusals,
		Requisites:     g.requisites,
		Payouts:        m.payouts,
		Cards:          g.cards,
		CardMoved:      checkout.OnStatusChange,

		GiveBackOutages: g.giveBackOutages,
	})
	if err != nil {
		return m, err
	}
	m.checkouts = checkout.New(pools, g.clock, checkout.Services{
		Payments: m.payments, Links: g.links, Cards: g.cards, Acquirers: g.acquirers, Limits: g.limits,
	})
	return m, nil
}

// wireProofs builds what seals and proves the ledger. It first stores the
// public key of its signatures, so that they can be verified after the vault
// key is gone; if that fails, the gateway does not start.
func (g *gateway) wireProofs(ctx context.Context) error {
	if err := g.signer.Note(ctx, time.Now()); err != nil {
		return err
	}
	g.sealer = seal.NewSealer(g.workPool, g.clock, g.signer)
	g.sealFails = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "gateway_ledger_seal_failures_total",
		Help: "Attempts to seal days of the ledger that failed.",
	})
	g.proofs = seal.New(g.pools, seal.Services{
		Payments: g.payments, Payouts: g.payouts, Deposits: g.deposits, Withdrawals: g.withdrawals, Signer: g.signer,
	})
	g.audits = audit.New(g.pools)
	g.alarms = alarm.New(g.pools, g.clock)
	return nil
}

func (g *gateway) wireReports() {
	g.programs = g.newReaders(g.pools, nil)
	g.pages = g.newReaders(g.pools, g.replica)
	g.exports = g.newReaders(db.OnePool(g.exportPool), g.replica)
	g.timelines = timeline.New(g.pools, g.clock, g.payments)
	g.hours = figures.NewHours(g.workPool, g.ops.metrics)
	g.waits = waits.New(g.pools, g.clock)
	g.queues = work.New(g.pools, g.clock)
	g.savedViews = savedview.New(g.pools)
	g.reads = sensitive.New(g.pools)
}

// newReaders builds the services that read. They read from the replica unless
// it is nil.
func (g *gateway) newReaders(pools db.Pools, replica *db.Replica) readers {
	return readers{
		reports:  report.New(pools, g.clock, g.payments, replica),
		books:    books.New(pools, g.clock, replica),
		figures:  figures.New(pools, g.clock, replica),
		auditLog: auditlog.New(pools, replica),
	}
}

// wireWatch connects metrics and alarms with the services and the database.
func (g *gateway) wireWatch(ctx context.Context) error {
	metrics, q := g.ops.metrics, db.New(g.opsPool)
	g.skew = db.NewSkew(time.Now)
	if err := g.skew.Watch(ctx, g.opsPool); err != nil {
		return err
	}
	g.alarms.WatchClock(g.skew)
	g.alarms.WatchDeciders(g.proposals)
	if g.replica != nil {
		g.alarms.WatchReplica(g.replica)
		watchReplica(metrics, g.replica)
	}
	metrics.MustRegister(
		alarm.NewMetric(q, g.clock),
		g.sealFails,
		asked("gateway_ledger_seal_age_seconds", "Time since the end of the last sealed day; more than a day and an hour is an alarm.",
			func(ctx context.Context) (int64, error) { return seal.Age(ctx, q, g.clock.Now()) }),
		asked("gateway_card_conflicts", "Charges that ended otherwise than their payments; anything but 0 is an alarm.",
			g.round.checkouts.OpenConflicts),
		asked("gateway_db_oldest_snapshot_seconds",
			"Age of the oldest snapshot anybody keeps open in the database; minutes are an alarm. -1 is not known.",
			func(ctx context.Context) (int64, error) { return db.OldestSnapshot(ctx, g.opsPool) }),
		asked("gateway_ledger_overdrawn_accounts", "Accounts short of what was already spent; anything but 0 is an alarm.",
			q.AccountsOverdrawn),
	)
	g.auditRuns = watchAudits(metrics, q)
	watchClock(metrics, g.skew)
	watchQueues(metrics, q)
	watchPools(metrics, map[string]db.Pool{
		"creations": g.pools.Creations, "calls": g.pools.Calls, "reads": g.pools.Reads,
		"deliveries": g.deliveryPool, "work": g.workPool, "exports": g.exportPool, "ops": g.opsPool,
	})
	return nil
}
