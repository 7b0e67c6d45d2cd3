package bankmessage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// The reasons why a message waits for a person, or why nothing is to be done
// about it.
const (
	WhyNone    = "none"    // no open payment of the amount
	WhySeveral = "several" // more than one
	WhyTwin    = "twin"    // another message or payment is perhaps of the same transfer
	WhyRepeat  = "repeat"  // another message is about the same transfer
	WhyFirst   = "first"   // no balance is known that it could follow from
	WhyAccount = "account" // the bank tells of several accounts, and the rule does not say which is the requisite's
	WhyGap     = "gap"     // the balance does not follow from what is known
	WhyBalance = "balance" // an SMS without a balance, which anybody could have sent
	WhyForged  = "forged"  // the next message contradicts it
	WhyStopped = "stopped" // the requisite is stopped
	WhyAmount  = "amount"  // more than a person leaves to messages
	WhyTime    = "time"    // it came too late, the phone's clock is wrong, or it does not say when the phone got it
	WhyOff     = "off"     // no requisite has messages of this bank
	WhyUnset   = "unset"   // the payment's requisite has none of this bank
	WhyShadow  = "shadow"  // it would have confirmed
	WhyRefused = "refused" // the payment could not be confirmed
	WhyOther   = "other"   // a trader chose another payment than was proposed
	WhyKept    = "kept"    // it is kept as money of no payment
	WhyPart    = "part"    // it is about a part of a payment's amount, or about more
)

const (
	// twinWithin is the longest time between two messages about one
	// transfer, an SMS and a push.
	twinWithin = 10 * time.Minute
	// early is how much earlier than its payment a message may be, by the
	// phone's clock. late is how long after the payment's end it may be,
	// and underway is how long it may take to arrive.
	early    = time.Minute
	late     = 15 * time.Minute
	underway = time.Hour
)

// decision is what to do about a message.
type decision struct {
	state   State
	why     string
	payment *db.BankMessageCandidatesRow
}

func (d decision) params(m db.BankMessage, stands standing, now time.Time) db.BankMessageDecideParams {
	p := db.BankMessageDecideParams{
		ID: m.ID, State: string(d.state), Why: d.why, Gap: stands.gap, Trusted: stands.trusted, DecidedAt: now, DecidedBy: Actor,
	}
	if d.payment != nil {
		p.RequisiteID, p.MerchantID, p.PaymentID = d.payment.RequisiteID, &d.payment.MerchantID, &d.payment.ID
	}
	return p
}

// decide decides about a message, in a transaction that has locked its device.
// It returns the state of the message.
func (s *Service) decide(ctx context.Context, tx pgx.Tx, q *db.Queries, m db.BankMessage) (State, error) {
	c, err := chainOf(ctx, q, m)
	if err != nil {
		return "", err
	}
	if forged := c.forged(m); forged != nil {
		if err := s.stop(ctx, q, *forged); err != nil {
			return "", err
		}
		if c, err = chainOf(ctx, q, m); err != nil { // now without the forged message
			return "", err
		}
	}
	stands := c.standing(m)
	state, err := s.settle(ctx, tx, q, m, stands)
	if err == nil && stands.trusted {
		err = s.heal(ctx, tx, q, c, true)
	}
	return state, err
}

// mostHealed is how many messages become trusted at most because one arrived
// late or a person vouched for one.
const mostHealed = 50

// heal makes messages trusted that are next to a trusted message, and then
// those next to them. With confirms, messages that waited because of their
// balance are decided again. After a person vouched it is false: the person
// looked at one transfer only, and the messages that follow from its balance
// may be invented by whoever invented that balance.
func (s *Service) heal(ctx context.Context, tx pgx.Tx, q *db.Queries, c chain, confirms bool) error {
	due := slices.Concat(firstOf(c.before), firstOf(c.after))
	for healed := 0; len(due) > 0 && healed < mostHealed; healed++ {
		m := due[0]
		due = due[1:]
		if m.Trusted {
			continue
		}
		around, err := chainOf(ctx, q, m)
		if err != nil {
			return err
		}
		stands := around.standing(m)
		if !stands.trusted {
			continue
		}
		waits := m.State == string(Waiting) && (m.Why == WhyGap || m.Why == WhyFirst)
		if confirms && waits || Kind(m.Says) != Incoming {
			_, err = s.settle(ctx, tx, q, m, stands)
		} else {
			err = q.BankMessageTrust(ctx, m.ID)
		}
		if err != nil {
			return err
		}
		due = append(due, slices.Concat(firstOf(around.before), firstOf(around.after))...)
	}
	return nil
}

