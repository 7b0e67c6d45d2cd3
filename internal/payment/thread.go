package payment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/checkdigit"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// errThreadFull refuses a message beyond maxMessages.
var errThreadFull = fault.New(fault.Refused, "appeal_thread_full", "There are 100 messages about the appeal already.")

const (
	// MaxMessage is the maximum length of a message in characters.
	MaxMessage = 1000
	// maxMessages is how many messages an appeal may have; the table has
	// the same limit.
	maxMessages = 100
)

// Thread is the conversation between operators and the payment's trader about
// an appeal. The merchant does not see it.
type Thread struct {
	Appeal AppealRecord
	// Messages are in the order in which they were written.
	Messages []ThreadMessage
	// Open says that the appeal is not decided, so that messages may still
	// be written.
	Open bool
}

type ThreadMessage struct {
	Number     int32
	FromTrader bool
	// Login is the author's. It is "" if the caller is a trader and the
	// author an operator.
	Login string
	Text  string
	At    time.Time
}

// ThreadSummary is an appeal with messages, as its trader's list shows it.
type ThreadSummary struct {
	Appeal           AppealRecord
	LastAt           time.Time
	Messages, Unread int32
}

// threadAppeal finds an appeal for an operator, or for a user of the trader who
// has its payment.
func (s *Service) threadAppeal(ctx context.Context, who caller.Caller, id int64) (AppealRecord, error) {
	found, err := s.q.AppealFind(ctx, id)
	if err != nil {
		return AppealRecord{}, db.Missing(err, fault.ErrNotFound, "find appeal")
	}
	row, err := s.q.AppealGet(ctx, db.AppealGetParams{MerchantID: found.MerchantID, ID: id})
	if err != nil {
		return AppealRecord{}, fmt.Errorf("read appeal: %w", err)
	}
	a := s.appealFromRows(row.Appeal, row.Payment)
	if who.Kind == caller.Trader && a.Payment.TraderID != who.TraderID {
		return AppealRecord{}, fault.ErrNotFound
	}
	return a, nil
}

// ReadThread reads the conversation about an appeal. If the caller could
// answer, its messages then count as read by everybody on the caller's side,
// the operators or the trader's users.
func (s *Service) ReadThread(ctx context.Context, who caller.Caller, appealID int64) (Thread, error) {
	if err := who.Admit(ctx, caller.OperatorRead, caller.TraderRead); err != nil {
		return Thread{}, err
	}
	a, err := s.threadAppeal(ctx, who, appealID)
	if err != nil {
		return Thread{}, err
	}
	rows, err := s.q.AppealMessageList(ctx, appealID)
	if err != nil {
		return Thread{}, fmt.Errorf("read the messages of an appeal: %w", err)
	}
	thread := Thread{Appeal: a, Open: a.Status == appealOpen || a.Status == appealReview}
	for _, row := range rows {
		m := ThreadMessage{Number: row.Number, FromTrader: row.FromTrader, Login: row.Login, Text: row.Text, At: row.CreatedAt}
		if who.Kind == caller.Trader && !m.FromTrader {
			m.Login = ""
		}
		thread.Messages = append(thread.Messages, m)
	}
	if len(rows) == 0 || !who.Proved().May(caller.OperatorCases, caller.TraderWork) {
		return thread, nil
	}
	err = s.q.AppealThreadSeen(ctx, db.AppealThreadSeenParams{
		AppealID: appealID, ByTrader: who.Kind == caller.Trader, Messages: int32(len(rows)),
	})
	return thread, fault.Doing("note that messages were read", err)
}

// WriteThread writes a message about an appeal that is not decided.
func (s *Service) WriteThread(ctx context.Context, who caller.Caller, appealID int64, message string) error {
	// A message decides nothing, so no fresh second factor is required.
	if err := who.Proved().Need(caller.OperatorCases, caller.TraderWork); err != nil {
		return err
	}
	f := fault.Decoded(ctx)
	message = strings.TrimSpace(message)
	if f.Required("text", message) {
		f.MaxLength("text", message, MaxMessage)
		f.Check(!HoldsCard(message), "text", "must not contain a card number")
	}
	if err := f.Err(); err != nil {
		return err
	}
	a, err := s.threadAppeal(ctx, who, appealID)
	if err != nil {
		return err
	}
	if a.Status != appealOpen && a.Status != appealReview {
		return errAppealNotOpen
	}
	now, fromTrader := s.clock.Now(), who.Kind == caller.Trader
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		number, err := q.AppealThreadGrow(ctx, db.AppealThreadGrowParams{
			AppealID: appealID, TraderID: a.Payment.TraderID, Now: now, FromTrader: fromTrader, Most: maxMessages,
		})
		if err != nil {
			return db.Missing(err, errThreadFull, "count a message of an appeal")
		}
		return q.AppealMessageInsert(ctx, db.AppealMessageInsertParams{
			AppealID: appealID, Number: number, UserID: who.ID, FromTrader: fromTrader, Text: message, CreatedAt: now,
		})
	})
}

// ListThreads lists the appeals that have messages, for users of the trader to
// whom the payments are assigned, the newest appeal first. The cursor is nil on
// the last page.
func (s *Service) ListThreads(ctx context.Context, who caller.Caller, page Page) ([]ThreadSummary, *string, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, nil, err
	}
	number := func(row db.AppealThread) int64 { return row.AppealID }
	rows, cursor, err := db.ListPage(ctx, s.reads, fault.Decoded(ctx), page.Page, "list a trader's appeals",
		func(q *db.Queries, before int64, rows int32) ([]db.AppealThread, error) {
			return q.AppealThreadList(ctx, db.AppealThreadListParams{TraderID: who.TraderID, BeforeID: before, Page: rows})
		}, number)
	if err != nil {
		return nil, nil, err
	}
	ids := db.Each(rows, number)
	found, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.AppealsNamedRow, error) {
		return q.AppealsNamed(ctx, db.AppealsNamedParams{Ids: ids, TraderID: who.TraderID})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read a trader's appeals: %w", err)
	}
	list := make([]ThreadSummary, 0, len(rows))
	for _, row := range rows {
		i := slices.IndexFunc(found, func(one db.AppealsNamedRow) bool { return one.Appeal.ID == row.AppealID })
		if i < 0 {
			continue
		}
		list = append(list, ThreadSummary{
			Appeal: s.appealFromRows(found[i].Appeal, found[i].Payment), LastAt: row.LastAt,
			Messages: row.Messages, Unread: row.TraderUnread,
		})
	}
	return list, cursor, nil
}

// HoldsCard reports whether a message may contain a card number. A form must
// not show such a text again.
func HoldsCard(message string) bool { return checkdigit.MentionsCard(message) }
