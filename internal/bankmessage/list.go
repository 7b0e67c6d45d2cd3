package bankmessage

import (
	"context"
	"log/slog"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// Message is a message of a bank, and what was done about it.
type Message struct {
	ID, DeviceID, TraderID int64
	// MessageID is the phone's own id of the message. Text is nil after it
	// was purged.
	MessageID, Kind, Sender string
	Text                    *string
	ReceivedAt, ArrivedAt   time.Time
	Says                    Kind
	// Bank is "" for an unknown message.
	Bank, Currency, Account string
	Amount, Balance         *decimal.Decimal
	State                   State
	// Why is why it waits or why nothing is done about it: one of this
	// package's words, or the trader's objection.
	Why string
	// Gap is by how much the balance differs from what was known; nil if
	// that is not known.
	Gap       *decimal.Decimal
	PaymentID *int64
	DecidedAt *time.Time
	DecidedBy string
	// Outcome is what an operator decided about an objection, or "", and
	// Resolution is their reason.
	Outcome    Outcome
	Resolution string
	ResolvedAt *time.Time
	ResolvedBy string
}

// messageOf converts a row and opens its text. Text is nil after it was purged,
// and also if it cannot be opened. An objection takes the place of why the
// message was decided so.
func (s *Service) messageOf(row db.BankMessage) Message {
	m := Message{
		ID: row.ID, DeviceID: row.DeviceID, TraderID: row.TraderID, MessageID: row.MessageID, Kind: row.Kind,
		Sender: row.Sender, ReceivedAt: row.ReceivedAt, ArrivedAt: row.ArrivedAt, Says: Kind(row.Says),
		Bank: row.Bank, Currency: row.Currency, Account: row.Account, Amount: sum(row.Amount), Balance: sum(row.Balance),
		State: State(row.State), Why: row.Why, Gap: sum(row.Gap), PaymentID: row.PaymentID,
		DecidedAt: row.DecidedAt,
	}
	if row.DecidedBy != nil {
		m.DecidedBy = *row.DecidedBy
	}
	if row.Objection != nil {
		m.Why = *row.Objection
	}
	if row.Outcome != nil {
		m.Outcome, m.Resolution, m.ResolvedBy, m.ResolvedAt = Outcome(*row.Outcome), *row.Resolution, *row.ResolvedBy, row.ResolvedAt
	}
	if row.Text == nil {
		return m
	}
	text, err := s.vault.Open(row.Text, textPlace(row.ID))
	if err != nil { // one text that cannot be decrypted must not make the whole list fail
		slog.Error("a message cannot be opened", "message", row.ID, "error", err)
		return m
	}
	m.Text = new(string(text))
	return m
}

// MayObject reports whether a trader may still object to what a message
// confirmed.
func (m Message) MayObject(now time.Time) bool {
	return m.State == Confirmed && m.DecidedAt != nil && now.Sub(*m.DecidedAt) <= ObjectWithin
}

// Page asks for a page of messages, the newest first.
type Page struct {
	db.Page
	// Waiting lists only messages that wait for a person.
	Waiting bool
}

// List lists the messages of the caller's trader. The cursor is nil on the last
// page.
func (s *Service) List(ctx context.Context, who caller.Caller, page Page) ([]Message, *string, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, nil, err
	}
	return s.list(ctx, page.Page, func(q *db.Queries, before int64, rows int32) ([]db.BankMessage, error) {
		found, err := q.BankMessageListOwn(ctx, db.BankMessageListOwnParams{
			TraderID: who.TraderID, BeforeID: before, Waiting: page.Waiting, Page: rows,
		})
		return seen(who, found...), err
	})
}

// seen leaves out the texts for an operator who looks as a user of the trader:
// operators read texts by a separate act, which is noted.
func seen(who caller.Caller, rows ...db.BankMessage) []db.BankMessage {
	for i := range rows {
		if who.ViewAs {
			rows[i].Text = nil
		}
	}
	return rows
}

func (s *Service) list(
	ctx context.Context, page db.Page, read func(q *db.Queries, before int64, rows int32) ([]db.BankMessage, error),
) ([]Message, *string, error) {
	rows, cursor, err := db.ListPage(ctx, s.pools.Reads, fault.Decoded(ctx), page, "list messages", read,
		func(row db.BankMessage) int64 { return row.ID })
	return db.Each(rows, s.messageOf), cursor, err
}

// Beside finds, for open payments of the caller's trader, the waiting messages
// that can be about each: those with the amount that the payment waits for and
// not from before it.
func (s *Service) Beside(ctx context.Context, who caller.Caller, open []payment.Payment) (map[int64][]Message, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, err
	}
	if len(open) == 0 { // most desks have no open payments most of the time
		return nil, nil
	}
	var amounts []decimal.Decimal
	for _, p := range open {
		amounts = append(amounts, p.Expected())
	}
	rows, err := db.List(ctx, s.pools.Reads, func(q *db.Queries) ([]db.BankMessage, error) {
		return q.BankMessageBeside(ctx, db.BankMessageBesideParams{TraderID: who.TraderID, Amounts: amounts})
	})
	beside := map[int64][]Message{}
	for _, row := range seen(who, rows...) {
		m := s.messageOf(row)
		for _, p := range open {
			if !p.CardCheckout() && p.Currency == m.Currency && p.Expected().Equal(*m.Amount) && !m.ReceivedAt.Before(p.CreatedAt.Add(-early)) {
				beside[p.ID] = append(beside[p.ID], m)
			}
		}
	}
	return beside, err
}

// DeskStamps returns a number for each trader that changes when a message
// arrives that waits for a person.
func (s *Service) DeskStamps(ctx context.Context, traderIDs []int64) (map[int64]uint64, error) {
	rows, err := s.q.BankMessageStamps(ctx, traderIDs)
	return db.Stamps(rows), fault.Doing("read the stamps of messages", err)
}

// Get reads a message of the caller's trader.
func (s *Service) Get(ctx context.Context, who caller.Caller, id int64) (Message, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return Message{}, err
	}
	row, err := s.q.BankMessageOwn(ctx, db.BankMessageOwnParams{ID: id, TraderID: who.TraderID})
	if db.NoRows(err) {
		return Message{}, fault.ErrNotFound
	}
	return s.messageOf(seen(who, row)[0]), err
}
