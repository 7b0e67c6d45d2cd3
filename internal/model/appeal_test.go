package model_test

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// modelFiles are known by how they begin. The last is large enough to be kept
// in pieces.
var modelFiles = []modelFile{
	{"application/pdf", []byte("%PDF-1.7\nproof")},
	{"image/png", []byte(testenv.PNG)},
	{"image/jpeg", []byte("\xff\xd8\xff\xda\x00\x02pixels")},
	{"application/pdf", append([]byte("%PDF-1.4\n"), bytes.Repeat([]byte("0123456789abcdef"), 20_000)...)},
}

func newModelAppeal(s modelStep, p *modelPayment, actor string) *modelAppeal {
	file := modelFiles[0]
	if n := s.n[2] % 16; n < len(modelFiles) {
		file = modelFiles[n]
	}
	return &modelAppeal{
		modelStepped: modelStepped{s.id}, payment: p, word: "Paid, see " + strconv.Itoa(s.n[3]),
		name: pickModel([]string{"чек.pdf", "../a b"}, s.n[3]), file: file, actor: actor,
	}
}

func (a *modelAppeal) request() payment.AppealRequest {
	file := io.NewSectionReader(bytes.NewReader(a.file.content), 0, int64(len(a.file.content)))
	return payment.AppealRequest{Reason: &a.word, FileName: &a.name, File: file}
}

// appeal is a merchant's, mostly the payment's own.
func (w *modelWalk) appeal(s modelStep, p *modelPayment) {
	merchant := pickModel(w.model.merchants, s.n[4])
	if s.n[4]%8 > 0 {
		merchant = w.merchantOf(p.merchantID)
	}
	a := newModelAppeal(s, p, merchant.Caller.Actor())
	want := w.model.refuseAppeal(p)
	if merchant.ID != p.merchantID {
		want = "cashbox_access_denied"
	}
	ctx, injury := w.injured()
	got, err := w.service.OpenAppeal(ctx, merchant.Caller, p.id, a.request())
	if !w.judged(injury, err, want) {
		return
	}
	if injury.lost() {
		// Asked again, the merchant learns that it is there.
		_, err := w.service.OpenAppeal(w.ctx, merchant.Caller, p.id, a.request())
		wantCode(err, "appeal_already_exists")
		got = payment.AppealRecord{}
	}
	w.adoptAppeal(a, got)
}

func (w *modelWalk) merchantOf(id int64) *modelMerchant {
	return w.model.merchants[slices.IndexFunc(w.model.merchants, func(m *modelMerchant) bool { return m.ID == id })]
}

// adoptAppeal takes a new appeal into the model; of one whose answer was lost
// the number is looked up.
func (w *modelWalk) adoptAppeal(a *modelAppeal, got payment.AppealRecord) {
	p := a.payment
	w.tell("appeal opened", p.origin())
	w.model.openAppeal(a)
	if a.id = got.ID; a.id > 0 {
		a.same(got)
		return
	}
	must(w.check.QueryRow(w.ctx, "select id from appeal where merchant_id = $1 and payment_id = $2", p.merchantID, p.id).
		Scan(&a.id))
}

// rushAppeals posts an appeal several times at once: one opens it, the others
// find it there.
func (w *modelWalk) rushAppeals(s modelStep, p *modelPayment) {
	who := w.merchantOf(p.merchantID).Caller
	a, want := newModelAppeal(s, p, who.Actor()), w.model.refuseAppeal(p)
	answers, errs := atOnce(3, func(int) (payment.AppealRecord, error) {
		return w.service.OpenAppeal(w.ctx, who, p.id, a.request())
	})
	w.tell("appeal rushed", p.origin())
	first := -1
	if want == "" {
		if first = slices.Index(errs, nil); first < 0 {
			must(errs...)
		}
		want = "appeal_already_exists"
	}
	for i, err := range errs {
		if i != first {
			wantCode(err, want)
		}
	}
	if first >= 0 {
		w.adoptAppeal(a, answers[first])
	}
}

// review has an operator take up an appeal: its payment moves to appeal.
func (w *modelWalk) review(_ modelStep, a *modelAppeal) {
	ctx, injury := w.injured()
	got, err := w.service.ReviewAppeal(ctx, modelOperator, a.id)
	w.movedAppeal(a, injury, got, err, unless(a.status == "open", "appeal_not_open"), "appeal", nil)
}

// movedAppeal judges an operator's step, which is a move of the payment.
func (w *modelWalk) movedAppeal(
	a *modelAppeal, i *injury, got payment.AppealRecord, err error, want, to string, reason *string,
) {
	if !w.judged(i, err, want) {
		return
	}
	w.tell("operator "+to, a.payment.origin())
	w.model.move(a.payment, to, modelOperator.Actor(), reason, nil)
	if !i.lost() {
		a.same(got)
		a.payment.same(got.Payment)
	}
}

func (a *modelAppeal) refuseDecision() string {
	return unless(a.status == "in_review", "appeal_not_in_review")
}

