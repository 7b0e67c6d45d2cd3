package payment_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// Receipts are taken from the claim until a day after an unpaid end, three of a payment at most,
// however many come at once. Nothing is left of one that is refused.
func TestReceiptWindow(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 2})
	p := b.create(t, merchant.Caller, request("order-1"))
	add := func(name, content string) error {
		return b.payments.AddReceipt(t.Context(), p.UUID, name, fileOf(content))
	}
	testenv.Want(t, dbtest.CodeOf(add("a.png", png)), "receipts_closed", "before the claim")
	testenv.Must(b.payments.Claim(t.Context(), p.UUID))(t)
	for name, content := range map[string]string{
		"a.png": "no picture", "": png, strings.Repeat("x", 256): png, "a\x00.png": png, "empty.png": "",
	} {
		got := fault.As(add(name, content))
		testenv.Check(t, got != nil && got.Fields["file"] != nil, "%q: %v", name, got)
	}
	refused := map[string]int{}
	for _, err := range testenv.AtOnce(8, func(i int) error { return add(fmt.Sprintf("%d.png", i), png) }) {
		refused[dbtest.CodeOf(err)]++
	}
	testenv.Check(t, refused[""] == 3 && refused["receipts_full"] == 5, "of eight at once: %v", refused)
	testenv.Want(t, b.Count(t, "select count(*) from payment_receipt_chunk"), 3, "pieces")

	merchant = b.NewMerchant(t, dbtest.MerchantOpts{})
	ended := b.made(t, merchant, "order-2", "cancelled")
	b.clock.Advance(24 * time.Hour)
	noError(t, b.payments.AddReceipt(t.Context(), ended.UUID, "in time.png", fileOf(png)))
	b.clock.Advance(time.Millisecond)
	testenv.Want(t, dbtest.CodeOf(b.payments.AddReceipt(t.Context(), ended.UUID, "late.png", fileOf(png))), "receipts_closed",
		"after a day")
	b.set(t, ended.ID, "completed")
	testenv.Want(t, dbtest.CodeOf(b.payments.AddReceipt(t.Context(), ended.UUID, "paid.png", fileOf(png))), "receipts_closed",
		"of a paid payment")
}

// Its trader, its merchant's portal and operators read a receipt as it was sent, and nobody else
// does. One is enough to appeal with.
func TestWhoSeesReceipts(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	p, merchant, trader := b.failed(t)
	content := png + strings.Repeat("\x01\x02\x03", 300_000) // of several pieces
	noError(t, b.payments.AddReceipt(ctx, p.UUID, "../../my receipt.exe", fileOf(content)))
	portal := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, MerchantID: merchant.Caller.MerchantID}
	auditor, looking := operator, portal
	auditor.Role, auditor.ID = caller.Auditor, 8
	looking.ViewAs, looking.Behind = true, 9
	readers := []caller.Caller{operator, auditor, looking}
	for name, test := range map[string]struct {
		who  caller.Caller
		want string
	}{
		"an auditor":       {auditor, ""},
		"who looks as it":  {looking, ""},
		"the trader":       {trader.Caller, ""},
		"the portal":       {portal, ""},
		"an operator":      {operator, ""},
		"another trader":   {caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: trader.ID + 1}, "not_found"},
		"another merchant": {caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, MerchantID: portal.MerchantID + 1}, "cashbox_access_denied"},
	} {
		list, err := b.payments.ListReceipts(ctx, test.who, p.ID)
		testenv.Check(t, dbtest.CodeOf(err) == test.want && (err != nil || (len(list) == 1 && list[0].Name == ".._.._my receipt.exe.png")),
			"%s lists %+v, %v", name, list, err)
		found, got, err := b.payments.ReadReceipt(ctx, test.who, p.ID, 1)
		testenv.Check(t, dbtest.CodeOf(err) == test.want &&
			(err != nil || bytes.Equal(got, []byte(content)) && found.Size == int64(len(content))),
			"%s reads %d bytes, %v", name, len(got), err)
		_, _, err = b.payments.ReadReceipt(ctx, test.who, p.ID, 2)
		testenv.Check(t, err != nil, "%s reads a receipt that is none", name)
	}

	// Of these operators alone are noted, whatever their role, and those who look as another user: the others read
	// what is theirs.
	seen := "select count(*) from sensitive_read where subject = $1 and what = $2 and user_id = $3"
	for _, who := range readers {
		testenv.Want(t, b.Count(t, seen, "payment", "receipt", max(who.ID, who.Behind)), 1,
			"notes of who read the receipt")
	}
	testenv.Want(t, b.Count(t, "select count(*) from sensitive_read"), len(readers), "notes")

	reason := "The payer shows the transfer."
	_, err := b.payments.AppealWithReceipt(ctx, portal, p.ID, 3, &reason)
	testenv.Check(t, errors.Is(err, fault.ErrNotFound), "an appeal with no receipt: %v", err)
	opened := testenv.Must(b.payments.AppealWithReceipt(ctx, portal, p.ID, 1, &reason))(t)
	file := testenv.Must(b.payments.ReadAppealFile(ctx, portal, opened.ID))(t)
	for _, who := range readers {
		testenv.Must(b.payments.ReadAppealFile(ctx, who, opened.ID))(t)
		testenv.Want(t, b.Count(t, seen+" and subject_key = $4", "appeal", "file", max(who.ID, who.Behind),
			strconv.FormatInt(opened.ID, 10)), 1, "notes of who read the appeal's file")
	}
	testenv.Check(t, opened.Status == "open" && opened.Reason == reason && bytes.Equal(file.Content, []byte(content)),
		"opened %+v with %d bytes", opened, len(file.Content))
	_, err = b.payments.AppealWithReceipt(ctx, portal, p.ID, 1, &reason)
	testenv.Check(t, dbtest.CodeOf(err) == "appeal_already_exists", "a second appeal: %v", err)
}

