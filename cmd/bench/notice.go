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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5"
)

const (
	// chatsEach is how many chats each trader has linked, and chatBase the number of the first.
	chatsEach, chatBase = 10, 1000
	// feedNotices is how long the gateway may take to notice that the first chat of all was linked.
	feedNotices = 4 * time.Second
	// toldWithin is how long everybody may take to be told before the measurement fails.
	toldWithin = time.Minute
	// updatesMost is how many updates the far side gives at a time, as Telegram does.
	updatesMost = 100
)

// noticeService is what users call about what they are told.
const noticeService = "/portal.v1.NotificationService/"

// notifications measures what users are told: creations without anybody who is, then beside chats of every trader; how long a
// payment's first message takes to each chat; and how many messages a second are handed over. The far side is a bot's, here.
func (b *bench) notifications(ctx context.Context) error {
	far := newFarSide()
	defer far.Close()
	with := *b
	with.telegram = far.URL
	a, err := with.apart(ctx, "notifications")
	if err != nil {
		return err
	}
	defer a.leave()
	for range a.runs {
		alone, err := a.createBesideNotices(ctx)
		if err != nil {
			return err
		}
		a.report.sample("create_without_subscribers_p99_ms", percentile(alone, 99))
	}
	if err := a.linkChats(ctx, far); err != nil {
		return err
	}
	time.Sleep(feedNotices) // nobody is told of what happens before
	for range a.runs {
		if err := a.tellChats(ctx, far); err != nil {
			return err
		}
	}
	return nil
}

// createBesideNotices has creations come on schedule.
func (b *bench) createBesideNotices(ctx context.Context) (*hdrhistogram.Histogram, error) {
	over, hangUp, err := b.creator(ctx, manyMethod, latencyClients)
	if err != nil {
		return nil, err
	}
	defer hangUp()
	over.prepare(latencyClients, b.seconds)
	return openLoop(ctx, latencyClients, createsBeside, b.seconds, over.act)
}

// chat is that of a trader, by the trader's place.
func chat(trader, n int) string { return strconv.Itoa(chatBase + trader*chatsEach + n) }

