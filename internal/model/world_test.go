package model_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook/signing"
)

// The cast of every walk: few of everything, so that payments meet. Percents
// are texts, "" where none is set.

type modelMerchant struct {
	dbtest.Merchant
	percent string
	// unbound keys have no cashbox of their own.
	unbound bool
	boxes   []*modelBox
}

type modelBox struct {
	id       int64
	currency string
	collect  bool
	methods  map[string]*modelMethod
	payouts  map[string]*modelPayoutMethod
	secret   string
	// tells is whether its merchant is told what payers say.
	tells bool
	// insurance is a part of what is reserved.
	insurance int64
}

type modelPayoutMethod struct {
	enabled  bool
	markup   string
	validity time.Duration
}

type modelMethod struct {
	enabled  bool
	margin   string
	validity time.Duration
	policy   modelPolicy
}

type modelTrader struct {
	dbtest.Trader
	share, percent string
	// pays are the methods of RUB by which they take payouts, takes how
	// many they may have open.
	pays  map[string]bool
	takes int
}

type modelRequisite struct {
	id               int64
	trader           *modelTrader
	currency, method string
	// min and max bound amounts, in hundredths.
	min, max int64
	active   bool
	modelRequisiteLimits
}

// modelRequisiteLimits are how many payments, and how much in hundredths, a
// requisite takes in a day of its own zone, and how many at a time; zero is no
// limit.
type modelRequisiteLimits struct{ daily, dailySum, open int64 }

type modelRate struct {
	fiat *big.Rat
	// stale is when the rate turns stale; zero is never.
	stale time.Time
}

// modelMarkup is the configured percent, the last in the documented order.
const modelMarkup = "5"

// modelMerchants: one with nothing set, one with margins and a percent, one
// whose key is not bound to any of its cashboxes, one in a currency that never
// had a rate, and one that takes cards alone. margins are by method.
var modelMerchants = []struct {
	percent string
	unbound bool
	boxes   []modelBoxSpec
}{
	{boxes: []modelBoxSpec{{"RUB", map[string]string{"sbp": "", "card": ""}, map[string]string{"sbp": "2", "c2c": "0"}}}},
	{percent: "7.25", boxes: []modelBoxSpec{
		{"RUB", map[string]string{"sbp": "3.5", "sim": "0", "card": "", "mtstpay": "1"}, map[string]string{"sbp": "3.3333"}},
	}},
	{unbound: true, boxes: []modelBoxSpec{
		{"RUB", map[string]string{"sbp": "1.125"}, map[string]string{"c2c": "1.5"}},
		{"RUB", map[string]string{"sbp": "", "card": "12"}, map[string]string{"sbp": "0.75", "c2c": "100"}},
		{"MNT", map[string]string{"c2c": "", "iban": "2.0001"}, nil},
		{"TRY", map[string]string{"quasi_ecom": "4"}, nil},
	}},
	{boxes: []modelBoxSpec{{"KZT", map[string]string{"c2c": ""}, nil}}},
	{boxes: []modelBoxSpec{{"TRY", map[string]string{"quasi_ecom": ""}, nil}}},
}

// modelBoxSpec has the margins of the methods it collects by, and the markups
// of those it pays out by.
type modelBoxSpec struct {
	currency         string
	margins, markups map[string]string
}

// modelPayoutValidities are how long payouts wait, by method: less than a day,
// so that their ends and other things' mix.
var modelPayoutValidities = map[string]time.Duration{"sbp": 2 * time.Hour, "c2c": 24 * time.Hour}

// The second trader's share exceeds most spreads, so that the spread itself
// becomes the bound.
var modelTraders = []struct {
	share, percent string
	pays           []string
	takes          int
}{
	{"2", "", []string{"sbp", "c2c"}, 20}, {"50", "4.5", []string{"sbp", "c2c"}, 3}, {"0.75", "", []string{"sbp"}, 2},
	{"1.5", "", []string{"sbp", "c2c"}, 20},
}

