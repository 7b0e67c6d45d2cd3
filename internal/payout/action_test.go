package payout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a payout service over a database of its own, with a rate of 100 RUB
// per USDT.
type bundle struct {
	*dbtest.DB
	clock   *dbtest.Clock
	payouts *payout.Service
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	d.SetRate(t, "RUB", "100", true)
	clock := &dbtest.Clock{}
	sealer := testenv.Must(vault.New(make([]byte, vault.KeySize)))(t)
	service := payout.New(d.Pools(), clock, sealer, outbound.NewAddresses(false), foureyes.Rules{})
	return &bundle{DB: d, clock: clock, payouts: service}
}

// merchant is one whose cashbox has USDT and pays out by sbp and c2c, at a
// markup of 2%, for a day.
func (b *bundle) merchant(t *testing.T, usdt string, o dbtest.MerchantOpts) dbtest.Merchant {
	t.Helper()
	if o.Scopes == nil {
		o.Scopes = []string{caller.ScopePayouts}
	}
	m := b.NewMerchant(t, o)
	b.Fund(t, ledger.Available(ledger.Cashbox, m.CashboxID), usdt)
	b.PaysOut(t, m.CashboxID, "2", "sbp", "c2c")
	return m
}

// withMerchant is a bundle with such a merchant.
func withMerchant(t *testing.T, usdt string) (*bundle, dbtest.Merchant) {
	t.Helper()
	b := setup(t)
	return b, b.merchant(t, usdt, dbtest.MerchantOpts{})
}

// trader is one who can pay RUB by the methods and keeps 1.5% of spot.
func (b *bundle) trader(t *testing.T, methods ...string) dbtest.Trader {
	t.Helper()
	trader := b.NewTrader(t, dbtest.TraderOpts{SharePercent: "1.5"})
	b.PaysBy(t, trader.ID, methods...)
	return trader
}

const phone = "+79001234567"

// request is a valid sbp payout of 1000 RUB: 10 USDT at spot, 10.2 frozen,
// 10.15 for the trader, 0.05 for the platform.
func request(orderID string) payout.Request {
	return payout.Request{
		OrderID: orderID, Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: "sbp",
		Address: phone, Recipient: "Ivan Petrov",
	}
}

// create makes a payout that must succeed.
func (b *bundle) create(t *testing.T, who caller.Caller, r payout.Request) payout.Payout {
	t.Helper()
	created, err := b.payouts.Create(context.Background(), who, r)
	testenv.Need(t, err == nil && !created.Replay, "create %s: %v, replay %v", r.OrderID, err, created.Replay)
	return created.Payout
}

func id(p payout.Payout) string { return p.UUID.String() }

// take has a trader take a payout, which must succeed.
func (b *bundle) take(t *testing.T, trader dbtest.Trader, p payout.Payout) payout.Offer {
	t.Helper()
	return testenv.Must(b.payouts.Take(context.Background(), trader.Caller, id(p)))(t)
}

// money is what the parties to a payout have.
type money struct{ available, reserved, trader, platform string }

func (b *bundle) wantMoney(t *testing.T, cashboxID, traderID int64, want money) {
	t.Helper()
	b.WantHas(t, map[ledger.Account]string{
		ledger.Available(ledger.Cashbox, cashboxID): want.available, ledger.Reserved(ledger.Cashbox, cashboxID): want.reserved,
		ledger.Available(ledger.Trader, traderID): want.trader, ledger.Available(ledger.Platform, 0): want.platform,
	})
}

const day = 24 * time.Hour

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// scene is a payout of 10.2 USDT, a merchant with 100, and two traders who can
// pay it.
type scene struct {
	*bundle
	m             dbtest.Merchant
	taker, second dbtest.Trader
	p             payout.Payout
}

