package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/webhook"
)

func init() {
	unexamined = append(unexamined,
		"GET /operator/work", "GET /operator/payments.csv", "GET /operator/payouts.csv",
		"GET /operator/payments/{id}/receipts/{n}", "GET /operator/appeals/{id}/file",
		"GET /operator/deposits/{id}/claim", "GET /operator/appeals/{id}/claim", "GET /operator/payouts/{id}/claim",
		"GET /operator/conflicts/{id}/claim",
	)
}

// takenPayouts are payouts that a trader took, named by their uuids.
func (b *bundle) takenPayouts(t testing.TB, count int) []string {
	t.Helper()
	ids := b.payOut(t, count)
	for i := range ids {
		ids[i] = strings.TrimPrefix(ids[i], "/trader/payouts/")
		_, err := b.payouts.Take(t.Context(), b.asTrader(), ids[i])
		noError(t, err)
	}
	return ids
}

// conflicting is a card conflict of a payment.
func (b *bundle) conflicting(t testing.TB, paymentID int64) int64 {
	t.Helper()
	var id int64
	b.Get(t, &id, `
		insert into card_conflict (merchant_id, payment_id, attempt_id, payment_status, attempt_state, created_at)
		values ($1, $2, gen_random_uuid(), 'completed', '<b>declined', $3) returning id`,
		b.merchant.ID, paymentID, b.clock.Now())
	return id
}

// casePages are the pages about what operators decide, each with something on it.
func (b *bundle) casePages(t testing.TB, _ *person) map[string]string {
	t.Helper()
	d := b.deposited(t, "250.5", "<b>first")
	_, open := b.openedAppeal(t, strings.Repeat("It was paid. ", 20))
	p, reviewed := b.openedAppeal(t, "it was paid, too")
	_, err := b.payments.ReviewAppeal(t.Context(), admin, reviewed)
	noError(t, err)
	b.tell(t, b.merchant, 901, "dead")
	payouts := b.takenPayouts(t, 2)
	processing, proof, elsewhere := "/operator/payouts/"+payouts[0], "42", "https://elsewhere.example"
	_, err = b.payouts.Complete(t.Context(), b.asTrader(), payouts[1], &proof)
	noError(t, err)
	replay, err := b.rooms.Events.Replay(t.Context(), admin,
		webhook.Replay{MerchantID: &b.merchant.ID, URL: &elsewhere})
	noError(t, err)
	b.clock.Advance(31 * time.Minute)
	deposit, appeal := fmt.Sprintf("/operator/deposits/%d", d.ID), fmt.Sprintf("/operator/appeals/%d", reviewed)
	conflict := fmt.Sprintf("/operator/conflicts/%d", b.conflicting(t, p.ID))
	dead := fmt.Sprintf("/operator/events/dead/confirm?merchant=%d&url=%s", b.merchant.ID, url.QueryEscape(deadURL))
	return map[string]string{
		"deposit": deposit, "confirm deposit": deposit + "/confirm", "reject deposit": deposit + "/reject",
		"appeal": appeal, "review": fmt.Sprintf("/operator/appeals/%d/review", open), "accept": appeal + "/accept",
		"refuse": appeal + "/refuse", "any payout": processing, "paid": processing + "/complete",
		"not paid": processing + "/fail", "reclaim": processing + "/reclaim", "conflict": conflict,
		"close": conflict + "/close", "any payment": fmt.Sprintf("/operator/payments/%d", p.ID), "resend dead": dead,
		"queues": "/operator", "reverse": "/operator/payouts/" + payouts[1] + "/reverse",
		"replay": fmt.Sprintf("/operator/events/replays/%d", *replay.ID),
	}
}

// A payout that a trader does not end is taken back, ended or reversed by an operator.
func TestOverduePayouts(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, bob := b.two(t)
	id := b.takenPayouts(t, 1)[0]
	path := "/operator/payouts/" + id
	want(t, "not yet", ann.page(t, "/operator/overdue").Find("tbody tr").Length(), 0)
	b.clock.Advance(30 * time.Minute)
	want(t, "overdue", ann.page(t, "/operator/overdue").Find("tbody a").AttrOr("href", ""), path)
	want(t, "on the first page", ann.page(t, "/operator").Find(`section.card li a`).AttrOr("href", ""), path)

	form := hidden(ann.page(t, path+"/reclaim"), "reason", "the trader is away")
	stale := hidden(bob.page(t, path+"/complete"), "proofReference", "42")
	want(t, "no proof", bob.post(t, path+"/complete", hidden(bob.page(t, path+"/complete"))...).code,
		http.StatusUnprocessableEntity)
	want(t, "reclaimed", ann.post(t, path+"/reclaim", form...).to(), path)
	want(t, "reclaimed twice", ann.post(t, path+"/reclaim", form...).to(), path)
	want(t, "bob ends it all the same", bob.post(t, path+"/complete", stale...).to(), path)
	found, err := b.payouts.Get(t.Context(), admin, id)
	noError(t, err)
	want(t, "status", found.Status, "waiting")
	want(t, "nothing to decide", ann.page(t, path).Find(".actions a").Length(), 0)

	_, err = b.payouts.Take(t.Context(), b.asTrader(), id)
	noError(t, err)
	form = hidden(ann.page(t, path+"/complete"), "proofReference", "<b>42</b>")
	want(t, "completed", ann.post(t, path+"/complete", form...).to(), path)
	form = hidden(ann.page(t, path+"/reverse"), "reason", "it came back")
	want(t, "reversed", ann.post(t, path+"/reverse", form...).to(), path)
	found, err = b.payouts.Get(t.Context(), admin, id)
	noError(t, err)
	want(t, "status then", found.Status, "failed")
	b.Audit(t)
}

