package portal

import (
	"net/url"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Thread is the conversation about an appeal, with the answer that the reader
// has typed and its mistakes.
func (v *Visit) Thread(t payment.Thread, typed url.Values, wrong map[string]string) view.Thread {
	trader := v.Who.Kind == caller.Trader
	shown := view.Thread{
		Title: say.ThreadTrader, Over: !t.Open, Leads: trader, Token: typed.Get("token"),
		Field: view.Field{
			Name: "text", Label: say.ThreadText, Value: typed.Get("text"), Wrong: wrong["text"], Area: true, Max: payment.MaxMessage,
			Hint: v.Say(say.ThreadHint),
		},
	}
	if trader {
		shown.Title = say.ThreadOperator
	}
	if shown.Token == "" || wrong["token"] != "" {
		shown.Token = submission.NewToken()
	}
	if v.Who.Proved().May(caller.OperatorCases, caller.TraderWork) {
		shown.Action = v.AppealPath(t.Appeal.ID) + "/messages"
	}
	for _, m := range t.Messages {
		who := m.Login
		if who == "" {
			who = v.Say(say.ThreadTheirs)
		}
		shown.Messages = append(shown.Messages, view.ThreadMessage{Who: who, Text: m.Text, At: m.At, Own: m.FromTrader == trader})
	}
	return shown
}
