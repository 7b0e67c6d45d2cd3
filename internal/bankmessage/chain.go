package bankmessage

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// chain has the messages around one message, of the same account and with known
// balances, the nearest first on each side.
type chain struct {
	before, after []db.BankMessage
}

// chainOf reads the two messages before a message and the two after it, by when
// the phone received them. Forged and repeated ones are left out. It is empty
// for a message without a balance. The caller has locked the device.
func chainOf(ctx context.Context, q *db.Queries, m db.BankMessage) (c chain, err error) {
	if !m.Balance.Valid {
		return c, nil
	}
	if c.before, err = q.BankMessageBefore(ctx, db.BankMessageBeforeParams{
		DeviceID: m.DeviceID, Bank: m.Bank, Account: m.Account, ReceivedAt: m.ReceivedAt, ID: m.ID,
	}); err != nil {
		return c, fmt.Errorf("read the messages before: %w", err)
	}
	if c.after, err = q.BankMessageAfter(ctx, db.BankMessageAfterParams{
		DeviceID: m.DeviceID, Bank: m.Bank, Account: m.Account, ReceivedAt: m.ReceivedAt, ID: m.ID,
	}); err != nil {
		return c, fmt.Errorf("read the messages after: %w", err)
	}
	return c, nil
}

// moved is the amount by which a message changes the balance.
func moved(m db.BankMessage) decimal.Decimal {
	switch Kind(m.Says) {
	case Incoming:
		return m.Amount.Decimal
	case Outgoing:
		return m.Amount.Decimal.Neg()
	case Declined, Balance, Advertisement, Code, Unknown:
	}
	return decimal.Zero
}

// apart is the difference between the balance in a message and the balance that
// follows from the message before.
func apart(before, m db.BankMessage) decimal.Decimal {
	return m.Balance.Decimal.Sub(moved(m)).Sub(before.Balance.Decimal)
}

func follows(before, m db.BankMessage) bool { return apart(before, m).IsZero() }

// standing says how the balance in a message compares with what was known
// before.
type standing struct {
	// gap is the difference, which is what missed messages moved. It is not
	// valid for a message without a balance, and for the first message of
	// an account.
	gap decimal.NullDecimal
	// trusted says that the balance follows from a trusted message. The
	// first message of an account follows from nothing, and whoever can
	// send an SMS in the bank's name could send it. So only a person can
	// begin a chain of trusted messages.
	trusted bool
	// first says that no message before it could have been trusted by
	// anybody.
	first bool
}

// standing compares a message with those around it. Two messages of the same
// moment may have arrived in the other order.
func (c chain) standing(m db.BankMessage) standing {
	if len(c.before) == 0 {
		return standing{first: true}
	}
	last, zero := c.before[0], decimal.NewNullDecimal(decimal.Zero)
	switch {
	case len(c.before) > 1 && follows(c.before[1], m) && follows(m, last):
		return standing{gap: zero, trusted: c.before[1].Trusted}
	case len(c.after) > 0 && follows(last, c.after[0]) && follows(c.after[0], m):
		return standing{gap: zero, trusted: last.Trusted}
	}
	gap := apart(last, m)
	return standing{
		gap: decimal.NewNullDecimal(gap), trusted: gap.IsZero() && last.Trusted,
		first: gap.IsZero() && !last.Trusted && (last.Why == WhyFirst || !last.Gap.Valid),
	}
}

// same reports whether two messages are about the same transfer, as an SMS and
// a push of a bank may be.
func same(a, b db.BankMessage) bool {
	return a.Says == b.Says && a.Amount.Decimal.Equal(b.Amount.Decimal) && a.Balance.Decimal.Equal(b.Balance.Decimal)
}

// forged finds a message that the others contradict: the balance after it
// follows from the one before it, as if the message did not exist. A message
// that only repeats another one does not count.
func (c chain) forged(m db.BankMessage) *db.BankMessage {
	var row []db.BankMessage
	for i := len(c.before) - 1; i >= 0; i-- {
		row = append(row, c.before[i])
	}
	row = append(append(row, m), c.after...)
	for i := 2; i < len(row); i++ {
		x, y, z := row[i-2], row[i-1], row[i]
		if !moved(y).IsZero() && follows(x, z) && !follows(y, z) && !follows(z, y) && !same(y, z) {
			return &y
		}
	}
	return nil
}
