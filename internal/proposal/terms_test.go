package proposal_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

// Where cards and payers' money go takes two. What is secret of it is not kept
// in the clear, and not at all once it is decided.
func TestDirectoryByTwo(t *testing.T) {
	s := setupStaff(t)
	setting := acquirer.Setting{TraderID: s.trader.ID, URL: "https://acquirer.example.com/v1", KeyID: "key"}
	set := func(secret string) proposal.Proposal {
		setting.Secret = secret
		return s.wants(t, foureyes.SetAcquirer, testenv.ErrOf2(s.acquirers.Set(t.Context(), s.one, setting)))
	}
	p := set("a secret of a processor")
	testenv.Want(t, set("a secret of a processor").ID, p.ID, "the same proposal")
	testenv.Check(t, set("another secret of it").ID != p.ID, "another secret is the same proposal")
	testenv.Want(t,
		s.Count(t, "select count(*) from proposal where payload::text like '%secret of%' or secrets is null"),
		0, "proposals with the secret in the clear, or without it")
	testenv.Must(s.approve(t, s.two, p))(t)
	testenv.Want(t, s.Count(t, "select count(*) from trader_acquirer where url = $1", setting.URL), 1, "processors set")
	testenv.Want(t, s.Count(t, "select count(*) from proposal where decision is not null and secrets is not null"), 0,
		"secrets of decided proposals")
	_, found, err := s.acquirers.For(t.Context(), s.trader.ID)
	testenv.Check(t, err == nil && found != 0, "the processor cannot be used: %v", err)
}

// What somebody earns, and which rates are believed, takes two. A twentieth of
// a share may go alone, but not twice in a day: a few points of the amount are
// all that there is to share.
func TestTermsByTwo(t *testing.T) {
	s := setupStaff(t)
	share := func(percent string) error {
		return testenv.ErrOf(s.settings.UpdateTrader(t.Context(), s.one, directory.TraderUpdate{ID: s.trader.ID, SharePercent: &percent}))
	}
	s.Exec(t, "update trader set share_percent = 1.5 where id = $1", s.trader.ID)
	s.wants(t, foureyes.UpdateTrader, share("4.5"))
	testenv.NoError(t, share("1.575"))
	s.wants(t, foureyes.UpdateTrader, share("1.6"))
	s.wants(t, foureyes.UpdateTrader, share("0"))

	// A method that is new to a cashbox is judged by the markup there is
	// without it: the merchant's, or the platform's.
	s.settings.Markup = decimal.NewFromInt(3)
	margin := func(method, percent string) error {
		return testenv.ErrOf(s.settings.SetMethod(t.Context(), s.one, directory.CashboxMethod{
			CashboxID: s.merchant.CashboxID, Name: method, Enabled: true, MarginPercent: percent, ValiditySeconds: 900,
		}))
	}
	s.Exec(t, "delete from cashbox_method")
	s.wants(t, foureyes.SetCashboxMethod, margin("sbp", "3.16"))
	testenv.NoError(t, margin("sbp", "3.15"))
	testenv.NoError(t, margin("sim", ""))
	s.Exec(t, "update merchant set rate_percent = 10 where id = $1", s.merchant.ID)
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetCashboxMethod, margin("card", "0"))))(t)
	margins := s.Text(t, `select string_agg(method || ' ' || coalesce(margin_percent::text, 'none'), ', ' order by method)
		from cashbox_method`)
	testenv.Want(t, margins, "card 0.0000, sbp 3.1500, sim none", "margins")

	feed := rate.Feed{
		Currency: "RUB", Enabled: true, Priority: 2, URL: "http://127.0.0.1:1/rate", Pointer: "/rate", PollSeconds: 60,
		TimeoutMS: 1000, BandPercent: "1", DayBandPercent: "1", FreshSeconds: 60,
	}
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetRateFeed, testenv.ErrOf(s.rates.SetFeed(t.Context(), s.one, feed)))))(t)
	feed.ID = int64(s.Count(t, "select max(id) from rate_feed"))
	for name, change := range map[string]func(*rate.Feed){
		"elsewhere": func(f *rate.Feed) { f.URL += "2" }, "another pointer": func(f *rate.Feed) { f.Pointer = "/other" },
		"wider": func(f *rate.Feed) { f.BandPercent = "2" }, "wider by day": func(f *rate.Feed) { f.DayBandPercent = "2" },
		"longer": func(f *rate.Feed) { f.FreshSeconds = 61 }, "before others": func(f *rate.Feed) { f.Priority = 1 },
	} {
		changed := feed
		change(&changed)
		_, err := s.rates.SetFeed(t.Context(), s.one, changed)
		p, err := s.proposals.Propose(t.Context(), s.one, err)
		testenv.Check(t, err == nil && p.Action == foureyes.SetRateFeed, "%s: %v", name, err)
	}
	stricter := feed
	stricter.BandPercent = "0.5"
	testenv.Must(s.rates.SetFeed(t.Context(), s.one, stricter))(t)
	// Whatever else changes, one alone switches it off, and two on again.
	stricter.Enabled, stricter.FreshSeconds = false, 61
	testenv.Must(s.rates.SetFeed(t.Context(), s.one, stricter))(t)
	stricter.Enabled = true
	s.wants(t, foureyes.SetRateFeed, testenv.ErrOf(s.rates.SetFeed(t.Context(), s.one, stricter)))
}

