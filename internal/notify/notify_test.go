package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-telegram/bot/models"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is the whole way of a notice: what finds it out, keeps it and sends
// it.
type bundle struct {
	*dbtest.DB
	*Service
	clock     *dbtest.Clock
	feed      *Feed
	deliverer *Deliverer
	trader    dbtest.Trader
	who       caller.Caller
}

func setup(t *testing.T, senders ...Sender) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: new(dbtest.Clock)}
	b.Service = New(b.Pools(), b.clock, Services{
		Vault: dbtest.Vault(), HashKey: make([]byte, 32), Senders: senders, PortalURL: "https://portal.example",
	})
	b.feed, b.deliverer = NewFeed(b.Service), NewDeliverer(b.Service, b.Pool, prometheus.NewRegistry())
	b.trader = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	b.who = b.newUser(t, "desk-1")
	return b
}

// newUser makes a user of the bundle's trader.
func (b *bundle) newUser(t *testing.T, login string) caller.Caller {
	t.Helper()
	return b.joins(t, caller.Caller{Kind: caller.Trader, Login: login, Role: caller.Owner, TraderID: b.trader.ID})
}

// joins makes a user, and is who calls as them.
func (b *bundle) joins(t *testing.T, who caller.Caller) caller.Caller {
	t.Helper()
	b.Get(t, &who.ID, `insert into app_user (kind, role, login, password_hash, merchant_id, trader_id, created_at)
		values ($1, $2, $3, 'x', nullif($4::bigint, 0), nullif($5::bigint, 0), now()) returning id`,
		who.Kind, who.Role, who.Login, who.MerchantID, who.TraderID)
	return who
}

// pay makes payments of the trader, as creations leave them.
func (b *bundle) pay(t *testing.T, from, to int) {
	t.Helper()
	b.Exec(t, `with made as (insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status,
		status_at, expires_at, created_at, trader_id, base_rate, rate_source, rate_unavailable, markup_percent, trader_share_percent,
		hold_usdt, amount_usdt, profit_usdt, spread_trader_usdt, spread_platform_usdt)
		select 1, n, gen_random_uuid(), 1, 'order-' || n, 'sbp', 'RUB', 100, '', 'pending', now(), now() + interval '15 minutes', now(), $3,
		90, 'test', false, 1, 0, 1, 1, 0, 0, 0 from generate_series($1::bigint, $2::bigint) n returning merchant_id, id)
		insert into payment_history (merchant_id, payment_id, at, actor, to_status) select merchant_id, id, now(), 'key:1', 'pending' from made`,
		from, to, b.trader.ID)
}

// round finds out what happened and sends what is due.
func (b *bundle) round(t *testing.T) {
	t.Helper()
	clear(b.feed.next)
	testenv.NoError(t, b.feed.Find(t.Context()))
	var running sync.WaitGroup
	testenv.NoError(t, b.deliverer.Look(t.Context(), &running))
	running.Wait()
}

// restart has another process find out what happened; the one before has done
// so last so long ago.
func (b *bundle) restart(t *testing.T, ago string) {
	t.Helper()
	b.feed.renewAt = time.Time{} // it keeps how far it has come
	testenv.NoError(t, b.feed.Find(t.Context()))
	b.Exec(t, "update notify_feed set leased_until = now(), read_until = read_until - $1::interval", ago)
	b.feed = NewFeed(b.Service)
}

// later has so much time go by for what waits.
func (b *bundle) later(t *testing.T, by string) {
	t.Helper()
	b.Exec(t, `update notice set due_at = due_at - $1::interval, done_at = done_at - $1::interval`, by)
	b.Exec(t, `update notify_channel set due_at = due_at - $1::interval where due_at < 'infinity'`, by)
}

// roundLater is a round after so much time has gone by for what waits.
func (b *bundle) roundLater(t *testing.T, by string) {
	t.Helper()
	b.later(t, by)
	b.round(t)
}

// byTelegram is a bundle with a bot, and with a chat of its user where one is
// named.
func byTelegram(t *testing.T, chat string) (*testenv.Telegram, *bundle) {
	t.Helper()
	far := testenv.NewTelegram(t)
	b := setup(t, testenv.Must(NewTelegram("1:token", far.URL))(t))
	if chat != "" {
		b.linked(t, b.who, chat)
	}
	return far, b
}