func firstOf(list []db.BankMessage) []db.BankMessage { return list[:min(1, len(list))] }

// settle decides about one message and stores the decision, together with the
// payment that it confirms.
func (s *Service) settle(
	ctx context.Context, tx pgx.Tx, q *db.Queries, m db.BankMessage, stands standing,
) (State, error) {
	now := s.clock.Now()
	d := decision{state: Noted}
	if Kind(m.Says) == Incoming {
		var err error
		if d, err = match(ctx, q, m, stands); err != nil {
			return "", err
		}
	}
	if d.state == Confirmed {
		part, err := s.confirm(ctx, tx, m, *d.payment, Actor, now)
		if part {
			d.why = WhyPart
		}
		if fault.As(err) != nil {
			d.state, d.why = Waiting, WhyRefused
		} else if err != nil {
			return "", err
		}
	}
	err := q.BankMessageDecide(ctx, d.params(m, stands, now))
	return d.state, fault.Doing("decide about a message", err)
}

// match finds the one payment that a message about incoming money belongs to.
//
//rule:which payment a bank's message is about
func match(ctx context.Context, q *db.Queries, m db.BankMessage, stands standing) (decision, error) {
	rules, err := q.RequisiteMessageByDevice(ctx, db.RequisiteMessageByDeviceParams{
		DeviceID: m.DeviceID, Bank: m.Bank, Account: m.Account,
	})
	if err != nil {
		return decision{}, fmt.Errorf("find requisites: %w", err)
	}
	if len(rules) == 0 {
		return decision{state: Noted, why: WhyOff}, nil
	}
	if err := q.BankMessageTurn(ctx, m.TraderID); err != nil { // another phone may tell of the same transfer now
		return decision{}, fmt.Errorf("wait for the trader's other phones: %w", err)
	}
	twin, err := twinOf(ctx, q, m)
	if err != nil || twin == WhyRepeat {
		return decision{state: Noted, why: twin}, err
	}
	found, ended, err := candidates(ctx, q, m)
	if err != nil {
		return decision{}, err
	}
	switch {
	case len(found) == 0: // if two messages are about one transfer, the first has already ended the payment
		return decision{state: Waiting, why: cmp.Or(twin, WhyNone)}, nil
	case len(found) > 1:
		return decision{state: Waiting, why: WhySeveral}, nil
	}
	if ended && twin == "" {
		twin = WhyTwin
	}
	waits := decision{state: Waiting, payment: &found[0]}
	for _, rule := range rules {
		if rule.RequisiteID != *found[0].RequisiteID {
			continue
		}
		if m.Balance.Valid && (rule.Account == nil || *rule.Account != m.Account) {
			// Balances are followed by account. An invented account
			// would have no other messages that contradict it.
			others, err := q.BankMessageOfOthers(ctx, db.BankMessageOfOthersParams{DeviceID: m.DeviceID, Bank: m.Bank, Account: m.Account})
			if err != nil {
				return decision{}, fmt.Errorf("look for other accounts: %w", err)
			}
			if others && twin == "" {
				twin = WhyAccount
			}
		}
		return judge(m, stands, twin, rule, waits), nil
	}
	waits.why = WhyUnset
	return waits, nil
}