// Who may choose what differs when money comes, and who bears it, chooses what
// others pay: each change takes two, and so does a method that is new to a
// cashbox with anything but the defaults. An approval sets what was proposed,
// which one may keep then.
func TestToleranceByTwo(t *testing.T) {
	s := setupStaff(t)
	s.Exec(t, "delete from cashbox_method")
	set := func(policy, percent, amount, to, least string) error {
		return testenv.ErrOf(s.settings.SetMethod(t.Context(), s.one, directory.CashboxMethod{
			CashboxID: s.merchant.CashboxID, Name: "sbp", Enabled: true, ValiditySeconds: 900, MinAmount: least,
			AmountPolicy: &policy, TolerancePercent: &percent, ToleranceAmount: &amount, DifferenceTo: &to,
		}))
	}
	each := func() {
		t.Helper()
		s.wants(t, foureyes.SetCashboxMethod, set("received", "", "", "trader", ""))
		s.wants(t, foureyes.SetCashboxMethod, set("exact", "0.0001", "", "trader", ""))
		s.wants(t, foureyes.SetCashboxMethod, set("exact", "", "0.01", "trader", ""))
		s.wants(t, foureyes.SetCashboxMethod, set("exact", "", "", "platform", ""))
	}
	each()
	testenv.NoError(t, set("exact", "", "", "trader", ""))
	each()
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2", "9", "platform", ""))))(t)
	testenv.NoError(t, set("tolerance", "2.00", "9.0", "platform", "100"))
	testenv.Want(t, s.Text(t, "select concat_ws(' ', amount_policy, tolerance_percent, tolerance_amount, difference_to, min_amount) from cashbox_method"),
		"tolerance 2.0000 9.00 platform 100.00", "the method")
	s.clock.Advance(25 * time.Hour)
	s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2.0001", "9", "platform", "100"))
	s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2", "9.01", "platform", "100"))
	s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2", "", "platform", "100"))
}

