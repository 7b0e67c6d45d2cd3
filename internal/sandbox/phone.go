package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/signature"
	"gateway.example/internal/vault"
)

// Phones are the phones of a sandbox's traders. They forward what banks would
// write, by the same signed call as real phones. A trader's phone is paired
// when it first has something to forward.
type Phones struct {
	pool  db.Pool
	clock clock.Clock
	key   Key
	vault *vault.Vault
	// url is the address of the API; nil before it is served.
	url atomic.Pointer[string]
}

// NewPhones makes the phones.
func NewPhones(pool db.Pool, c clock.Clock, key Key, v *vault.Vault) *Phones {
	return &Phones{pool: pool, clock: c, key: key, vault: v}
}

// Reach sets the address of the API.
func (p *Phones) Reach(url string) { p.url.Store(&url) }

// writing is the text in which a bank of a currency reports incoming money; the
// account and the amount are inserted.
type writing struct{ bank, sender, text string }

var writings = map[string]writing{
	"RUB": {"sber", "ru.sberbankmobile", "Перевод по СБП от Иван П. + {amount} ₽ Счёт •• {account}"},
	"TRY": {"garanti", "com.garanti.cepsubesi", "{account} nolu hesabınıza AYŞE K tarafından {amount} TL FAST ile gelmiştir."},
}

// Written is a message in which a bank reports a transfer.
type Written struct {
	TraderID     int64
	Sender, Text string
}

// Write is the message of a bank when a payment is paid. It returns false if no
// bank in the payment's currency writes one.
func Write(p db.SandboxTransferRow) (Written, bool) {
	w, known := writings[p.Currency]
	if !known || p.RequisiteLast4 == nil {
		return Written{}, false
	}
	filled := strings.NewReplacer("{amount}", money.Fiat(p.Amount), "{account}", *p.RequisiteLast4)
	return Written{TraderID: p.TraderID, Sender: w.sender, Text: filled.Replace(w.text)}, true
}

// Find is the message of a bank when the payment with an id is paid.
func (p *Phones) Find(ctx context.Context, paymentID int64) (Written, error) {
	row, err := db.New(p.pool).SandboxTransfer(ctx, paymentID)
	if err != nil {
		return Written{}, db.Missing(err, fault.ErrNotFound, "read payment")
	}
	w, ok := Write(row)
	if !ok {
		return w, fault.ErrNotFound
	}
	return w, nil
}

// Paid forwards the message that a payment was paid, and reports whether that
// confirmed the payment. It does nothing if no bank writes a message, or if the
// trader has revoked the phone.
func (p *Phones) Paid(ctx context.Context, t db.SandboxTransferRow) (bool, error) {
	w, ok := Write(t)
	if !ok || p.url.Load() == nil {
		return false, nil
	}
	state, err := p.Forward(ctx, "payment-"+t.UUID.String(), w)
	if errors.Is(err, errDisconnected) {
		return false, nil
	}
	return state == string(bankmessage.Confirmed), err
}

var (
	errDisconnected = fault.Fields{"text": {"cannot be forwarded: the trader has disconnected the sandbox's phone"}}.Err()
	errForward      = errors.New("the API does not take a message")
)

// Forward posts a message as the trader's phone does, and returns the state of
// the message.
func (p *Phones) Forward(ctx context.Context, id string, w Written) (state string, err error) {
	key := "sandbox-phone-" + strconv.FormatInt(w.TraderID, 10)
	secret := p.key.Secret("secret of " + key)
	if err := p.pair(ctx, w.TraderID, key, secret); err != nil {
		return "", err
	}
	m := map[string]string{
		"messageId": id, "kind": "sms", "sender": w.Sender, "text": w.Text, "receivedAt": p.clock.Now().Format(time.RFC3339Nano),
	}
	if strings.Contains(w.Sender, ".") { // the package name of an app
		m["kind"] = "push"
	}
	body, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("encode a message: %w", err)
	}
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, *p.url.Load()+"/api/v1/bank-messages", bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("forward a message: %w", err)
	}
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set(bankmessage.KeyHeader, key)
	call.Header.Set(bankmessage.SignatureHeader, signature.Sign([]byte(secret), body))
	answer, err := (&http.Client{Timeout: forwardTimeout}).Do(call)
	if err != nil {
		return "", fmt.Errorf("forward a message: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	var said struct {
		Message string
		Errors  map[string][]string
		Data    struct{ State string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return "", fmt.Errorf("read what became of a message: %w", err)
	}
	switch {
	case len(said.Errors) > 0:
		return "", fault.Fields(said.Errors).Err()
	case answer.StatusCode >= http.StatusInternalServerError:
		return "", fmt.Errorf("%w: %s", errForward, answer.Status)
	case said.Data.State == "":
		return "", fault.Fields{"text": {said.Message}}.Err()
	}
	return said.Data.State, nil
}

const forwardTimeout = 10 * time.Second

// pair pairs a trader's phone, unless that was done before, and lets its
// messages confirm payments of the trader's requisites.
func (p *Phones) pair(ctx context.Context, traderID int64, key, secret string) error {
	phone, err := db.New(p.pool).SandboxPhone(ctx, key)
	switch {
	case err == nil && phone.RevokedAt != nil:
		return errDisconnected
	case err == nil:
		return nil
	case !db.NoRows(err):
		return fmt.Errorf("find the phone: %w", err)
	}
	err = db.InTx(ctx, p.pool, func(_ pgx.Tx, q *db.Queries) error {
		id, err := q.BankDeviceNextID(ctx)
		if err != nil {
			return err
		}
		now := p.clock.Now()
		err = bankmessage.InsertDevice(ctx, q, p.vault, secret, db.BankDeviceInsertParams{
			ID: id, TraderID: traderID, Name: "Sandbox", KeyID: key, CreatedAt: now,
		})
		for currency, w := range writings {
			if err == nil {
				err = q.SandboxMessages(ctx, db.SandboxMessagesParams{
					TraderID: traderID, DeviceID: id, Bank: w.bank, Currency: currency, Since: now,
				})
			}
		}
		return err
	})
	return fault.Doing("pair a phone", err)
}
