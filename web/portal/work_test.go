package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/payment"
	"gateway.example/internal/work"
)

// deposited asks for a deposit of so many USDT.
func (b *bundle) deposited(t testing.TB, amount, reference string) deposit.Deposit {
	t.Helper()
	n := b.orders.Add(1)
	made, err := b.rooms.Deposits.Create(t.Context(), b.asMerchant(), deposit.Request{
		CashboxID:         &b.merchant.CashboxID,
		Amount:            amount,
		Network:           "TRC20",
		Address:           "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		ExternalReference: &reference,
		IdempotencyKey:    fmt.Sprintf("%08d-0000-4000-8000-000000000000", n),
	})
	noError(t, err)
	return made.Deposit
}

// openedAppeal makes a payment that an application fails, and appeals it.
func (b *bundle) openedAppeal(t testing.TB, reason string) (payment.Payment, int64) {
	t.Helper()
	p := b.create(t, fmt.Sprint(1500+b.orders.Load()))
	application := caller.Caller{Kind: caller.Application}
	_, _, err := b.payments.UpdateStatus(t.Context(), application, p.ID, payment.Update{Status: "failed"})
	noError(t, err)
	name := "proof.png"
	opened, err := b.payments.OpenAppeal(t.Context(), b.asMerchant(), p.ID, payment.AppealRequest{
		Reason: &reason, FileName: &name, File: section("\x89PNG\r\n\x1a\n"),
	})
	noError(t, err)
	return p, opened.ID
}

// two are two operators who may decide everything.
func (b *bundle) two(t testing.TB) (ann, bob *person) {
	t.Helper()
	b.user(t, "ann", caller.Operator, caller.Admin, 0)
	b.user(t, "bob", caller.Operator, caller.Admin, 0)
	return b.signIn(t, "ann"), b.signIn(t, "bob")
}

// What waits stands on the first page, which leads to it; what is decided does not.
func TestWork(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, bob := b.two(t)
	want(t, "nothing", ann.page(t, "/operator").Find("section.card").Length(), 0)
	d := b.deposited(t, "250.5", "first")
	b.clock.Advance(2 * time.Hour)
	page := ann.page(t, "/operator")
	want(t, "queues", page.Find("section.card").Length(), 1)
	text := strings.Join(strings.Fields(page.Find("section.card").Text()), " ")
	for _, part := range []string{"Deposits to confirm 1", "Deposit № 1", "250.50\u00a0USDT", "2 h 0 min"} {
		wantIn(t, part+" is not in", strings.ReplaceAll(text, "\u00a0", " "), strings.ReplaceAll(part, "\u00a0", " "))
	}
	path := fmt.Sprintf("/operator/deposits/%d", d.ID)
	want(t, "its address", page.Find(`section.card li a`).AttrOr("href", ""), path)

	want(t, "taken", bob.post(t, path+"/take").to(), path)
	if badge := ann.page(t, "/operator").Find("section.card .badge").Text(); !strings.HasPrefix(badge, "bob, ") {
		t.Errorf("taken by %q", badge)
	}
	part := ann.get(t, "/operator/work", "HX-Request", "true")
	if !strings.Contains(part.body, "bob") || strings.Contains(part.body, "<html") {
		t.Errorf("the part that changes: %s", part.body)
	}
	want(t, "Russian", strings.Contains(ann.get(t, "/operator?lang=ru").body, "Пополнения без подтверждения"), true)
}

// Of two operators who confirm one deposit at once, one does.
func TestConfirmDepositOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, bob := b.two(t)
	d := b.deposited(t, "250.5", "first")
	path := fmt.Sprintf("/operator/deposits/%d", d.ID)
	question := ann.page(t, path+"/confirm")
	wantIn(t, "the question", question.Find("main form").Text(), "250.50\u00a0USDT",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
	forms := map[*person][]string{ann: hidden(question), bob: hidden(bob.page(t, path+"/confirm"))}
	var all sync.WaitGroup
	var lock sync.Mutex
	said := map[string]int{}
	for p, form := range forms {
		for range 2 { // and each clicks twice
			all.Go(func() {
				a := p.post(t, path+"/confirm", form...)
				lock.Lock()
				defer lock.Unlock()
				said[fmt.Sprint(a.code, " ", a.to())]++
			})
		}
	}
	all.Wait()
	want(t, "answers", fmt.Sprint(said), fmt.Sprint(map[string]int{"303 " + path: 4}))
	credited := b.Count(t, "select count(*) from transfer where subject = 'deposit' and subject_id = $1", d.ID)
	want(t, "credited", credited, 1)
	b.Audit(t)
	wantIn(t, "after that", ann.page(t, path).Find("main").Text(), "Confirmed")
	want(t, "the question now", ann.get(t, path+"/confirm").to(), path)
}