// What a payout costs takes two as other markups do, a new one where it is far
// from none; and so does to let a trader pay out, who gets merchants' money by
// saying that they have sent theirs. To stop them takes one.
func TestPayoutsByTwo(t *testing.T) {
	s := setupStaff(t)
	markup := func(method, percent string) error {
		return testenv.ErrOf(s.settings.SetPayoutMethod(t.Context(), s.one, directory.CashboxPayoutMethod{
			CashboxID: s.merchant.CashboxID, Name: method, Enabled: true, MarkupPercent: percent,
		}))
	}
	s.wants(t, foureyes.SetPayoutMethod, markup("sbp", "5.0001"))
	testenv.NoError(t, markup("sbp", "5"))
	s.wants(t, foureyes.SetPayoutMethod, markup("sbp", "3"))
	testenv.NoError(t, markup("sbp", "5.2"))
	s.wants(t, foureyes.SetPayoutMethod, markup("sbp", "5.4")) // within a twentieth of now, and not of a day ago
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetPayoutMethod, markup("c2c", "60"))))(t)
	testenv.Want(t, s.Text(t, "select string_agg(method || ' ' || markup_percent, ', ' order by method) from cashbox_payout_method"),
		"c2c 60.0000, sbp 5.2000", "markups")

	pays := func(enabled bool) error {
		return testenv.ErrOf(s.settings.SetTraderPayoutMethod(t.Context(), s.one, directory.TraderPayoutMethod{
			TraderID: s.trader.ID, Currency: "RUB", Method: "sbp", Enabled: enabled,
		}))
	}
	on := func() int { return s.Count(t, "select count(*) from trader_payout_method where enabled") }
	p := s.wants(t, foureyes.SetTraderPayoutMethod, pays(true))
	testenv.Want(t, on(), 0, "methods that one let them pay out by")
	testenv.Must(s.approve(t, s.two, p))(t)
	testenv.NoError(t, pays(true)) // changes nothing
	testenv.Want(t, on(), 1, "methods that two let them pay out by")
	testenv.NoError(t, pays(false))
	s.wants(t, foureyes.SetTraderPayoutMethod, pays(true))
}

// Where payers are led to pay takes two: a bank's link and steps are on their
// pages. Who approves sees both. A bank that is switched off leads nobody
// anywhere.
func TestBankByTwo(t *testing.T) {
	s := setupStaff(t)
	bank := directory.Bank{
		Currency: "RUB", Name: "Sample Bank", Methods: []string{"sbp"}, Link: "https://bank.example/?to=%2B79990000666",
		Steps: map[string]string{"en": "Send to +7 999 000-06-66"}, Source: "a site", Enabled: true,
		Logo: []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 92)),
	}
	set := func() error { return testenv.ErrOf(s.settings.SetBank(t.Context(), s.one, bank)) }
	p := s.wants(t, foureyes.SetBank, set())
	testenv.Want(t, s.Count(t, "select count(*) from bank"), 0, "banks set by one")
	shown := map[string]string{}
	for _, d := range p.Details() {
		shown[d.Name] = d.Value
	}
	testenv.Want(t, shown["link"], bank.Link, "the link that the second operator sees")
	testenv.Want(t, shown["steps.en"], bank.Steps["en"], "the steps that the second operator sees")
	testenv.Must(s.approve(t, s.two, p))(t)
	testenv.Want(t, s.Count(t, "select count(*) from bank where link = $1 and logo = $2", bank.Link, bank.Logo), 1, "banks set by two")

	bank.Logo, bank.Enabled = nil, false
	testenv.NoError(t, set())
	bank.Enabled = true
	s.wants(t, foureyes.SetBank, set())
	testenv.Want(t, s.Count(t, "select count(*) from bank where not enabled and logo is not null"), 1, "banks switched off by one")
}

// To whom payers send takes two once the trader has USDT, before which they get
// no payment.
func TestRequisiteOfFundedTrader(t *testing.T) {
	s := setupStaff(t)
	add := func(trader int64, phone string) error {
		return testenv.ErrOf(s.settings.CreateRequisite(t.Context(), s.one, directory.NewRequisite{
			TraderID: trader, Currency: "RUB", Method: "sbp", Value: phone,
		}))
	}
	testenv.NoError(t, add(s.NewTrader(t, dbtest.TraderOpts{}).ID, "+79990000111"))
	dbtest.WantFields(t, add(999, "+79990000222"), "traderId")
	s.wants(t, foureyes.CreateRequisite, add(s.NewTrader(t, dbtest.TraderOpts{USDT: "100"}).ID, "+79990000666"))
}

