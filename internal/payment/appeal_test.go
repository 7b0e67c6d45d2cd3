package payment_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

const png = testenv.PNG

// pdf is how a PDF begins.
const pdf = "%PDF-1.7\n"

// appeal is a valid appeal with a PDF of a size.
func appeal(size int) payment.AppealRequest {
	reason, name := "The bank shows the transfer.", "receipt.pdf"
	return payment.AppealRequest{
		Reason: &reason, FileName: &name, File: fileOf(pdf + strings.Repeat("\x00", size-len(pdf))),
	}
}

func fileOf(content string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(content), 0, int64(len(content)))
}

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 7}

// failed makes a failed payment of 1000 RUB and who takes part in it.
func (b *bundle) failed(t *testing.T) (payment.Payment, dbtest.Merchant, dbtest.Trader) {
	t.Helper()
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	return b.set(t, p.ID, "failed"), merchant, trader
}

func TestOpenAppeal(t *testing.T) {
	b := setup(t)
	p, merchant, trader := b.failed(t)
	// A file of many pieces comes back as it was, with every byte in its
	// place.
	const size = 3<<20 + 17
	r, content := appeal(size), []byte(pdf)
	for i := len(pdf); i < size; i++ {
		content = append(content, byte(i*7/1000))
	}
	r.File = fileOf(string(content))
	b.clock.Advance(time.Hour)
	opened := testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, r))(t)
	testenv.Check(t, opened.Payment.ID == p.ID && opened.Payment.UUID == p.UUID && opened.Status == "open" &&
		opened.FileSize == size && opened.FileName == "receipt.pdf" && opened.FileType == "application/pdf" &&
		opened.Reason == *r.Reason && opened.CreatedAt.Equal(at(60)), "opened %+v", opened)
	testenv.Want(t, b.Count(t, "select count(*) from appeal where actor = $1", merchant.Caller.Actor()), 1,
		"who opened the appeal is not known")
	file := testenv.Must(b.payments.ReadAppealFile(t.Context(), operator, opened.ID))(t)
	testenv.Check(t, file.Name == "receipt.pdf" && file.Type == "application/pdf" && bytes.Equal(file.Content, content),
		"the file came back as %s, %s, %d bytes", file.Name, file.Type, len(file.Content))
	largest := b.Count(t, "select max(length(content)) from appeal_chunk")
	testenv.Check(t, largest <= 256<<10, "a row of %d bytes", largest)
	// Opening moves nothing: no status, no event, no money.
	now := testenv.Must(b.payments.Get(t.Context(), merchant.Caller, p.UUID.String()))(t)
	testenv.Check(t, now.Status == "failed" && now.StatusAt.Equal(p.StatusAt),
		"the payment is %s since %s", now.Status, now.StatusAt)
	b.wantEvents(t, p, 1)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["failed"])
}

// The picture of an appeal is kept without what tells where it was taken, and
// one without pixels is refused. What is no picture stays.
func TestAppealLosesMetadata(t *testing.T) {
	b := setup(t)
	p, merchant, _ := b.failed(t)
	const place = "GPS 55.7558 N 37.6173 E"
	head, rest := png[:33], png[33:] // signature and IHDR
	text := binary.BigEndian.AppendUint32(nil, uint32(len(place)))
	text = append(text, "tEXt"+place...)
	text = binary.BigEndian.AppendUint32(text, crc32.ChecksumIEEE(text[4:]))
	r := appeal(len(png))
	r.File = fileOf(head)
	dbtest.WantCode(t, testenv.ErrOf(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, r)), "validation_failed")
	r.File = fileOf(head + string(text) + rest)
	opened := testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, r))(t)
	file := testenv.Must(b.payments.ReadAppealFile(t.Context(), operator, opened.ID))(t)
	testenv.Check(t, string(file.Content) == png && opened.FileSize == int64(len(png)), "kept %q, %d bytes", file.Content, opened.FileSize)
}

