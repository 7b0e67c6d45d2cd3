// Package timeline lists what happened to a payment or a payout, with the parts
// that each kind of caller may see. Lines are typed, for others to put into
// words, or go into a signed document.
package timeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/routing"
)

const (
	// stepsMost is how many steps are shown, and attemptsMost how many
	// delivery attempts: the earliest ones.
	stepsMost    = 500
	attemptsMost = 500
	// kindSettled is the kind of the transfers of a payment that is settled
	// after its completion.
	kindSettled = "completed-completed"
	actorPayer  = "payer"
)

type Service struct {
	reads    db.Pool
	q        *db.Queries
	clock    clock.Clock
	payments *payment.Service
}

// New makes the service. Payments decides whether a caller may see a payment.
func New(pools db.Pools, c clock.Clock, payments *payment.Service) *Service {
	return &Service{reads: pools.Reads, q: db.New(pools.Reads), clock: c, payments: payments}
}

// Payment is the timeline of a payment, the oldest line first, with what the
// caller may see. The payment is named by its id or its uuid.
func (s *Service) Payment(ctx context.Context, who caller.Caller, paymentID string) ([]Line, error) {
	if err := who.Admit(ctx, caller.TraderRead, caller.MerchantRead, caller.OperatorRead); err != nil {
		return nil, err
	}
	p, err := s.payments.Get(ctx, who, paymentID)
	if err != nil {
		return nil, err
	}
	t := told{who: who, merchantID: p.MerchantID, id: p.ID, currency: p.Currency}
	var read paymentSources
	if err := db.Pipeline(ctx, s.reads, append(read.queries(t), t.queries(db.SubjectPayment)...)...); err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	t.payment(p, read)
	return t.sorted(), nil
}

// told is a timeline while it is built: the rows that were read, and the lines
// made of them.
type told struct {
	who            caller.Caller
	merchantID, id int64
	currency       string

	transfers []db.Transfer
	events    []db.ReportEventsRow
	attempts  []db.ReportAttemptsRow
	lines     []Line
}

// queries are the queries that payments and payouts have in common.
func (t *told) queries(subject string) []db.Query {
	queries := []db.Query{
		db.One(&t.transfers, (*db.Queries).ReportTransfers, db.ReportTransfersParams{Subject: subject, SubjectID: t.id}),
	}
	if !t.who.May(caller.MerchantEvents, caller.OperatorRead) {
		return queries
	}
	return append(queries,
		db.One(&t.events, (*db.Queries).ReportEvents, db.ReportEventsParams{
			MerchantID: t.merchantID, Subject: subject, SubjectID: t.id,
		}),
		db.One(&t.attempts, (*db.Queries).ReportAttempts, db.ReportAttemptsParams{
			MerchantID: t.merchantID, Subject: subject, SubjectID: t.id, Most: attemptsMost,
		}))
}

// paymentSources are the additional rows that payments have.
type paymentSources struct {
	row      db.Payment
	history  []db.PaymentHistory
	steps    []db.PaymentStep
	receipts []db.PaymentReceipt
	appeal   *db.ReportAppealRow
}

func (r *paymentSources) queries(t told) []db.Query {
	m, id := t.merchantID, t.id
	return []db.Query{
		db.One(&r.row, (*db.Queries).PaymentGet, db.PaymentGetParams{MerchantID: m, ID: id}),
		db.One(&r.history, (*db.Queries).PaymentHistoryList, db.PaymentHistoryListParams{MerchantID: m, PaymentID: id}),
		db.One(&r.steps, (*db.Queries).PaymentStepList,
			db.PaymentStepListParams{MerchantID: m, PaymentID: id, Most: stepsMost}),
		db.One(&r.receipts, (*db.Queries).ReceiptList, db.ReceiptListParams{MerchantID: m, PaymentID: id}),
		db.OneOrNone(&r.appeal, (*db.Queries).ReportAppeal, db.ReportAppealParams{MerchantID: m, PaymentID: id}),
	}
}