// A change of a feed is approved as long as the feed is as its proposer saw it:
// not once a colleague has switched it off because it told wrong rates.
func TestFeedChangedSinceProposed(t *testing.T) {
	s := setupStaff(t)
	feed := rate.Feed{
		Currency: "RUB", Enabled: true, Priority: 1, URL: "http://127.0.0.1:1/rate", Pointer: "/rate", PollSeconds: 60,
		TimeoutMS: 1000, BandPercent: "1", DayBandPercent: "1", FreshSeconds: 60,
	}
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetRateFeed, testenv.ErrOf(s.rates.SetFeed(t.Context(), s.one, feed)))))(t)
	feed.ID = int64(s.Count(t, "select max(id) from rate_feed"))
	longer, off := feed, feed
	longer.FreshSeconds, off.Enabled = 90, false
	proposed := s.wants(t, foureyes.SetRateFeed, testenv.ErrOf(s.rates.SetFeed(t.Context(), s.one, longer)))
	testenv.Must(s.rates.SetFeed(t.Context(), s.two, off))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, proposed)), "setting_changed")
	testenv.Want(t, s.Count(t, "select count(*) from rate_feed where enabled"), 0, "feeds that are on")
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetRateFeed, testenv.ErrOf(s.rates.SetFeed(t.Context(), s.one, longer)))))(t)
	testenv.Want(t, s.Count(t, "select fresh_seconds from rate_feed where enabled"), 90, "as proposed anew")
}

// So is a change of all settings of a method or a bank, also where whoever
// asked for it named no version: what a colleague has switched off since stays
// off.
func TestSettingChangedSinceProposed(t *testing.T) {
	s := setupStaff(t)
	s.Exec(t, "delete from cashbox_method")
	collect := func(on bool, margin string) error {
		return testenv.ErrOf(s.settings.SetMethod(t.Context(), s.one, directory.CashboxMethod{
			CashboxID: s.merchant.CashboxID, Name: "sbp", Enabled: on, MarginPercent: margin, ValiditySeconds: 900,
		}))
	}
	pay := func(on bool, markup string) error {
		return testenv.ErrOf(s.settings.SetPayoutMethod(t.Context(), s.one, directory.CashboxPayoutMethod{
			CashboxID: s.merchant.CashboxID, Name: "sbp", Enabled: on, MarkupPercent: markup,
		}))
	}
	bank := func(on bool, link string) error {
		return testenv.ErrOf(s.settings.SetBank(t.Context(), s.one, directory.Bank{
			Currency: "RUB", Name: "Bank", Methods: []string{"sbp"}, Link: link, Source: "its site", Enabled: on,
		}))
	}
	for _, c := range []struct {
		action     foureyes.Action
		table      string
		set        func(on bool, value string) error
		first, now string
	}{
		{foureyes.SetCashboxMethod, "cashbox_method", collect, "", "9"},
		{foureyes.SetPayoutMethod, "cashbox_payout_method", pay, "1", "9"},
		{foureyes.SetBank, "bank", bank, "https://bank.example/1", "https://bank.example/2"},
	} {
		if err := c.set(true, c.first); err != nil {
			testenv.Must(s.approve(t, s.two, s.wants(t, c.action, err)))(t)
		}
		proposed := s.wants(t, c.action, c.set(true, c.now))
		testenv.NoError(t, c.set(false, c.first))
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, proposed)), "setting_changed")
		testenv.Want(t, s.Count(t, "select count(*) from "+c.table+" where enabled"), 0, "%s: on", c.action)
	}
}