// Who may appeal what is settled before anything is said of the appeal itself.
func TestWhoMayAppeal(t *testing.T) {
	b := setup(t)
	p, merchant, _ := b.failed(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	otherScopes := merchant.Caller
	otherScopes.Scopes = []string{"deposits", "payouts"}
	user := func(merchantID int64, role caller.Role, viewAs bool) caller.Caller {
		return caller.Caller{Kind: caller.MerchantPortal, Role: role, MerchantID: merchantID, ViewAs: viewAs}
	}
	for name, test := range map[string]struct {
		who  caller.Caller
		code string
	}{
		"other scopes":  {otherScopes, "merchant_scope_required"},
		"its owner":     {user(merchant.ID, caller.Owner, false), "validation_failed"},
		"its support":   {user(merchant.ID, caller.Support, false), "validation_failed"},
		"its developer": {user(merchant.ID, caller.Developer, false), "role_not_allowed"},
		"who looks":     {user(merchant.ID, caller.Owner, true), "view_only"},
		"another owner": {user(other.ID, caller.Owner, false), "cashbox_access_denied"},
	} {
		_, err := b.payments.OpenAppeal(t.Context(), test.who, p.ID, payment.AppealRequest{})
		testenv.Want(t, dbtest.CodeOf(err), test.code, "%s: %v", name, err)
	}
	testenv.Want(t, b.Count(t, "select count(*) from appeal"), 0, "appeals")
}

// The conditions in their documented order, each with its edge.
func TestAppealConditions(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	open := func(id int64) error {
		return testenv.ErrOf(b.payments.OpenAppeal(t.Context(), merchant.Caller, id, appeal(100)))
	}
	var orders int
	made := func(status string) int64 {
		orders++
		id := b.create(t, merchant.Caller, request(fmt.Sprint("order-", orders))).ID
		if status != "pending" {
			b.set(t, id, status)
		}
		return id
	}
	for _, status := range []string{"pending", "completed", "cancelled", "appeal"} {
		dbtest.WantCode(t, open(made(status)), "appeal_payment_not_failed")
	}
	atEdge, tooLate, withoutTrader := made("failed"), made("failed"), made("failed")
	b.Exec(t, "update payment set trader_id = 0 where id = $1", withoutTrader)
	dbtest.WantCode(t, open(withoutTrader), "appeal_trader_required")
	b.clock.Advance(24 * time.Hour)
	testenv.NoError(t, open(atEdge))
	b.clock.Advance(time.Millisecond)
	dbtest.WantCode(t, open(tooLate), "appeal_window_closed")
	// The window is looked at before the trader, and the appeal that exists
	// before all.
	dbtest.WantCode(t, open(withoutTrader), "appeal_window_closed")
	dbtest.WantCode(t, open(atEdge), "appeal_already_exists")
	b.set(t, atEdge, "completed")
	dbtest.WantCode(t, open(atEdge), "appeal_already_exists")
	// The window counts from the last change, whatever it was.
	b.set(t, tooLate, "cancelled")
	b.set(t, tooLate, "failed")
	testenv.NoError(t, open(tooLate))
}

// Of twenty who appeal at once, one does, and its file alone is kept.
func TestAppealsInParallel(t *testing.T) {
	b := setup(t)
	p, merchant, _ := b.failed(t)
	dbtest.WantOne(t, testenv.AtOnce(20, func(i int) error {
		return testenv.ErrOf(b.payments.OpenAppeal(context.Background(), merchant.Caller, p.ID, appeal(300<<10+i)))
	}), "appeal_already_exists")
	n := b.Count(t, `select count(*) from appeal a where file_size =
		(select sum(length(content)) from appeal_chunk c where c.payment_id = a.payment_id)`)
	testenv.Check(t, n == 1, "%d appeals with their file", n)
	testenv.Want(t, b.Count(t, "select count(*) from appeal_chunk"), 2, "pieces")
}

// What is at its limit is taken, and a file's type comes from its content,
// whatever its name says.
func TestAppealsTaken(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	for i, test := range []struct{ reason, name, file, fileType string }{
		{strings.Repeat("ж", 2000), "a", pdf, "application/pdf"},
		{"x", strings.Repeat("ж", 255), png, "image/png"},
		{"two\nlines\r\nand a tab\t", "photo.pdf", "\xff\xd8\xff\xda\x00\x02pixels", "image/jpeg"},
		{"x", "../../etc/passwd", "RIFF\x12\x00\x00\x00WEBPVP8 \x06\x00\x00\x00pixels", "image/webp"},
		{"x", `C:\films\a "b".mp4`, "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "video/mp4"},
		{"x", "чек №1.mp4", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2", "video/mp4"},
	} {
		p := b.made(t, merchant, fmt.Sprint("order-", i), "failed")
		opened, err := b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID,
			payment.AppealRequest{Reason: &test.reason, FileName: &test.name, File: fileOf(test.file)})
		testenv.Check(t, err == nil && opened.FileType == test.fileType && opened.FileName == test.name &&
			opened.Reason == test.reason, "%d: %+v, %v", i, opened, err)
	}
}

// An operator's review holds the money again, their decision settles it or not,
// and the merchant is told of both.
func TestDecideAppeal(t *testing.T) {
	t.Parallel()
	for _, outcome := range []string{"completed", "failed"} {
		t.Run(outcome, func(t *testing.T) {
			b := setup(t)
			ctx := context.Background()
			p, merchant, trader := b.failed(t)
			opened := testenv.Must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
			resolve := func() (payment.AppealRecord, error) {
				return b.payments.ResolveAppeal(ctx, operator, opened.ID,
					payment.Resolution{Outcome: outcome, Reason: new("seen"), Statement: new("20.11: nothing of 1,500")})
			}
			dbtest.WantCode(t, testenv.ErrOf(resolve()), "appeal_not_in_review")
			b.clock.Advance(30 * time.Hour) // the merchant had 24 hours, the operator has not
			reviewed := testenv.Must(b.payments.ReviewAppeal(ctx, operator, opened.ID))(t)
			testenv.Check(t, reviewed.Status == "in_review" && reviewed.Payment.Status == "appeal" &&
				reviewed.StatusAt.Equal(at(30*60)), "in review: %+v", reviewed)
			b.wantMoney(t, trader.ID, merchant.CashboxID, positions["appeal"])
			dbtest.WantCode(t, testenv.ErrOf(b.payments.ReviewAppeal(ctx, operator, opened.ID)), "appeal_not_open")
			resolved := testenv.Must(resolve())(t)
			testenv.Check(t, resolved.Status == outcome && string(resolved.Payment.Status) == outcome &&
				*resolved.Payment.StatusReason == "seen" && (resolved.Statement != nil) == (outcome == "failed"), "resolved: %+v", resolved)
			b.wantMoney(t, trader.ID, merchant.CashboxID, positions[outcome])
			dbtest.WantCode(t, testenv.ErrOf(resolve()), "appeal_not_in_review")
			dbtest.WantCode(t, testenv.ErrOf(b.payments.ReviewAppeal(ctx, operator, opened.ID)), "appeal_not_open")
			b.wantEvents(t, p, 3) // failed, appeal, outcome
			var moves []string
			for _, c := range b.History(t, p.MerchantID, p.ID) {
				moves = append(moves, c.ToStatus+" by "+c.Actor)
			}
			want := []string{
				"pending by " + merchant.Caller.Actor(), "failed by application", "appeal by operator:7",
				outcome + " by operator:7",
			}
			testenv.Check(t, slices.Equal(moves, want), "history %v", moves)
			b.Audit(t)
		})
	}
}

// A trader's word ends no appeal: who has another amount count towards a
// payment in appeal leaves the appeal to be decided, for as long as it takes,
// and an operator may complete the payment for what was asked.
func TestOtherAmountEndsNoAppeal(t *testing.T) {
	t.Parallel()
	for i, outcome := range []string{"completed", "failed", "completed", "failed", "completed", "failed"} {
		t.Run(outcome, func(t *testing.T) {
			b := setup(t)
			ctx := t.Context()
			merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
			trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
			b.Exec(t, "update cashbox_method set amount_policy = $1", []string{"exact", "received"}[i%2])
			p := b.create(t, merchant.Caller, request("order-1"))
			b.clock.Advance(15 * time.Minute)
			testenv.NoError(t, b.payments.ExpireAll(ctx))
			opened := testenv.Must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
			var after payment.Payment
			if i < 2 { // the payment has expired so lately that its trader may say that money came for it
				after = testenv.Must(b.payments.ConfirmReceived(ctx, trader.Caller, p.ID, new("1")))(t)
			} else {
				if i < 4 {
					testenv.Must(b.payments.ReviewAppeal(ctx, operator, opened.ID))(t)
				}
				came := testenv.Must(b.payments.KeepMoney(ctx, trader.Caller, trader.Requisites[0], payment.Came{Amount: new("1")}))(t)
				after = testenv.Must(b.payments.Attach(ctx, trader.Caller, came.ID, p.ID))(t)
			}
			testenv.Check(t, after.Case(), "the payment is %s", after.Status)
			b.clock.Advance(25 * time.Hour)
			testenv.NoError(t, b.payments.ExpireAll(ctx))
			testenv.Want(t, testenv.Must(b.payments.GetAppeal(ctx, operator, opened.ID))(t).Status, "in_review", "the appeal is")
			resolved := testenv.Must(b.payments.ResolveAppeal(ctx, operator, opened.ID,
				payment.Resolution{Outcome: outcome, Reason: new("seen"), Statement: new("20.11: 1,000.00")}))(t)
			testenv.Check(t, resolved.Status == outcome && string(resolved.Payment.Status) == outcome, "resolved: %+v", resolved)
			b.wantMoney(t, trader.ID, merchant.CashboxID, positions[outcome])
			b.Audit(t)
		})
	}
}

// Of many who decide at once, one does.
func TestDecideInParallel(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	p, merchant, trader := b.failed(t)
	opened := testenv.Must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
	errs := testenv.AtOnce(10, func(int) error { return testenv.ErrOf(b.payments.ReviewAppeal(ctx, operator, opened.ID)) })
	dbtest.WantOne(t, errs, "appeal_not_open")
	errs = testenv.AtOnce(10, func(int) error {
		return testenv.ErrOf(b.payments.ResolveAppeal(ctx, operator, opened.ID, payment.Resolution{Outcome: "completed"}))
	})
	dbtest.WantOne(t, errs, "appeal_not_in_review")
	b.wantEvents(t, p, 3)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["completed"])
}

// An appeal goes where its payment goes, also on the application's word.
func TestAppealFollowsItsPayment(t *testing.T) {
	b := setup(t)
	p, merchant, _ := b.failed(t)
	opened := testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, appeal(100)))(t)
	// Moves from pending and cancelled are not about the appeal, unless
	// they lead to appeal.
	for _, step := range []struct{ to, want string }{
		{"appeal", "in_review"}, {"completed", "completed"}, {"failed", "failed"}, {"completed", "completed"}, {"cancelled", "closed"},
		{"failed", "closed"},
		{"pending", "closed"}, {"completed", "closed"}, {"appeal", "in_review"}, {"cancelled", "closed"}, {"appeal", "in_review"},
		{"failed", "failed"}, {"completed", "completed"},
	} {
		b.set(t, p.ID, step.to)
		list, _, err := b.payments.ListAppeals(t.Context(), operator, payment.Page{})
		testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == opened.ID && list[0].Status == step.want &&
			string(list[0].Payment.Status) == step.to, "the payment is %s: %+v, %v; want %s", step.to, list, err,
			step.want)
	}
	dbtest.WantCode(t, testenv.ErrOf(b.payments.ReviewAppeal(t.Context(), operator, opened.ID)), "appeal_not_open")
	b.Audit(t)
}

