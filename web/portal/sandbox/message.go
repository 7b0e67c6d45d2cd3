package sandbox

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"gateway.example/internal/edge"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const messagePath = "/sandbox/message"

// bankSenders are the senders of banks' messages, by currency.
var bankSenders = map[string]string{"RUB": "900", "TRY": "GARANTI"}

// messagePage shows a bank's message to be sent: the one about the payment in
// the query, or an empty one.
func (v *visit) messagePage() error {
	typed := url.Values{"sender": {bankSenders["RUB"]}}
	if id, err := strconv.ParseInt(v.R.URL.Query().Get("payment"), 10, 64); err == nil {
		m, err := v.Page.Writes(v.Ctx(), id)
		if err != nil {
			return err
		}
		typed = url.Values{"trader": {portal.IDText(m.TraderID)}, "sender": {m.Sender}, "text": {m.Text}}
	}
	return v.showMessage(http.StatusOK, typed, nil)
}

// showMessage asks for a bank's message that a trader's phone is to forward.
// The traders are those of the sandbox's users.
func (v *visit) showMessage(status int, typed url.Values, wrong map[string]string) error {
	var traders []view.Option
	for _, user := range v.Page.Users {
		if user.TraderID != 0 {
			traders = append(traders, view.Option{Value: portal.IDText(user.TraderID), Text: user.Login})
		}
	}
	asked := view.MoneyForm{
		Action: messagePath, Text: v.Say(sayMessageText), Submit: v.Say(sayMessageSend), Back: "/#made",
		Choices: []view.Choice{{
			Name: "trader", Label: say.PortalTrader, Value: typed.Get("trader"), Options: traders, Wrong: wrong["trader"],
		}},
		Fields: []view.Field{
			{
				Name: "sender", Label: sayMessageSender, Hint: v.Say(sayMessageSenderHint), Value: typed.Get("sender"),
				Wrong: wrong["sender"], Max: 200, More: templ.Attributes{"autocomplete": "off"},
			},
			{Name: "text", Label: sayMessageBody, Area: true, Value: typed.Get("text"), Wrong: cmp.Or(wrong["text"], wrong["body"]), Max: 2000},
		},
	}
	v.Shell.Title, v.Shell.Mistakes = v.Say(sayMessage), wrong != nil
	return portal.Show(v.Visit, status, view.MoneyFormPage, asked)
}

// forward makes the trader's phone forward what was typed, and redirects to the
// list with the result.
func (v *visit) forward(form url.Values) error {
	trader, err := strconv.ParseInt(form.Get("trader"), 10, 64)
	if err != nil || v.traderLogin(trader) == "" || trader == 0 {
		return v.showMessage(http.StatusUnprocessableEntity, form, map[string]string{"trader": v.Say(sayMessageTrader)})
	}
	state, err := v.Page.Forward(v.Ctx(), Message{TraderID: trader, Sender: form.Get("sender"), Text: form.Get("text")})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showMessage(http.StatusUnprocessableEntity, form, wrong)
	}
	if f := edge.Fault(err); err != nil && f != nil {
		wrong := map[string]string{"text": say.Refused(v.Shell.Code, f.Code, f.Message)}
		return v.showMessage(http.StatusUnprocessableEntity, form, wrong)
	}
	if err != nil {
		return err
	}
	return v.Done("/#made", "forwarded-"+state)
}