// So is a change of where deposits are sent, of the terms of withdrawals, and
// of who takes a trader's cards, all of which take two: what was proposed
// before another was approved does not come back over it.
func TestNewerSettingStays(t *testing.T) {
	s := setupStaff(t)
	receiving := func(address string) error {
		return testenv.ErrOf(s.deposits.SetReceiving(t.Context(), s.one, deposit.Receiving{Network: "ERC20", Address: address}))
	}
	terms := func(fee string) error {
		return testenv.ErrOf(s.withdrawals.SetTerms(t.Context(), s.one, withdrawal.NewTerms{
			Network: "TRC20", Enabled: true, Fee: fee, MinAmount: "10", DailyAmount: "100",
		}))
	}
	processor := func(key string) error {
		return testenv.ErrOf2(s.acquirers.Set(t.Context(), s.one, acquirer.Setting{
			TraderID: s.trader.ID, URL: "https://acquirer.example.com/v1", KeyID: key, Secret: "a secret of the key " + key,
		}))
	}
	for _, c := range []struct {
		action foureyes.Action
		set    func(value string) error
		is     string
		values [3]string
	}{
		{foureyes.SetReceiving, receiving, "select address from receiving_address where present", [3]string{
			"0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
			"0xde709f2102306220921060314715629080e2fb77",
		}},
		{foureyes.SetWithdrawalTerms, terms, "select trunc(fee)::text from withdrawal_terms", [3]string{"1", "2", "3"}},
		{foureyes.SetAcquirer, processor, "select key_id from trader_acquirer where present", [3]string{"one", "two", "three"}},
	} {
		old, first := s.wants(t, c.action, c.set(c.values[0])), s.wants(t, c.action, c.set(c.values[1]))
		testenv.Must(s.approve(t, s.two, first))(t)
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, old)), "setting_changed")
		testenv.Want(t, s.Text(t, c.is), c.values[1], "%s: the first", c.action)
		old, newer := s.wants(t, c.action, c.set(c.values[0])), s.wants(t, c.action, c.set(c.values[2]))
		testenv.Must(s.approve(t, s.two, newer))(t)
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, old)), "setting_changed")
		testenv.Want(t, s.Text(t, c.is), c.values[2], "%s: the newer", c.action)
	}
}

// Nor do older terms of a merchant or a trader.
func TestNewerTermsStay(t *testing.T) {
	s := setupStaff(t)
	merchant := func(percent string) error {
		return testenv.ErrOf(s.settings.UpdateMerchant(t.Context(), s.one, directory.MerchantUpdate{ID: s.merchant.ID, RatePercent: &percent}))
	}
	trader := func(percent string) error {
		return testenv.ErrOf(s.settings.UpdateTrader(t.Context(), s.one, directory.TraderUpdate{ID: s.trader.ID, SharePercent: &percent}))
	}
	for _, c := range []struct {
		action foureyes.Action
		set    func(percent string) error
		is     string
	}{
		{foureyes.UpdateMerchant, merchant, "select trunc(rate_percent)::text from merchant"},
		{foureyes.UpdateTrader, trader, "select trunc(share_percent)::text from trader"},
	} {
		old, newer := s.wants(t, c.action, c.set("40")), s.wants(t, c.action, c.set("60"))
		testenv.Must(s.approve(t, s.two, newer))(t)
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, old)), "setting_changed")
		testenv.Want(t, s.Text(t, c.is), "60", "%s", c.action)
	}
	// A break is no new state of a trader.
	share := s.wants(t, foureyes.UpdateTrader, trader("70"))
	testenv.NoError(t, s.settings.SetBreak(t.Context(), s.trader.Caller, true))
	testenv.Must(s.approve(t, s.two, share))(t)
}

// Of two first settings that are approved at the same moment only one is made:
// there is no row yet that the other could wait for.
func TestFirstSettingsAtOnce(t *testing.T) {
	s := setupStaff(t)
	terms := func(on *withdrawal.Service, who caller.Caller, fee string) error {
		return testenv.ErrOf(on.SetTerms(t.Context(), who, withdrawal.NewTerms{
			Network: "TRC20", Enabled: true, Fee: fee, MinAmount: "10", DailyAmount: "100", Seen: "new",
		}))
	}
	proposed := s.wants(t, foureyes.SetWithdrawalTerms, terms(s.withdrawals, s.one, "1"))
	other := testenv.Must(s.Pool.Begin(t.Context()))(t)
	defer func() { _ = other.Rollback(context.Background()) }()
	testenv.NoError(t, terms(s.withdrawals.Approved(other), s.three, "2"))
	approved := make(chan error, 1)
	go func() { approved <- testenv.ErrOf(s.approve(t, s.two, proposed)) }()
	s.AwaitBlocked(t)
	testenv.NoError(t, other.Commit(t.Context()))
	dbtest.WantCode(t, <-approved, "setting_changed")
	testenv.Want(t, s.Text(t, "select trunc(fee)::text from withdrawal_terms"), "2", "the fee")
}

