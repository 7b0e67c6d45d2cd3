package payment_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
)

// Files go when they have been kept long enough, each removal leaves one line in the log, and what
// describes them stays. Files that are still needed stay.
func TestPurgeFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	const keep = 30 * 24 * time.Hour
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 5})
	appealed := func(order string) (payment.Payment, payment.AppealRecord) {
		p := b.set(t, b.create(t, merchant.Caller, request(order)).ID, "failed")
		if err := b.payments.AddReceipt(ctx, p.UUID, "r.png", fileOf(png)); err != nil {
			t.Fatal(err)
		}
		return p, must[payment.AppealRecord](t)(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(700_000)))
	}
	decided, decidedAppeal := appealed("decided")
	b.set(t, decided.ID, "completed")
	open, openAppeal := appealed("open")
	b.set(t, open.ID, "appeal")

	b.clock.Advance(keep)
	purge := func() {
		t.Helper()
		if err := b.payments.PurgeFiles(ctx, keep); err != nil {
			t.Fatal(err)
		}
	}
	const lines = "select count(*) from setting_change where subject = 'purge'"
	if purge(); b.count(t, lines) != 0 {
		t.Error("files went before their time")
	}
	b.clock.Advance(time.Millisecond)
	purge()
	purge() // finds nothing more
	if _, err := b.payments.ReadAppealFile(ctx, operator, decidedAppeal.ID); code(err) != "file_purged" {
		t.Errorf("the decided appeal's file: %v", err)
	}
	if _, _, err := b.payments.ReadReceipt(ctx, operator, decided.ID, 1); code(err) != "file_purged" {
		t.Errorf("the decided payment's receipt: %v", err)
	}
	if file, err := b.payments.ReadAppealFile(ctx, operator, openAppeal.ID); err != nil ||
		len(file.Content) != 700_000 {
		t.Errorf("the open appeal's file: %d bytes, %v", len(file.Content), err)
	}
	if _, _, err := b.payments.ReadReceipt(ctx, operator, open.ID, 1); err != nil {
		t.Errorf("the open payment's receipt: %v", err)
	}
	list, err := b.payments.ListReceipts(ctx, operator, decided.ID)
	if err != nil || len(list) != 1 || list[0].Name != "r.png" {
		t.Errorf("what describes the receipt: %+v, %v", list, err)
	}
	for what, want := range map[string][3]int64{
		"appeal_file": {1, 700_000, decidedAppeal.ID}, "receipt": {1, int64(len(png)), decided.ID},
	} {
		var raw []byte
		var got struct{ Count, Bytes, First, Last int64 }
		row := b.Pool.QueryRow(
			ctx,
			"select after from setting_change where subject = 'purge' and subject_key = $1 and actor = 'system'",
			what,
		)
		if err := row.Scan(&raw); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &got); err != nil || got.Count != want[0] || got.Bytes != want[1] ||
			got.First != want[2] ||
			got.Last != want[2] {
			t.Errorf("the receipt of %s: %s, %v", what, raw, err)
		}
	}
	if n := b.count(t, lines); n != 2 {
		t.Errorf("%d lines in the log", n)
	}
}