func newScene(t *testing.T) *scene {
	t.Helper()
	b := setup(t)
	s := &scene{bundle: b, m: b.merchant(t, "100", dbtest.MerchantOpts{}), taker: b.trader(t, "sbp"), second: b.trader(t, "sbp")}
	s.p = b.create(t, s.m.Caller, request("order-1"))
	return s
}

// bystander is another merchant with payouts of the same order ids, which two
// traders have; one gave one of them back. They stay as they are.
func (b *bundle) bystander(t *testing.T) {
	t.Helper()
	m, trader, next := b.merchant(t, "100", dbtest.MerchantOpts{}), b.trader(t, "sbp"), b.trader(t, "sbp")
	first, second := b.create(t, m.Caller, request("order-1")), b.create(t, m.Caller, request("order-2"))
	b.take(t, trader, first)
	b.take(t, trader, second)
	testenv.Must(b.payouts.GiveBack(context.Background(), trader.Caller, id(second), nil))(t)
	b.take(t, next, second)
	b.Stays(t, `select (select jsonb_agg(p order by p.id) from payin p where p.merchant_id = $1)::text
		|| (select jsonb_agg(k order by k.payin_id) from payin_take k where k.trader_id in ($2, $3))::text
		|| (select jsonb_agg(h order by h.id) from payin_history h where h.merchant_id = $1)::text`, m.ID, trader.ID, next.ID)
}

// step is something somebody does to the payout.
type step func(s *scene) error

var steps = map[string]step{
	"take": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Take(context.Background(), s.taker.Caller, id(s.p)))
	},
	"complete": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Complete(context.Background(), s.taker.Caller, id(s.p), new("tx-1")))
	},
	"fail": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Fail(context.Background(), s.taker.Caller, id(s.p), new("bank says no")))
	},
	"cancel": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Cancel(context.Background(), s.m.Caller, id(s.p)))
	},
	"portal cancel": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Cancel(context.Background(), s.m.User(caller.Owner), id(s.p)))
	},
	"expire": func(s *scene) error {
		s.clock.Advance(day)
		n, err := s.payouts.Expire(context.Background())
		if err == nil && n == 0 {
			err = errNothingExpired
		}
		return err
	},
	"give back": func(s *scene) error {
		return testenv.ErrOf(s.payouts.GiveBack(context.Background(), s.taker.Caller, id(s.p), new("no money there")))
	},
	"reclaim": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Reclaim(context.Background(), operator, id(s.p), payout.Resolution{Reason: new("the trader sleeps")}))
	},
	"reverse": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Reverse(context.Background(), operator, id(s.p), new(" never arrived ")))
	},
	"resolve": func(s *scene) error {
		return testenv.ErrOf(s.payouts.Resolve(context.Background(), operator, id(s.p),
			payout.Resolution{Outcome: "completed", ProofReference: new("tx-2")}))
	},
}

var errNothingExpired = fault.New(fault.Refused, "nothing expired", "")

