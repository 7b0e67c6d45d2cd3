package limit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Failure is a failed sign-in, or a payment begun by a link, that was counted.
// The counts are in the database, so a restart forgets nothing, all processes
// share them, and made-up logins cannot push out others.
type Failure struct {
	q       *db.Queries
	counted []byte
}

// Fail counts a failure. If there were too many, it returns a rate-limit error
// that says when to try again.
func (l *Limits) Fail(ctx context.Context, rule Rule, who string, now time.Time) (Failure, error) {
	l.mu.Lock()
	f := l.rules[rule]
	l.mu.Unlock()
	if f == nil {
		return Failure{}, nil
	}
	failure := Failure{q: l.q, counted: counted(rule, who)}
	each := time.Duration(f.perSeconds) * time.Second / time.Duration(f.calls)
	_, err := l.q.FailureCount(ctx, db.FailureCountParams{
		Counted: failure.counted, FreeAt: now.Add(each), EachSeconds: each.Seconds(),
		Until: now.Add(time.Duration(f.perSeconds) * time.Second),
	})
	switch {
	case err == nil:
		return failure, nil
	case !db.NoRows(err):
		return Failure{}, fmt.Errorf("count a failure: %w", err)
	}
	free, err := l.q.FailureFreeAt(ctx, failure.counted)
	if err != nil && !db.NoRows(err) {
		return Failure{}, fmt.Errorf("read failures: %w", err)
	}
	wait := free.Sub(now) + each - time.Duration(f.perSeconds)*time.Second
	return Failure{}, fault.RateLimited(max(wait, time.Second))
}

// Forgive takes a counted failure off the count, after success.
func (f Failure) Forgive(ctx context.Context) error {
	if f.q == nil {
		return nil
	}
	return forgive(ctx, f.q, f.counted)
}

// ForgiveIn takes a failure off the count in a transaction, also one that
// another process counted.
func ForgiveIn(ctx context.Context, q *db.Queries, rule Rule, who string) error {
	return forgive(ctx, q, counted(rule, who))
}

func forgive(ctx context.Context, q *db.Queries, counted []byte) error {
	if err := q.FailureForgive(ctx, counted); err != nil {
		return fmt.Errorf("forgive a failure: %w", err)
	}
	return nil
}

func counted(rule Rule, who string) []byte {
	hash := sha256.Sum256([]byte(string(rule) + "\x00" + who))
	return hash[:]
}

// networkBits is the prefix of an IPv6 network that one customer usually gets.
const networkBits = 48

// Network is the network of an IPv6 address as Address returns it, or "" for
// IPv4.
func Network(address string) string {
	prefix, err := netip.ParsePrefix(address)
	if err != nil || prefix.Addr().Is4() {
		return ""
	}
	return netip.PrefixFrom(prefix.Addr(), networkBits).Masked().String()
}
