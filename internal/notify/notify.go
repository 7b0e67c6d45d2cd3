// Package notify tells users about events, by Telegram, mail and push. A feed
// finds the events in what other packages store anyway, so making a payment
// writes nothing for it. Notices wait in a line for each chat, address or
// browser, and a deliverer sends the waiting notices of one kind as one
// message. A message names its kind and links to a page; it confirms nothing by
// itself.
package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"golang.org/x/time/rate"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/vault"
)

type Channel string

const (
	Telegram Channel = "telegram"
	Mail     Channel = "mail"
	Push     Channel = "push"
)

// Service reads and changes users' settings of notifications, and lists what
// was sent to them.
type Service struct {
	pool    db.Pool
	q       *db.Queries
	reads   *db.Queries
	clock   clock.Clock
	vault   *vault.Vault
	hashKey []byte
	senders map[Channel]Sender
	// portalURL is the address of the portals, to whose pages messages
	// link.
	portalURL string
	// breaks begins a break of a trader's user; nil if the bot has no such
	// command.
	breaks Breaker
	alarms map[string]Alarm
	// strangers bounds the answers to chats that the bot does not know.
	strangers *rate.Limiter
}

// Services are what the service works with. HashKey is the key of the hashes
// that identify addresses. Senders are those of the configured channels.
type Services struct {
	Vault     *vault.Vault
	HashKey   []byte
	Senders   []Sender
	PortalURL string
	Breaks    Breaker
	Alarms    map[string]Alarm
}

// Alarm is the page that says what to do about an alarm. Work says that the
// alarm is about work that waits.
type Alarm struct {
	Path string
	Work bool
}

func New(pools db.Pools, c clock.Clock, r Services) *Service {
	s := &Service{
		pool: pools.Calls, q: db.New(pools.Calls), reads: db.New(pools.Reads), clock: c, vault: r.Vault, hashKey: r.HashKey,
		senders: map[Channel]Sender{}, portalURL: r.PortalURL, breaks: r.Breaks, alarms: r.Alarms,
		strangers: rate.NewLimiter(1, strangersAtOnce),
	}
	for _, sender := range r.Senders {
		s.senders[sender.Channel()] = sender
	}
	return s
}

// Channels are the configured channels, in order.
func (s *Service) Channels() []Channel {
	var list []Channel
	for _, c := range []Channel{Telegram, Mail, Push} {
		if s.senders[c] != nil {
			list = append(list, c)
		}
	}
	return list
}

// configured are the names of the configured channels.
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

// mark is a keyed hash of an address. It identifies the address without
// revealing it.
func (s *Service) mark(c Channel, address string) []byte {
	mac := hmac.New(sha256.New, s.hashKey)
	mac.Write([]byte(string(c) + "\x00" + address))
	return mac.Sum(nil)
}

// Say queues an event for a user, in the caller's transaction. It is for rare
// events that are stored nowhere else.
func Say(kind Kind, userID int64, subject string, at time.Time) db.Query {
	return db.Do((*db.Queries).NotifyEventInsert, db.NotifyEventInsertParams{
		Kind: string(kind), UserID: userID, Subject: subject, At: at,
	})
}

// Forget removes all channels of a user, in the transaction that gives the user
// new credentials: whoever had the old ones may have added channels.
func Forget(userID int64) db.Query { return db.Do((*db.Queries).NotifyForget, userID) }

const (
	keptFor   = 7 * 24 * time.Hour
	pruneMost = 10_000
)

// Prune deletes what was sent long ago.
func (s *Service) Prune(ctx context.Context) error {
	err := s.q.NotifyPrune(ctx, db.NotifyPruneParams{Before: s.clock.Now().Add(-keptFor), Most: pruneMost})
	return fault.Doing("prune notices", err)
}