var modelRequisites = []struct {
	trader           int
	currency, method string
	min, max         int64
	limits           modelRequisiteLimits
}{
	{0, "RUB", "sbp", 1_00, 1_000_000_00, modelRequisiteLimits{}},
	{1, "RUB", "sbp", 1_00, 1_000_000_00, modelRequisiteLimits{daily: 9}},
	{0, "RUB", "sbp", 500_00, 1_000_000_00, modelRequisiteLimits{}},
	{2, "RUB", "sbp", 500_00, 2_000_00, modelRequisiteLimits{open: 2}},
	{1, "RUB", "sim", 1_00, 1_000_000_00, modelRequisiteLimits{}},
	{2, "RUB", "sim", 1_00, 1_000_00, modelRequisiteLimits{}},
	{0, "RUB", "card", 1_00, 1_000_000_00, modelRequisiteLimits{dailySum: 9_500_50}},
	{2, "RUB", "card", 1_00, 1_000_000_00, modelRequisiteLimits{daily: 30, open: 4}},
	{1, "MNT", "c2c", 1_00, 1_000_000_00, modelRequisiteLimits{}},
	{0, "MNT", "iban", 1_00, 1_000_000_00, modelRequisiteLimits{}},
	{2, "MNT", "iban", 1_000_00, 1_000_000_00, modelRequisiteLimits{}},
	{0, "KZT", "c2c", 1_00, 1_000_000_00, modelRequisiteLimits{}},
	// Desks that take cards.
	{3, "TRY", "quasi_ecom", 1_00, 1_000_000_00, modelRequisiteLimits{}},
	{1, "TRY", "quasi_ecom", 1_00, 1_000_000_00, modelRequisiteLimits{daily: 30}},
	{3, "RUB", "mtstpay", 1_00, 1_000_000_00, modelRequisiteLimits{}},
}

// newModelWorld makes the cast in a database and in a model of it.
func newModelWorld(t testing.TB, d *dbtest.DB) *gatewayModel {
	t.Helper()
	m := &gatewayModel{
		rates: map[string]modelRate{}, limits: map[string][2]int64{}, keys: map[modelKey]*modelPayment{},
		slots: map[modelSlot]modelHold{}, accounts: map[ledger.Account]int64{}, payoutKeys: map[modelKey]*modelPayout{},
		leaveKeys: map[modelKey]*modelLeave{}, depositKeys: map[modelKey]*modelDeposit{}, attempts: map[uuid.UUID]*modelAttempt{},
	}
	for _, spec := range modelMerchants {
		merchant := &modelMerchant{percent: spec.percent, unbound: spec.unbound}
		merchant.Merchant = d.NewMerchant(t, dbtest.MerchantOpts{
			Currency: spec.boxes[0].currency, Methods: []string{}, RatePercent: nullPercent(spec.percent),
			Unbound: spec.unbound, Scopes: []string{caller.ScopePayments, caller.ScopePayouts, caller.ScopeDeposits, caller.ScopeWithdrawals},
		})
		for k, box := range spec.boxes {
			id, secret := merchant.CashboxID, merchant.WebhookSecret
			if k > 0 {
				secret = signing.NewSecret()
				id = d.NewCashbox(t, merchant.ID, box.currency, secret)
			}
			merchant.boxes = append(merchant.boxes, newModelBox(t, d, id, secret, box))
			m.openAccounts(ledger.Available(ledger.Cashbox, id))
		}
		m.merchants = append(m.merchants, merchant)
	}
	for _, spec := range modelTraders {
		trader := &modelTrader{share: spec.share, percent: spec.percent, pays: map[string]bool{}, takes: spec.takes}
		trader.Trader = d.NewTrader(t,
			dbtest.TraderOpts{SharePercent: spec.share, RatePercent: nullPercent(spec.percent)})
		d.PaysBy(t, trader.ID, spec.pays...)
		for _, method := range spec.pays {
			trader.pays[method] = true
		}
		d.Exec(t, "update trader set max_open_payins = $1 where id = $2", spec.takes, trader.ID)
		m.openAccounts(ledger.Available(ledger.Trader, trader.ID))
		m.traders = append(m.traders, trader)
	}
	for _, merchant := range m.merchants[:2] {
		d.Exec(t, "update cashbox set trader_cashbox_id = $1 where id = $2", m.traders[0].ID, merchant.boxes[0].id)
	}
	m.openAccounts(ledger.Available(ledger.Platform, 0))
	m.openAccounts(ledger.Available(ledger.External, 0))
	addModelRequisites(t, d, m)
	addModelPhones(t, d, m)
	addModelLeaving(t, d, m)
	return m
}

