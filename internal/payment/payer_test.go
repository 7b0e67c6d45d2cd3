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

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// told has the merchant of a cashbox told what payers say.
func (b *bundle) told(t *testing.T, cashboxID int64) {
	t.Helper()
	b.Exec(t, "update cashbox set payer_events = true where id = $1", cashboxID)
}

// stands is what must not change without a reason.
func (b *bundle) stands(t *testing.T, p payment.Payment) string {
	t.Helper()
	return b.Text(t, "select to_jsonb(p)::text from payment p where id = $1", p.ID)
}

// The first claim is kept, gives the transfer fifteen minutes to arrive, and is
// told to a merchant who asked for it. A repeat changes nothing, also after the
// payment has ended.
func TestClaim(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.told(t, merchant.CashboxID)
	p := b.create(t, merchant.Caller, request("order-1"))
	testenv.Check(t, p.ClaimedAt == nil, "claimed at %s before anybody said so", p.ClaimedAt)
	b.clock.Advance(5*time.Minute + 123*time.Millisecond)
	now := b.clock.Now()
	claimed, err := b.payments.Claim(t.Context(), p.UUID)
	testenv.Need(t, err == nil && claimed.Status == payment.Pending && claimed.ClaimedAt != nil && claimed.ClaimedAt.Equal(now) &&
		claimed.ExpiresAt.Equal(now.Add(15*time.Minute)) && claimed.EventSequence == 1 &&
		claimed.StatusAt.Equal(p.StatusAt), "%+v, %v", claimed, err)
	b.wantEvent(t, p, "event_claimed.json")
	read, err := b.payments.Get(t.Context(), merchant.Caller, p.UUID.String())
	testenv.Check(t, err == nil && read.ClaimedAt.Equal(now) && read.ExpiresAt.Equal(claimed.ExpiresAt),
		"read %v, %s, %v", read.ClaimedAt, read.ExpiresAt, err)
	before := b.stands(t, p)
	b.clock.Advance(time.Minute)
	again, err := b.payments.Claim(t.Context(), p.UUID)
	testenv.Check(t, err == nil && again.ClaimedAt.Equal(now) && b.stands(t, p) == before,
		"a repeat: %v, %v", again.ClaimedAt, err)
	// It expires when it says it does, not when it was to at first.
	b.clock.Advance(13 * time.Minute)
	b.wantExpired(t, 0)
	testenv.Must(b.payments.Confirm(t.Context(), trader.Caller, p.ID))(t)
	if again, err = b.payments.Claim(t.Context(), p.UUID); err != nil || again.Status != payment.Completed {
		t.Errorf("a repeat after the end: %s, %v", again.Status, err)
	}
	// The claim and the change that follows it are numbered without a gap.
	right := b.Count(t, `select count(*) from webhook_event e join (values
			(1, 'payment.payer.claimed', 'PENDING'), (2, 'payment.status.updated', 'COMPLETED')) as w (sequence, type, status)
			on e.sequence = w.sequence and e.type = w.type and convert_from(e.body, 'UTF8')::json #>> '{data,status}' = w.status
		where e.subject_id = $1`, p.ID)
	n := b.Count(t, "select count(*) from webhook_event")
	testenv.Check(t, n == 2 && right == 2, "%d events, %d of them right, want 2", n, right)
	b.Audit(t)
}

// The setting moves the expiry only ahead: one that is later anyway stays.
func TestClaimNeverShortens(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	for name, c := range map[string]struct {
		seconds int
		after   time.Duration
		want    time.Duration // of the creation
	}{
		"short":               {1, 5 * time.Minute, 15 * time.Minute},
		"just as long":        {600, 5 * time.Minute, 15 * time.Minute},
		"a second longer":     {601, 5 * time.Minute, 15*time.Minute + time.Second},
		"longest":             {86_400, 0, 24 * time.Hour},
		"short, near the end": {1, 14*time.Minute + 59500*time.Millisecond, 15*time.Minute + 500*time.Millisecond},
	} {
		b.Exec(t, "update cashbox_method set claim_seconds = $1", c.seconds)
		p := b.create(t, merchant.Caller, request(name))
		b.clock.Advance(c.after)
		claimed, err := b.payments.Claim(t.Context(), p.UUID)
		testenv.Check(t, err == nil && claimed.ExpiresAt.Equal(p.CreatedAt.Add(c.want)),
			"%s: expires %s after its creation, want %s, %v", name, claimed.ExpiresAt.Sub(p.CreatedAt), c.want, err)
	}
	// Nobody asked to be told.
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 0, "events")
}