// What another operator has taken is decided only by who takes it over.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, bob := b.two(t)
	d := b.deposited(t, "10", "first")
	path := fmt.Sprintf("/operator/deposits/%d", d.ID)
	form := hidden(ann.page(t, path+"/reject"), "reason", "never came")
	want(t, "bob takes it", bob.post(t, path+"/take").to(), path)
	want(t, "ann rejects it all the same", ann.post(t, path+"/reject", form...).to(), path)
	want(t, "the flash", strings.Contains(ann.get(t, path).body, "Another operator has taken this"), true)
	want(t, "what she is asked", ann.page(t, path+"/reject").Find("main h1").Text(), "Take it over?")
	want(t, "she cannot just take it", ann.post(t, path+"/take").to(), path)
	want(t, "it is his", strings.Contains(ann.get(t, path+"/claim").body, "bob took this"), true)
	over := hidden(ann.page(t, path+"/reject"))
	want(t, "she takes it over", ann.post(t, path+"/take", over...).to(), path+"/reject")
	form = hidden(ann.page(t, path+"/reject"), "reason", "never came")
	want(t, "rejected", ann.post(t, path+"/reject", form...).to(), path)
	found, err := b.rooms.Deposits.Get(t.Context(), b.asMerchant(), d.ID)
	noError(t, err)
	want(t, "status", found.Status, "rejected")

	d = b.deposited(t, "11", "second")
	path = fmt.Sprintf("/operator/deposits/%d", d.ID)
	want(t, "bob takes the second", bob.post(t, path+"/take").to(), path)
	b.clock.Advance(work.ClaimLasts)
	want(t, "too long ago", ann.page(t, path+"/confirm").Find("main h1").Text(), "Have the USDT arrived?")
	want(t, "ann takes it", ann.post(t, path+"/take").to(), path)
	want(t, "it is hers", strings.Contains(bob.get(t, path+"/claim").body, "ann took this"), true)
	want(t, "released", ann.post(t, path+"/release").to(), path)
	want(t, "nobody's", strings.Contains(bob.get(t, path+"/claim").body, "Nobody has taken this"), true)
}

// Each role decides what is its own, and takes nothing else.
func TestDecisionsByRole(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	d := b.deposited(t, "10", "first")
	_, appealID := b.openedAppeal(t, "it was paid")
	money, cases := fmt.Sprintf("/operator/deposits/%d", d.ID), fmt.Sprintf("/operator/appeals/%d", appealID)
	for role, may := range map[caller.Role][2]int{
		caller.Auditor: {http.StatusForbidden, http.StatusForbidden}, caller.Support: {http.StatusForbidden, http.StatusOK},
		caller.Treasury: {http.StatusOK, http.StatusForbidden}, caller.Admin: {http.StatusOK, http.StatusOK},
	} {
		b.user(t, string(role), caller.Operator, role, 0)
		p := b.signIn(t, string(role))
		want(t, string(role)+" confirms", p.get(t, money+"/confirm").code, may[0])
		want(t, string(role)+" reviews", p.get(t, cases+"/review").code, may[1])
		for path, code := range map[string]int{money: may[0], cases: may[1]} {
			took := p.post(t, path+"/take").code
			want(t, string(role)+" takes "+path, took == http.StatusForbidden, code == http.StatusForbidden)
			if code == http.StatusOK {
				p.post(t, path+"/release")
			}
		}
	}
}

// An appeal is read, taken up and accepted, and its payment is completed.
func TestDecideAppeal(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	ann, _ := b.two(t)
	p, id := b.openedAppeal(t, "<script>it was paid</script>")
	path := fmt.Sprintf("/operator/appeals/%d", id)
	page := ann.page(t, path)
	want(t, "what was written", page.Find("p.lines").Text(), "<script>it was paid</script>")
	if page.Find("ol.timeline li").Length() < 3 {
		t.Errorf("the timeline: %s", page.Find("ol.timeline").Text())
	}
	file := ann.get(t, path+"/file")
	want(t, "file", file.code, http.StatusOK)
	want(t, "kept", strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment"), true)
	stale := hidden(ann.page(t, path+"/review"))
	want(t, "reviewed", ann.post(t, path+"/review", stale...).to(), path)
	want(t, "the payment", b.status(t, p), "appeal")
	want(t, "no reason", ann.post(t, path+"/refuse", hidden(ann.page(t, path+"/refuse"))...).code,
		http.StatusUnprocessableEntity)
	form := hidden(ann.page(t, path+"/accept"), "reason", "seen in the bank")
	want(t, "accepted", ann.post(t, path+"/accept", form...).to(), path)
	want(t, "the payment then", b.status(t, p), "completed")
	b.Audit(t)
}