// A conflict that is closed is listed no more.
func TestConflicts(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, _ := b.two(t)
	path := fmt.Sprintf("/operator/conflicts/%d", b.conflicting(t, b.create(t, "1500").ID))
	want(t, "listed", ann.page(t, "/operator/conflicts").Find("tbody a").AttrOr("href", ""), path)
	form := hidden(ann.page(t, path+"/close"))
	for range 2 {
		want(t, "closed", ann.post(t, path+"/close", form...).to(), path)
	}
	want(t, "listed then", ann.page(t, "/operator/conflicts").Find("tbody tr").Length(), 0)
	want(t, "badge", ann.page(t, path).Find(".headline .badge").Text(), "Closed")
}

// Dead events of a merchant's address are sent again, those of others are not.
func TestCaseResend(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, _ := b.two(t)
	b.tell(t, b.merchant, 1, "dead")
	row := ann.page(t, "/operator/events/dead").Find("tbody tr")
	want(t, "addresses", row.Length(), 1)
	confirm := row.Find("a").AttrOr("href", "")
	a := ann.post(t, "/operator/events/dead", hidden(ann.page(t, confirm))...)
	if !strings.HasPrefix(a.to(), "/operator/events/replays/") {
		t.Fatalf("resent: %d, to %q", a.code, a.to())
	}
	want(t, "sent", strings.TrimSpace(ann.page(t, a.to()).Find("dd.num").Text()), "1")
	want(t, "left", ann.page(t, "/operator/events/dead").Find("tbody tr").Length(), 0)
}

// Operators find payments and payouts of everybody, and keep to a merchant or a trader.
func TestCaseLists(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, _ := b.two(t)
	small, large := b.create(t, "1500"), b.create(t, "20000")
	for query, found := range map[string]int{
		"": 2, fmt.Sprint("?trader=", b.traders[0].ID): 1, fmt.Sprint("?merchant=", b.merchant.ID): 2, "?merchant=987654": 0,
		fmt.Sprintf("?q=%d", large.ID): 1,
	} {
		want(t, "payments"+query, ann.page(t, "/operator/payments"+query).Find("tbody tr").Length(), found)
	}
	want(t, "a wrong trader", ann.get(t, "/operator/payments?trader=x").code, http.StatusUnprocessableEntity)
	text := ann.get(t, fmt.Sprintf("/operator/payments/%d", small.ID)).text()
	for _, part := range []string{small.OrderID, "TraderTrader № 1", "MerchantMerchant № 1", "The trader keeps"} {
		wantIn(t, part+" is not in", text, part)
	}
	file := ann.get(t, "/operator/payments.csv")
	want(t, "lines of the file", strings.Count(strings.TrimSpace(file.body), "\n"), 3)
}

// Operators see the end of a payment's requisite. They read it whole at its own page, where that is
// noted.
func TestRequisitesAreHiddenFromOperators(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.operator(t, caller.Admin)
	pay := b.create(t, "1500")
	value := *pay.RequisiteValue
	for _, path := range []string{
		"/operator/payments", "/operator/payments.csv", fmt.Sprintf("/operator/payments/%d", pay.ID),
		fmt.Sprintf("/operator/routing/payments/%d", pay.ID), "/operator/work", "/operator/payments?q=" + value[len(value)-4:],
	} {
		a := p.get(t, path)
		want(t, path, a.code, http.StatusOK)
		wantNot(t, path+" shows", a.body, value)
	}
	facts := p.page(t, fmt.Sprintf("/operator/payments/%d", pay.ID)).Find("main").Text()
	wantIn(t, "the payment's page has not the end of its requisite", facts, "•••• "+value[len(value)-4:])
}
