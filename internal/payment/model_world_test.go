package payment_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway/internal/db"
	"gateway/internal/dbtest"
	"gateway/internal/ledger"
	"gateway/internal/vault"
	"gateway/internal/webhook"
)

// The cast of every walk: few of everything, so that payments meet. Percents are texts, "" where none is set.

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
	secret   string
}

type modelMethod struct {
	enabled  bool
	margin   string
	validity time.Duration
}

type modelTrader struct {
	dbtest.Trader
	share, percent string
}

type modelRequisite struct {
	id               int64
	trader           *modelTrader
	currency, method string
	// min and max bound amounts, in hundredths.
	min, max int64
	active   bool
	modelRequisiteLimits
	// used is zero until first used.
	used time.Time
}

// modelRequisiteLimits are how many payments, and how much in hundredths, a requisite takes in a day of its own zone, and
// how many at a time; zero is no limit.
type modelRequisiteLimits struct{ daily, dailySum, open int64 }

type modelRate struct {
	fiat *big.Rat
	// stale is when the rate turns stale; zero is never.
	stale time.Time
}

// modelMarkup is the configured percent, the last in the documented order.
const modelMarkup = "5"

var modelValidities = map[string]time.Duration{
	"sbp": 15 * time.Minute, "sim": 15 * time.Minute, "card": 20 * time.Minute, "c2c": 20 * time.Minute, "iban": 30 * time.Minute,
}

// modelMerchants: one with nothing set, one with margins and a percent, one whose key is not bound to any of its three
// cashboxes, and one in a currency that never had a rate. margins are by method.
var modelMerchants = []struct {
	percent string
	unbound bool
	boxes   []modelBoxSpec
}{
	{boxes: []modelBoxSpec{{"RUB", map[string]string{"sbp": "", "card": ""}}}},
	{percent: "7.25", boxes: []modelBoxSpec{{"RUB", map[string]string{"sbp": "3.5", "sim": "0", "card": ""}}}},
	{unbound: true, boxes: []modelBoxSpec{
		{"RUB", map[string]string{"sbp": "1.125"}},
		{"RUB", map[string]string{"sbp": "", "card": "12"}},
		{"MNT", map[string]string{"c2c": "", "iban": "2.0001"}},
	}},
	{boxes: []modelBoxSpec{{"KZT", map[string]string{"c2c": ""}}}},
}

type modelBoxSpec struct {
	currency string
	margins  map[string]string
}

// The second trader's share exceeds most spreads, so that the spread itself becomes the bound.
var modelTraders = []struct{ share, percent string }{{"2", ""}, {"50", "4.5"}, {"0.75", ""}}

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
}

// newModelWorld makes the cast in a database and in a model of it.
func newModelWorld(t testing.TB, d *dbtest.DB, v *vault.Vault) *gatewayModel {
	t.Helper()
	m := newGatewayModel()
	for _, spec := range modelMerchants {
		merchant := &modelMerchant{percent: spec.percent, unbound: spec.unbound}
		merchant.Merchant = d.NewMerchant(t, dbtest.MerchantOpts{
			Currency: spec.boxes[0].currency, Methods: []string{}, RatePercent: nullPercent(spec.percent), Unbound: spec.unbound,
		})
		for k, box := range spec.boxes {
			id := merchant.CashboxID
			if k > 0 {
				id = newModelCashbox(t, d, merchant.ID, box.currency)
			}
			merchant.boxes = append(merchant.boxes, newModelBox(t, d, v, id, box))
			m.open(ledger.Available(ledger.Cashbox, id))
		}
		m.merchants = append(m.merchants, merchant)
	}
	for _, spec := range modelTraders {
		trader := &modelTrader{share: spec.share, percent: spec.percent}
		trader.Trader = d.NewTrader(t, dbtest.TraderOpts{SharePercent: spec.share, RatePercent: nullPercent(spec.percent)})
		m.open(ledger.Available(ledger.Trader, trader.ID))
		m.traders = append(m.traders, trader)
	}
	m.open(ledger.Available(ledger.Platform, 0))
	m.open(ledger.Available(ledger.External, 0))
	addModelRequisites(t, d, m)
	return m
}

func nullPercent(percent string) decimal.NullDecimal {
	if percent == "" {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(decimal.RequireFromString(percent))
}

func newModelCashbox(t testing.TB, d *dbtest.DB, merchantID int64, currency string) int64 {
	t.Helper()
	id, err := d.Queries().CashboxInsert(t.Context(), db.CashboxInsertParams{
		MerchantID: merchantID, Name: "Another shop", Currency: currency, WebhookSecret: []byte{}, CreatedAt: dbtest.Start,
	})
	if err == nil {
		err = ledger.Open(t.Context(), d.Queries(), ledger.Cashbox, id)
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newModelBox(t testing.TB, d *dbtest.DB, v *vault.Vault, id int64, spec modelBoxSpec) *modelBox {
	t.Helper()
	box := &modelBox{id: id, currency: spec.currency, collect: true, methods: map[string]*modelMethod{}, secret: webhook.NewSecret()}
	sealed, err := v.Seal([]byte(box.secret), webhook.SecretPlace(id))
	if err == nil {
		err = d.Queries().CashboxSetWebhookSecret(t.Context(), db.CashboxSetWebhookSecretParams{ID: id, WebhookSecret: sealed})
	}
	for method, margin := range spec.margins {
		box.methods[method] = &modelMethod{enabled: true, margin: margin, validity: modelValidities[method]}
		if err == nil {
			err = d.Queries().CashboxMethodSet(t.Context(), db.CashboxMethodSetParams{
				CashboxID: id, Method: method, Enabled: true, MarginPercent: nullPercent(margin),
				ValiditySeconds: int32(modelValidities[method] / time.Second),
			})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func addModelRequisites(t testing.TB, d *dbtest.DB, m *gatewayModel) {
	t.Helper()
	for i, spec := range modelRequisites {
		trader := m.traders[spec.trader]
		id, err := d.Queries().RequisiteInsert(t.Context(), db.RequisiteInsertParams{
			Currency: spec.currency, Method: spec.method, TraderID: trader.ID, Value: fmt.Sprintf("+7900%07d", i),
			MinAmount: decimal.New(spec.min, -2), MaxAmount: decimal.New(spec.max, -2), Now: dbtest.Start,
		})
		if err == nil {
			_, err = d.Pool.Exec(t.Context(), `update requisite set daily_count = nullif($2::int, 0),
				daily_sum = nullif($3::numeric, 0), open_payments = nullif($4::int, 0) where id = $1`,
				id, spec.limits.daily, decimal.New(spec.limits.dailySum, -2), spec.limits.open)
		}
		if err != nil {
			t.Fatal(err)
		}
		m.requisites = append(m.requisites, &modelRequisite{
			id: id, trader: trader, currency: spec.currency, method: spec.method, min: spec.min, max: spec.max, active: true,
			modelRequisiteLimits: spec.limits,
		})
	}
}