// asTraders calls a procedure as each trader.
func (b *bench) asTraders(ctx context.Context, procedure string, read func(trader int, answer []byte) error) error {
	address := hostOf(b.gateway.BaseURL)
	wires, hangUp, err := dialAll(ctx, address, b.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	_, err = workOff(ctx, b.clients, len(b.scene.traderIDs), func(_ context.Context, client, trader int) error {
		token := b.scene.tokens[b.scene.traderIDs[trader]]
		answer, err := wires[client].send(bearerRequest(address, noticeService+procedure, token, []byte("{}")))
		if err != nil {
			return fmt.Errorf("%s: %w", procedure, err)
		}
		return read(trader, answer)
	})
	return err
}

// linkChats has every trader link their chats, as people do it: by the address that a call gives, opened in the chat. A code
// replaces the one before it, so a trader's chats come one after another.
func (b *bench) linkChats(ctx context.Context, far *farSide) error {
	for n := range chatsEach {
		far.restart("Linked.")
		err := b.asTraders(ctx, "LinkTelegram", func(trader int, answer []byte) error {
			var link struct{ URL string }
			if err := json.Unmarshal(answer, &link); err != nil {
				return fmt.Errorf("read a link: %w", err)
			}
			_, code, _ := strings.Cut(link.URL, "?start=")
			far.write(chat(trader, n), "/start "+code)
			return nil
		})
		if err == nil {
			err = far.await(ctx, len(b.scene.traderIDs))
		}
		if err != nil {
			return fmt.Errorf("link chats: %w", err)
		}
	}
	return nil
}

// tellChats measures how long the first payment of each trader takes to their chats, beside the creations that make it, and
// then trials of all at once.
func (b *bench) tellChats(ctx context.Context, far *farSide) error {
	if err := b.forgetTold(ctx); err != nil {
		return err
	}
	far.restart(" open.")
	began := time.Now()
	beside, err := b.createBesideNotices(ctx)
	if err != nil {
		return err
	}
	b.report.sample("create_with_subscribers_p99_ms", percentile(beside, 99))
	taken, err := b.handedOver(ctx, far, began)
	if err != nil {
		return err
	}
	b.report.sample("notification_p50_ms", percentile(taken, 50))
	b.report.sample("notification_p99_ms", percentile(taken, 99))

	if err := b.forgetTold(ctx); err != nil {
		return err
	}
	far.restart("trial")
	began = time.Now()
	err = b.asTraders(ctx, "SendTrial", func(int, []byte) error { return nil })
	messages := len(b.scene.traderIDs) * chatsEach
	if err := errors.Join(err, far.await(ctx, messages)); err != nil {
		return fmt.Errorf("tell of trials: %w", err)
	}
	rate := float64(messages) / time.Since(began).Seconds()
	b.report.sample("notifications_per_s", rate)
	b.say("  %d messages, %.0f/s", messages, rate)
	return nil
}

// forgetTold has what was told be long ago, so that nothing waits to be told together with what follows.
func (b *bench) forgetTold(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		// The lock waits for the gateway, which tells and delivers meanwhile.
		_, err := tx.Exec(ctx, "lock table notify_channel, notice in share row exclusive mode")
		if err == nil {
			_, err = tx.Exec(ctx, `with old as (delete from notice) update notify_channel set due_at = 'infinity'`)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forget what was told: %w", err)
	}
	return nil
}

// handedOver is how long each trader's first payment took from its creation to their chats, once all of them have it.
func (b *bench) handedOver(ctx context.Context, far *farSide, began time.Time) (*hdrhistogram.Histogram, error) {
	rows, err := b.pool.Query(ctx, `select trader_id, min(created_at) from payment where created_at >= $1 group by trader_id`, began)
	if err != nil {
		return nil, fmt.Errorf("find the payments: %w", err)
	}
	defer rows.Close()
	first := map[int64]time.Time{}
	for rows.Next() {
		var trader int64
		var at time.Time
		if err := rows.Scan(&trader, &at); err != nil {
			return nil, fmt.Errorf("find the payments: %w", err)
		}
		first[trader] = at
	}
	if err := errors.Join(rows.Err(), far.await(ctx, len(first)*chatsEach)); err != nil {
		return nil, fmt.Errorf("tell of payments: %w", err)
	}
	taken := hdrhistogram.New(1, longest, 3)
	for place, trader := range b.scene.traderIDs {
		at, there := first[trader]
		for n := range chatsEach {
			if told, heard := far.at(chat(place, n)); there && heard {
				_ = taken.RecordValue(max(1, min(told.Sub(at).Microseconds(), longest)))
			}
		}
	}
	return taken, nil
}

// farSide is Telegram, as a bot knows it.
type farSide struct {
	*httptest.Server
	// updates wait to be asked for.
	updates chan string
	mu      sync.Mutex
	// told is when each chat got its first message about something, number that of the last update.
	told   map[string]time.Time
	number int
	about  string
}

func newFarSide() *farSide {
	f := &farSide{updates: make(chan string, 100_000), told: map[string]time.Time{}}
	f.Server = httptest.NewServer(f)
	return f
}

// write has a chat write to the bot.
func (f *farSide) write(chat, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.number++
	f.updates <- fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":%d,"text":%q,"chat":{"id":%s,"type":"private","first_name":"bench"}}}`,
		f.number, f.number, time.Now().Unix(), text, chat)
}

// restart forgets what was told, and heeds from now on what has a text in it.
func (f *farSide) restart(about string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.told)
	f.about = about
}

func (f *farSide) at(chat string) (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, told := f.told[chat]
	return at, told
}

// await waits until so many chats were told something.
func (f *farSide) await(ctx context.Context, chats int) error {
	ctx, cancel := context.WithTimeout(ctx, toldWithin)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		f.mu.Lock()
		told := len(f.told)
		f.mu.Unlock()
		if told >= chats {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d chats were told: %w", told, chats, ctx.Err())
		case <-tick.C:
		}
	}
}

func (f *farSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/getUpdates") {
		f.giveUpdates(w, r)
		return
	}
	if err := r.ParseMultipartForm(1 << 16); err != nil { //nolint:gosec // the sender is the gateway that is measured
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	now, form := time.Now(), url.Values(r.MultipartForm.Value)
	chat := form.Get("chat_id")
	f.mu.Lock()
	if _, before := f.told[chat]; !before && strings.Contains(form.Get("text"), f.about) {
		f.told[chat] = now
	}
	f.mu.Unlock()
	_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":1}}`)
}

// giveUpdates answers once there are some.
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
