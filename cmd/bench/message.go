package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"gateway.example/internal/bankmessage"
)

// Of ten messages that a phone forwards one tells of money that has come.
const messagesEach = 10

const messagePath = "/api/v1/bank-messages"

// noise is what banks write besides.
var noise = []string{
	"Вам одобрен кредит до 300 000р под 12,9%. Подробности в приложении",
	"MIR-1234 14:09 Отказ PYATEROCHKA 350р. Недостаточно средств. Баланс: 100р",
	"Перевод по номеру телефона запланирован на завтра",
}

// phone forwards the messages about one requisite.
type phone struct{ key, secret string }

// createsBeside is how many creations a second come while messages do.
const createsBeside = 100

// messages measures messages of banks that confirm payments, where many are kept already and many payments are open: first
// without a pause, then on schedule at half the rate, from the message to the webhook of the payment that it has
// completed. Creations come beside the latter, and before it alone.
func (b *bench) messages(ctx context.Context) error {
	a, err := b.apart(ctx, "messages")
	if err != nil {
		return err
	}
	defer a.leave()
	return a.messagesApart(ctx)
}

func (b *bench) messagesApart(ctx context.Context) error {
	phones, err := b.pairPhones(ctx)
	if err != nil {
		return err
	}
	if err := b.keepMessages(ctx); err != nil {
		return err
	}
	payments := max(b.messageCount/messagesEach/2/b.runs, b.clients)
	for range b.runs {
		due, err := b.dueMessages(ctx, phones, payments)
		if err != nil {
			return err
		}
		rate, _, err := b.forward(ctx, due, payments, 0)
		if err != nil {
			return err
		}
		b.report.sample("messages_per_s", rate)
		if err := b.forwardBeside(ctx, phones, payments, rate/2); err != nil {
			return err
		}
	}
	return nil
}

// keepMessages has the phones have forwarded messages about nothing, and makes a tenth as many payments that stay open.
func (b *bench) keepMessages(ctx context.Context) error {
	_, err := b.pool.Exec(ctx, `insert into bank_message (id, trader_id, device_id, message_id, kind, sender, text, received_at, arrived_at,
			says, pattern, bank, currency, account, state)
		select nextval('bank_message_id_seq'), d.trader_id, d.id, 'kept-' || n, 'push', 'ru.sberbankmobile', sha512(n::text::bytea),
			at, at, 'declined', 'kept', 'sber', $2, '', 'noted'
		from generate_series(1, $1) n
		join (select id, trader_id, row_number() over (order by id) - 1 as place, count(*) over () as all from bank_device) d
			on d.place = n % d.all
		cross join lateral (select now() - n * interval '1 second' as at) t`, b.keptMessages, currency)
	if err != nil {
		return fmt.Errorf("keep messages: %w", err)
	}
	if _, err := b.prepare(ctx, b.scene.boxes, b.keptMessages/messagesEach); err != nil {
		return err
	}
	return b.vacuum(ctx)
}

// forwardBeside has creations come alone, and then beside messages on schedule.
func (b *bench) forwardBeside(ctx context.Context, phones map[int64]phone, payments int, perSecond float64) error {
	due, err := b.dueMessages(ctx, phones, payments)
	if err != nil {
		return err
	}
	over, hangUp, err := b.creator(ctx, manyMethod, latencyClients)
	if err != nil {
		return err
	}
	defer hangUp()
	length := time.Duration(float64(len(due)) / perSecond * float64(time.Second))
	create := func() (*hdrhistogram.Histogram, error) {
		return openLoop(ctx, latencyClients, createsBeside, length, over.act)
	}
	over.prepare(latencyClients, length)
	alone, err := create()
	if err != nil {
		return err
	}
	over.prepare(latencyClients, length)
	var beside *hdrhistogram.Histogram
	created := make(chan error, 1)
	go func() {
		var err error
		beside, err = create()
		created <- err
	}()
	_, taken, err := b.forward(ctx, due, payments, perSecond)
	if err := errors.Join(err, <-created); err != nil {
		return err
	}
	b.report.sample("message_webhook_p50_ms", percentile(taken, 50))
	b.report.sample("message_webhook_p99_ms", percentile(taken, 99))
	b.report.sample("create_without_messages_p50_ms", percentile(alone, 50))
	b.report.sample("create_without_messages_p99_ms", percentile(alone, 99))
	b.report.sample("create_beside_messages_p50_ms", percentile(beside, 50))
	b.report.sample("create_beside_messages_p99_ms", percentile(beside, 99))
	return nil
}

