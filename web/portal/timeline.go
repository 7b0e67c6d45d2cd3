package portal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/rate"
	"gateway.example/internal/timeline"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The subjects of transfers.
const (
	SubjectPayment = "payment"
	SubjectPayout  = "payin"
	SubjectDeposit = "deposit"

	SubjectWithdrawal = "withdrawal"
)

// Timeline puts the lines of a payment's timeline into words.
func (v *Visit) Timeline(lines []timeline.Line) []view.Line {
	return v.told(lines, SubjectPayment, say.PaymentStatus, say.LineCreated, say.LineWaitsUntil)
}

// PayoutTimeline puts the lines of a payout's timeline into words.
func (v *Visit) PayoutTimeline(lines []timeline.Line) []view.Line {
	return v.told(lines, SubjectPayout, say.PayoutStatus, say.LinePayoutCreated, say.LineTakeUntil)
}

// told puts the lines of a timeline into words. The caller says what payments
// and payouts call differently. Logins of actors are shown if Meet has read
// them before.
func (v *Visit) told(
	lines []timeline.Line, subject string, status func(string) say.Phrase, created, until say.Phrase,
) []view.Line {
	shown := make([]view.Line, 0, len(lines))
	for _, line := range lines {
		told := view.Line{At: line.At, Kind: string(line.Kind), Actor: v.ActorName(line.Actor)}
		switch line.What {
		case timeline.WhatCreated:
			told.Text = v.Say(created, v.Amount(line.Request.Amount, line.Request.Currency),
				v.Say(say.Method(line.Request.Method)))
			told.Notes = []string{v.Say(until, v.When(line.Request.ExpiresAt))}
		case timeline.WhatStatus:
			told.Text = v.statusMoved(line.From, line.To, status)
			if came := line.Received; came.Valid {
				told.Notes = append(told.Notes, v.Say(say.LineReceived, v.Amount(came.Decimal, line.Currency)))
			}
			if line.Reason != "" {
				told.Notes = append(told.Notes, v.Say(say.LineReason, v.Say(say.ReasonOf(line.Reason))))
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

func (v *Visit) statusMoved(from, to string, status func(string) say.Phrase) string {
	if from == "" {
		return v.Say(say.LineStatusFirst, v.Say(status(to)))
	}
	return v.Say(say.LineStatus, v.Say(status(from)), v.Say(status(to)))
}

// Meet reads the logins of actors, which operators see next to what the actors
// are.
func (v *Visit) Meet(actors []string) error {
	if v.Who.Kind != caller.Operator {
		return nil
	}
	logins, err := v.LoginsOf(actors)
	v.logins = logins
	return err
}

// ActorsOf are the actors of lines.
func ActorsOf(lines []timeline.Line) []string {
	actors := make([]string, 0, len(lines))
	for _, line := range lines {
		actors = append(actors, line.Actor)
	}
	return actors
}

// ActorName is the name of an actor: "you" for the reader, or what the actor
// is.
func (v *Visit) ActorName(actor string) string {
	if actor == "" {
		return ""
	}
	if actor == v.Who.Actor() {
		return v.Say(say.Actor("you"))
	}
	kind, id, Numbered := strings.Cut(actor, ":")
	name := v.Say(say.Actor(kind))
	if login := v.logins[actor]; login != "" {
		return name + " " + login
	}
	if Numbered {
		name += " " + id
	}
	return name
}

// steps are the texts of lines that only say that something happened.
var steps = map[string]say.Phrase{
	timeline.WhatCodeRequested: say.LineCodeRequested,
	timeline.WhatCodeResent:    say.LineCodeResent,
	timeline.WhatCodeEntered:   say.LineCodeEntered,
	timeline.WhatCodeNotNeeded: say.LineCodeNotNeeded,
	timeline.WhatClaimed:       say.LineClaimed,
	timeline.WhatAppealOpened:  say.LineAppeal,
}

// decided are the texts about decisions on another amount.
var decided = map[string]say.Phrase{
	"taken": say.LineCaseTaken, "waiting": say.LineCaseWaiting, "returned": say.LineCaseReturned, "ended": say.LineCaseEnded,
}

// words are the text of a line, and its notes.
func (v *Visit) words(line timeline.Line, subject string) (text string, notes []string) {
	s := v.Shell
	switch line.What {
	case timeline.WhatRequisiteChosen:
		return v.choiceWords(line.Choice)
	case timeline.WhatRateFixed, timeline.WhatRateHeld, timeline.WhatRateSettled:
		return v.rateWords(line, subject)
	case timeline.WhatTransfer:
		return v.transferWords(line.Transfer, subject)
	case timeline.WhatPageOpened:
		return s.Say(say.LineVisit, s.Say(say.PageName(line.Page))), said(line.Agent)
	case timeline.WhatTimeGivenBack:
		return s.Say(say.LineTimeGivenBack, line.Minutes), nil
	case timeline.WhatBankMessage:
		return s.Say(say.LineBankMessage, bankmessage.NameOf(line.By), line.Message), nil
	case timeline.WhatMoneyCame:
		text = s.Say(say.LineMoneyCame, s.Amount(line.Received.Decimal, line.Currency))
		if line.Payer != "" {
			notes = said(s.Say(say.LineFrom, line.Payer))
		}
		return text, notes
	case timeline.WhatCaseDecided:
		return s.Say(decided[line.Decision], s.Amount(line.Received.Decimal, line.Currency)), nil
	case timeline.WhatCardEntered:
		return s.Say(say.LineCard, line.Brand, line.Last4), nil
	case timeline.WhatReceipt:
		return s.Say(say.LineReceipt, line.File.Number, s.Say(say.FileType(line.File.Type)), Size(line.File.Size)), nil
	case timeline.WhatEvent, timeline.WhatAttempt:
		return v.webhookWords(line)
	}
	if phrase, known := steps[line.What]; known {
		return s.Say(phrase), said(line.Reason)
	}
	return line.What, nil
}

// said keeps the texts that are not empty.
func said(texts ...string) []string {
	var list []string
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// choiceWords says which requisite was chosen, or that the payment went to the
// desk for cards. The notes name the requisites that were passed over, by rule,
// if the line has them, which is so for operators only.
func (v *Visit) choiceWords(c *timeline.Choice) (string, []string) {
	if c.Value == "" {
		return v.Say(say.LineDesk), nil
	}
	var notes []string
	if about := strings.Join(said(c.Bank, c.Holder), ", "); about != "" {
		notes = append(notes, about)
	}
	if c.Pool != nil && c.Looked != nil {
		notes = append(notes, v.Say(say.LinePool, *c.Pool, *c.Looked))
	}
	for _, passed := range c.Passed {
		notes = append(notes, v.Say(say.LinePassed, v.RuleName(passed.Rule), IDTexts(passed.Requisites)))
	}
	return v.Say(say.LineRequisite, c.Value), notes
}

// rateWords says how a sum in USDT came about, as far as the line has its
// parts. The reader's own part is called theirs. A merchant gets a payment's
// sum and pays a payout's.
func (v *Visit) rateWords(line timeline.Line, subject string) (string, []string) {
	text := v.Say(say.LineRateFixed)
	switch line.What {
	case timeline.WhatRateHeld:
		text = v.Say(say.LineRateHeld)
	case timeline.WhatRateSettled:
		text = v.Say(say.LineRateSettled)
	}
	r := line.Rate
	var notes []string
	add := func(phrase say.Phrase, amount *decimal.Decimal, write func(decimal.Decimal) string) {
		if amount != nil {
			notes = append(notes, v.Say(phrase, write(*amount)))
		}
	}
	add(say.LineBase, r.Base, decimal.Decimal.String)
	add(say.LineMarkup, r.Markup, decimal.Decimal.String)
	add(say.LineSpot, r.Spot, v.USDT)
	merchant, trader := say.LineMerchant, say.LineTrader
	if subject == SubjectPayout {
		merchant = say.LineMerchantPays
	}
	switch {
	case v.Shell.Portal == "trader":
		trader = say.LineYou
	case v.Shell.Portal == "merchant" && subject == SubjectPayout:
		merchant = say.LineYouPay
	case v.Shell.Portal == "merchant":
		merchant = say.LineYou
	}
	add(merchant, r.Amount, v.USDT)
	add(trader, r.Trader, v.USDT)
	add(say.LinePlatform, r.Platform, v.USDT)
	add(say.LineHold, r.Hold, v.USDT)
	return text, notes
}

// transferWords says what an account got or gave.
func (v *Visit) transferWords(t *timeline.Transfer, subject string) (string, []string) {
	amount := t.Amount
	if !t.Credit {
		amount = amount.Neg()
	}
	phrase := say.LineAvailable
	if t.Account.Reserved {
		phrase = say.LineReserved
	}
	return v.Say(phrase, Signed(amount, v.USDT)), said(v.Movement(t.Kind, subject, t.Credit != t.Account.Reserved))
}

// Signed is an amount with its sign.
func Signed(amount decimal.Decimal, write func(decimal.Decimal) string) string {
	if amount.IsPositive() {
		return "+" + write(amount)
	}
	return write(amount)
}

// Movement says why money was moved; released says that by this less is held,
// or more is available.
func (v *Visit) Movement(kind, subject string, released bool) string {
	if kind == "pending-completed" && released {
		return v.Say(say.HoldEnded)
	}
	if phrase := say.MovementOf(kind); !phrase.Empty() {
		return v.Say(phrase)
	}
	from, to, statuses := strings.Cut(kind, "-")
	if !statuses {
		return kind
	}
	status := say.PaymentStatus
	if subject == SubjectPayout {
		status = say.PayoutStatus
	}
	return v.Say(say.StatusMoved, v.Say(status(from)), v.Say(status(to)))
}

func (v *Visit) webhookWords(line timeline.Line) (string, []string) {
	w := line.Webhook
	switch {
	case line.What == timeline.WhatEvent:
		return v.Say(say.LineEvent, w.Sequence, w.Type), said(w.URL)
	case w.StatusCode == nil:
		return v.Say(say.LineNoAnswer, w.Sequence), said(w.Error)
	}
	return v.Say(say.LineAttempt, w.Sequence, *w.StatusCode, w.Took.Milliseconds()), nil
}

// eventOf links to the webhook that a line is about, for users who work with
// webhooks.
func (v *Visit) eventOf(line timeline.Line) (view.Link, string) {
	w := line.Webhook
	if w == nil || v.Who.Kind != caller.MerchantPortal || !v.Who.May(caller.MerchantEvents) {
		return "", ""
	}
	return view.Link(EventPath(w.EventID.String())), v.Say(say.EventNamed, w.Sequence)
}

// codeOf shows unchanged what was sent to a merchant's endpoint, or its answer.
func codeOf(line timeline.Line) []view.Code {
	switch w := line.Webhook; {
	case w == nil:
	case line.What == timeline.WhatEvent && len(w.Body) > 0:
		return []view.Code{{Title: say.RequestBody, Text: strings.ToValidUTF8(string(w.Body), "\uFFFD")}}
	case line.What == timeline.WhatAttempt && len(w.Answer) > 0:
		return []view.Code{{Title: say.AnswerBody, Text: strings.ToValidUTF8(string(w.Answer), "\uFFFD")}}
	}
	return nil
}

// Moves describes the status changes of a deposit or a withdrawal. It also
// reads the logins of their actors.
func (v *Visit) Moves(moves []deposit.Move, status func(string) say.Phrase) ([]view.Line, error) {
	actors := make([]string, 0, len(moves))
	for _, move := range moves {
		actors = append(actors, move.Actor)
	}
	if err := v.Meet(actors); err != nil {
		return nil, err
	}
	lines := make([]view.Line, 0, len(moves))
	for _, move := range moves {
		line := view.Line{
			At: move.At, Kind: "status", Actor: v.ActorName(move.Actor),
			Text: v.statusMoved(move.From, move.To, status),
		}
		if move.Reason != "" {
			line.Notes = []string{v.Say(say.LineReason, move.Reason)}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// RateSteps explains a sum: for each line what it is, the numbers from which it
// was calculated, and its value.
func (v *Visit) RateSteps(answer rate.Answer, currency string) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(say.StepsTitle), Columns: v.Columns(false, say.StepOf, say.StepHow, say.StepValue),
	}
	sheet.Columns[2].Right = true
	for _, step := range answer.Steps {
		_, numbers, _ := strings.Cut(step.Formula, " = ")
		numbers = v.Shell.Formula(numbers)
		unit := "\u00a0USDT"
		switch step.Name {
		case "baseRate":
			unit = "\u00a0" + currency
			numbers = v.Say(say.RateFrom, v.SourceName(answer.RateSource))
			if answer.RateObservedAt != nil {
				numbers += ", " + v.When(*answer.RateObservedAt)
			}
			if answer.RateUnavailable {
				numbers += ". " + v.Say(say.RateWasStale)
			}
		case "markupPercent":
			unit, numbers = "\u00a0%", v.Say(say.MarkupFrom(answer.MarkupSource))
		case "hold":
			if numbers == "" {
				numbers = v.Say(say.HeldEarlier)
			}
		}
		label, note := say.RateStep(step.Name)
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: v.Say(label), Note: v.Say(note)}, {Text: numbers}, {Text: v.Shell.Formula(step.Value) + unit},
		})
	}
	return sheet
}

// RuleName names a rule that drops a candidate.
func (v *Visit) RuleName(rule string) string {
	if phrase := say.RoutingRule(rule); !phrase.Empty() {
		return v.Say(phrase)
	}
	return rule
}

// IDTexts lists numbers.
func IDTexts(ids []int64) string {
	var list []string
	for _, id := range ids {
		list = append(list, strconv.FormatInt(id, 10))
	}
	return strings.Join(list, ", ")
}

// SourceName says where a rate came from.
func (v *Visit) SourceName(source string) string {
	if id, feed := strings.CutPrefix(source, "feed:"); feed {
		return v.Say(say.FeedNumber, id)
	}
	if source == rate.SourceOperator {
		return v.Say(say.ByHand)
	}
	return source
}

// LoginsOf are the logins of the actors that are users.
func (v *Visit) LoginsOf(actors []string) (map[string]string, error) {
	var ids []int64
	by := map[string]int64{}
	for _, actor := range actors {
		kind, number, _ := strings.Cut(actor, ":")
		isUser := slices.Contains(Users, caller.Kind(kind)) // ids of other kinds of actors are not users' ids
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && isUser {
			ids, by[actor] = append(ids, id), id
		}
	}
	found, err := v.server.Sessions.Logins(v.Ctx(), v.Who, ids)
	if err != nil {
		return nil, err
	}
	logins := map[string]string{}
	for actor, id := range by {
		logins[actor] = found[id]
	}
	return logins, nil
}
