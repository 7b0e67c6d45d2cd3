// Package notify tells users what happened, by Telegram, mail and push. A feed finds out what happened from what other packages
// store anyhow, so that nothing is written for it while a payment is made; notices wait in a line for each chat, address or
// browser, and a deliverer sends what waits of one kind as one message. A message names its kind and the page it leads to, and
// confirms nothing.
package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/vault"
)

// Channel is a way by which users are told.
type Channel string

// The channels.
const (
	Telegram Channel = "telegram"
	Mail     Channel = "mail"
	Push     Channel = "push"
)

// Service is what users set, and what they were told.
type Service struct {
	pool    *pgxpool.Pool
	q       *db.Queries
	reads   *db.Queries
	clock   clock.Clock
	vault   *vault.Vault
	hashKey []byte
	senders map[Channel]Sender
	// portalURL is where the pages are that messages lead to.
	portalURL string
	// breaks puts a trader's user on a break; nil: the bot has no such command.
	breaks Breaker
	alarms map[string]Alarm
}

// Rooms are what the service works with. HashKey makes the marks of addresses; Senders are those of the channels that are
// configured.
type Rooms struct {
	Vault     *vault.Vault
	HashKey   []byte
	Senders   []Sender
	PortalURL string
	Breaks    Breaker
	Alarms    map[string]Alarm
}

// Alarm is the page that says what to do about an alarm, and whether it is one about work that waits.
type Alarm struct {
	Path string
	Work bool
}

// New makes the service.
func New(pools db.Pools, c clock.Clock, r Rooms) *Service {
	s := &Service{
		pool: pools.Calls, q: db.New(pools.Calls), reads: db.New(pools.Reads), clock: c, vault: r.Vault, hashKey: r.HashKey,
		senders: map[Channel]Sender{}, portalURL: r.PortalURL, breaks: r.Breaks, alarms: r.Alarms,
	}
	for _, sender := range r.Senders {
		s.senders[sender.Channel()] = sender
	}
	return s
}

// Channels are those that are configured, in order.
func (s *Service) Channels() []Channel {
	var list []Channel
	for _, c := range []Channel{Telegram, Mail, Push} {
		if s.senders[c] != nil {
			list = append(list, c)
		}
	}
	return list
}

// configured are their names.
func (s *Service) configured() []string {
	var names []string
	for _, c := range s.Channels() {
		names = append(names, string(c))
	}
	return names
}

func place(id int64) vault.Place {
	return vault.Place{Table: "notify_channel", Column: "address", Row: id}
}

// mark tells addresses of a channel apart without revealing them.
func (s *Service) mark(c Channel, address string) []byte {
	mac := hmac.New(sha256.New, s.hashKey)
	mac.Write([]byte(string(c) + "\x00" + address))
	return mac.Sum(nil)
}

// Say has a user be told what the caller's transaction does. It is for what happens seldom and is stored nowhere else.
func Say(kind Kind, userID int64, subject string, at time.Time) db.Query {
	return db.Do((*db.Queries).NotifyEventInsert, db.NotifyEventInsertParams{
		Kind: string(kind), UserID: userID, Subject: subject, At: at,
	})
}

// Forget has a user be told nowhere any more, in the transaction that gives them their access anew: whoever had it before may
// have said where.
func Forget(userID int64) db.Query { return db.Do((*db.Queries).NotifyForget, userID) }

const (
	keptFor   = 7 * 24 * time.Hour
	pruneMost = 10_000
)

// Prune forgets what was told long ago.
func (s *Service) Prune(ctx context.Context) error {
	err := s.q.NotifyPrune(ctx, db.NotifyPruneParams{Before: s.clock.Now().Add(-keptFor), Most: pruneMost})
	if err != nil {
		return fmt.Errorf("prune notices: %w", err)
	}
	return nil
}