// pairPhones has the traders pair a phone for each requisite of the larger pool, whose messages confirm.
func (b *bench) pairPhones(ctx context.Context) (map[int64]phone, error) {
	const procedure = "/portal.v1.TraderService/CreateDevice"
	var ids, traders []int64
	err := b.pool.QueryRow(ctx, `select array_agg(id order by id), array_agg(trader_id order by id) from requisite
		where enabled and method = $1 and currency = $2`, manyMethod, currency).Scan(&ids, &traders)
	if err != nil {
		return nil, fmt.Errorf("find the requisites: %w", err)
	}
	address, devices, phones := hostOf(b.gateway.BaseURL), make([]int64, len(ids)), map[int64]phone{}
	wires, hangUp, err := dialAll(ctx, address, b.clients)
	if err != nil {
		return nil, err
	}
	defer hangUp()
	var lock sync.Mutex
	_, err = workOff(ctx, b.clients, len(ids), func(_ context.Context, client, i int) error {
		answer, err := wires[client].send(bearerRequest(address, procedure, b.scene.tokens[traders[i]], []byte(`{"name":"bench"}`)))
		if err != nil {
			return err
		}
		var made struct {
			Device struct {
				ID  int64 `json:",string"`
				Key string
			}
			Secret string
		}
		if err := json.Unmarshal(answer, &made); err != nil {
			return fmt.Errorf("read a phone: %w", err)
		}
		lock.Lock()
		defer lock.Unlock()
		devices[i], phones[ids[i]] = made.Device.ID, phone{made.Device.Key, made.Secret}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = b.pool.Exec(ctx, `insert into requisite_message (requisite_id, trader_id, device_id, bank, mode, most, since)
		select unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), 'sber', 'on', 1000000, now()`, ids, traders, devices)
	if err != nil {
		return nil, fmt.Errorf("switch messages on: %w", err)
	}
	return phones, nil
}

// forward forwards messages about payments among others. It answers how many messages were taken a second, and how long each
// payment took from its message to its webhook.
func (b *bench) forward(
	ctx context.Context, due []message, payments int, perSecond float64,
) (rate float64, taken *hdrhistogram.Histogram, err error) {
	clients := b.clients
	if perSecond > 0 {
		clients = latencyClients
	}
	wires, hangUp, err := dialAll(ctx, hostOf(b.gateway.BaseURL), clients)
	if err != nil {
		return 0, nil, err
	}
	defer hangUp()
	watch := newArrivals()
	b.hooks.tell(watch.arrived)
	defer b.hooks.tell(nil)
	b.hooks.restart()
	send := func(client int, m message) error {
		if m.order != "" {
			watch.sent(m.order)
		}
		_, err := wires[client].send(m.request)
		return err
	}
	err = b.costs(ctx, "message", "messages", func() (int64, error) {
		if perSecond == 0 {
			took, err := workOff(ctx, clients, len(due), func(_ context.Context, client, i int) error { return send(client, due[i]) })
			rate = float64(len(due)) / took.Seconds()
			if err != nil {
				return 0, err
			}
		} else if err := b.onSchedule(ctx, clients, perSecond, due, send); err != nil {
			return 0, err
		}
		_, _, err := b.hooks.await(ctx, payments)
		return int64(len(due)), err
	})
	b.say("  %d messages, %d payments, %.0f/s", len(due), payments, rate)
	return rate, watch.taken, err
}

// onSchedule sends each message when it is due.
func (b *bench) onSchedule(
	ctx context.Context, clients int, perSecond float64, due []message, send func(int, message) error,
) error {
	var next atomic.Int64
	length := time.Duration(float64(len(due)-1) / perSecond * float64(time.Second))
	_, err := openLoop(ctx, clients, perSecond, length, func(_ context.Context, client int) (bool, error) {
		i := next.Add(1) - 1
		return true, send(client, due[min(i, int64(len(due)-1))])
	})
	return err
}

// message is a phone's request; order is the one whose money it tells of, or "".
type message struct {
	order   string
	request []byte
}

// dueMessages makes payments, and the messages about them and about nothing in no order.
func (b *bench) dueMessages(ctx context.Context, phones map[int64]phone, payments int) ([]message, error) {
	pending, err := b.prepare(ctx, b.scene.boxes, payments)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, len(pending))
	for _, p := range pending {
		ids = append(ids, p.id)
	}
	rows, err := b.pool.Query(ctx, "select order_id, requisite_id, amount::text from payment where merchant_id = $1 and id = any($2)",
		b.scene.merchantID, ids)
	if err != nil {
		return nil, fmt.Errorf("find the payments: %w", err)
	}
	defer rows.Close()
	address := hostOf(b.gateway.BaseURL)
	var due []message
	for rows.Next() {
		var order, amount string
		var requisite int64
		if err := rows.Scan(&order, &requisite, &amount); err != nil {
			return nil, fmt.Errorf("find the payments: %w", err)
		}
		p := phones[requisite]
		due = append(due, message{order, p.request(address, order, "Перевод по СБП от Иван П. + "+amount+" ₽")})
		for n := range messagesEach - 1 {
			due = append(due, message{"", p.request(address, fmt.Sprintf("%s-%d", order, n), noise[n%len(noise)])})
		}
	}
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	return due, rows.Err()
}

// request is a message as a phone forwards it.
func (p phone) request(address, id, text string) []byte {
	body, _ := json.Marshal(map[string]any{ // of texts, which cannot fail
		"messageId": id, "kind": "push", "sender": "ru.sberbankmobile", "text": text, "receivedAt": time.Now().UTC(),
	})
	mac := hmac.New(sha256.New, []byte(p.secret))
	mac.Write(body)
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s: %s\r\n%s: %s\r\n\r\n",
		messagePath, address, len(body), bankmessage.KeyHeader, p.key, bankmessage.SignatureHeader, hex.EncodeToString(mac.Sum(nil)))
	return append(head, body...)
}

// arrivals takes the time from messages to webhooks.
type arrivals struct {
	mu    sync.Mutex
	since map[string]time.Time
	taken *hdrhistogram.Histogram
}

func newArrivals() *arrivals {
	return &arrivals{since: map[string]time.Time{}, taken: hdrhistogram.New(1, longest, 3)}
}

func (a *arrivals) sent(order string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since[order] = time.Now()
}

func (a *arrivals) arrived(body []byte) {
	_, after, _ := bytes.Cut(body, []byte(`"orderId":"`))
	order, _, _ := bytes.Cut(after, []byte(`"`))
	a.mu.Lock()
	defer a.mu.Unlock()
	if since, there := a.since[string(order)]; there {
		_ = a.taken.RecordValue(min(time.Since(since).Microseconds(), longest))
		delete(a.since, string(order))
	}
}