// Every step from every status: what it leads to, or the code it is refused
// with.
func TestMoves(t *testing.T) {
	t.Parallel()
	reach := map[string][]string{
		"waiting": {}, "processing": {"take"}, "completed": {"take", "complete"}, "failed": {"take", "fail"},
		"cancelled": {"cancel"}, "expired": {"expire"},
	}
	// Of 100, the payout froze 10.2; completed, the trader has spot and
	// 1.5% of it, the platform the rest of the markup.
	frozen, free := money{"89.8", "10.2", "0", "0"}, money{"100", "0", "0", "0"}
	stands := map[string]money{
		"waiting": frozen, "processing": frozen, "completed": {"89.8", "0", "10.15", "0.05"},
		"failed": free, "cancelled": free, "expired": free,
	}
	table := testenv.Rows(t, "moves.txt")
	for _, row := range table[1:] {
		from := row[0]
		t.Run(from, func(t *testing.T) {
			scene := func(t *testing.T) *scene {
				t.Helper()
				s := newScene(t)
				s.bystander(t)
				for _, before := range reach[from] {
					testenv.NoError(t, steps[before](s))
				}
				return s
			}
			unmoved := scene(t) // by all that is refused
			for i, want := range row[1:] {
				name := table[0][i+1]
				t.Run(name, func(t *testing.T) {
					s := unmoved
					if _, moves := stands[want]; moves {
						s = scene(t)
						testenv.NoError(t, steps[name](s))
					} else {
						dbtest.WantCode(t, steps[name](s), want)
						want = from
					}
					testenv.Want(t, s.Text(t, "select status from payin where uuid = $1", s.p.UUID), want, "the payout is")
					s.wantMoney(t, s.m.CashboxID, s.taker.ID, stands[want])
					ended := 1
					switch {
					case want == "waiting" || want == "processing":
						ended = 0
					case from == "completed" && want == "failed":
						ended = 2
					}
					testenv.NoError(t, webhook.NewRelay(s.Pool, s.clock, prometheus.NewRegistry()).Run(t.Context()))
					testenv.Want(t, s.Count(t, "select count(*) from webhook_event"), ended, "events")
					testenv.Want(t, s.Count(t, "select count(*) from webhook_delivery"), ended, "deliveries")
				})
			}
		})
	}
}

// testdata/history.txt says what it is about.
func TestHistory(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "history.txt") {
		t.Run(row[0], func(t *testing.T) {
			s := newScene(t)
			for step := range strings.FieldsSeq(row[0]) {
				testenv.NoError(t, steps[strings.ReplaceAll(step, "-", " ")](s))
			}
			numbers := strings.NewReplacer("trader:T", fmt.Sprint("trader:", s.taker.ID), "key:K", fmt.Sprint("key:", s.m.Caller.ID))
			testenv.WantAll(t, s.Texts(t, `select trim(actor || ' ' || coalesce(from_status, '-') || '>' || to_status || ' ' ||
				coalesce(reason, '')) from payin_history order by id`), strings.Split(numbers.Replace(strings.Join(row[1:], "|")), "|"), "the history")
		})
	}
}

// Of traders who take at once one wins, and nobody but them may end the payout
// or see where it goes.
func TestTwoTradersTake(t *testing.T) {
	s := newScene(t)
	traders := []dbtest.Trader{s.taker, s.second, s.trader(t, "sbp", "c2c"), s.taker}
	offers := make([]payout.Offer, len(traders))
	errs := testenv.AtOnce(len(traders), func(i int) (err error) {
		offers[i], err = s.payouts.Take(context.Background(), traders[i].Caller, id(s.p))
		return err
	})
	dbtest.WantOne(t, errs, "payin_not_waiting")
	winner := slices.Index(errs, nil)
	if winner < 0 {
		t.FailNow()
	}
	testenv.Check(t, offers[winner].Address == phone && offers[winner].Recipient == "Ivan Petrov",
		"the winner sees %+v", offers[winner])
	for i, trader := range traders {
		if trader.ID == traders[winner].ID {
			continue
		}
		dbtest.WantCode(t, testenv.ErrOf(s.payouts.Complete(context.Background(), trader.Caller, id(s.p), nil)), "not_found")
		dbtest.WantCode(t, testenv.ErrOf(s.payouts.Fail(context.Background(), trader.Caller, id(s.p), nil)), "not_found")
		list, _, err := s.payouts.ListForTrader(context.Background(), trader.Caller, payout.Page{})
		testenv.Check(t, err == nil && len(list) == 0, "trader %d sees %v (%v)", i, list, err)
	}
}