// Payers who press twice at once have said so once.
func TestParallelClaims(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.told(t, merchant.CashboxID)
	p := b.create(t, merchant.Caller, request("order-1"))
	testenv.NoError(t, testenv.AtOnce(10, func(int) error { return testenv.ErrOf(b.payments.Claim(context.Background(), p.UUID)) })...)
	told := "select count(*) from webhook_event where type = 'payment.payer.claimed' and sequence = 1"
	testenv.Want(t, b.Count(t, told), 1, "claims that are told of")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 1, "events")
	testenv.Want(t, b.row(t, p).EventSequence, 1, "number of the last event")
}

// A payer claims or cancels at the same moment as the trader confirms. A claim
// leaves the payment completed either way, and its events follow each other
// without a gap; of a cancel and a confirmation one wins, and the other is
// told.
func TestPayerAgainstTrader(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 40})
	b.told(t, merchant.CashboxID)
	against := func(order string, payer func(context.Context, uuid.UUID) (payment.Payment, error)) (payment.Payment, []error) {
		p := b.create(t, merchant.Caller, request(order))
		errs := testenv.AtOnce(2, func(i int) error {
			if i == 0 {
				return testenv.ErrOf(payer(context.Background(), p.UUID))
			}
			return testenv.ErrOf(b.payments.Confirm(context.Background(), trader.Caller, p.ID))
		})
		return testenv.Must(b.payments.ByUUID(t.Context(), p.UUID))(t), errs
	}
	for i := range 20 {
		now, errs := against(fmt.Sprint("claim-", i), b.payments.Claim)
		claimed, confirmed := errs[0], errs[1]
		want := 2
		if claimed != nil {
			dbtest.WantCode(t, claimed, "payment_not_pending")
			want = 1
		}
		testenv.Check(t, confirmed == nil && now.Status == payment.Completed && (now.ClaimedAt != nil) == (claimed == nil),
			"%s, claimed at %v: %v", now.Status, now.ClaimedAt, confirmed)
		numbered := "select count(*) from webhook_event where subject_id = $1 and sequence <= $2"
		testenv.Want(t, b.Count(t, numbered, now.ID, want), want, "events")

		now, errs = against(fmt.Sprint("cancel-", i), b.payments.CancelByPayer)
		dbtest.WantOne(t, errs, "payment_not_pending")
		status := payment.Completed
		if errs[0] == nil {
			status = "cancelled"
		}
		testenv.Want(t, now.Status, status, "the status of who won")
	}
	b.Audit(t)
}

// The payer's cancel moves everything a trader's does: status, history, money,
// and one webhook.
func TestPayerCancels(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order"))
	after, err := b.payments.CancelByPayer(t.Context(), p.UUID)
	testenv.Need(t, err == nil && after.Status == "cancelled" && after.StatusReason == nil && !after.Expired(),
		"%s, %v", after.Status, err)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["cancelled"])
	changes := b.History(t, after.MerchantID, after.ID)
	testenv.Check(t, len(changes) == 2 && changes[1].Actor == "payer" && *changes[1].FromStatus == "pending" &&
		changes[1].ToStatus == "cancelled", "%+v", changes)
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where subject_id = $1", p.ID), 1, "webhooks")
}

// A payer's steps come too late once the time is over, before the sweep too,
// and once the payment is not pending. A card payment has no claim, and neither
// has a link that is none.
func TestPayersStepsRefused(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 10})
	b.told(t, merchant.CashboxID)
	refused := func(p payment.Payment, code string, steps ...func(context.Context, uuid.UUID) (payment.Payment, error)) {
		t.Helper()
		before := b.stands(t, p)
		for _, step := range steps {
			dbtest.WantCode(t, testenv.ErrOf(step(t.Context(), p.UUID)), code)
		}
		testenv.Want(t, b.stands(t, p), before, "%s: what the refused step leaves", p.OrderID)
	}
	for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
		p := b.made(t, merchant, status, status)
		refused(p, "payment_not_pending", b.payments.Claim, b.payments.CancelByPayer)
	}
	p := b.create(t, merchant.Caller, request("cancelled by the payer"))
	testenv.Must(b.payments.CancelByPayer(t.Context(), p.UUID))(t)
	refused(p, "payment_not_pending", b.payments.Claim)
	p = b.create(t, merchant.Caller, request("late"))
	b.clock.Advance(15 * time.Minute)
	refused(p, "payment_not_pending", b.payments.Claim, b.payments.CancelByPayer)
	b.wantExpired(t, 1)
	testenv.Want(t, testenv.Must(b.payments.ByUUID(t.Context(), p.UUID))(t).Expired(), true, "expired")
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Claim(t.Context(), uuid.New())), "not_found")
	dbtest.WantCode(t, testenv.ErrOf(b.payments.CancelByPayer(t.Context(), uuid.New())), "not_found")

	cards, _ := b.abroad(t, "quasi_ecom")
	refused(b.create(t, cards.Caller, requestBy("card", "AZN", "quasi_ecom")), "not_found", b.payments.Claim)
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where type = 'payment.payer.claimed'"), 0, "claims told of")
}

