package portals_test

import (
	"context"
	"encoding/json"
	"fmt"
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

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// teller tells the users of a portal by a bot, whose other side it is.
type teller struct {
	*portaltest.Bundle
	*notify.Service
	bot       *notify.TelegramSender
	feed      *notify.Feed
	deliverer *notify.Deliverer
	// updates are what users write; texts is what their one chat was told.
	updates chan string
	written atomic.Int64
	down    atomic.Bool
	mu      sync.Mutex
	texts   []string
}

const chatID = "77"

func newTeller(t *testing.T, b *portaltest.Bundle) *teller {
	t.Helper()
	far := &teller{Bundle: b, updates: make(chan string)}
	server := httptest.NewServer(far)
	t.Cleanup(server.Close)
	far.bot = testenv.Must(notify.NewTelegram("1:token", "GatewayBot", server.URL))(t)
	far.Service = notify.New(b.Pools(), b.Clock, notify.Rooms{
		Vault: dbtest.Vault(), HashKey: make([]byte, 32), PortalURL: "https://portal.example", Senders: []notify.Sender{far.bot},
		Breaks: b.Settings.SetBreak,
	})
	far.feed = notify.NewFeed(far.Service)
	far.deliverer = notify.NewDeliverer(far.Service, b.Pool, prometheus.NewRegistry())
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { far.bot.Run(ctx, far.Service, far.feed) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return far
}

func (f *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/getUpdates") {
		_, _ = io.Copy(io.Discard, r.Body) // else it is not seen that who asks is gone
		select {
		case update := <-f.updates:
			_, _ = io.WriteString(w, `{"ok":true,"result":[`+update+`]}`)
		case <-r.Context().Done():
		}
		return
	}
	if f.down.Load() {
		panic(http.ErrAbortHandler) // the connection breaks
	}
	_ = r.ParseMultipartForm(1 << 16)
	form := url.Values(r.MultipartForm.Value)
	f.mu.Lock()
	defer f.mu.Unlock()
	if form.Get("chat_id") == chatID {
		f.texts = append(f.texts, form.Get("text"))
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": map[string]any{"message_id": 1}})
}

// told is what the chat was told since it was last asked.
func (f *teller) told() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	texts := f.texts
	f.texts = nil
	return strings.Join(texts, "\n")
}

// link links the chat to a user, by the code of their page.
func (f *teller) link(t *testing.T, p *portaltest.Person) {
	t.Helper()
	_, code, _ := strings.Cut(p.Post(t, "/account/notifications/telegram").Body, "?start=")
	code, _, _ = strings.Cut(code, `"`)
	want(t, "the answer to /start", strings.HasPrefix(f.says(t, "/start "+code), "Linked."), true)
}

// says has a user write to the bot, and is what it answers.
func (f *teller) says(t *testing.T, text string) (answer string) {
	t.Helper()
	update := map[string]any{"update_id": f.written.Add(1), "message": map[string]any{
		"message_id": 1, "date": time.Now().Unix(), "text": text, "chat": map[string]any{"id": json.Number(chatID), "type": "private"},
	}}
	body := testenv.Must(json.Marshal(update))(t)
	sent := false
	testenv.Until(t, "the bot answers "+text, func() bool {
		noError(t, f.feed.Find(t.Context())) // which is what lets this process hear
		if !sent {
			select {
			case f.updates <- string(body):
				sent = true
			default:
			}
		}
		answer = f.told()
		return answer != ""
	})
	return answer
}

// finds has another process find out what happened and send what is due, as though a minute had gone by since the last time.
func (f *teller) finds(t *testing.T) string {
	t.Helper()
	f.Exec(t, "update notify_feed set leased_until = now()")
	noError(t, notify.NewFeed(f.Service).Find(t.Context()))
	f.Exec(t, "update notice set due_at = due_at - interval '61 seconds', done_at = done_at - interval '61 seconds'")
	f.Exec(t, "update notify_channel set due_at = now() where due_at < 'infinity'")
	var running sync.WaitGroup
	noError(t, f.deliverer.Look(t.Context(), &running))
	running.Wait()
	return f.told()
}

// A trader is told of another amount that came for a payment of theirs, and of what its merchant decided.
func TestCaseIsTold(t *testing.T) {
	b, p := portaltest.Trader(t)
	f := newTeller(t, b)
	f.link(t, p)
	f.finds(t) // the sign-in
	pay := b.Create(t, "1500")
	page := "\nhttps://portal.example/trader/payments/" + portaltest.Line(pay.ID)
	want(t, "told of a payment", f.finds(t), "A payment is open."+page)
	came := "1000"
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), b.AsTrader(), pay.ID, &came))(t)
	want(t, "told of what came", f.finds(t), "There is news of a payment of which another amount came."+page)
	testenv.Must(b.Payments.DecideCase(t.Context(), b.AsMerchant(), payment.CaseDecision{PaymentID: pay.ID, Decision: payment.TakeWhatCame}))(t)
	want(t, "told of what was decided", f.finds(t), "There is news of a payment of which another amount came."+page)
	want(t, "told once more", f.finds(t), "")
	wantIn(t, "the page", p.Page(t, "/account/notifications").Text(), "Case: another amount came, or is decided")
}

// A trader who writes /break to the bot gets no payments until they end the break at the desk.
func TestBotBreaks(t *testing.T) {
	b, p := portaltest.Trader(t)
	f := newTeller(t, b)
	f.link(t, p)
	b.Create(t, "1500")
	want(t, "the answer to /status", f.says(t, "/status"), "On shift. Open payments: 1.")
	want(t, "the answer to /break", f.says(t, "/break"), "On a break: no new payments. End it at the desk.")
	refused := func() string {
		method := "sbp"
		_, err := b.Payments.Create(t.Context(), b.Merchant.Caller, payment.Request{
			OrderID: "on-a-break", Amount: "1600", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
		})
		if refusal := fault.As(err); refusal != nil {
			return refusal.Code
		}
		return fmt.Sprint(err)
	}
	want(t, "a payment on a break", refused(), "collect_requisites_not_available")
	want(t, "the answer to /status", f.says(t, "/status"), "On a break. Open payments: 1.")
	want(t, "the change is the user's", b.Text(t, "select actor from setting_change where subject = 'trader' order by id desc limit 1"),
		"trader:"+b.Text(t, "select id::text from app_user where login = 'owner-1'"))
	want(t, "the break ends", p.Post(t, "/trader/break", "on", "").Code, http.StatusSeeOther)
	want(t, "a payment then", refused(), "<nil>")
}

// Why something was not sent is said in the user's words, and has nothing of what a library says of it.
func TestWhyItWasNotSent(t *testing.T) {
	b, p := portaltest.Trader(t)
	f := newTeller(t, b)
	f.link(t, p)
	f.down.Store(true)
	f.finds(t)
	for language, why := range map[string]string{"en": "Telegram gives no answer.", "ru": "Telegram не отвечает.", "tr": "Telegram yanıt vermiyor."} {
		page := p.Page(t, "/account/notifications?lang="+language)
		wantIn(t, "the page in "+language, page.Text(), why)
		wantNot(t, "the page in "+language, page.Text(), "127.0.0.1", "token", "telegram_silent")
	}
}