// judge decides what a message may do for the one payment that it fits, by the
// rule of the payment's requisite.
//
//rule:whether a bank's message confirms a payment or waits for a person
func judge(m db.BankMessage, stands standing, doubt string, rule db.RequisiteMessage, waits decision) decision {
	inTime := m.ArrivedAt.Sub(m.ReceivedAt) <= underway && m.ReceivedAt.Sub(m.ArrivedAt) <= early &&
		waits.payment.CreatedAt.Before(m.ReceivedAt) && !m.ReceivedAt.After(waits.payment.ExpiresAt.Add(late))
	switch {
	case !inTime || m.Why == WhyTime:
		waits.why = WhyTime
	case rule.StoppedBy != nil:
		waits.why = WhyStopped
	case m.Why == WhyForged:
		waits.why = WhyForged
	case doubt != "":
		waits.why = doubt
	case !m.Balance.Valid && m.Kind == sms:
		waits.why = WhyBalance
	case m.Balance.Valid && stands.first:
		waits.why = WhyFirst
	case m.Balance.Valid && !stands.trusted:
		waits.why = WhyGap
	case m.Amount.Decimal.GreaterThan(rule.Most):
		waits.why = WhyAmount
	case rule.Mode == string(Shadow):
		waits.state, waits.why = Shadow, WhyShadow
	default:
		waits.state = Confirmed
	}
	return waits
}