// Completed by trader and cancelled by merchant, failed and completed: of
// rivals at the same time one gets their way.
func TestRivals(t *testing.T) {
	t.Parallel()
	for _, rivals := range [][]string{{"take", "cancel"}, {"complete", "fail"}, {"complete", "complete"}, {"fail", "resolve"}, {"expire", "cancel"},
		{"complete", "give back"}, {"fail", "reclaim"}, {"reverse", "reverse"}} {
		t.Run(strings.Join(rivals, " "), func(t *testing.T) {
			s := newScene(t)
			if rivals[0] == "complete" || rivals[0] == "fail" || rivals[0] == "reverse" {
				testenv.NoError(t, steps["take"](s))
			}
			if rivals[0] == "reverse" {
				testenv.NoError(t, steps["complete"](s))
			}
			done := 0
			results := testenv.AtOnce(8, func(i int) error { return steps[rivals[i%2]](s) })
			for _, err := range results {
				if err == nil {
					done++
				} else if fault.As(err) == nil {
					t.Error(err)
				}
			}
			testenv.Want(t, done, 1, "of them got their way: %v", errors.Join(results...))
			s.Audit(t)
		})
	}
}

// What a trader sees: payouts waiting that they can pay, masked, and those they
// took, whole.
func TestTraderList(t *testing.T) {
	s := newScene(t)
	card := request("order-2")
	card.Method, card.Address = "c2c", "4111111111111111"
	s.create(t, s.m.Caller, card)
	third := s.create(t, s.m.Caller, request("order-3"))
	taken := s.take(t, s.taker, third)
	testenv.Check(t, taken.RewardUSDT.String() == "10.15" && taken.Address == phone, "taken %+v", taken)
	see := func(trader dbtest.Trader, page payout.Page) string {
		t.Helper()
		list, _ := testenv.Must2(s.payouts.ListForTrader(context.Background(), trader.Caller, page))(t)
		var lines []string
		for _, offer := range list {
			lines = append(lines, fmt.Sprint(offer.OrderID, " ", offer.Status, " ", offer.Address, " ", offer.Recipient, " ", offer.RewardUSDT))
		}
		return strings.Join(lines, "|")
	}
	both, none := s.trader(t, "sbp", "c2c"), s.trader(t)
	for name, c := range map[string]struct{ got, want string }{
		"taker":       {see(s.taker, payout.Page{}), "order-3 processing +79001234567 Ivan Petrov 10.15|order-1 waiting •••• 4567  10.15"},
		"only his":    {see(s.taker, payout.Page{Status: new("processing")}), "order-3 processing +79001234567 Ivan Petrov 10.15"},
		"only others": {see(s.taker, payout.Page{Status: new("waiting")}), "order-1 waiting •••• 4567  10.15"},
		"second":      {see(s.second, payout.Page{}), "order-1 waiting •••• 4567  10.15"},
		"both":        {see(both, payout.Page{}), "order-2 waiting •••• 1111  10.15|order-1 waiting •••• 4567  10.15"},
		"none":        {see(none, payout.Page{}), ""},
	} {
		testenv.Want(t, c.got, c.want, "%s sees", name)
	}
	// Page by page.
	page := payout.Page{}
	page.Limit = new(int32(1))
	first, cursor := testenv.Must2(s.payouts.ListForTrader(context.Background(), both.Caller, page))(t)
	page.Cursor = cursor
	rest, end := testenv.Must2(s.payouts.ListForTrader(context.Background(), both.Caller, page))(t)
	testenv.Check(t, first[0].OrderID == "order-2" && rest[0].OrderID == "order-1" && end == nil,
		"pages %v, %v, %v", first, rest, end)
	// They cannot take what they cannot pay, nor once they are switched
	// off.
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.Take(context.Background(), none.Caller, id(s.p))), "not_found")
	s.Exec(t, "update trader set enabled = false where id = $1", s.second.ID)
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.Take(context.Background(), s.second.Caller, id(s.p))), "not_found")
	testenv.Want(t, see(s.second, payout.Page{}), "", "switched off he sees")
	dbtest.WantFields(t, testenv.ErrOf2(s.payouts.ListForTrader(context.Background(), both.Caller, payout.Page{Status: new("done")})), "status")
}