// Where the cashbox names hosts, payers go back to those alone, whatever their
// case and port.
func TestReturnHosts(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	allow := func(hosts ...string) {
		t.Helper()
		testenv.Must(settings.UpdateCashbox(t.Context(), operator,
			directory.CashboxUpdate{ID: merchant.CashboxID, ReturnHosts: &hosts}))(t)
	}
	create := func(order, address string) (payment.Created, error) {
		r := request(order)
		r.ReturnURL = &address
		return b.payments.Create(t.Context(), merchant.Caller, r)
	}
	first := testenv.Must(create("first", "https://elsewhere.example/"))(t) // any host, as long as the cashbox names none
	read := testenv.Must(b.payments.Get(t.Context(), merchant.Caller, first.Payment.UUID.String()))(t)
	testenv.Want(t, *read.ReturnURL, "https://elsewhere.example/", "it returns to")
	allow("shop.example", "Pay.Shop.example", "Магазин.рф")
	for _, address := range []string{
		"https://shop.example/thanks", "https://SHOP.example:8443/", "https://pay.shop.example/",
		"https://магазин.рф/", "https://xn--80aairftm.xn--p1ai/thanks",
	} {
		testenv.Must(create(address, address))(t)
	}
	for _, address := range []string{
		"https://elsewhere.example/", "https://shop.example.evil.example/", "https://evilshop.example/",
		"https://www.shop.example/", "https://evil.example/?shop.example", "https://evil.example/#shop.example",
	} {
		dbtest.WantFields(t, testenv.ErrOf(create("refused", address)), "returnUrl")
	}
	// A payment without a return address needs no host, and a repeat is
	// judged by nothing but its order id: it is the payment as it was made.
	b.create(t, merchant.Caller, request("none"))
	for _, address := range []string{"https://shop.example/", "https://refused.example/"} {
		again, err := create("first", address)
		testenv.Check(t, err == nil && again.Replay && len(again.Mismatch) == 0 &&
			*again.Payment.ReturnURL == *first.Payment.ReturnURL, "a repeat that returns to %s: %+v, %v", address,
			again, err)
	}
	allow()
	testenv.Must(create("refused", "https://elsewhere.example/"))(t)
}

// Receipts are taken from the claim until a day after an unpaid end, three of a
// payment at most, however many come at once. Nothing is left of one that is
// refused.
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
	testenv.NoError(t, b.payments.AddReceipt(t.Context(), ended.UUID, "in time.png", fileOf(png)))
	b.clock.Advance(time.Millisecond)
	testenv.Want(t, dbtest.CodeOf(b.payments.AddReceipt(t.Context(), ended.UUID, "late.png", fileOf(png))), "receipts_closed",
		"after a day")
	b.set(t, ended.ID, "completed")
	testenv.Want(t, dbtest.CodeOf(b.payments.AddReceipt(t.Context(), ended.UUID, "paid.png", fileOf(png))), "receipts_closed",
		"of a paid payment")
}

