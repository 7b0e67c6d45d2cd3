package acceptance

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

var (
	payinFields = []string{
		"id", "orderId", "status", "amount", "currency", "method", "beneficiary", "frozenUsdt", "expiresAt",
		"createdAt", "statusUpdatedAt", "statusReason", "proofReference",
	}
	depositFields = []string{
		"id", "merchantCashboxId", "direction", "status", "amount", "currency", "network", "address",
		"externalReference", "idempotencyKey", "createdAt", "statusUpdatedAt",
	}
	balanceFields = []string{
		"merchantCashboxId", "traderCashboxId", "currency", "totalBalance", "available", "reserved",
		"insuranceReserved",
	}
)

// balance reads the first cashbox's, and wants available to be total less reserved, each with 8
// decimals.
func (w *instance) balance(t *testing.T) (total, reserved decimal.Decimal) {
	t.Helper()
	got := signedGet("/api/v1/cashboxes/{merchantCashbox}/balance", firstKey)(t, w)
	for _, name := range []string{"totalBalance", "available", "reserved", "insuranceReserved"} {
		has("data."+name, decimal8)(t, got)
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

// payoutMoves: from waiting to processing to completed, and what is processing is not cancelled.
func payoutMoves(t *testing.T, w *instance) {
	id := w.createPayin(t, w.first(), nil).text("data.id")
	read := signedGet(payins+"/"+id, firstKey)
	desk := w.desk(w.user(t, "trader-1").Token)
	called(t, desk.TakePayin, &portalv1.TakePayinRequest{PayinId: id})
	gives(read, 200, is("data.status", "processing"), only("data", payinFields...)).run(t, w)
	proof := "transfer 1"
	called(t, desk.CompletePayin, &portalv1.CompletePayinRequest{PayinId: id, ProofReference: &proof})
	gives(read, 200, is("data.status", "completed")).run(t, w)
	waiting := w.createPayin(t, w.first(), nil).text("data.id")
	gives(cancelPayin(waiting), 200, is("data.status", "cancelled")).run(t, w)
	refused(cancelPayin(id), 422, "payin_not_waiting").run(t, w)
}

func cancelPayin(id string) call {
	return request(http.MethodPost, payins+"/"+id+"/cancel", "{}",
		func(_ *testing.T, w *instance) header { return signed(w.first(), "{}") })
}

// payoutTells: at its end, and not before.
func payoutTells(t *testing.T, w *instance) {
	orderID := newOrder()
	made := w.createPayin(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL})
	gives(cancelPayin(made.text("data.id")), 200).run(t, w)
	told := w.inbox.letters(t, orderID, 1)[0].answer
	for _, e := range []expectation{
		is("type", "payin.status.updated"), has("eventId", aText), has("createdAt", dateTime), is("data.id", made.text("data.id")), is("data.status", "CANCELLED"),
		is("data.amount", "1500.00"), is("data.currency", "RUB"), is("data.method", "sbp"), is("data.frozenUsdt", "16.54054055"),
		only("data", "id", "orderId", "status", "amount", "currency", "method", "frozenUsdt"), is("meta.previousStatus", "WAITING"),
	} {
		e(t, told)
	}
}

func payinRepeats(t *testing.T, w *instance) {
	orderID := strconv.Quote(newOrder())
	made := newPayin.with("orderId", orderID)(t, w)
	for _, again := range []call{newPayin.with("orderId", orderID), newPayin.with("orderId", orderID, "amount", "7", "recipient", `"X"`)} {
		gives(again, 200, is("data.id", made.text("data.id")), says("Idempotent-Replay", "true")).run(t, w)
	}
	gives(newPayin.with("orderId", orderID, "amount", "7", "recipient", `"X"`), 200,
		says("Idempotent-Mismatch", "amount,recipient")).run(t, w)
	other := newPayin.with("orderId", orderID, "method", `"c2c"`, "address", `"4111111111111111"`)(t, w)
	if other.status != 200 || other.text("data.id") == made.text("data.id") {
		t.Errorf("by another method: %s", other)
	}
}

func payoutWithoutRate(t *testing.T, w *instance) {
	w.exec(t, "create table kept_rate as select * from rate")
	w.exec(t, "delete from rate")
	order := strconv.Quote(newOrder())
	refused(newPayin.with("orderId", order), 503, "rate_unavailable").run(t, w)
	w.exec(t, "insert into rate select * from kept_rate")
	w.exec(t, "drop table kept_rate")
	gives(newPayin.with("orderId", order), 200, says("Idempotent-Replay", "")).run(t, w)
}

func depositRepeats(t *testing.T, w *instance) {
	key := strconv.Quote(uuid.NewString())
	made := newDeposit.with("idempotencyKey", key)(t, w)
	if made.status != 201 || made.header.Get("Idempotent-Replay") != "" {
		t.Errorf("made: %v %s", made.header, made)
	}
	gives(newDeposit.with("idempotencyKey", key), 200, is("data.idempotencyKey", made.text("data.idempotencyKey")),
		has("data.id", exactly(made.text("data.id"))), only("", "data"), only("data", depositFields...),
		says("Idempotent-Replay", "true")).run(t, w)
	gives(newDeposit.with("idempotencyKey", key, "amount", `"7"`), 200, has("data.id", exactly(made.text("data.id"))),
		says("Idempotent-Mismatch", "amount")).run(t, w)
}

func depositConflicts(t *testing.T, w *instance) {
	key := strconv.Quote(uuid.NewString())
	gives(newDeposit.with("idempotencyKey", key), 201).run(t, w)
	other := fmt.Sprint(w.box(t, "sandbox-azn").MerchantCashboxID)
	refused(newDeposit.with("idempotencyKey", key, "merchantCashboxId", other), 409,
		"idempotency_key_conflict").run(t, w)
}

func depositForForeignCashbox(t *testing.T, w *instance) {
	refused(newDeposit.with("merchantCashboxId", w.ids["second"]), 403, "cashbox_access_denied").run(t, w)
	other := w.box(t, "sandbox-azn").MerchantCashboxID
	gives(newDeposit.with("merchantCashboxId", fmt.Sprint(other)), 201,
		has("data.merchantCashboxId", exactly(fmt.Sprint(other)))).run(t, w)
}

// unboundKeyNamesCashbox: a legacy key that may deposit has to say where to.
func unboundKeyNamesCashbox(t *testing.T, w *instance) {
	w.exec(t, "update api_key set scopes = '{payments,deposits}' where key_id = 'sandbox-legacy'")
	legacy := newDeposit.by("sandbox-legacy")
	testenv.Until(t, "the key has its scope", func() bool { // what is known of a key may be a second old
		got := legacy.with()(t, w)
		return got.text("code") != "merchant_scope_required"
	})
	legacy.rejects("merchantCashboxId", "", "null").run(t, w)
	own := w.LegacyKeys[0].MerchantCashboxID
	gives(legacy.with("merchantCashboxId", fmt.Sprint(*own)), 201).run(t, w)
	w.exec(t, "update api_key set scopes = '{payments}' where key_id = 'sandbox-legacy'")
}

func networks(t *testing.T, w *instance) {
	for network, address := range map[string]string{
		"TRC20": tron, "ERC20": evm, "BEP20": evm, "POLYGON": evm, "ARBITRUM": evm,
	} {
		gives(newDeposit.with("network", strconv.Quote(network), "address", strconv.Quote(address)), 201,
			is("data.network", network), is("data.address", address)).run(t, w)
	}
}

// evm is an address of every network but TRON, its checksum in its capitals.
const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

func depositsTakeJSON(t *testing.T, w *instance) {
	body := newDeposit.body()
	headers := signed(w.first(), body)
	refused(bareRequest(http.MethodPost, deposits, body, with(headers, "Content-Type", "text/plain")), 415,
		"unsupported_media_type").run(t, w)
	newDeposit.wantsObject(false).run(t, w)
}

// appealOf appeals the payment that goes by a name of ids, or by an id as it stands.
func appealOf(payment, reason string) call {
	return func(t *testing.T, w *instance) answer {
		t.Helper()
		id, ok := w.ids[payment]
		if !ok {
			id = payment
		}
		return w.appeal(t, w.first(), id, reason, "a.pdf", pdf)
	}
}

// freshAppeal appeals a payment that has just failed.
func freshAppeal(reason string) call {
	return func(t *testing.T, w *instance) answer {
		t.Helper()
		return w.appeal(t, w.first(), w.failed(t, nil), reason, "a.pdf", pdf)
	}
}

// appealBy appeals with another key.
func appealBy(keyID string) call {
	return func(t *testing.T, w *instance) answer {
		t.Helper()
		return w.appeal(t, w.box(t, keyID), w.ids["payment"], "x", "a.pdf", pdf)
	}
}

func foreignAppeal(t *testing.T, w *instance) answer { return appealBy("sandbox-second-rub")(t, w) }

var appealFields = []string{"id", "paymentId", "uuid", "reason", "fileName", "fileSize", "status", "createdAt"}

func badAppealForms(t *testing.T, w *instance) {
	id := w.failed(t, nil)
	w.ids["failed"] = id
	w.tryBodies(t, newAppeal, tables(t, "wrong.txt")["appeal"])
	json := with(appealHeaders(w.first(), "", "", 0), "Content-Type", "application/json")
	refused(bareRequest(http.MethodPost, payments+"/"+id+"/appeal", "{}", json), 415,
		"unsupported_media_type").run(t, w)
	w.appeal(t, w.first(), id, strings.Repeat("ж", 2000), "a.pdf", pdf).want(t, "at the limit", 201)
}

func appealConditions(t *testing.T, w *instance) {
	for _, status := range []string{"pending", "completed", "cancelled", "appeal"} {
		id := w.create(t, w.first(), nil).text("data.id")
		w.callback(t, id, `{"status":"`+status+`"}`)
		refused(appealOf(id, "x"), 422, "appeal_payment_not_failed").run(t, w)
	}
	alone := w.failed(t, nil)
	var trader int64
	noError(t,
		w.pool.QueryRow(t.Context(), "select trader_id from payment where id = $1::text::bigint", alone).Scan(&trader))
	w.exec(t, "update payment set trader_id = 0 where id = $1::text::bigint", alone)
	refused(appealOf(alone, "x"), 422, "appeal_trader_required").run(t, w)
	w.exec(t, "update payment set trader_id = $2 where id = $1::text::bigint", alone, trader)
	gives(appealOf(alone, "x"), 201).run(t, w)
}

var keyFields = []string{
	"id", "key_id", "name", "merchant_cashbox_id", "scopes", "status", "created_at", "last_used_at", "revoked_at",
}

func cashboxKeys(id string) string { return strings.Replace(portalKeys, "{merchantCashbox}", id, 1) }

// newKeyWorks: a key that was made lets its holder in.
func newKeyWorks(t *testing.T, w *instance) {
	made := w.fixture(t, "credential")
	body := newPayment.body()
	headers := header{
		"X-Merchant-Key-Id": made.text("data.key_id"),
		"X-Merchant-Secret": made.text("secret"),
		"Signature":         signature(made.text("secret"), body),
	}
	gives(bareRequest(http.MethodPost, payments, body, headers), 200).run(t, w)
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