// linked links a chat of Telegram to a user, as they do it by the code of the
// portal.
func (b *bundle) linked(t *testing.T, who caller.Caller, chat string) {
	t.Helper()
	_, code, _ := strings.Cut(testenv.Must(b.LinkTelegram(t.Context(), who))(t), "?start=")
	said := testenv.Must(b.answer(t.Context(), chat, "@"+who.Login, "/start "+code))(t)
	testenv.Check(t, strings.HasPrefix(said, "Linked."), "the bot says %q", said)
	said = testenv.Must(b.answer(t.Context(), chat, "@other", "/start "+code))(t)
	testenv.Check(t, !strings.HasPrefix(said, "Linked."), "a code is good twice")
}

// same compares what a chat was told.
func same(t *testing.T, got, want []string, what string) {
	t.Helper()
	testenv.WantAll(t, got, want, "%s", what)
}

// A payment is told at once; those of the next minute are one message with
// their number. Each is told once, also where an id of the history is committed
// late, and to nobody who does not want it.
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
	same(t, far.Heard("71"), want, "told of the first")
	b.pay(t, 2, 10)
	b.round(t)
	b.round(t)
	same(t, far.Heard("71"), nil, "told within the minute")
	b.roundLater(t, "61 seconds")
	same(t, far.Heard("71"), []string{"9 payments are open.\nhttps://portal.example/trader"}, "told of the others")
	same(t, far.Heard("72"), nil, "told who does not want it")

	// Another process takes over and reads some of it again.
	b.Exec(t, "update notify_feed set leased_until = now(), history_id = 0")
	b.feed = NewFeed(b.Service)
	b.roundLater(t, "61 seconds")
	same(t, far.Heard("71"), nil, "told twice")
	own := testenv.Must(b.Own(t.Context(), b.who))(t)
	testenv.Check(t, len(own.Sent) == 2 && own.Sent[0].Count == 9 && own.Sent[0].Outcome == "sent", "the page has %+v", own.Sent)
}

// A chat that is blocked, or gives no answer, costs no other one anything. What
// is refused is tried again, and what is refused for good ends.
func TestTroubleIsNobodyElses(t *testing.T) {
	far, b := byTelegram(t, "")
	far.Refuse["81"] = `{"ok":false,"error_code":403,"description":"1:token is blocked"}`
	far.Refuse["82"] = `{"ok":false,"error_code":429,"description":"slow","parameters":{"retry_after":30}}`
	for i, chat := range []string{"81", "82", "83"} {
		b.linked(t, b.newUser(t, []string{"a", "b", "c"}[i]), chat)
	}
	b.round(t)
	b.pay(t, 1, 3)
	b.round(t)
	testenv.Want(t, len(far.Heard("83")), 1, "messages to the one that works")
	testenv.Want(t, b.Count(t, "select count(*) from notify_channel where ended_at is not null"), 1, "channels that have ended")
	testenv.Want(t, b.Count(t, "select count(*) from notify_channel where slow"), 2, "channels that failed")
	testenv.Want(t, b.Count(t, `select count(*) from notice where done_at is null and attempts = 1
		and due_at between now() + interval '10 seconds' and now() + interval '31 seconds'`), 3, "that are tried again")
	testenv.Want(t, b.Text(t, "select string_agg(problem, ' ' order by problem) from notify_message where problem <> ''"),
		"telegram_asks_to_wait telegram_blocked", "why")
	b.StoredNowhere(t, "1:token")
	delete(far.Refuse, "82")
	b.roundLater(t, "31 seconds")
	same(t, far.Heard("82"), []string{"3 payments are open.\nhttps://portal.example/trader"}, "told at the second try")
}

// What only a newer version knows waits for a process of it, for a day. Who
// hears of a kind no longer is not told what waits of it.
func TestWaitsForWhoKnowsIt(t *testing.T) {
	far, b := byTelegram(t, "85")
	b.round(t)
	testenv.NoError(t, b.tell(t.Context(), []event{{kind: TraderWithdrawal, of: ofTrader, ownerID: b.trader.ID, subject: "5"}}))
	b.Exec(t, `insert into notice (channel_id, kind, subject, path, at, due_at) select id, 'newer', '', '', $1, now() from notify_channel`, b.clock.Now())
	b.Exec(t, "update app_user set role = 'desk'")
	b.round(t)
	same(t, far.Heard("85"), nil, "told")
	testenv.Want(t, b.Count(t, "select count(*) from notice where kind <> 'newer' and done_at is null"), 0, "that nobody hears of any more")
	testenv.Want(t, b.Count(t, "select count(*) from notice where done_at is null and attempts = 0 and due_at > now()"), 1, "that wait")
	b.Exec(t, "update notice set at = at - interval '25 hours'")
	b.roundLater(t, "6 seconds")
	testenv.Want(t, b.Count(t, "select count(*) from notice where done_at is null"), 0, "that wait after a day")
}