// Its trader, its merchant's portal and operators read a receipt as it was
// sent, and nobody else does. One is enough to appeal with.
func TestWhoSeesReceipts(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	p, merchant, trader := b.failed(t)
	content := png[:33] + "\x00\x0d\xbb\xa0IDAT" + strings.Repeat("\x01\x02\x03", 300_000) + "sum." // of several pieces
	testenv.NoError(t, b.payments.AddReceipt(ctx, p.UUID, "../../my receipt.exe", fileOf(content)))
	portal := portalOf(merchant.ID)
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
		"another merchant": {portalOf(merchant.ID + 1), "cashbox_access_denied"},
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

	// Of these operators alone are noted, whatever their role, and those
	// who look as another user: the others read what is theirs.
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

// A receipt with as long a name as a file may have is evidence as well, though
// its name is shown with the extension that it lacks.
func TestAppealWithLongName(t *testing.T) {
	b := setup(t)
	p, merchant, _ := b.failed(t)
	testenv.NoError(t, b.payments.AddReceipt(t.Context(), p.UUID, strings.Repeat("я", 255), fileOf(png)))
	opened := testenv.Must(b.payments.AppealWithReceipt(t.Context(), portalOf(merchant.ID), p.ID, 1, new("It shows the transfer.")))(t)
	testenv.Want(t, opened.KeptName(), strings.Repeat("я", 251)+".png", "the name of the file")
}

// Files go when they have been kept long enough, each removal leaves one line
// in the log, and what describes them stays. Files that are still needed stay.
func TestPurgeFiles(t *testing.T) {
	const keep = 30 * 24 * time.Hour
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 9})
	receipt := func(p payment.Payment) {
		t.Helper()
		testenv.NoError(t, b.payments.AddReceipt(t.Context(), p.UUID, "r.png", fileOf(png)))
	}
	appealed := func(order string) (payment.Payment, payment.AppealRecord) {
		p := b.made(t, merchant, order, "failed")
		receipt(p)
		return p, testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, appeal(700_000)))(t)
	}
	decided, decidedAppeal := appealed("decided")
	receipt(decided)
	b.set(t, decided.ID, "completed")
	open, openAppeal := appealed("open")
	b.set(t, open.ID, "appeal")
	// Until an operator looks into it, its payment stays failed.
	waiting, waitingAppeal := appealed("waiting")
	closed, closedAppeal := appealed("closed")
	claimed := func(order string) payment.Payment {
		p := b.create(t, merchant.Caller, request(order))
		testenv.Must(b.payments.Claim(t.Context(), p.UUID))(t)
		receipt(p)
		return p
	}
	pending, completed := claimed("pending"), claimed("completed")

	b.clock.Advance(keep)
	b.Exec(t, "update appeal set status = 'closed', status_at = $2 where id = $1", closedAppeal.ID, b.clock.Now())
	b.set(t, completed.ID, "completed")
	b.Exec(t, "update payment_receipt set created_at = $1 where number = 2", b.clock.Now())
	purge := func() {
		t.Helper()
		testenv.NoError(t, b.payments.PurgeFiles(t.Context(), keep))
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
	for _, p := range []payment.Payment{open, waiting, closed, pending, completed} {
		_, content, err := b.payments.ReadReceipt(t.Context(), operator, p.ID, 1)
		testenv.Check(t, err == nil && len(content) == len(png), "the receipt of %s, which is still needed: %d bytes, %v", p.OrderID, len(content), err)
	}
	_, content, err := b.payments.ReadReceipt(t.Context(), operator, decided.ID, 2)
	testenv.Check(t, err == nil && len(content) == len(png), "the decided payment's new receipt: %d bytes, %v", len(content), err)
	list, err := b.payments.ListReceipts(t.Context(), operator, decided.ID)
	testenv.Check(t, err == nil && len(list) == 2 && list[0].Name == "r.png",
		"what describes the receipt: %+v, %v", list, err)
	for what, want := range map[string][3]int64{
		"appeal_file": {1, 700_000, decidedAppeal.ID}, "receipt": {1, int64(len(png)), decided.ID},
	} {
		var got struct{ Count, Bytes, First, Last int64 }
		raw := b.Text(t, "select after::text from setting_change where subject = 'purge' and subject_key = $1 and actor = 'system'", what)
		err := json.Unmarshal([]byte(raw), &got)
		testenv.Check(t, err == nil && got.Count == want[0] && got.Bytes == want[1] &&
			got.First == want[2] && got.Last == want[2], "the receipt of %s: %s, %v", what, raw, err)
	}
	testenv.Want(t, b.Count(t, lines), 2, "lines in the log")

	// They go whichever end it was.
	b.Exec(t, "update appeal set status = 'failed', status_at = $2 where id = $1", waitingAppeal.ID, b.clock.Now())
	b.set(t, pending.ID, "cancelled")
	b.clock.Advance(keep + time.Millisecond)
	purge()
	for _, left := range []string{"appeal_chunk", "payment_receipt_chunk"} {
		testenv.WantAll(t, b.Texts(t, "select distinct order_id from payment p join "+left+" c on c.payment_id = p.id"), []string{"open"}, "%s", left)
	}
}

// What a picture tells beside what is on it is left out of a receipt: the
// pixels, which way up they are and the colour profile stay. What has no pixels
// is refused, as TestDamagedPictures of internal/attachment has it. The
// pictures of testdata/metadata tell a place in every way that their types
// have, and below kept is what is kept of each that loses something.
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
		testenv.NoError(t, b.payments.AddReceipt(t.Context(), made.UUID, name, fileOf(string(sent))))
		receipt, kept, err := b.payments.ReadReceipt(t.Context(), operator, made.ID, 1)
		testenv.Check(t, err == nil && bytes.Equal(kept, want) && receipt.Size == int64(len(want)),
			"%s: %d bytes of %d are kept as %d: %q, %v", name, len(kept), len(sent), receipt.Size, kept, err)
	}
	testenv.Want(t, b.Count(t, "select count(*) from payment_receipt"), 7, "receipts")
}
