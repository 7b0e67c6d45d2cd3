package cases

import (
	"slices"
	"strings"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/work"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// objectionOpen is the status of an objection that nobody has decided.
const objectionOpen = "open"

var objectionList = portal.List{Path: portal.ObjectionsPath, Always: true, None: sayCasesNone}

var objectionBadges = map[string]view.Badge{
	objectionOpen:                {Text: sayObjectionOpen, Tone: "late"},
	string(bankmessage.Upheld):   {Text: sayObjectionUpheld, Tone: "bad"},
	string(bankmessage.Rejected): {Text: sayObjectionRejected, Tone: "off"},
}

var objectionDecisions = []decision{
	{
		of: objectCase, needs: caller.OperatorCases, step: "uphold", from: []string{objectionOpen},
		label: sayUpholdAct, title: sayUpholdAsk, text: sayUpholdText, yes: sayUpholdYes, danger: true,
		field: reasonWanted, hint: sayTraderSees, word: "objection-decided", act: objectionIs(bankmessage.Upheld),
	},
	{
		of: objectCase, needs: caller.OperatorCases, step: "reject", from: []string{objectionOpen},
		label: sayRejectObjectionAct, title: sayRejectObjectionAsk, text: sayRejectObjectionText, yes: sayRejectObjectionYes,
		field: reasonWanted, hint: sayTraderSees, word: "objection-decided", act: objectionIs(bankmessage.Rejected),
	},
}

func objectionIs(outcome bankmessage.Outcome) func(*visit, decidable, *string) error {
	return func(v *visit, of decidable, typed *string) error {
		_, err := v.Messages.ResolveObjection(v.Ctx(), v.Who, of.id, bankmessage.Resolution{Outcome: outcome, Reason: *typed})
		return err
	}
}

func statusOfObjection(m bankmessage.Message) string {
	if m.Outcome == "" {
		return objectionOpen
	}
	return string(m.Outcome)
}

// objections lists the objections of all traders, open and decided, without the
// texts of the messages. Who works on one is shown while it is open.
func (v *visit) objections() error {
	return cases{
		of: objectionList, kind: work.Objection, title: say.ObjectionsTitle, text: sayObjectionsText, at: sayObjectedAt,
		read: func(a portal.Asked) (report.Page[caseRow], error) {
			var page bankmessage.Page
			page.Cursor = optional.Of(a.Filter.Cursor)
			list, next, err := v.Messages.Objections(v.Ctx(), v.Who, page.Page)
			return paged(list, next, err, func(m bankmessage.Message) caseRow {
				r := caseRow{
					name: portal.IDText(m.ID), href: view.Link(portal.Numbered(portal.ObjectionsPath, m.ID)), at: *m.DecidedAt,
					status: objectionBadges[statusOfObjection(m)], amount: v.Amount(*m.Amount, m.Currency),
					about: v.Say(say.ShortPayment, *m.PaymentID), beside: m.Why,
				}
				if m.Outcome == "" {
					r.open = m.ID
				}
				return r
			})
		},
	}.show(v)
}

func (v *visit) objectionSubject() (decidable, error) {
	m, err := portal.Named(v.Visit, v.Messages.Objection)
	if err != nil {
		return decidable{}, err
	}
	return v.subjectOfObjection(m)
}

// subjectOfObjection is an objection with what an operator compares: what the
// message says, why the trader objects, and how the payment stands now. Once it
// is decided it also says who decided and why.
func (v *visit) subjectOfObjection(m bankmessage.Message) (decidable, error) {
	p, err := v.Payments.Get(v.Ctx(), v.Who, portal.IDText(*m.PaymentID))
	if err != nil {
		return decidable{}, err
	}
	owners, err := v.OwnersOf(v.Settings, p.CashboxID, optional.Of(m.TraderID))
	if err != nil {
		return decidable{}, err
	}
	amount := v.Amount(*m.Amount, m.Currency)
	bank := strings.TrimSuffix(bankmessage.NameOf(m.Bank)+", •• "+m.Account, ", •• ")
	facts := slices.Concat([]view.Fact{
		{Label: say.Amount, Value: amount, Class: "num"},
		{Label: sayTraderObjects, Value: m.Why},
		{Label: say.Bank, Value: bank},
		{Label: sayMessageCame, Value: v.When(m.ReceivedAt)},
		{Label: sayPaymentNow, Value: v.Say(say.PaymentStatus(string(p.Status)))},
	}, owners)
	if m.Balance != nil {
		facts = append(facts, view.Fact{Label: sayMessageBalance, Value: v.Amount(*m.Balance, m.Currency), Class: "num"})
	}
	if m.Outcome != "" {
		if err := v.Meet([]string{m.ResolvedBy}); err != nil {
			return decidable{}, err
		}
		facts = append(facts, view.Fact{Label: say.Reason, Value: m.Resolution}, view.Fact{Label: sayDecidedBy, Value: v.ActorName(m.ResolvedBy)})
	}
	return decidable{
		id: m.ID, status: statusOfObjection(m), path: portal.Numbered(portal.ObjectionsPath, m.ID), amount: amount,
		name: v.Say(sayObjectionTitle, m.ID), facts: facts, waits: m.Outcome == "",
	}, nil
}

// objection shows a trader's objection to what a bank's message confirmed. The
// message's text is not on this page, but a link leads users who may reveal it
// to the page that has it. Once the trader was found right, and as long as the
// payment is completed, users who may move money are led to a correction,
// because the decision itself moves nothing.
func (v *visit) objection() error {
	m, err := portal.Named(v.Visit, v.Messages.Objection)
	if err != nil {
		return err
	}
	shown, err := v.aboutPayment(*m.PaymentID)
	if err != nil {
		return err
	}
	found, err := v.subjectOfObjection(m)
	if err != nil {
		return err
	}
	p, err := v.Payments.Get(v.Ctx(), v.Who, portal.IDText(*m.PaymentID))
	if err != nil {
		return err
	}
	if v.May(caller.OperatorReveal) {
		shown.Links = append(shown.Links, CaseLink{
			Label: sayMessageText, Text: v.Say(say.MessagesOfBanks), Href: portal.MessagesPath + "#objected",
		})
	}
	// A payment that is no longer completed has already given the trader
	// their USDT back.
	if m.Outcome == bankmessage.Upheld && p.Status == payment.Completed && v.May(caller.OperatorMoney) {
		shown.Links = append(shown.Links, CaseLink{
			Label: sayGiveBack, Text: v.Say(sayToCorrect), Href: portal.MoneyPath + "/correct",
		})
	}
	shown.List, shown.ListLabel, shown.At, shown.AtLabel = portal.ObjectionsPath, say.ObjectionsTitle, *m.DecidedAt, sayObjectedAt
	shown.Status = objectionBadges[found.status]
	return v.showCase(objectCase, found, objectionDecisions, shown)
}