func nullPercent(percent string) decimal.NullDecimal {
	if percent == "" {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(decimal.RequireFromString(percent))
}

func newModelBox(t testing.TB, d *dbtest.DB, id int64, secret string, spec modelBoxSpec) *modelBox {
	t.Helper()
	box := &modelBox{id: id, currency: spec.currency, collect: true, methods: map[string]*modelMethod{}, secret: secret}
	box.payouts = map[string]*modelPayoutMethod{}
	for method, markup := range spec.markups {
		validity := modelPayoutValidities[method]
		box.payouts[method] = &modelPayoutMethod{enabled: true, markup: markup, validity: validity}
		d.PaysOut(t, id, markup, method)
		d.Exec(t, "update cashbox_payout_method set validity_seconds = $1 where cashbox_id = $2 and method = $3",
			int(validity.Seconds()), id, method)
	}
	if _, box.tells = spec.margins["card"]; box.tells {
		d.Exec(t, "update cashbox set payer_events = true where id = $1", id)
	}
	for method, margin := range spec.margins {
		known, _ := catalogue.Find(catalogue.Methods, method)
		box.methods[method] = &modelMethod{enabled: true, margin: margin, validity: known.Validity, policy: modelPolicies[method]}
		policy := box.methods[method].policy
		columns := map[string]any{
			"margin_percent": nullPercent(margin), "validity_seconds": int32(known.Validity / time.Second),
			"tolerance_amount": nullModel(policy.near),
		}
		for column, text := range map[string]string{"amount_policy": policy.kind, "difference_to": policy.gains} {
			if text != "" {
				columns[column] = text
			}
		}
		testenv.NoError(t, d.Queries().Put(
			t.Context(), "cashbox_method", map[string]any{"cashbox_id": id, "method": method}, columns))
	}
	return box
}

func addModelRequisites(t testing.TB, d *dbtest.DB, m *gatewayModel) {
	t.Helper()
	for i, spec := range modelRequisites {
		trader := m.traders[spec.trader]
		value := fmt.Sprintf("+7900%07d", i)
		if cardMethod(spec.method) {
			value = ""
		}
		safe := dbtest.Requisites()
		id := testenv.Must(directory.InsertRequisite(t.Context(), d.Queries(), safe, value, db.RequisiteInsertParams{
			Currency: spec.currency, Method: spec.method, TraderID: trader.ID,
			MinAmount: decimal.New(spec.min, -2), MaxAmount: decimal.New(spec.max, -2), Now: dbtest.Start,
		}))(t)
		d.Exec(t, `update requisite set daily_count = nullif($2::int, 0),
			daily_sum = nullif($3::numeric, 0), open_payments = nullif($4::int, 0) where id = $1`,
			id, spec.limits.daily, decimal.New(spec.limits.dailySum, -2), spec.limits.open)
		m.requisites = append(m.requisites, &modelRequisite{
			id: id, trader: trader, currency: spec.currency, method: spec.method, min: spec.min, max: spec.max,
			active: true, modelRequisiteLimits: spec.limits,
		})
	}
}
