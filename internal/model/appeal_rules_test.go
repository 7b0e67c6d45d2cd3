package model_test

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/payment"
)

type modelAppeal struct {
	// step is the one that opened it.
	step        int
	id          int64
	payment     *modelPayment
	reason      string
	name        string
	file        modelFile
	status      string
	actor       string
	at, created time.Time
}

// modelFile is a file of an appeal, and the media type it is to be known for by its content.
type modelFile struct {
	kind    string
	content []byte
}

// modelAppealWindow is how long after a payment failed it can be appealed: at the very instant
// still.
const modelAppealWindow = 24 * time.Hour

// refuseAppeal is why a payment cannot be appealed, "" if it can; an earlier appeal comes first.
func (m *gatewayModel) refuseAppeal(p *modelPayment) string {
	switch {
	case p.appeal != nil:
		return "appeal_already_exists"
	case p.status != "failed":
		return "appeal_payment_not_failed"
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

// follow keeps an appeal in step with its payment as it leaves failed or appeal, or comes to
// appeal: in review while the payment is in appeal, then decided as the payment is, and closed
// where the payment went elsewhere.
func (a *modelAppeal) follow(from, to string, now time.Time) {
	if a == nil || from != "failed" && from != "appeal" && to != "appeal" {
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
	b.Queue(`
		select a.*, (select md5(string_agg(c.content, '' order by c.number)) from appeal_chunk c
			where c.merchant_id = a.merchant_id and c.payment_id = a.payment_id) as sum
		from appeal a where a.merchant_id = $1 and a.payment_id = $2`, p.merchantID, p.id,
	).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct {
			db.Appeal
			Sum string
		}])
		switch {
		case err != nil:
			return err
		case len(found) == 0 && p.appeal == nil:
			return nil
		case len(found) == 0 || p.appeal == nil:
			return fmt.Errorf("payment %d has %d appeals", p.id, len(found))
		}
		sum := md5.Sum(p.appeal.file.content)
		if want := hex.EncodeToString(sum[:]); found[0].Sum != want {
			return fmt.Errorf("payment %d: the appeal's file has sum %s, not %s", p.id, found[0].Sum, want)
		}
		return p.appeal.sameRow(found[0].Appeal)
	})
}

// sameRow compares an appeal's row with the model's.
func (a *modelAppeal) sameRow(row db.Appeal) error {
	return errors.Join(a.same(payment.AppealRecord{
		ID:        row.ID,
		Status:    row.Status,
		StatusAt:  row.StatusAt,
		CreatedAt: row.CreatedAt,
		Reason:    row.Reason,
		FileName:  row.FileName,
		FileType:  row.FileType,
		FileSize:  row.FileSize,
		Payment:   payment.Payment{ID: row.PaymentID},
	}), sameFields("appeal "+strconv.FormatInt(a.id, 10), []modelField{{"actor", row.Actor, a.actor}}))
}

// same compares an appeal, as readers are shown it, with the model's.
func (a *modelAppeal) same(got payment.AppealRecord) error {
	units := func(n int64) string { return strconv.FormatInt(n, 10) }
	return sameFields("appeal "+units(a.id), []modelField{
		{"id", units(got.ID), units(a.id)}, {"payment", units(got.Payment.ID), units(a.payment.id)},
		{"reason", got.Reason, a.reason}, {"file name", got.FileName, a.name}, {"file type", got.FileType, a.file.kind},
		{"file size", units(got.FileSize), strconv.Itoa(len(a.file.content))}, {"status", got.Status, a.status},
		{"statusUpdatedAt", got.StatusAt.UTC().String(), a.at.String()},
		{"createdAt", got.CreatedAt.UTC().String(), a.created.String()},
	})
}