// Files go when they have been kept long enough, each removal leaves one line in the log, and what
// describes them stays. Files that are still needed stay.
func TestPurgeFiles(t *testing.T) {
	b := setup(t)
	const keep = 30 * 24 * time.Hour
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 5})
	appealed := func(order string) (payment.Payment, payment.AppealRecord) {
		p := b.set(t, b.create(t, merchant.Caller, request(order)).ID, "failed")
		noError(t, b.payments.AddReceipt(t.Context(), p.UUID, "r.png", fileOf(png)))
		return p, testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, appeal(700_000)))(t)
	}
	decided, decidedAppeal := appealed("decided")
	b.set(t, decided.ID, "completed")
	open, openAppeal := appealed("open")
	b.set(t, open.ID, "appeal")
	// Until an operator looks into it, its payment stays failed.
	waiting, _ := appealed("waiting")

	b.clock.Advance(keep)
	purge := func() {
		t.Helper()
		noError(t, b.payments.PurgeFiles(t.Context(), keep))
	}
	const lines = "select count(*) from setting_change where subject = 'purge'"
	if purge(); b.Count(t, lines) != 0 {
		t.Error("files went before their time")
	}
	b.clock.Advance(time.Millisecond)
	purge()
	purge() // finds nothing more
	_, err := b.payments.ReadAppealFile(t.Context(), operator, decidedAppeal.ID)
	testenv.Check(t, dbtest.CodeOf(err) == "file_purged", "the decided appeal's file: %v", err)
	_, _, err = b.payments.ReadReceipt(t.Context(), operator, decided.ID, 1)
	testenv.Check(t, dbtest.CodeOf(err) == "file_purged", "the decided payment's receipt: %v", err)
	file, err := b.payments.ReadAppealFile(t.Context(), operator, openAppeal.ID)
	testenv.Check(t, err == nil && len(file.Content) == 700_000,
		"the open appeal's file: %d bytes, %v", len(file.Content), err)
	for _, p := range []payment.Payment{open, waiting} {
		_, _, err := b.payments.ReadReceipt(t.Context(), operator, p.ID, 1)
		testenv.Check(t, err == nil, "the receipt of %s, whose appeal is open: %v", p.OrderID, err)
	}
	list, err := b.payments.ListReceipts(t.Context(), operator, decided.ID)
	testenv.Check(t, err == nil && len(list) == 1 && list[0].Name == "r.png",
		"what describes the receipt: %+v, %v", list, err)
	for what, want := range map[string][3]int64{
		"appeal_file": {1, 700_000, decidedAppeal.ID}, "receipt": {1, int64(len(png)), decided.ID},
	} {
		var raw []byte
		var got struct{ Count, Bytes, First, Last int64 }
		row := b.Pool.QueryRow(t.Context(),
			"select after from setting_change where subject = 'purge' and subject_key = $1 and actor = 'system'", what)
		noError(t, row.Scan(&raw))
		err := json.Unmarshal(raw, &got)
		testenv.Check(t, err == nil && got.Count == want[0] && got.Bytes == want[1] &&
			got.First == want[2] && got.Last == want[2], "the receipt of %s: %s, %v", what, raw, err)
	}
	testenv.Want(t, b.Count(t, lines), 2, "lines in the log")
}

// What a picture tells beside what is on it is left out of a receipt: the pixels, which way up they are and the colour profile
// stay. What is not built as its type says is kept as it came. The pictures of testdata/metadata tell a place in every way that
// their types have, and below kept is what is kept of each that loses something.
func TestReceiptsLoseMetadata(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 9})
	for _, path := range testenv.Must(filepath.Glob("testdata/metadata/*.*"))(t) {
		name := filepath.Base(path)
		sent := testenv.Must(os.ReadFile(path))(t)
		want, err := os.ReadFile("testdata/metadata/kept/" + name)
		if err != nil {
			want = sent
		}
		made := b.create(t, merchant.Caller, request("order-"+name))
		testenv.Must(b.payments.Claim(t.Context(), made.UUID))(t)
		noError(t, b.payments.AddReceipt(t.Context(), made.UUID, name, fileOf(string(sent))))
		receipt, kept, err := b.payments.ReadReceipt(t.Context(), operator, made.ID, 1)
		testenv.Check(t, err == nil && bytes.Equal(kept, want) && receipt.Size == int64(len(want)),
			"%s: %d bytes of %d are kept as %d: %q, %v", name, len(kept), len(sent), receipt.Size, kept, err)
	}
	testenv.Want(t, b.Count(t, "select count(*) from payment_receipt"), 8, "receipts")
}