// decide has an operator decide an appeal in review either way.
func (w *modelWalk) decide(s modelStep, a *modelAppeal) {
	r := payment.Resolution{Outcome: pickModel([]string{"completed", "failed"}, s.n[1]), Statement: new("no such line")}
	if r.Outcome == "failed" || s.n[2]%2 == 0 {
		r.Reason = new("the bank says so")
	}
	ctx, injury := w.injured()
	got, err := w.service.ResolveAppeal(ctx, modelOperator, a.id, r)
	w.movedAppeal(a, injury, got, err, a.refuseDecision(), r.Outcome, r.Reason)
}

// decideBoth decides an appeal both ways at once: one of the two holds, if any.
func (w *modelWalk) decideBoth(_ modelStep, a *modelAppeal) {
	outcomes, reason := []string{"completed", "failed"}, new("the bank says so")
	answers, errs := atOnce(2, func(i int) (payment.AppealRecord, error) {
		return w.service.ResolveAppeal(w.ctx, modelOperator, a.id, payment.Resolution{
			Outcome: outcomes[i], Reason: reason, Statement: new("no such line"),
		})
	})
	w.tell("appeal decided both ways", a.payment.origin())
	first := max(slices.Index(errs, nil), 0)
	refusal := a.refuseDecision()
	w.movedAppeal(a, &injury{}, answers[first], errs[first], refusal, outcomes[first], reason)
	wantCode(errs[1-first], cmp.Or(refusal, "appeal_not_in_review"))
}

type modelAppeal struct {
	modelStepped
	id      int64
	payment *modelPayment
	// word is why it was made.
	word, name string
	file       modelFile
	actor      string
	modelHistory
}

// modelFile is a file of an appeal, and the media type it is to be known for by
// its content.
type modelFile struct {
	kind    string
	content []byte
}

// modelAppealWindow is how long after a payment failed it can be appealed: at
// the very instant still.
const modelAppealWindow = 24 * time.Hour

// refuseAppeal is why a payment cannot be appealed, "" if it can; an earlier
// appeal comes first.
func (m *gatewayModel) refuseAppeal(p *modelPayment) string {
	switch {
	case p.appeal != nil:
		return "appeal_already_exists"
	case p.status != "failed":
		return "appeal_payment_not_failed"
	case p.reason != nil && *p.reason == "returned" && p.received > 0:
		return "appeal_money_returned"
	case m.now.Sub(p.at) > modelAppealWindow:
		return "appeal_window_closed"
	}
	return ""
}

func (m *gatewayModel) openAppeal(a *modelAppeal) {
	a.status, a.at, a.created = "open", m.now, m.now
	a.payment.appeal = a
	m.appeals = append(m.appeals, a)
}

// follow keeps an appeal in step with its payment as it leaves failed, appeal
// or completed, or comes to appeal: in review while the payment is in appeal,
// then decided as the payment is, and closed where the payment went elsewhere.
func (a *modelAppeal) follow(from, to string, now time.Time) {
	if a == nil || (from == "pending" || from == "cancelled") && to != "appeal" {
		return
	}
	status, decided := map[string]string{"appeal": "in_review", "completed": "completed", "failed": "failed"}[to]
	if !decided {
		status = "closed"
	}
	a.status, a.at = status, now
}

// lookAtAppeal compares a payment's appeal, its file included, or wants none.
func (p *modelPayment) lookAtAppeal(b *pgx.Batch) {
	lookAt(b, `
		select a.*, (select md5(string_agg(c.content, '' order by c.number)) from appeal_chunk c
			where c.merchant_id = a.merchant_id and c.payment_id = a.payment_id) as sum
		from appeal a where a.merchant_id = $1 and a.payment_id = $2`, []any{p.merchantID, p.id}, func(rows pgx.Rows) {
		found := given(pgx.CollectRows(rows, pgx.RowToStructByName[struct {
			db.Appeal
			Sum string
		}]))
		if len(found) == 0 && p.appeal == nil {
			return
		}
		if len(found) == 0 || p.appeal == nil {
			fail("payment %d has %d appeals", p.id, len(found))
		}
		want := p.appeal.shown()
		want["PaymentID"], want["Actor"], want["Sum"] = p.id, p.appeal.actor, fmt.Sprintf("%x", md5.Sum(p.appeal.file.content))
		wantFields(fmt.Sprint("the row of appeal ", p.appeal.id), found[0], want)
	})
}

// look is the payment's, whose appeal it is.
func (a *modelAppeal) look(w *modelWalk, b *pgx.Batch) { a.payment.look(w, b) }

// shown is what readers are shown of an appeal.
func (a *modelAppeal) shown() modelFields {
	return modelFields{
		"ID": a.id, "Reason": a.word, "FileName": a.name, "FileType": a.file.kind, "FileSize": len(a.file.content),
		"Status": a.status, "StatusAt": a.at, "CreatedAt": a.created,
	}
}

// same compares an appeal, as readers are shown it, and whose it is, with the
// model's.
func (a *modelAppeal) same(got payment.AppealRecord) {
	wantFields(fmt.Sprint("appeal ", a.id), got, a.shown())
	wantFields(fmt.Sprint("the payment of appeal ", a.id), got.Payment, modelFields{"ID": a.payment.id})
}
