// Package limit limits how often a caller may call. The limits are in the
// database; each process counts for itself, in real time.
package limit

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Rule names a limit.
//
//rule:what callers may do only so often, and under which name the database has how often
type Rule string

// The rules, as the database names them.
const (
	Key           Rule = "key"
	User          Rule = "user"
	Device        Rule = "device"
	AddressWrites Rule = "address_writes"
	// AddressReads are of payers' pages and pictures that are of no
	// payment.
	AddressReads Rule = "address_reads"
	// Payments that are begun by links count by address, and by IPv6 /48.
	LinkPayments        Rule = "link_payments"
	LinkNetworkPayments Rule = "link_network_payments"
	CheckoutReads       Rule = "checkout_reads"
	CheckoutWrites      Rule = "checkout_writes"
	// Failed sign-ins count by login and address, by login, and by address.
	LoginAddressFailures Rule = "login_address_failures"
	LoginFailures        Rule = "login_failures"
	AddressLoginFailures Rule = "address_login_failures"
	// NetworkLoginFailures counts the failed sign-ins of a whole IPv6 /48.
	NetworkLoginFailures Rule = "network_login_failures"
	// CardDeclines counts tries of one card that its bank has not approved
	// yet.
	CardDeclines Rule = "card_declines"
	// TraderTakes is counted by internal/payout.
	TraderTakes Rule = "trader_takes"
	// CheckoutCards is counted by internal/checkout.
	CheckoutCards Rule = "checkout_cards"
)

// kept is how many callers one rule remembers. Callers can be made up, so
// memory must be bounded; the caller that has been silent for longest is
// forgotten first.
const kept = 20_000

// Limits counts calls.
type Limits struct {
	q *db.Queries

	mu    sync.Mutex
	rules map[Rule]*family
}

// family holds the callers counted under one rule.
type family struct {
	calls, perSeconds int32
	callers           simplelru.LRUCache[string, *rate.Limiter]
}

// New makes limits. Nothing is limited before Load.
func New(pool db.DBTX) *Limits { return &Limits{q: db.New(pool), rules: map[Rule]*family{}} }

// Load reads the limits. A rule that has changed starts counting from zero. It
// may be called again at any time.
func (l *Limits) Load(ctx context.Context) error {
	rows, err := l.q.RateLimitList(ctx)
	if err != nil {
		return fmt.Errorf("read rate limits: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, row := range rows {
		known := l.rules[Rule(row.Name)]
		if known == nil || known.calls != row.Calls || known.perSeconds != row.PerSeconds {
			callers, err := simplelru.NewLRU[string, *rate.Limiter](kept, nil)
			if err != nil {
				return fmt.Errorf("keep callers: %w", err)
			}
			l.rules[Rule(row.Name)] = &family{calls: row.Calls, perSeconds: row.PerSeconds, callers: callers}
		}
	}
	return nil
}

// Call is a call that was allowed.
type Call struct{ limiter *rate.Limiter }

// Forgive takes the call off the count, for example after a successful sign-in.
// It does not cancel the reservation, because that gives back less the more
// calls were made since.
func (c Call) Forgive() {
	if c.limiter != nil {
		c.limiter.AllowN(time.Now(), -1)
	}
}

// maxCaller is longer than the name of any real caller. Longer names are cut,
// and may share a count, so that they cannot fill the memory.
const maxCaller = 255

// Address is the caller's name for the address of a connection. For IPv6 it is
// the /64 network, because one user usually has all its addresses.
func Address(remote string) string {
	address, err := ParseAddress(remote)
	switch {
	case err != nil:
		return remote
	case address.Is4():
		return address.String()
	}
	return netip.PrefixFrom(address.WithZone(""), 64).Masked().String()
}

// ParseAddress parses an address with or without a port.
func ParseAddress(text string) (netip.Addr, error) {
	if connection, err := netip.ParseAddrPort(text); err == nil {
		return connection.Addr().Unmap(), nil
	}
	address, err := netip.ParseAddr(text)
	return address.Unmap(), err
}

// Count counts a call of a caller. If the caller is over the limit, it returns
// a rate-limit error that says when to try again.
func (l *Limits) Count(rule Rule, who string) (Call, error) {
	limiter := l.limiter(rule, who)
	if limiter == nil {
		return Call{}, nil
	}
	now := time.Now()
	reservation := limiter.ReserveN(now, 1)
	if wait := reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
		return Call{}, fault.RateLimited(wait)
	}
	return Call{limiter}, nil
}

// limiter is the count of a caller under a rule, or nil if the rule has no
// limit. Each process counts for itself. A rule remembers only so many callers:
// one that was forgotten begins again with its whole allowance.
func (l *Limits) limiter(rule Rule, who string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.rules[rule]
	if f == nil {
		return nil
	}
	who = who[:min(len(who), maxCaller)]
	limiter, known := f.callers.Get(who)
	if !known {
		limiter = rate.NewLimiter(rate.Limit(float64(f.calls)/float64(f.perSeconds)), int(f.calls))
		f.callers.Add(who, limiter)
	}
	return limiter
}
