package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/shopspring/decimal"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// balance reads the first cashbox's, and wants available to be total less reserved, each with 8
// decimals.
func (w *instance) balance(t *testing.T) (total, reserved decimal.Decimal) {
	t.Helper()
	got := signedGet("/api/v1/cashboxes/{merchantCashbox}/balance", firstKey)(t, w)
	for _, name := range []string{"totalBalance", "available", "reserved", "insuranceReserved"} {
		has("data."+name, "8 decimals")(t, got)
	}
	total, reserved = decimal.RequireFromString(
		got.text("data.totalBalance"),
	), decimal.RequireFromString(got.text("data.reserved"))
	if available := decimal.RequireFromString(got.text("data.available")); !available.Equal(total.Sub(reserved)) {
		t.Errorf("available is not total less reserved: %s", got)
	}
	return total, reserved
}

// payoutFreezes: 1500 RUB at 92.50 and 2% are 153000 / 9250 = 16.540540540…, rounded up.
func payoutFreezes(t *testing.T, w *instance) {
	totalBefore, before := w.balance(t)
	gives(newPayin.with("amount", "1500"), 200, is("data.frozenUsdt", "16.54054055")).run(t, w)
	total, after := w.balance(t)
	if !total.Equal(totalBefore) || !after.Sub(before).Equal(decimal.RequireFromString("16.54054055")) {
		t.Errorf("reserved %s, then %s; in all %s, then %s", before, after, totalBefore, total)
	}
}

// depositIsConfirmed: the operator's word credits it, and no second.
func depositIsConfirmed(t *testing.T, w *instance) {
	made := newDeposit.with("amount", `"250.5"`)(t, w)
	before, _ := w.balance(t)
	confirm := func() error {
		_, err := w.operator(t).
			ConfirmDeposit(t.Context(), connect.NewRequest(&portalv1.ConfirmDepositRequest{DepositId: number(made.text("data.id"))}))
		return err
	}
	noError(t, confirm())
	wantFault(t, "", confirm(), connect.CodeFailedPrecondition, "deposit_not_pending")
	after, _ := w.balance(t)
	if !after.Sub(before).Equal(decimal.RequireFromString("250.5")) || made.text("data.status") != "pending" {
		t.Errorf("%s, then %s: %s", before, after, made)
	}
	gives(signedGet(deposits+"/"+made.text("data.id"), firstKey), 200, is("data.status", "confirmed")).run(t, w)
}

// unboundKeyNamesCashbox: a legacy key that may deposit has to say where to.
func unboundKeyNamesCashbox(t *testing.T, w *instance) {
	w.exec(t, "update api_key set scopes = '{payments,deposits}' where key_id = 'sandbox-legacy'")
	legacy := newDeposit.by("sandbox-legacy")
	testenv.Until(t, "the key has its scope", func() bool { // what is known of a key may be a second old
		got := legacy.with()(t, w)
		return got.text("code") != "merchant_scope_required"
	})
	for _, none := range []string{"", "null"} {
		refused(legacy.with("merchantCashboxId", none), 422, "validation_failed", "merchantCashboxId").run(t, w)
	}
	own := w.LegacyKeys[0].MerchantCashboxID
	gives(legacy.with("merchantCashboxId", fmt.Sprint(*own)), 201).run(t, w)
	w.exec(t, "update api_key set scopes = '{payments}' where key_id = 'sandbox-legacy'")
}

// appealOf appeals a payment.
func appealOf(id string) call {
	return func(t *testing.T, w *instance) answer { return w.appeal(t, w.first(), id, "x", "a.pdf", pdf) }
}

func appealConditions(t *testing.T, w *instance) {
	for _, status := range []string{"pending", "completed", "cancelled", "appeal"} {
		id := w.create(t, w.first(), nil).text("data.id")
		w.callback(t, id, `{"status":"`+status+`"}`)
		refused(appealOf(id), 422, "appeal_payment_not_failed").run(t, w)
	}
	alone := w.failed(t, nil)
	trader := w.count(t, "select trader_id from payment where id = $1::text::bigint", alone)
	w.exec(t, "update payment set trader_id = 0 where id = $1::text::bigint", alone)
	refused(appealOf(alone), 422, "appeal_trader_required").run(t, w)
	w.exec(t, "update payment set trader_id = $2 where id = $1::text::bigint", alone, trader)
	gives(appealOf(alone), 201).run(t, w)
}

// secretIsShownOnce: the database has its SHA-256, and no answer but the first has it.
func secretIsShownOnce(t *testing.T, w *instance) {
	made := w.fixture(t, "credential")
	secret := made.text("secret")
	if n := w.count(t, "select count(*) from api_key where key_id = $1 and secret_hash = sha256($2)",
		made.text("data.key_id"), []byte(secret)); n != 1 {
		t.Error("its SHA-256 is not kept")
	}
	if n := w.count(t, "select count(*) from api_key where to_jsonb(api_key)::text like '%' || $1 || '%'",
		secret); n != 0 {
		t.Error("it is kept")
	}
	list := tokenGet(portalKeys, "merchant")(t, w)
	if list.status != 200 || strings.Contains(list.raw, secret) ||
		!strings.Contains(list.raw, made.text("data.key_id")) {
		t.Errorf("listed: %s", list)
	}
}