func TestListAppeals(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 3})
	var ids []int64
	for i := range 3 {
		p := b.made(t, merchant, fmt.Sprint("order-", i), "failed")
		ids = append(ids, testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, appeal(100)))(t).ID)
	}
	testenv.Must(b.payments.ReviewAppeal(t.Context(), operator, ids[1]))(t)
	list := func(page payment.Page) (got []int64, next *string) {
		appeals, next := testenv.Must2(b.payments.ListAppeals(t.Context(), operator, page))(t)
		for _, a := range appeals {
			got = append(got, a.ID)
		}
		return got, next
	}
	wantPages(t, page(2, nil), list, []int64{ids[2], ids[1]}, ids[:1])
	wantPages(t, page(100, new("open")), list, []int64{ids[2], ids[0]})
	_, _, err := b.payments.ListAppeals(t.Context(), operator, payment.Page{
		Status: new("pending"), Page: db.Page{Limit: new(int32(0)), Cursor: new("x")},
	})
	dbtest.WantFields(t, err, "cursor", "limit", "status")
}

// What operators get wrong at the desk is named, and moves nothing.
func TestAppealDeskRefusals(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	p, merchant, _ := b.failed(t)
	opened := testenv.Must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
	for _, id := range []int64{0, -1, opened.ID + 1} {
		dbtest.WantCode(t, testenv.ErrOf(b.payments.ReviewAppeal(ctx, operator, id)), "not_found")
		dbtest.WantCode(t, testenv.ErrOf(b.payments.ResolveAppeal(ctx, operator, id, payment.Resolution{Outcome: "x"})), "not_found")
		dbtest.WantCode(t, testenv.ErrOf(b.payments.ReadAppealFile(ctx, operator, id)), "not_found")
	}
	testenv.Must(b.payments.ReviewAppeal(ctx, operator, opened.ID))(t)
	for _, outcome := range []string{"", "pending", "cancelled", "appeal", "COMPLETED", "x"} {
		wrong := payment.Resolution{Outcome: outcome, Reason: new(text(256))}
		dbtest.WantFields(t, testenv.ErrOf(b.payments.ResolveAppeal(ctx, operator, opened.ID, wrong)), "outcome", "reason")
	}
	for _, none := range []*string{nil, new("")} { // a refusal has to be explained
		wrong := payment.Resolution{Outcome: "failed", Reason: none, Statement: none}
		dbtest.WantFields(t, testenv.ErrOf(b.payments.ResolveAppeal(ctx, operator, opened.ID, wrong)), "reason", "statement")
	}
	b.wantEvents(t, p, 2)
}