// payment adds the lines of a payment. Of lines with the same time, the line
// added first comes first.
func (t *told) payment(p payment.Payment, read paymentSources) {
	var creator string
	if len(read.history) > 0 {
		creator = read.history[0].Actor
	}
	t.tell(p.CreatedAt, KindRequest, creator, WhatCreated, Details{Request: t.request(read.row)})
	t.tell(p.CreatedAt, KindChoice, "", WhatRequisiteChosen, Details{Choice: t.choice(p, read.row)})
	t.rate(p, read.row)
	for _, h := range read.history {
		t.tell(h.At, KindStatus, h.Actor, WhatStatus, Details{
			From: optional.Value(h.FromStatus), To: h.ToStatus, Reason: optional.Value(h.Reason), Received: h.ReceivedAmount, Currency: p.Currency,
		})
	}
	t.ledger(ledger.Cashbox, p.CashboxID)
	for _, step := range read.steps {
		t.step(step)
	}
	if p.ClaimedAt != nil {
		t.tell(*p.ClaimedAt, KindClaim, actorPayer, WhatClaimed, Details{})
	}
	for _, r := range read.receipts {
		t.tell(r.CreatedAt, KindReceipt, actorPayer, WhatReceipt,
			Details{File: &File{Number: int32(r.Number), Type: r.FileType, Size: r.FileSize}})
	}
	t.appeal(read.appeal)
	t.webhooks()
}

// tell adds a line.
func (t *told) tell(at time.Time, kind Kind, actor, what string, details Details) {
	t.lines = append(t.lines, Line{At: at, Kind: kind, Actor: t.who.Knows(actor), What: what, Details: details})
}

// sorted orders the lines by time, in place.
func (t *told) sorted() []Line {
	slices.SortStableFunc(t.lines, func(a, b Line) int { return a.At.Compare(b.At) })
	return t.lines
}

func (t *told) request(p db.Payment) *Request {
	r := &Request{Method: p.Method, Currency: p.Currency, Amount: p.Amount, ExpiresAt: p.ExpiresAt}
	if t.who.SeesOrder() {
		r.OrderID, r.CallbackURI = p.OrderID, p.CallbackURI
		r.RequestID, r.Address = optional.Value(p.RequestID), optional.Value(p.RequestAddress)
	}
	return r
}

// choice tells which requisite a payment got, as far as the caller may see it:
// the trader only to those who see traders, and how it was chosen only to
// operators.
func (t *told) choice(shown payment.Payment, p db.Payment) *Choice {
	c := &Choice{
		Type: optional.Value(p.RequisiteType), Value: optional.Value(shown.RequisiteFor(t.who)), Holder: optional.Value(p.RequisiteHolder),
		Bank: optional.Value(p.RequisiteBank),
	}
	if t.who.SeesTrader() {
		c.TraderID = p.TraderID
		if p.RequisiteID != nil {
			c.RequisiteID = *p.RequisiteID
		}
	}
	if t.who.Kind == caller.Operator {
		c.Pool, c.Looked, c.Passed = p.ChoicePool, p.ChoiceLooked, passedBy(p.ChoicePassed)
	}
	return c
}

// passedBy groups the requisites that a choice rejected by the rule. If they
// cannot be decoded, it returns nothing.
func passedBy(kept []byte) []PassedBy {
	all, err := routing.DecodePassed(kept)
	if err != nil {
		return nil
	}
	return ByRule(all)
}

// ByRule groups the requisites that a choice rejected by the rule, in the order
// of the choice.
func ByRule(all []routing.Passed) []PassedBy {
	var list []PassedBy
	for _, one := range all {
		at := slices.IndexFunc(list, func(p PassedBy) bool { return p.Rule == string(one.Rule) })
		if at < 0 {
			at, list = len(list), append(list, PassedBy{Rule: string(one.Rule)})
		}
		list[at].Requisites = append(list[at].Requisites, one.ID)
	}
	return list
}

// rate adds the calculation as it is now. A calculation made later, when a
// fresh rate arrived, gets the time of that.
func (t *told) rate(p payment.Payment, row db.Payment) {
	at, what := p.CreatedAt, WhatRateFixed
	if settled := slices.IndexFunc(
		t.transfers,
		func(m db.Transfer) bool { return m.Kind == kindSettled },
	); settled >= 0 {
		at, what = t.transfers[settled].CreatedAt, WhatRateSettled
	}
	if p.RateUnavailable {
		at, what = p.CreatedAt, WhatRateHeld
	}
	seen := p.SumsFor(t.who)
	r := &Rate{
		Unavailable: p.RateUnavailable, Base: seen.BaseRate, Markup: seen.Markup, Amount: seen.Amount,
		Profit: seen.Profit, Trader: seen.SpreadTrader, Platform: seen.SpreadPlatform,
	}
	if !seen.Restricted {
		r.Source, r.ObservedAt, r.MarkupSource = row.RateSource, row.RateObservedAt, row.MarkupSource
	}
	if r.Profit != nil && r.Amount != nil {
		r.Spot = new(r.Amount.Add(*r.Profit))
	}
	if t.who.SeesTrader() {
		r.Hold = &row.HoldUSDT
	}
	if t.who.Kind == caller.Operator {
		r.SharePercent = &row.TraderSharePercent
	}
	t.tell(at, KindRate, "", what, Details{Rate: r})
}

