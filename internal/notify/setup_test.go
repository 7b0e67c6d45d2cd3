package notify

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is the whole way of a notice: what finds it out, keeps it and sends it.
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
	b.Service = New(b.Pools(), b.clock, Rooms{
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
	who := caller.Caller{Kind: caller.Trader, Login: login, Role: caller.Owner, TraderID: b.trader.ID}
	b.Get(t, &who.ID, `insert into app_user (kind, role, login, password_hash, trader_id, created_at)
		values ('trader', 'owner', $1, 'x', $2, now())
		returning id`, login, b.trader.ID)
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

// restart has another process find out what happened; the one before has done so last so long ago.
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

// telegram is a bot's other side.
type telegram struct {
	*httptest.Server
	mu    sync.Mutex
	texts map[string][]string
	// refuse is how chats answer that do not take messages.
	refuse map[string]string
	// updates are given to the bot when it asks.
	updates chan string
	// asking are those who ask for updates now, most how many were at a time.
	asking, most atomic.Int64
}

func newTelegram(t *testing.T) (*telegram, *TelegramSender) {
	t.Helper()
	far := &telegram{texts: map[string][]string{}, refuse: map[string]string{}, updates: make(chan string, 10)}
	far.Server = httptest.NewServer(far)
	t.Cleanup(far.Close)
	return far, testenv.Must(NewTelegram("1:token", "GatewayBot", far.URL))(t)
}

func (f *telegram) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/getUpdates") {
		_, _ = io.Copy(io.Discard, r.Body) // else it is not seen that who asks is gone
		f.most.Store(max(f.most.Load(), f.asking.Add(1)))
		defer f.asking.Add(-1)
		select {
		case update := <-f.updates:
			_, _ = io.WriteString(w, `{"ok":true,"result":[`+update+`]}`)
		case <-r.Context().Done():
		}
		return
	}
	_ = r.ParseMultipartForm(1 << 16)
	form := url.Values(r.MultipartForm.Value)
	f.mu.Lock()
	defer f.mu.Unlock()
	if refusal := f.refuse[form.Get("chat_id")]; refusal != "" {
		_, _ = io.WriteString(w, refusal)
		return
	}
	f.texts[form.Get("chat_id")] = append(f.texts[form.Get("chat_id")], form.Get("text"))
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": map[string]any{"message_id": 1}})
}

// byTelegram is a bundle with a bot, and with a chat of its user where one is named.
func byTelegram(t *testing.T, chat string) (*telegram, *bundle) {
	t.Helper()
	far, bot := newTelegram(t)
	b := setup(t, bot)
	if chat != "" {
		b.linked(t, b.who, chat)
	}
	return far, b
}

// heard is what a chat was told since it was last asked.
func (f *telegram) heard(chat string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	texts := f.texts[chat]
	delete(f.texts, chat)
	return texts
}

// linked links a chat of Telegram to a user, as they do it by the code of the portal.
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