// Nor does an older secret: a processor that differs in its secret only is
// another one.
func TestNewerSecretStays(t *testing.T) {
	s := setupStaff(t)
	set := func(secret string) proposal.Proposal {
		t.Helper()
		return s.wants(t, foureyes.SetAcquirer, testenv.ErrOf2(s.acquirers.Set(t.Context(), s.one, acquirer.Setting{
			TraderID: s.trader.ID, URL: "https://acquirer.example.com/v1", KeyID: "key", Secret: secret,
		})))
	}
	testenv.Must(s.approve(t, s.two, set("the secret there was")))(t)
	mistyped := set("the secret mistyped")
	testenv.Must(s.approve(t, s.two, set("the secret there is")))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, mistyped)), "setting_changed")
	testenv.Want(t, s.Count(t, "select count(*) from setting_change where before->>'secret' is distinct from after->>'secret'"), 2,
		"changes of the secret in the log")
}

// A rate and an insurance that were proposed before another was set do not come
// back over it either: whoever approves sees only what they become.
func TestNewerSumStays(t *testing.T) {
	s := setupStaff(t)
	s.SetRate(t, "RUB", "100", true)
	set := func(a foureyes.Action, p proposal.Payload) proposal.Done {
		t.Helper()
		return testenv.Must(s.proposals.Do(t.Context(), s.one, a, p, ""))(t)
	}
	fiat := func(fiat string) proposal.Done {
		return set(foureyes.SetRate, proposal.Payload{Currency: "RUB", FiatPerUSDT: fiat})
	}
	insured := func(amount string) proposal.Done {
		return set(foureyes.SetInsurance, proposal.Payload{CashboxID: s.merchant.CashboxID, Amount: amount})
	}
	for _, c := range []struct {
		action          foureyes.Action
		set             func(value string) proposal.Done
		is              string
		old, newer, now string
	}{
		{foureyes.SetRate, fiat, "select trunc(fiat_per_usdt)::text from rate where source = 'operator'", "150", "120", "122"},
		{foureyes.SetInsurance, insured, "select trunc(insurance_usdt)::text from cashbox", "15", "30", "32"},
	} {
		first, old, newer := c.set(c.old), c.set(c.old), c.set(c.newer)
		testenv.Want(t, first.Proposal.ID, old.Proposal.ID, "%s: the same", c.action)
		testenv.Must(s.approve(t, s.two, *newer.Proposal))(t)
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, *old.Proposal)), "setting_changed")
		testenv.Want(t, s.Text(t, c.is), c.newer, "%s: by two", c.action)
		old = c.set(c.old)
		alone := c.set(c.now)
		testenv.Check(t, alone.Proposal == nil, "%s: takes two", c.action)
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, *old.Proposal)), "setting_changed")
		testenv.Want(t, s.Text(t, c.is), c.now, "%s: by one", c.action)
		testenv.Must(s.approve(t, s.two, *c.set(c.old).Proposal))(t)
		testenv.Want(t, s.Text(t, c.is), c.old, "%s: proposed anew", c.action)
	}
}

// From a rate that two have agreed on one goes on alone: what was in use before
// the smaller steps of that day no longer counts.
func TestAgreedRateBeginsAnew(t *testing.T) {
	s := setupStaff(t)
	s.SetRate(t, "RUB", "100", true)
	set := func(fiat string) (proposal.Done, error) {
		return s.proposals.Do(t.Context(), s.one, foureyes.SetRate, proposal.Payload{Currency: "RUB", FiatPerUSDT: fiat}, "")
	}
	testenv.Must(set("101"))(t)
	agreed := testenv.Must(set("150"))(t)
	testenv.Must(s.approve(t, s.two, *agreed.Proposal))(t)
	near, far := testenv.Must(set("157.5"))(t), testenv.Must(set("157.6"))(t)
	testenv.Check(t, near.Proposal == nil && far.Proposal != nil, "157.5: %+v, 157.6: %+v", near, far)
}