func (t *told) status(at time.Time, actor string, from *string, to string, reason *string) {
	t.tell(at, KindStatus, actor, WhatStatus, Details{From: optional.Value(from), To: to, Reason: optional.Value(reason)})
}

// ledger adds the transfers: for operators each transfer, for others one line
// for each of their accounts that it touched. own is a merchant's account; a
// trader's accounts follow from the caller.
func (t *told) ledger(own ledger.Owner, ownID int64) {
	if t.who.Kind == caller.Trader {
		own, ownID = ledger.Trader, t.who.TraderID
	}
	for _, m := range t.transfers {
		debit, credit := ledger.AccountOf(m.DebitAccount), ledger.AccountOf(m.CreditAccount)
		row := Transfer{ID: m.ID, Kind: m.Kind, Amount: m.Amount}
		if t.who.Kind == caller.Operator {
			row.Account, row.Other = account(debit), new(Account)
			*row.Other = account(credit)
			t.tell(m.CreatedAt, KindLedger, "", WhatTransfer, Details{Transfer: &row})
			continue
		}
		for i, a := range []ledger.Account{debit, credit} {
			if a.Owner == own && a.OwnerID == ownID {
				side := row
				side.Account, side.Credit = account(a), i == 1
				t.tell(m.CreatedAt, KindLedger, "", WhatTransfer, Details{Transfer: &side})
			}
		}
	}
}

func account(a ledger.Account) Account {
	return Account{ID: a.ID(), Owner: a.Owner.String(), OwnerID: a.OwnerID, Reserved: a.Reserved}
}

// stepKinds are the kinds of lines of the steps.
var stepKinds = map[string]Kind{
	string(payment.StepPageOpened): KindVisit, string(payment.StepCardEntered): KindCard,
	string(payment.StepCodeRequested): KindCode, string(payment.StepCodeResent): KindCode,
	string(payment.StepCodeEntered): KindCode, string(payment.StepCodeNotNeeded): KindCode,
	string(payment.StepTimeGivenBack): KindStatus, string(payment.StepBankMessage): KindStatus,
	string(payment.StepMoneyCame): KindStatus, string(payment.StepCaseDecided): KindStatus,
}

// step adds a step of a payment. Details that cannot be read leave it without
// any, and do not make the timeline fail.
func (t *told) step(row db.PaymentStep) {
	var detail payment.StepDetail
	if err := json.Unmarshal(row.Detail, &detail); err != nil { // then the step is shown without details
		detail = payment.StepDetail{}
	}
	received := decimal.NullDecimal{}
	if came, err := decimal.NewFromString(detail.Amount); err == nil {
		received = decimal.NewNullDecimal(came)
	}
	t.tell(row.At, stepKinds[row.What], row.Actor, row.What, Details{
		Received: received, Currency: t.currency, Payer: detail.Payer, Decision: detail.Decision,
		Last4: detail.Last4, Brand: detail.Brand, By: detail.By, Page: detail.Page, Agent: detail.Agent,
		Minutes: detail.Minutes, Message: detail.Message,
	})
}

// appeal adds that a payment was appealed. A trader does not see what the
// merchant wrote.
func (t *told) appeal(a *db.ReportAppealRow) {
	if a == nil {
		return
	}
	details := Details{}
	if t.who.SeesOrder() {
		details.Reason, details.File = a.Reason, &File{Type: a.FileType, Size: a.FileSize}
	}
	t.tell(a.CreatedAt, KindAppeal, a.Actor, WhatAppealOpened, details)
}

// webhooks adds the events and each attempt to deliver them.
func (t *told) webhooks() {
	for _, e := range t.events {
		t.tell(e.CreatedAt, KindWebhook, "", WhatEvent, Details{Webhook: &Webhook{
			EventID: e.ID, Type: e.Type, Sequence: e.Sequence, Status: e.Status, URL: e.URL, Body: e.Body,
		}})
	}
	for _, a := range t.attempts {
		t.tell(a.At, KindWebhook, "", WhatAttempt, Details{Webhook: &Webhook{
			EventID: a.EventID, Type: a.Type, Sequence: a.Sequence, StatusCode: a.StatusCode,
			Took: time.Duration(a.DurationMs) * time.Millisecond, Answer: a.Answer, Error: optional.Value(a.Error),
		}})
	}
}