// In quiet hours nothing is told but what is about security; of what is old by
// their end nobody hears.
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
	testenv.NoError(t, db.Run(t.Context(), b.Queries(), Say(PasswordChanged, b.who.ID, "1", time.Now())))
	testenv.NoError(t, b.tell(t.Context(), []event{{kind: TraderAppeal, of: ofTrader, ownerID: b.trader.ID, subject: "5", path: "/trader/appeals/5"}}))
	b.round(t)
	same(t, far.Heard("91"), []string{"Your password was changed.\nhttps://portal.example/account"}, "told in quiet hours")
	b.clock.Advance(2 * time.Hour)
	b.roundLater(t, "2 hours")
	same(t, far.Heard("91"), []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/5"}, "told after them")
}

// An operator who is switched off is told so, and nothing else any more.
func TestSwitchedOffIsTold(t *testing.T) {
	far, b := byTelegram(t, "")
	operator := b.joins(t, caller.Caller{Kind: caller.Operator, Login: "boss", Role: caller.Admin})
	b.linked(t, operator, "92")
	b.round(t)
	b.Exec(t, "update app_user set enabled = false where id = $1", operator.ID)
	testenv.NoError(t, db.Run(t.Context(), b.Queries(), Say(AccessChanged, operator.ID, "1", time.Now())))
	testenv.NoError(t, db.Run(t.Context(), b.Queries(), Say(PasswordChanged, operator.ID, "2", time.Now())))
	testenv.NoError(t, b.tell(t.Context(), []event{{kind: AlarmFires, of: ofOperators, subject: "5", path: "/operator"}}))
	b.round(t)
	same(t, far.Heard("92"), []string{
		"Your access was changed: you were switched off or on, or have another role.\nhttps://portal.example/account",
	}, "told to one who is switched off")
}

// The bot says how the desk stands, begins a break and is quiet when asked to;
// a chat that is not linked learns nothing.
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
	same(t, far.Heard("61"), nil, "told while muted")
	testenv.Want(t, testenv.Must(b.answer(t.Context(), "61", "@x", "/unmute"))(t), "You are told again.", "the answer to /unmute")
	b.round(t)
	same(t, far.Heard("61"), []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/5"}, "told once not muted")
}

// A chat of two users goes on for one while the other has no password, and for
// nobody else.
func TestBotOfTwo(t *testing.T) {
	_, b := byTelegram(t, "61")
	b.linked(t, b.newUser(t, "desk-2"), "61")
	b.Exec(t, "update app_user set password_hash = null where login = 'desk-2'") // they are invited again
	testenv.Want(t, testenv.Must(b.answer(t.Context(), "61", "@x", "/status"))(t), "On shift. Open payments: 0.", "the answer")
}

// Where something fails inside, a chat that the bot knows is told that it did
// not work, and a stranger nothing.
func TestBotTellsStrangersNothing(t *testing.T) {
	far, b := byTelegram(t, "61")
	bot, _ := b.senders[Telegram].(*TelegramSender)
	bot.service = b.Service
	writes := func(chat int64, text string) []string {
		t.Helper()
		bot.hear(t.Context(), nil, &models.Update{Message: &models.Message{
			Date: int(time.Now().Unix()), Text: text, Chat: models.Chat{ID: chat, Type: models.ChatTypePrivate},
		}})
		return far.Heard(strconv.FormatInt(chat, 10))
	}
	didNot := []string{"It did not work. Try again.\nНе получилось. Попробуйте ещё раз."}
	_, code, _ := strings.Cut(testenv.Must(b.LinkTelegram(t.Context(), b.who))(t), "?start=")
	b.Exec(t, "alter table trader rename to away")
	known := writes(61, "/status")
	b.Exec(t, "alter table away rename to trader")
	same(t, known, didNot, "a chat that is linked is told")

	b.Exec(t, "alter table notify_channel rename to away")
	stranger, holder := writes(62, "/status"), writes(62, "/start "+code)
	b.Exec(t, "alter table away rename to notify_channel")
	same(t, stranger, nil, "a stranger is told")
	same(t, holder, didNot, "who has a code is told")
	b.Exec(t, "alter table notify_code rename to away")
	stranger = writes(62, "/start "+code)
	b.Exec(t, "alter table away rename to notify_code")
	same(t, stranger, nil, "a stranger with any code is told")
}

