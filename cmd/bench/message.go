package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"gateway.example/internal/bankmessage"
)

// One message in ten says that money has come.
const messagesEach = 10

// noise are other messages of banks.
var noise = []string{
	"Вам одобрен кредит до 300 000р под 12,9%. Подробности в приложении",
	"MIR-1234 14:09 Отказ PYATEROCHKA 350р. Недостаточно средств. Баланс: 100р",
	"Перевод по номеру телефона запланирован на завтра",
}

// phone forwards the messages about one requisite.
type phone struct{ key, secret string }

// messages measures messages of banks that confirm payments, with many old
// messages and many open payments in the database: first without a pause, then
// on schedule at half of that rate, from the message to the webhook of the
// payment it completed. Meanwhile, and before alone, payments are created.
func (b *bench) messages(ctx context.Context) {
	a := b.apart(ctx, "messages")
	defer a.leave()
	phones := a.pairPhones(ctx)
	a.say("  %d phones are paired", len(phones))
	a.keepMessages(ctx)
	payments := max(a.messageCount/messagesEach/2/a.runs, a.clients)
	for range a.runs {
		due := a.dueMessages(ctx, phones, payments)
		var rate float64
		a.forward(ctx, due, payments, func(request func(i int) []byte) {
			rate = float64(len(due)) / a.each(ctx, len(due), request, nil).Seconds()
		})
		a.report.sample("messages_per_s", rate)
		a.say("  %d messages, %d payments, %.0f/s", len(due), payments, rate)
		a.forwardBeside(ctx, a.dueMessages(ctx, phones, payments), payments, rate/2)
	}
}

// keepMessages writes old messages about nothing, and creates a tenth as many
// payments that stay open.
func (b *bench) keepMessages(ctx context.Context) {
	b.exec(ctx, "keep messages", `insert into bank_message (id, trader_id, device_id, message_id, kind, sender, text, received_at, arrived_at,
			says, pattern, bank, currency, account, state)
		select nextval('bank_message_id_seq'), d.trader_id, d.id, 'kept-' || n, 'push', 'ru.sberbankmobile', sha512(n::text::bytea),
			at, at, 'declined', 'kept', 'sber', $2, '', 'noted'
		from generate_series(1, $1) n
		join (select id, trader_id, row_number() over (order by id) - 1 as place, count(*) over () as all from bank_device) d
			on d.place = n % d.all
		cross join lateral (select now() - n * interval '1 second' as at) t`, b.keptMessages, currency)
	b.say("  %d messages are kept", b.keptMessages)
	b.prepare(ctx, b.scene.boxes, b.keptMessages/messagesEach)
	b.vacuum(ctx)
}

// forwardBeside measures creations alone, and then beside messages on
// schedule.
func (b *bench) forwardBeside(ctx context.Context, due []message, payments int, perSecond float64) {
	length := time.Duration(float64(len(due)-1) / perSecond * float64(time.Second))
	alone := b.scheduled(ctx, createsBeside, length)
	var beside *hdrhistogram.Histogram
	taken := b.forward(ctx, due, payments, func(request func(i int) []byte) {
		var next atomic.Int64
		phones := b.callers(ctx, scheduledClients, func(int) []byte { return request(int(next.Add(1)-1) % len(due)) })
		defer phones.hangUp()
		created := make(chan error, 1)
		go func() { created <- caught(func() { beside = b.scheduled(ctx, createsBeside, length) }) }()
		_, err := openLoop(ctx, scheduledClients, perSecond, length, phones.act)
		check(errors.Join(err, <-created))
	})
	b.report.latencies("message_webhook", taken)
	b.report.latencies("create_without_messages", alone)
	b.report.latencies("create_beside_messages", beside)
}

// pairPhones pairs a phone for each requisite of the larger pool, whose
// messages confirm payments.
func (b *bench) pairPhones(ctx context.Context) map[int64]phone {
	var ids, traders []int64
	check(b.pool.QueryRow(ctx, `select array_agg(id order by id), array_agg(trader_id order by id) from requisite
		where enabled and method = $1 and currency = $2`, manyMethod, currency).Scan(&ids, &traders), "find the requisites")
	devices, paired := make([]int64, len(ids)), make([]phone, len(ids))
	b.each(ctx, len(ids), func(i int) []byte {
		return b.bearer(traderService+"CreateDevice", b.scene.tokens[traders[i]], `{"name":"bench"}`)
	}, func(i int, answer []byte) error {
		var made struct {
			Device struct {
				ID  int64 `json:",string"`
				Key string
			}
			Secret string
		}
		err := json.Unmarshal(answer, &made)
		devices[i], paired[i] = made.Device.ID, phone{made.Device.Key, made.Secret}
		return err
	})
	phones := map[int64]phone{}
	for i, id := range ids {
		phones[id] = paired[i]
	}
	b.exec(ctx, "switch messages on", `insert into requisite_message (requisite_id, trader_id, device_id, bank, mode, most, since)
		select unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), 'sber', 'on', 1000000, now()`, ids, traders, devices)
	return phones
}

// forward sends messages about payments among others, each once, and waits for
// the payments' webhooks. It returns the time of each payment from its message
// to its webhook.
func (b *bench) forward(ctx context.Context, due []message, payments int, send func(request func(i int) []byte)) *hdrhistogram.Histogram {
	sent, taken := make([]time.Time, len(due)), newLatencies()
	b.hooks.restart()
	b.costs(ctx, "message", "messages", func() int64 {
		send(func(i int) []byte {
			sent[i] = time.Now()
			return due[i].request
		})
		arrived := b.hooks.await(ctx, payments, "webhooks")
		for i, m := range due {
			if at, there := arrived[m.order]; there {
				record(taken, at.Sub(sent[i]))
			}
		}
		return int64(len(due))
	})
	return taken
}

// message is a phone's request. order is the order whose money has come, or
// "".
type message struct {
	order   string
	request []byte
}

// dueMessages creates payments, and messages about them and about nothing, in
// random order.
func (b *bench) dueMessages(ctx context.Context, phones map[int64]phone, payments int) []message {
	var due []message
	for _, p := range b.prepare(ctx, b.scene.boxes, payments) {
		from := phones[p.RequisiteID]
		due = append(due, message{p.OrderID, from.request(b.address(), p.OrderID, "Перевод по СБП от Иван П. + "+p.Amount+" ₽")})
		for n := range messagesEach - 1 {
			due = append(due, message{"", from.request(b.address(), fmt.Sprintf("%s-%d", p.OrderID, n), noise[n%len(noise)])})
		}
	}
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	return due
}

func (p phone) request(address, id, text string) []byte {
	body, _ := json.Marshal(map[string]any{ // of texts, which cannot fail
		"messageId": id, "kind": "push", "sender": "ru.sberbankmobile", "text": text, "receivedAt": time.Now().UTC(),
	})
	mac := hmac.New(sha256.New, []byte(p.secret))
	mac.Write(body)
	return post(address, "/api/v1/bank-messages", body,
		bankmessage.KeyHeader, p.key, bankmessage.SignatureHeader, hex.EncodeToString(mac.Sum(nil)))
}
