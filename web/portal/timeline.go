package portal

import (
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// What money is moved for.
const (
	subjectPayment = "payment"
	subjectPayout  = "payin"
	subjectDeposit = "deposit"
)

// timeline puts the lines of a payment's timeline into words.
func (v *visit) timeline(lines []report.Line) []view.Line {
	return v.told(lines, subjectPayment, say.PaymentStatus, say.LineCreated, say.LineWaitsUntil)
}

// payoutTimeline puts the lines of a payout's timeline into words.
func (v *visit) payoutTimeline(lines []report.Line) []view.Line {
	return v.told(lines, subjectPayout, say.PayoutStatus, say.LinePayoutCreated, say.LineTakeUntil)
}

func (v *visit) told(
	lines []report.Line, subject string, status func(string) say.Phrase, created, until say.Phrase,
) []view.Line {
	shown := make([]view.Line, 0, len(lines))
	for _, line := range lines {
		told := view.Line{At: line.At, Kind: string(line.Kind), Actor: v.actor(line.Actor)}
		switch line.What {
		case report.WhatCreated:
			told.Text = v.shell.Say(created, v.shell.Amount(line.Request.Amount, line.Request.Currency),
				v.shell.Say(say.Method(line.Request.Method)))
			told.Notes = []string{v.shell.Say(until, v.shell.When(line.Request.ExpiresAt))}
		case report.WhatStatus:
			told.Text = v.statusMoved(line, status)
			if line.Reason != "" {
				told.Notes = []string{v.shell.Say(say.LineReason, v.shell.Say(say.ReasonOf(line.Reason)))}
			}
		default:
			told.Text, told.Notes = v.words(line, subject)
			told.Code = codeOf(line)
			told.Event, told.EventName = v.eventOf(line)
		}
		shown = append(shown, told)
	}
	return shown
}

func (v *visit) statusMoved(line report.Line, status func(string) say.Phrase) string {
	if line.From == "" {
		return v.shell.Say(say.LineStatusFirst, v.shell.Say(status(line.To)))
	}
	return v.shell.Say(say.LineStatus, v.shell.Say(status(line.From)), v.shell.Say(status(line.To)))
}

// meet has operators read the logins of those who did something, beside what they are.
func (v *visit) meet(actors []string) error {
	if v.who.Kind != caller.Operator {
		return nil
	}
	logins, err := v.loginsOf(actors)
	v.logins = logins
	return err
}

func actorsOf(lines []report.Line) []string {
	actors := make([]string, 0, len(lines))
	for _, line := range lines {
		actors = append(actors, line.Actor)
	}
	return actors
}

// actor is who did something: the reader themselves, or what they are.
func (v *visit) actor(actor string) string {
	if actor == "" {
		return ""
	}
	if actor == v.who.Actor() {
		return v.shell.Say(say.Actor("you"))
	}
	kind, id, numbered := strings.Cut(actor, ":")
	name := v.shell.Say(say.Actor(kind))
	if login := v.logins[actor]; login != "" {
		return name + " " + login
	}
	if numbered {
		name += " " + id
	}
	return name
}

// steps are what is said of lines that tell nothing but that something happened.
var steps = map[string]say.Phrase{
	report.WhatCodeRequested: say.LineCodeRequested,
	report.WhatCodeResent:    say.LineCodeResent,
	report.WhatCodeEntered:   say.LineCodeEntered,
	report.WhatCodeNotNeeded: say.LineCodeNotNeeded,
	report.WhatClaimed:       say.LineClaimed,
	report.WhatAppealOpened:  say.LineAppeal,
}

// words are what a line says, and what more there is to it.
func (v *visit) words(line report.Line, subject string) (text string, notes []string) {
	s := v.shell
	switch line.What {
	case report.WhatRequisiteChosen:
		return v.choiceWords(line.Choice)
	case report.WhatRateFixed, report.WhatRateHeld, report.WhatRateSettled:
		return v.rateWords(line, subject)
	case report.WhatTransfer:
		return v.transferWords(line.Transfer, subject)
	case report.WhatPageOpened:
		return s.Say(say.LineVisit, s.Say(say.PageName(line.Page))), said(line.Agent)
	case report.WhatTimeGivenBack:
		return s.Say(say.LineTimeGivenBack, line.Minutes), nil
	case report.WhatCardEntered:
		return s.Say(say.LineCard, line.Brand, line.Last4), nil
	case report.WhatReceipt:
		return s.Say(say.LineReceipt, line.File.Number, s.Say(say.FileType(line.File.Type)), size(line.File.Size)), nil
	case report.WhatEvent, report.WhatAttempt:
		return v.webhookWords(line)
	}
	if phrase, known := steps[line.What]; known {
		return s.Say(phrase), said(line.Reason)
	}
	return line.What, nil
}

// said is the texts that say something.
func said(texts ...string) []string {
	var list []string
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

func (v *visit) choiceWords(c *report.Choice) (string, []string) {
	if c.Value == "" {
		return v.shell.Say(say.LineDesk), nil
	}
	var notes []string
	if about := strings.Join(said(c.Bank, c.Holder), ", "); about != "" {
		notes = append(notes, about)
	}
	if c.Pool != nil && c.Looked != nil {
		notes = append(notes, v.shell.Say(say.LinePool, *c.Pool, *c.Looked))
	}
	for _, passed := range c.Passed {
		notes = append(notes, v.shell.Say(say.LinePassed, v.ruleName(passed.Rule), numbersOf(passed.Requisites)))
	}
	return v.shell.Say(say.LineRequisite, c.Value), notes
}

func (v *visit) rateWords(line report.Line, subject string) (string, []string) {
	text := v.shell.Say(say.LineRateFixed)
	switch line.What {
	case report.WhatRateHeld:
		text = v.shell.Say(say.LineRateHeld)
	case report.WhatRateSettled:
		text = v.shell.Say(say.LineRateSettled)
	}
	r := line.Rate
	var notes []string
	add := func(phrase say.Phrase, amount *decimal.Decimal, write func(decimal.Decimal) string) {
		if amount != nil {
			notes = append(notes, v.shell.Say(phrase, write(*amount)))
		}
	}
	add(say.LineBase, r.Base, decimal.Decimal.String)
	add(say.LineMarkup, r.Markup, decimal.Decimal.String)
	add(say.LineSpot, r.Spot, view.USDT)
	merchant, trader := say.LineMerchant, say.LineTrader
	if subject == subjectPayout {
		merchant = say.LineMerchantPays
	}
	switch {
	case v.shell.Portal == "trader":
		trader = say.LineYou
	case v.shell.Portal == "merchant" && subject == subjectPayout:
		merchant = say.LineYouPay
	case v.shell.Portal == "merchant":
		merchant = say.LineYou
	}
	add(merchant, r.Amount, view.USDT)
	add(trader, r.Trader, view.USDT)
	add(say.LinePlatform, r.Platform, view.USDT)
	add(say.LineHold, r.Hold, view.USDT)
	return text, notes
}

// transferWords tell what an account got or gave.
func (v *visit) transferWords(t *report.Transfer, subject string) (string, []string) {
	amount := t.Amount
	if !t.Credit {
		amount = amount.Neg()
	}
	phrase := say.LineAvailable
	if t.Account.Reserved {
		phrase = say.LineReserved
	}
	return v.shell.Say(
			phrase,
			signed(amount, view.USDT),
		), said(
			v.movement(t.Kind, subject, t.Credit != t.Account.Reserved),
		)
}

// signed is an amount that says which way it goes.
func signed(amount decimal.Decimal, write func(decimal.Decimal) string) string {
	if amount.IsPositive() {
		return "+" + write(amount)
	}
	return write(amount)
}

// movement says why money was moved; released tells that less is held or more available by it.
func (v *visit) movement(kind, subject string, released bool) string {
	if kind == "pending-completed" && released {
		return v.shell.Say(say.HoldEnded)
	}
	if phrase := say.MovementOf(kind); !phrase.Empty() {
		return v.shell.Say(phrase)
	}
	from, to, statuses := strings.Cut(kind, "-")
	if !statuses {
		return kind
	}
	status := say.PaymentStatus
	if subject == subjectPayout {
		status = say.PayoutStatus
	}
	return v.shell.Say(say.StatusMoved, v.shell.Say(status(from)), v.shell.Say(status(to)))
}

func (v *visit) webhookWords(line report.Line) (string, []string) {
	w := line.Webhook
	switch {
	case line.What == report.WhatEvent:
		return v.shell.Say(say.LineEvent, w.Sequence, w.Type), said(w.URL)
	case w.StatusCode == nil:
		return v.shell.Say(say.LineNoAnswer, w.Sequence), said(w.Error)
	}
	return v.shell.Say(say.LineAttempt, w.Sequence, *w.StatusCode, w.Took.Milliseconds()), nil
}

// eventOf leads to the webhook that a line is about, for who works with those.
func (v *visit) eventOf(line report.Line) (view.Link, string) {
	w := line.Webhook
	if w == nil || v.who.Kind != caller.MerchantPortal || !v.who.May(caller.MerchantEvents) {
		return "", ""
	}
	return view.Link(eventPath(w.EventID.String())), v.shell.Say(say.EventNamed, w.Sequence)
}

// codeOf is what was sent to a merchant's endpoint, or what it answered, as it was.
func codeOf(line report.Line) []view.Code {
	switch w := line.Webhook; {
	case w == nil:
	case line.What == report.WhatEvent && len(w.Body) > 0:
		return []view.Code{{Title: say.RequestBody, Text: strings.ToValidUTF8(string(w.Body), "\uFFFD")}}
	case line.What == report.WhatAttempt && len(w.Answer) > 0:
		return []view.Code{{Title: say.AnswerBody, Text: strings.ToValidUTF8(string(w.Answer), "\uFFFD")}}
	}
	return nil
}