// An operator and the trader who has an appeal's payment write to each other
// until the appeal is decided. What one has not read is counted for them;
// another trader, and who only looks, changes nothing.
func TestThread(t *testing.T) {
	b := setup(t)
	p, merchant, trader := b.failed(t)
	opened := testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, appeal(100)))(t)
	support := b.user(t, caller.Caller{Kind: caller.Operator, Role: caller.Support, Stale: true}, "olga")
	desk := b.user(t, caller.Caller{Kind: caller.Trader, Role: caller.Desk, TraderID: trader.ID}, "tim")
	foreign := caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: trader.ID + 1}
	write := func(who caller.Caller, text string) error {
		return b.payments.WriteThread(t.Context(), who, opened.ID, text)
	}
	unread := func(side string) int {
		return b.Count(t, "select coalesce(sum("+side+"_unread), 0) from appeal_thread where appeal_id = $1", opened.ID)
	}

	dbtest.WantCode(t, write(foreign, "mine?"), "not_found")
	dbtest.WantCode(t, testenv.ErrOf(b.payments.ReadThread(t.Context(), foreign, opened.ID)), "not_found")
	dbtest.WantCode(t, write(portalOf(merchant.ID), "and me?"), "token_kind_not_allowed")
	dbtest.WantCode(t, testenv.ErrOf(b.payments.ReadThread(t.Context(), portalOf(merchant.ID), opened.ID)), "token_kind_not_allowed")
	auditor := caller.Caller{Kind: caller.Operator, Role: caller.Auditor}
	dbtest.WantCode(t, write(auditor, "seen"), "role_not_allowed")
	for _, wrong := range []string{" \n", strings.Repeat("я", 1001), "it went to 4111 1111 1111 1111"} {
		dbtest.WantCode(t, write(support, wrong), "validation_failed")
	}
	testenv.Want(t, unread("trader")+unread("operator"), 0, "nothing is written, unread")

	testenv.NoError(t, write(support, " Did 1,000.00 ₽ come at 12:05? "))
	testenv.NoError(t, write(support, "Look at the statement, please."))
	testenv.Want(t, unread("trader"), 2, "the trader has not read")
	looks := desk
	looks.ViewAs = true
	testenv.Must(b.payments.ReadThread(t.Context(), looks, opened.ID))(t)
	testenv.Must(b.payments.ReadThread(t.Context(), support, opened.ID))(t)
	list, next, err := b.payments.ListThreads(t.Context(), desk, payment.Page{})
	testenv.Check(t, err == nil && next == nil && len(list) == 1 && list[0].Unread == 2 && list[0].Messages == 2 &&
		list[0].Appeal.ID == opened.ID, "listed %+v, %v", list, err)
	testenv.Must(b.payments.ReadThread(t.Context(), desk, opened.ID))(t)
	testenv.Want(t, unread("trader"), 0, "the trader has read, unread")
	b.clock.Advance(time.Minute)
	testenv.NoError(t, write(desk, "It did not."))
	testenv.Want(t, unread("operator"), 1, "no operator has read")
	testenv.Must(b.payments.ReadThread(t.Context(), auditor, opened.ID))(t)
	testenv.Want(t, unread("operator"), 1, "who may not answer has read it, unread")
	read := testenv.Must(b.payments.ReadThread(t.Context(), support, opened.ID))(t)
	last := read.Messages[2]
	testenv.Check(t, read.Open && read.Messages[0].Login == "olga" && read.Messages[0].Text == "Did 1,000.00 ₽ come at 12:05?" &&
		last.FromTrader && last.Login == "tim" && last.At.Equal(b.clock.Now()), "read %+v", read)
	testenv.Want(t, unread("operator"), 0, "unread")
	theirs := testenv.Must(b.payments.ReadThread(t.Context(), desk, opened.ID))(t)
	testenv.Check(t, theirs.Messages[0].Login == "" && theirs.Messages[2].Login == "tim", "the trader reads %+v", theirs)

	list, _, err = b.payments.ListThreads(t.Context(), foreign, payment.Page{})
	testenv.Check(t, err == nil && len(list) == 0, "another trader lists %+v, %v", list, err)
	b.Exec(t, "update appeal_thread set messages = 100 where appeal_id = $1", opened.ID)
	dbtest.WantCode(t, write(desk, "once more"), "appeal_thread_full")
	b.Exec(t, "update appeal_thread set messages = 3 where appeal_id = $1", opened.ID)
	testenv.Must(b.payments.ReviewAppeal(t.Context(), operator, opened.ID))(t)
	testenv.NoError(t, write(desk, "Still not."))
	b.set(t, p.ID, "failed")
	dbtest.WantCode(t, write(desk, "Too late?"), "appeal_not_open")
}

// user is a caller with a user of that login.
func (b *bundle) user(t *testing.T, who caller.Caller, login string) caller.Caller {
	t.Helper()
	b.Get(t, &who.ID, `insert into app_user (kind, login, role, trader_id, created_at)
		values ($1, $2, $3, nullif($4::bigint, 0), $5) returning id`, who.Kind, login, who.Role, who.TraderID, b.clock.Now())
	return who
}
