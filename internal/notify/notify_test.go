package notify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// A payment is told at once; those of the next minute are one message with their number. Each is told once, also where an id of
// the history is committed late, and to nobody who does not want it.
func TestPaymentsAreToldTogether(t *testing.T) {
	far, b := byTelegram(t, "71")
	other := b.newUser(t, "desk-2")
	b.linked(t, other, "72")
	testenv.NoError(t, b.Set(t.Context(), other, Update{Choices: []Choice{{PaymentOpened, Telegram, true}, {PaymentOpened, Telegram, false}}}))
	b.round(t)

	testenv.Must(b.Beside(t).Exec(t.Context(), "select nextval('payment_history_id_seq')"))(t)
	b.pay(t, 1, 1)
	b.round(t)
	want := []string{"A payment is open.\nhttps://portal.example/trader/payments/1"}
	same(t, far.heard("71"), want, "told of the first")
	b.pay(t, 2, 10)
	b.round(t)
	b.round(t)
	same(t, far.heard("71"), nil, "told within the minute")
	b.roundLater(t, "61 seconds")
	same(t, far.heard("71"), []string{"9 payments are open.\nhttps://portal.example/trader"}, "told of the others")
	same(t, far.heard("72"), nil, "told who does not want it")

	// Another process takes over and reads some of it again.
	b.Exec(t, "update notify_feed set leased_until = now(), history_id = 0")
	b.feed = NewFeed(b.Service)
	b.roundLater(t, "61 seconds")
	same(t, far.heard("71"), nil, "told twice")
	own := testenv.Must(b.Own(t.Context(), b.who))(t)
	testenv.Check(t, len(own.Sent) == 2 && own.Sent[0].Count == 9 && own.Sent[0].Outcome == "sent", "the page has %+v", own.Sent)
}

// A chat that is blocked, or gives no answer, costs no other one anything. What is refused is tried again, and what is refused
// for good ends.
func TestTroubleIsNobodyElses(t *testing.T) {
	far, b := byTelegram(t, "")
	far.refuse["81"] = `{"ok":false,"error_code":403,"description":"1:token is blocked"}`
	far.refuse["82"] = `{"ok":false,"error_code":429,"description":"slow","parameters":{"retry_after":30}}`
	for i, chat := range []string{"81", "82", "83"} {
		b.linked(t, b.newUser(t, []string{"a", "b", "c"}[i]), chat)
	}
	b.round(t)
	b.pay(t, 1, 3)
	b.round(t)
	testenv.Want(t, len(far.heard("83")), 1, "messages to the one that works")
	testenv.Want(t, b.Count(t, "select count(*) from notify_channel where ended_at is not null"), 1, "channels that have ended")
	testenv.Want(t, b.Count(t, "select count(*) from notify_channel where slow"), 2, "channels that failed")
	testenv.Want(t, b.Count(t, `select count(*) from notice where done_at is null and attempts = 1
		and due_at between now() + interval '10 seconds' and now() + interval '31 seconds'`), 3, "that are tried again")
	testenv.Want(t, b.Text(t, "select string_agg(problem, ' ' order by problem) from notify_message where problem <> ''"),
		"telegram_asks_to_wait telegram_blocked", "why")
	b.StoredNowhere(t, "1:token")
	delete(far.refuse, "82")
	b.roundLater(t, "31 seconds")
	same(t, far.heard("82"), []string{"3 payments are open.\nhttps://portal.example/trader"}, "told at the second try")
}

// What only a newer version knows waits for a process of it, for a day. Who hears of a kind no longer is not told what waits of it.
func TestWaitsForWhoKnowsIt(t *testing.T) {
	far, b := byTelegram(t, "85")
	b.round(t)
	testenv.NoError(t, b.tell(t.Context(), []event{{kind: TraderWithdrawal, of: ofTrader, ownerID: b.trader.ID, subject: "5"}}))
	b.Exec(t, `insert into notice (channel_id, kind, subject, path, at, due_at) select id, 'newer', '', '', $1, now() from notify_channel`, b.clock.Now())
	b.Exec(t, "update app_user set role = 'desk'")
	b.round(t)
	same(t, far.heard("85"), nil, "told")
	testenv.Want(t, b.Count(t, "select count(*) from notice where kind <> 'newer' and done_at is null"), 0, "that nobody hears of any more")
	testenv.Want(t, b.Count(t, "select count(*) from notice where done_at is null and attempts = 0 and due_at > now()"), 1, "that wait")
	b.Exec(t, "update notice set at = at - interval '25 hours'")
	b.roundLater(t, "6 seconds")
	testenv.Want(t, b.Count(t, "select count(*) from notice where done_at is null"), 0, "that wait after a day")
}

