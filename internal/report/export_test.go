package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
)

// Exports go over as many pages as there are, prefix what a spreadsheet would carry out, and end with
// the number of rows.
func TestExports(t *testing.T) {
	b := setup(t)
	baku := testenv.Must(time.LoadLocation("Asia/Baku"))(t)
	p := b.Create(t, b.Shop, "=1+2")
	b.Exec(t, `update payment set metadata = '{"region": "north"}' where id = $1`, p.ID)
	var out bytes.Buffer
	noError(t,
		b.reports.ExportPayments(t.Context(), merchantUser(b.Shop, caller.Owner), report.PaymentFilter{}, &out, baku))
	want := fmt.Sprintf(
		`created_at,id,uuid,order_id,method,currency,amount,status,status_reason,status_at,cashbox_id,trader_id,requisite,card_last4,amount_usdt,received_amount,metadata
2026-11-20T16:00:00+04:00,%d,%s,'=1+2,sbp,RUB,1000.00,pending,,2026-11-20T16:00:00+04:00,%d,,'%s,,,,"{""region"":""north""}"
rows,1
`, p.ID, p.UUID, b.Shop.CashboxID, *p.RequisiteValue)
	testenv.Want(t, out.String(), want, "the file")
	b.Copies(t, p, 1_001, 6_000)
	out.Reset()
	b.Clock.Advance(24 * time.Hour)
	b.Exec(t, "update merchant set name = '=Shop' where id = $1", b.Shop.ID)
	b.Exec(t, "update trader set name = 'Ann' where id = $1", b.SBP.ID)
	noError(t, b.reports.ExportPayments(t.Context(), operator, report.PaymentFilter{}, &out, nil))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	owners := fmt.Sprintf(",%d,'=Shop,Ann,,", b.Shop.ID)
	testenv.Check(t, strings.HasSuffix(lines[0], ",merchant_id,merchant,trader,received_amount,metadata") &&
		strings.Contains(lines[1], owners), "an operator's line has no names: %s\n%s", lines[0], lines[1])
	unique := map[string]bool{}
	for _, line := range lines[1 : len(lines)-1] {
		unique[strings.Split(line, ",")[1]] = true
	}
	testenv.Want(t, len(unique), 5_001, "payments in the file")
	testenv.Want(t, lines[len(lines)-1], "rows,5001", "the last line")
	// What a search names stands once, whatever else it finds on however many pages.
	b.Exec(t, "update payment set order_id = '1000' where id = $1", p.ID)
	b.Exec(t, "update payment_key set order_id = '1000' where payment_id = $1", p.ID)
	out.Reset()
	noError(t, b.reports.ExportPayments(t.Context(), operator, report.PaymentFilter{Search: "1000"}, &out, nil))
	if got := strings.TrimSpace(out.String()); !strings.HasSuffix(got, "\nrows,5001") || strings.Count(got, ",1000,sbp,") != 1 {
		t.Errorf("a search's file ends with %q and has order 1000 %d times", got[len(got)-20:], strings.Count(got, ",1000,sbp,"))
	}
	busy := b.Beside(t)
	testenv.Must(busy.Exec(t.Context(), "lock table payment"))(t)
	exported := make(chan error, 1)
	go func() {
		exported <- b.reports.ExportPayments(t.Context(), operator, report.PaymentFilter{}, io.Discard, nil)
	}()
	b.AwaitTries(t, 2)
	noError(t, busy.Rollback(t.Context()), <-exported)
	err := b.reports.ExportPayments(t.Context(), operator, report.PaymentFilter{}, failing{}, nil)
	testenv.WantError(t, err, errFull, "to a full disk")
	for who, want := range map[caller.Role]string{caller.Desk: "role_not_allowed", caller.Owner: ""} {
		err := b.reports.ExportPayments(t.Context(), traderUser(b.SBP, who), report.PaymentFilter{Search: "0000"}, &out,
			nil)
		testenv.Check(t, dbtest.CodeOf(err) == want, "a trader's %s: %v", who, err)
	}
}

func TestExportOfPayouts(t *testing.T) {
	b := setup(t)
	b.MayPayOut(t, b.Shop, b.SBP)
	p := b.PayOut(t, b.Shop, "payout-1")
	who := traderUser(b.SBP, caller.Owner)
	testenv.Must(b.Payouts.Take(t.Context(), who, p.UUID.String()))(t)
	var out bytes.Buffer
	noError(t, b.reports.ExportPayouts(t.Context(), who, report.PayoutFilter{}, &out, nil))
	want := fmt.Sprintf(
		`created_at,id,uuid,order_id,method,currency,amount,status,status_reason,status_at,cashbox_id,trader_id,address,recipient,proof_reference,frozen_usdt,reward_usdt
2026-11-20T12:00:00Z,%d,%s,,sbp,RUB,1000.00,processing,,2026-11-20T12:00:00Z,%d,%d,•••• 4567,Ivan Petrov,,,10.20000000
rows,1
`, p.ID, p.UUID, b.Shop.CashboxID, b.SBP.ID)
	testenv.Want(t, out.String(), want, "the file")
}

type failing struct{}

var errFull = errors.New("the disk is full")

func (failing) Write([]byte) (int, error) { return 0, errFull }