// twinOf reports whether another message is about the same transfer: WhyRepeat
// if both have the same balance, and WhyTwin if one has none, so that it is
// only possible, or if another phone has forwarded it.
func twinOf(ctx context.Context, q *db.Queries, m db.BankMessage) (string, error) {
	repeat, err := q.BankMessageTwin(ctx, db.BankMessageTwinParams{
		TraderID: m.TraderID, DeviceID: m.DeviceID, Amount: m.Amount, Balance: m.Balance, Bank: m.Bank, Account: m.Account, ID: m.ID,
		Since: m.ReceivedAt.Add(-twinWithin), Until: m.ReceivedAt.Add(twinWithin),
	})
	switch {
	case db.NoRows(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("find a message that says the same: %w", err)
	case repeat:
		return WhyRepeat, nil
	}
	return WhyTwin, nil
}

// mostCandidates is how many payments of one amount are read, open ones and
// others, and mostByHand how many of the transfers that came to a trader last.
const (
	mostCandidates = 50
	mostByHand     = 200
)

// candidates are the trader's open payments that a message can be about. It
// also reports whether the message can be about a payment that was completed
// lately without a message, such as by hand, or that has just ended unpaid, or
// about a part of a payment or money of none that somebody has reported lately:
// this may be that transfer, made or told late. It leaves out payments whose
// requisite gets its messages from another phone, bank or account. A requisite
// for which messages do nothing, or whose phone is revoked, is not left out,
// because its payer may have sent this money.
func candidates(ctx context.Context, q *db.Queries, m db.BankMessage) (open []db.BankMessageCandidatesRow, ended bool, err error) {
	found, err := q.BankMessageCandidates(ctx, db.BankMessageCandidatesParams{
		TraderID: m.TraderID, Currency: m.Currency, Amount: m.Amount.Decimal, Since: m.ReceivedAt.Add(-underway),
		UnpaidSince: m.ReceivedAt.Add(-late), Most: mostCandidates,
	})
	if err != nil {
		return nil, false, fmt.Errorf("find payments: %w", err)
	}
	open = slices.DeleteFunc(slices.Clone(found), func(p db.BankMessageCandidatesRow) bool { return p.Status != string(payment.Pending) })
	if len(open) == 0 || len(open) == mostCandidates { // with so many, the right one may be among those that were not read
		return open, false, nil
	}
	byHand, err := q.ArrivalsByHand(ctx, db.ArrivalsByHandParams{
		TraderID: m.TraderID, Currency: m.Currency, Amount: m.Amount.Decimal, Since: m.ReceivedAt.Add(-underway), Most: mostByHand,
	})
	if err != nil {
		return nil, false, fmt.Errorf("find what came by hand: %w", err)
	}
	ids := db.Each(found, func(p db.BankMessageCandidatesRow) int64 { return *p.RequisiteID })
	rules, err := q.RequisiteMessageOf(ctx, append(ids, byHand...))
	if err != nil {
		return nil, false, fmt.Errorf("read what messages do: %w", err)
	}
	elsewhere := func(requisiteID int64) bool {
		return slices.ContainsFunc(rules, func(r db.RequisiteMessageOfRow) bool {
			return r.RequisiteID == requisiteID && (r.DeviceID != m.DeviceID && !r.Revoked || r.Bank != m.Bank ||
				r.Account != nil && m.Account != "" && *r.Account != m.Account)
		})
	}
	ended = len(found)-len(open) >= mostCandidates ||
		slices.ContainsFunc(byHand, func(requisiteID int64) bool { return !elsewhere(requisiteID) })
	for _, p := range found {
		if ended || p.Status == string(payment.Pending) || elsewhere(*p.RequisiteID) {
			continue
		}
		told, err := q.BankMessageToldOf(ctx, p.ID)
		if err != nil {
			return nil, false, fmt.Errorf("look for a message of the payment: %w", err)
		}
		ended = !told
	}
	other := func(p db.BankMessageCandidatesRow) bool { return elsewhere(*p.RequisiteID) }
	return slices.DeleteFunc(open, other), ended, nil
}

// confirm completes a payment in the transaction that decides about the
// message. It never completes another trader's payment. Without a person it
// also refuses a payment of another amount. If somebody has ended the payment
// meanwhile, that stands. It reports whether the amount of the message differs
// from what was asked for.
func (s *Service) confirm(
	ctx context.Context, tx pgx.Tx, m db.BankMessage, c db.BankMessageCandidatesRow, actor string, now time.Time,
) (part bool, err error) {
	_, err = s.payments.Approved(tx).WithLocked(ctx, c.MerchantID, c.ID, func(p *payment.Locked) error {
		switch {
		case p.TraderID != m.TraderID || p.RequisiteType == nil: // card payments are confirmed by their acquirer
			return fault.ErrNotFound
		case p.Currency != m.Currency, actor == Actor && !p.Expected().Equal(m.Amount.Decimal):
			return ErrOtherAmount
		case p.Status != payment.Pending:
			return payment.ErrNotPending
		}
		told, err := db.New(p.Tx).BankMessageToldOf(ctx, p.ID)
		switch {
		case err != nil:
			return fmt.Errorf("look for a message of the payment: %w", err)
		case told && actor == Actor: // the payment was set back to pending since then
			return payment.ErrNotPending
		}
		part = told || !p.Amount.Equal(m.Amount.Decimal)
		step := payment.Step(p.Payment, now, actor, payment.StepBankMessage, payment.StepDetail{
			Message: m.ID, By: m.Bank, Last4: m.Account,
		})
		if err := db.Run(ctx, db.New(p.Tx), step); err != nil {
			return fmt.Errorf("keep the evidence: %w", err)
		}
		return p.Received(ctx, actor, m.Amount.Decimal, m.ID)
	})
	return part, err
}

// stop marks a message as forged. Messages then confirm nothing for the
// requisites that it may have been about, until somebody has looked.
func (s *Service) stop(ctx context.Context, q *db.Queries, forged db.BankMessage) error {
	if err := q.BankMessageForged(ctx, forged.ID); err != nil {
		return fmt.Errorf("mark a message: %w", err)
	}
	stopped, err := q.RequisiteMessageStop(ctx, db.RequisiteMessageStopParams{
		StoppedBy: forged.ID, DeviceID: forged.DeviceID, Bank: forged.Bank, Account: forged.Account,
	})
	if err != nil {
		return fmt.Errorf("stop requisites: %w", err)
	}
	for _, one := range stopped {
		after, err := q.RequisiteMessageState(ctx, db.RequisiteMessageStateParams(one))
		if err != nil {
			return fmt.Errorf("read what messages do: %w", err)
		}
		if err := db.RecordSetting(ctx, q, db.SettingChange{
			At: s.clock.Now(), Actor: Actor, Subject: "requisite_message", SubjectKey: strconv.FormatInt(one.RequisiteID, 10),
			After: after,
		}); err != nil {
			return err
		}
	}
	return nil
}