// In quiet hours nothing is told but what is about security; of what is old by their end nobody hears.
func TestQuietHours(t *testing.T) {
	far, b := byTelegram(t, "91")
	b.Exec(t, "update app_user set zone = 'Asia/Tashkent'")
	now := b.clock.Now().In(testenv.Must(time.LoadLocation("Asia/Tashkent"))(t))
	from := (now.Hour()*60 + now.Minute() + 24*60 - 60) % (24 * 60)
	until := (from + 120) % (24 * 60)
	testenv.NoError(t, b.Set(t.Context(), b.who, Update{QuietFrom: &from, QuietUntil: &until}))
	err := b.Set(t.Context(), b.who, Update{Choices: []Choice{{PasswordChanged, Telegram, false}}})
	testenv.Check(t, err != nil, "what is about security is switched off")
	testenv.Check(t, b.Set(t.Context(), b.who, Update{Choices: []Choice{{AlarmFires, Telegram, true}}}) != nil, "a trader chooses alarms")
	testenv.NoError(t, b.Set(t.Context(), b.who, Update{Choices: []Choice{{DeviceSilent, Telegram, false}}, KeepQuiet: true}))
	b.round(t)
	b.pay(t, 1, 1)
	testenv.NoError(t, Say(PasswordChanged, b.who.ID, "1", time.Now()).Run(t.Context(), b.Queries()))
	testenv.NoError(t, b.tell(t.Context(), []event{{kind: TraderAppeal, of: ofTrader, ownerID: b.trader.ID, subject: "5", path: "/trader/appeals/5"}}))
	b.round(t)
	same(t, far.heard("91"), []string{"Your password was changed.\nhttps://portal.example/account"}, "told in quiet hours")
	b.roundLater(t, "2 hours")
	same(t, far.heard("91"), []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/5"}, "told after them")
}

// The bot says how the desk stands, begins a break and is quiet when asked to; a chat that is not linked learns nothing.
func TestBot(t *testing.T) {
	far, b := byTelegram(t, "")
	said := testenv.Must(b.answer(t.Context(), "61", "@x", "/status"))(t)
	testenv.Check(t, strings.HasPrefix(said, "This chat is not linked."), "a stranger is told %q", said)
	b.linked(t, b.who, "61")
	b.pay(t, 1, 2)
	for command, wanted := range map[string]string{
		"/status": "On shift. Open payments: 2.", "/break": "Only traders have breaks.",
		"/mute": "Quiet for 8 hours. Only security is still told. /unmute ends it.", "/pay": commands,
	} {
		testenv.Want(t, testenv.Must(b.answer(t.Context(), "61", "@x", command))(t), wanted, "the answer to %s", command)
	}
	until := testenv.Must(b.Own(t.Context(), b.who))(t).MutedUntil
	testenv.Check(t, until != nil && until.Sub(b.clock.Now()) == muteFor, "muted until %v", until)

	b.round(t)
	testenv.NoError(t, b.tell(t.Context(), []event{{kind: TraderAppeal, of: ofTrader, ownerID: b.trader.ID, subject: "5", path: "/trader/appeals/5"}}))
	b.round(t)
	same(t, far.heard("61"), nil, "told while muted")
	testenv.Want(t, testenv.Must(b.answer(t.Context(), "61", "@x", "/unmute"))(t), "You are told again.", "the answer to /unmute")
	b.round(t)
	same(t, far.heard("61"), []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/5"}, "told once not muted")
}

// Thousands of payments that are opened, claimed or about to expire at once are one message of each kind, with all of them.
func TestThousands(t *testing.T) {
	const many = 2*feedMost + 1
	far, b := byTelegram(t, "51")
	b.round(t)
	b.pay(t, 1, many)
	b.Exec(t, "update payment set payer_claimed_at = $1, expires_at = $2", b.clock.Now(), b.clock.Now().Add(time.Minute))
	clear(b.feed.read) // as it is every ten seconds
	b.round(t)
	heard := far.heard("51")
	slices.Sort(heard)
	same(t, heard, []string{
		"4001 payers say that they have paid.\nhttps://portal.example/trader", "4001 payments are about to expire.\nhttps://portal.example/trader",
		"4001 payments are open.\nhttps://portal.example/trader",
	}, "told of thousands")

	// What comes then is found by reading on, of traders of whom somebody hears.
	b.clock.Advance(time.Minute)
	trader := b.trader
	b.pay(t, many+1, many+1)
	b.trader = b.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	b.pay(t, many+2, many+2)
	b.trader = trader
	b.Exec(t, "update payment set payer_claimed_at = $1 where id > $2", b.clock.Now(), many)
	asked := db.NotifyClaimedParams{Since: b.feed.read[PaymentClaimed].until, After: math.MaxInt64, Until: b.clock.Now(), Traders: b.feed.traders, Most: feedMost}
	testenv.Want(t, len(testenv.Must(b.Queries().NotifyClaimed(t.Context(), asked))(t)), 1, "claims that are read on")
	b.roundLater(t, "61 seconds")
	heard = far.heard("51")
	testenv.Check(t, slices.Contains(heard, fmt.Sprintf("A payer says that they have paid.\nhttps://portal.example/trader/payments/%d", many+1)), "told %q", heard)
}

// Of several processes one asks the bot for what users write; when it is gone, another one does.
func TestOneHearsTheBot(t *testing.T) {
	far, bot := newTelegram(t)
	b := setup(t, bot)
	far.updates = make(chan string)
	other := testenv.Must(NewTelegram("1:token", "GatewayBot", far.URL))(t)
	first, second := NewFeed(b.Service), NewFeed(b.Service)
	hears := func(bot *TelegramSender, f *Feed) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { bot.Run(ctx, b.Service, f) })
		return func() { cancel(); running.Wait() }
	}
	testenv.NoError(t, first.Find(t.Context()))
	testenv.NoError(t, second.Find(t.Context()))
	testenv.Check(t, first.Works() && !second.Works(), "the lease is not of one")
	first.until.Store(time.Now().Add(testenv.Patience).UnixNano()) // nobody prolongs it here
	stop := hears(bot, first)
	defer hears(other, second)()
	ask := func(id int, chat string) {
		t.Helper()
		far.updates <- fmt.Sprintf(`{"update_id":%d,"message":{"message_id":1,"date":%d,"text":"/status","chat":{"id":%s,"type":"private"}}}`,
			id, time.Now().Unix(), chat)
		testenv.Until(t, "an answer of the bot", func() bool { return len(far.heard(chat)) == 1 })
		testenv.Want(t, far.most.Load(), 1, "processes that ask at a time")
	}
	far.updates <- `{"update_id":1,"message":{"message_id":1,"date":1700000000,"text":"/status","chat":{"id":13,"type":"private"}}}`
	ask(2, "11")
	same(t, far.heard("13"), nil, "answered what is old")
	stop()
	testenv.Until(t, "the end of the first's asking", func() bool { return far.asking.Load() == 0 })
	b.Exec(t, "update notify_feed set leased_until = now()")
	second.renewAt = time.Time{}
	testenv.NoError(t, second.Find(t.Context()))
	second.until.Store(time.Now().Add(testenv.Patience).UnixNano())
	ask(3, "12")
}

// Who tells several channels takes them in one order: two who tell the same ones never wait for each other both. The first lies
// last in the table here.
func TestToldInOneOrder(t *testing.T) {
	_, bot := newTelegram(t)
	b := setup(t, bot)
	for _, chat := range []string{"1", "2", "3"} {
		b.linked(t, b.who, chat)
	}
	b.Exec(t, "update notify_channel set label = label where id = (select min(id) from notify_channel)")
	first, others := b.Beside(t), b.Beside(t)
	testenv.Must(first.Exec(t.Context(), "select 1 from notify_channel order by id limit 1 for update"))(t)
	told := make(chan struct{})
	go func() {
		defer close(told)
		_ = b.Try(context.Background(), b.who)
	}()
	b.AwaitBlocked(t)
	testenv.Must(others.Exec(t.Context(), "select 1 from notify_channel where id > (select min(id) from notify_channel) for update nowait"))(t)
	testenv.NoError(t, errors.Join(others.Rollback(t.Context()), first.Rollback(t.Context())))
	<-told // or it has waited for too long
}