// Telegram takes so many messages a second of a bot: strangers who write very
// much do not use them up, and others are answered.
func TestStrangersAreAnsweredRarely(t *testing.T) {
	_, b := byTelegram(t, "61")
	b.clock.Advance(time.Minute) // it took a wrong code
	answered := func(chat, text string) bool { return testenv.Must(b.answer(t.Context(), chat, "@x", text))(t) != "" }
	for n := range strangersAtOnce {
		text := "/status"
		if n%2 == 1 {
			text = "/start wrong"
		}
		testenv.Check(t, answered(strconv.Itoa(100+n), text), "stranger %d is not answered", n)
	}
	testenv.Check(t, !answered("200", "/status") && !answered("200", "/start wrong"), "one stranger too many is answered")
	testenv.Check(t, answered("61", "/status"), "a chat that is linked is not answered")
	b.linked(t, b.newUser(t, "desk-2"), "62") // who has a right code is, too
	b.clock.Advance(time.Second)
	testenv.Check(t, answered("200", "/status") && !answered("200", "/status"), "a second later not one is answered")
}

// What Telegram answers holds what users write, their codes too. When it cannot
// be read, the log does not quote it.
func TestTelegramIsNotQuoted(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(before)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := 0
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked > 1 { // what it thought of the first answer is in the log
			cancel()
		}
		_, _ = io.WriteString(w, `{"ok":true,"result":[{"message":{"text":"/start hunter2"}}`)
	}))
	defer far.Close()
	testenv.Must(NewTelegram("1:token", far.URL))(t).bot.Start(ctx)
	testenv.Check(t, strings.Contains(logged.String(), "unexpected end of JSON input"), "logged %s", &logged)
	testenv.Check(t, !strings.Contains(logged.String(), "hunter2"), "quoted: %s", &logged)
}

// Thousands of payments that are opened, claimed or about to expire at once are
// one message of each kind, with all of them.
func TestThousands(t *testing.T) {
	const many = 2*feedMost + 1
	far, b := byTelegram(t, "51")
	b.round(t)
	b.pay(t, 1, many)
	b.Exec(t, "update payment set payer_claimed_at = $1, expires_at = $2", b.clock.Now(), b.clock.Now().Add(time.Minute))
	clear(b.feed.read) // as it is every ten seconds
	b.round(t)
	heard := far.Heard("51")
	slices.Sort(heard)
	same(t, heard, []string{
		"4001 payers say that they have paid.\nhttps://portal.example/trader", "4001 payments are about to expire.\nhttps://portal.example/trader",
		"4001 payments are open.\nhttps://portal.example/trader",
	}, "told of thousands")

	// What comes then is found by reading on, of traders of whom somebody
	// hears.
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
	heard = far.Heard("51")
	testenv.Check(t, slices.Contains(heard, fmt.Sprintf("A payer says that they have paid.\nhttps://portal.example/trader/payments/%d", many+1)), "told %q", heard)
}

// Of several processes one asks the bot for what users write; when it is gone,
// another one does.
func TestOneHearsTheBot(t *testing.T) {
	far, b := byTelegram(t, "")
	bot, other := testenv.Must(NewTelegram("1:token", far.URL))(t), testenv.Must(NewTelegram("1:token", far.URL))(t)
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
		far.Updates <- fmt.Sprintf(`{"update_id":%d,"message":{"message_id":1,"date":%d,"text":"/status","chat":{"id":%s,"type":"private"}}}`,
			id, time.Now().Unix(), chat)
		testenv.Until(t, "an answer of the bot", func() bool { return len(far.Heard(chat)) == 1 })
		testenv.Want(t, far.Most.Load(), 1, "processes that ask at a time")
	}
	far.Updates <- `{"update_id":1,"message":{"message_id":1,"date":1700000000,"text":"/status","chat":{"id":13,"type":"private"}}}`
	ask(2, "11")
	same(t, far.Heard("13"), nil, "answered what is old")
	stop()
	testenv.Until(t, "the end of the first's asking", func() bool { return far.Asking.Load() == 0 })
	b.Exec(t, "update notify_feed set leased_until = now()")
	second.renewAt = time.Time{}
	testenv.NoError(t, second.Find(t.Context()))
	second.until.Store(time.Now().Add(testenv.Patience).UnixNano())
	ask(3, "12")
}

// Who tells several channels takes them in one order: two who tell the same
// ones never wait for each other both. The first lies last in the table here.
func TestToldInOneOrder(t *testing.T) {
	_, b := byTelegram(t, "")
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
