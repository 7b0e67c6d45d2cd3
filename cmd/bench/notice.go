package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// chatsEach is how many chats each trader links, and chatBase is the
	// number of the first.
	chatsEach, chatBase = 10, 1000
	// feedNotices is how long the gateway may take to notice the first
	// linked chat.
	feedNotices = 4 * time.Second
	// updatesMost is how many updates one answer has, as in Telegram.
	updatesMost = 100
)

// notifications measures the notification of users by a simulated Telegram:
// creations before anybody is notified and then with chats of every trader,
// the time from a payment to its message in each chat, and how many messages
// are sent a second.
func (b *bench) notifications(ctx context.Context) {
	far := newFarSide()
	defer far.Close()
	with := *b
	with.telegram = far.URL
	a := with.apart(ctx, "notifications")
	defer a.leave()
	for range a.runs {
		a.report.latencies("create_without_subscribers", a.scheduled(ctx, createsBeside, a.besideTime()))
	}
	linked := a.linkChats(ctx, far)
	a.say("  all chats are linked")
	pause(ctx, time.Until(linked.Add(feedNotices))) // nobody is told of what happens before
	for range a.runs {
		a.tellOfPayments(ctx, far)
		a.tellOfTrials(ctx, far)
	}
}

// chat is the id of a trader's n-th chat.
func chat(trader, n int) string { return strconv.Itoa(chatBase + trader*chatsEach + n) }

func (b *bench) asTraders(ctx context.Context, procedure string, read func(trader int, answer []byte) error) {
	b.each(ctx, len(b.scene.traderIDs), func(trader int) []byte {
		return b.bearer("/portal.v1.NotificationService/"+procedure, b.scene.tokens[b.scene.traderIDs[trader]], "{}")
	}, read)
}

// linkChats links the chats of every trader as people do: a call returns an
// address that is opened in the chat. A code replaces the one before it, so a
// trader's chats are linked one after another. It returns when the first ones
// were linked.
func (b *bench) linkChats(ctx context.Context, far *farSide) (first time.Time) {
	for n := range chatsEach {
		far.heed("Linked.")
		b.asTraders(ctx, "LinkTelegram", func(trader int, answer []byte) error {
			var link struct{ URL string }
			err := json.Unmarshal(answer, &link)
			_, code, _ := strings.Cut(link.URL, "?start=")
			far.write(chat(trader, n), "/start "+code)
			return err
		})
		far.await(ctx, len(b.scene.traderIDs), "link chats")
		if n == 0 {
			first = time.Now()
		}
	}
	return first
}

// tellOfPayments measures how long the first payment of each trader takes to
// arrive in their chats, beside creations.
func (b *bench) tellOfPayments(ctx context.Context, far *farSide) {
	b.forgetTold(ctx)
	far.heed(" open.")
	began := time.Now()
	beside := b.scheduled(ctx, createsBeside, b.besideTime())
	firsts := list(ctx, b, "find the payments", pgx.RowToStructByPos[struct {
		Trader int64
		At     time.Time
	}], "select trader_id, min(created_at) from payment where created_at >= $1 group by trader_id", began)
	told := far.await(ctx, len(firsts)*chatsEach, "tell of payments")
	taken := newLatencies()
	for _, first := range firsts {
		for n := range chatsEach {
			if at, there := told[chat(slices.Index(b.scene.traderIDs, first.Trader), n)]; there {
				record(taken, at.Sub(first.At))
			}
		}
	}
	b.report.latencies("create_with_subscribers", beside)
	b.report.latencies("notification", taken)
}

// tellOfTrials measures how many messages are sent a second, by test messages
// to all users at once.
func (b *bench) tellOfTrials(ctx context.Context, far *farSide) {
	b.forgetTold(ctx)
	far.heed("trial")
	began := time.Now()
	b.asTraders(ctx, "SendTrial", nil)
	messages := len(b.scene.traderIDs) * chatsEach
	far.await(ctx, messages, "tell of trials")
	rate := float64(messages) / time.Since(began).Seconds()
	b.report.sample("notifications_per_s", rate)
	b.say("  %d messages, %.0f/s", messages, rate)
}

// forgetTold dates all notices back, so that later ones are not delayed to be
// sent together with them.
func (b *bench) forgetTold(ctx context.Context) {
	check(pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		// The lock waits for the gateway, which is working meanwhile.
		_, lock := tx.Exec(ctx, "lock table notify_channel, notice in share row exclusive mode")
		_, forget := tx.Exec(ctx, `with old as (delete from notice) update notify_channel set due_at = 'infinity'`)
		return errors.Join(lock, forget)
	}), "forget what was told")
}

// farSide is the simulated Telegram. It records the first message about
// something in each chat.
type farSide struct {
	*httptest.Server
	*arrivals
	// updates are fetched in the order of their numbers; number is the
	// last one.
	updates chan string
	number  int
	about   atomic.Value
}

func newFarSide() *farSide {
	f := &farSide{arrivals: newArrivals(), updates: make(chan string, 100_000)}
	f.heed("")
	f.Server = httptest.NewServer(f)
	return f
}

// heed starts to record messages that contain a text, and forgets those
// before.
func (f *farSide) heed(about string) {
	f.about.Store(about)
	f.restart()
}

func (f *farSide) write(chat, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.number++
	f.updates <- fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":%d,"text":%q,"chat":{"id":%s,"type":"private","first_name":"bench"}}}`,
		f.number, f.number, time.Now().Unix(), text, chat)
}

func (f *farSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/getUpdates") {
		f.giveUpdates(w, r)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/getMe") {
		_, _ = io.WriteString(w, `{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"Bench","username":"bench"}}`)
		return
	}
	if err := r.ParseMultipartForm(1 << 16); err != nil { //nolint:gosec // the sender is the gateway that is measured
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	form := url.Values(r.MultipartForm.Value)
	if about, _ := f.about.Load().(string); strings.Contains(form.Get("text"), about) {
		f.came(form.Get("chat_id"))
	}
	_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":1}}`)
}

// giveUpdates answers when there are updates.
func (f *farSide) giveUpdates(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // else it is not seen that who asks is gone
	select {
	case <-r.Context().Done():
	case update := <-f.updates:
		list := []string{update}
		for len(f.updates) > 0 && len(list) < updatesMost {
			list = append(list, <-f.updates)
		}
		_, _ = io.WriteString(w, `{"ok":true,"result":[`+strings.Join(list, ",")+`]}`)
	}
}