// Payout is the timeline of a payout, the oldest line first, with what the
// caller may see. The payout is named by its uuid. A trader sees the payouts
// that they took and did not give back.
func (s *Service) Payout(ctx context.Context, who caller.Caller, id string) ([]Line, error) {
	if err := who.Admit(ctx, caller.TraderRead, caller.MerchantRead, caller.OperatorRead); err != nil {
		return nil, err
	}
	p, err := s.findPayout(ctx, who, id)
	if err != nil {
		return nil, err
	}
	t := told{who: who, merchantID: p.MerchantID, id: p.ID}
	var history []db.PayoutHistory
	queries := append(t.queries(db.SubjectPayout), db.One(&history, (*db.Queries).PayoutHistoryList,
		db.PayoutHistoryListParams{MerchantID: p.MerchantID, PayoutID: p.ID}))
	if err := db.Pipeline(ctx, s.reads, queries...); err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	t.payout(p, history)
	return t.sorted(), nil
}

// findPayout finds a payout that the caller may see.
func (s *Service) findPayout(ctx context.Context, who caller.Caller, id string) (db.Payout, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != len(uuid.UUID{}.String()) {
		return db.Payout{}, fault.ErrNotFound
	}
	p, err := s.q.PayoutFind(ctx, parsed)
	switch {
	case db.NoRows(err):
		return p, fault.ErrNotFound
	case err != nil:
		return p, fmt.Errorf("find payout: %w", err)
	case who.Kind == caller.MerchantPortal && p.MerchantID != who.MerchantID:
		return p, fault.ErrCashboxAccessDenied
	case who.Kind == caller.Trader && (p.TraderID == nil || *p.TraderID != who.TraderID):
		return p, fault.ErrNotFound
	}
	return p, nil
}

// payout adds the lines of a payout. Lines with the same time stay in the order
// in which they are added here. Only operators read why a trader gave it back.
func (t *told) payout(p db.Payout, history []db.PayoutHistory) {
	var creator string
	if len(history) > 0 {
		creator = history[0].Actor
	}
	r := &Request{
		Method: p.Method, Currency: p.Currency, Amount: p.Amount, ExpiresAt: p.ExpiresAt, AddressMask: p.AddressMask,
	}
	if t.who.SeesOrder() {
		r.OrderID, r.CallbackURI = p.OrderID, p.CallbackURI
		r.RequestID, r.Address = optional.Value(p.RequestID), optional.Value(p.RequestAddress)
	}
	t.tell(p.CreatedAt, KindRequest, creator, WhatCreated, Details{Request: r})
	t.tell(p.CreatedAt, KindRate, "", WhatRateFixed, Details{Rate: t.payoutRate(p)})
	for _, h := range history {
		if payout.Status(h.ToStatus) == payout.Waiting && t.who.Kind != caller.Operator {
			h.Reason = nil // a trader has told operators why they gave it back
		}
		t.status(h.At, h.Actor, h.FromStatus, h.ToStatus, h.Reason)
	}
	t.ledger(ledger.Cashbox, p.CashboxID)
	t.webhooks()
}

// payoutRate is the part of a payout's calculation that the caller may see: a
// trader the reward, a merchant the price.
func (t *told) payoutRate(p db.Payout) *Rate {
	r := &Rate{}
	if t.who.SeesRate() {
		r.Source, r.ObservedAt = p.RateSource, &p.RateObservedAt
		r.Base, r.Markup, r.Spot, r.Amount = &p.BaseRate, &p.MarkupPercent, &p.SpotUSDT, &p.FrozenUSDT
		if p.ReturnOf != nil { // it costs the merchant nothing
			r.Amount = new(decimal.Zero)
		}
	}
	if t.who.SeesTrader() && p.TraderUSDT.Valid && p.ReturnOf == nil {
		r.Trader = &p.TraderUSDT.Decimal
	}
	if t.who.Kind == caller.Operator && p.PlatformUSDT.Valid {
		r.Platform, r.SharePercent = &p.PlatformUSDT.Decimal, &p.TraderSharePercent.Decimal
	}
	return r
}
