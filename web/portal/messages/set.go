package messages

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/money"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

var phoneRoutes = []route{
	{Pattern: "GET " + messagesPath + "/phones/new", Needs: caller.TraderPhones, Handle: (*visit).askPhone},
	{Pattern: "POST " + messagesPath + "/phones/new", Needs: caller.TraderPhones, Handle: portal.After((*visit).Form, (*visit).pair)},
	{Pattern: "POST " + messagesPath + "/phones/{id}/revoke", Needs: caller.TraderRequisites, Handle: (*visit).revoke},
}

var ruleRoutes = []route{
	{Pattern: "GET /trader/requisites/{id}/messages", Needs: caller.TraderPhones, Handle: (*visit).askRule},
	{Pattern: "POST /trader/requisites/{id}/messages", Needs: caller.TraderPhones, Handle: (*visit).setRule},
	{Pattern: "POST /trader/requisites/{id}/messages/resume", Needs: caller.TraderPhones, Handle: (*visit).resume},
}

func (v *visit) askPhone() error { return v.showPhone(http.StatusOK, nil, nil) }

func (v *visit) showPhone(status int, typed url.Values, wrong map[string]string) error {
	asked := view.MoneyForm{
		Action: messagesPath + "/phones/new", Text: v.Say(sayPairText), Submit: v.Say(sayPair), Back: messagesPath,
		Hidden: [][2]string{{"token", submission.NewToken()}},
		Fields: []view.Field{{
			Name: "name", Label: sayPhoneName, Max: 100, More: templ.Attributes{"autocomplete": "off"},
		}},
	}
	return v.ShowForm(status, v.Say(sayPair), asked, typed, wrong)
}

// pair pairs a phone, once, and shows the secret in the answer, because no
// other page has it. A second sending leads to the list.
func (v *visit) pair(form url.Values) error {
	var made bankmessage.NewDevice
	outcome, err := v.Submissions.Once(v.Ctx(), v.Who.ID, form.Get("token"), func() (submission.Outcome, error) {
		var err error
		made, err = v.Messages.CreateDevice(v.Ctx(), v.Who, form.Get("name"))
		return submission.Outcome{LedTo: messagesPath, Said: "phone-paired-before"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showPhone(http.StatusUnprocessableEntity, form, wrong)
	}
	if err != nil || made.Secret == "" {
		return v.Led(outcome, err)
	}
	paired := Paired{Name: made.Name, Address: v.Address + "/api/v1/bank-messages", Key: made.Key, Secret: made.Secret,
		Headers: made.AppHeaders(), Body: bankmessage.AppBody}
	settings, err := json.Marshal(map[string]string{"url": paired.Address, "key": paired.Key, "secret": paired.Secret})
	if err != nil {
		return err
	}
	code, err := site.QR(string(settings))
	if err != nil {
		return err
	}
	paired.QR = string(code)
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayPaired), PairedPage, paired)
}

func (v *visit) revoke() error {
	id, err := v.Numbered()
	if err == nil {
		err = v.Messages.RevokeDevice(v.Ctx(), v.Who, id)
	}
	if err != nil {
		return err
	}
	return v.Done(messagesPath, "phone-revoked")
}

// ruleAsked is the requisite in the address, with its present rule.
func (v *visit) ruleAsked() (own directory.OwnRequisite, set url.Values, err error) {
	id, err := v.Numbered()
	if err != nil {
		return own, nil, err
	}
	if own, err = v.Settings.OwnRequisite(v.Ctx(), v.Who, id); err != nil {
		return own, nil, err
	}
	rules, err := v.Messages.Rules(v.Ctx(), v.Who)
	set = url.Values{"messageMode": {string(bankmessage.ShadowMode)}, "most": {"5000"}}
	if i := slices.IndexFunc(rules, func(r bankmessage.Rule) bool { return r.RequisiteID == id }); i >= 0 {
		r := rules[i]
		set = url.Values{
			"messageMode": {string(r.Mode)}, "most": {money.Fiat(r.Most)}, "bank": {r.Bank}, "account": {r.Account},
			"deviceId": {portal.IDText(r.DeviceID)},
		}
	}
	return own, set, err
}

func rulePath(own directory.OwnRequisite) string {
	return portal.Numbered("/trader/requisites", own.ID) + "/messages"
}

func (v *visit) askRule() error {
	own, set, err := v.ruleAsked()
	if err != nil {
		return err
	}
	set.Set("seen", portal.Seen(set))
	set.Set("token", submission.NewToken())
	return v.showRule(http.StatusOK, own, set, nil)
}

// showRule asks what messages do for a requisite. The banks are those of its
// currency, and revoked phones are not offered. A trader without a phone is led
// to pair one first.
func (v *visit) showRule(status int, own directory.OwnRequisite, typed url.Values, wrong map[string]string) error {
	phones, err := v.Messages.ListDevices(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	var devices, banks, modesToChoose []view.Option
	for _, d := range phones {
		if d.RevokedAt == nil {
			devices = append(devices, view.Option{Value: portal.IDText(d.ID), Text: d.Name})
		}
	}
	if len(devices) == 0 { // without a phone there is nothing to choose from
		return v.Done(messagesPath+"/phones/new", "pair-first")
	}
	for _, b := range bankmessage.Banks() {
		if b.Currency == own.Currency {
			banks = append(banks, view.Option{Value: b.Code, Text: b.Name})
		}
	}
	for _, mode := range bankmessage.Modes {
		modesToChoose = append(modesToChoose, view.Option{Value: string(mode), Text: v.Say(say.Named(modes, string(mode)))})
	}
	asked := view.MoneyForm{
		Action: rulePath(own), Text: v.Say(sayRuleText),
		Submit: v.Say(say.Save), Back: messagesPath,
		Hidden: [][2]string{{"token", typed.Get("token")}, {"seen", typed.Get("seen")}},
		Choices: []view.Choice{
			{Name: "messageMode", Label: sayMode, Options: modesToChoose}, {Name: "bank", Label: say.Bank, Options: banks},
			{Name: "deviceId", Label: sayPhone, Options: devices},
		},
		Fields: []view.Field{
			{
				Name: "account", Label: sayAccount, Hint: v.Say(sayAccountHint),
				Max: 4, Optional: true, More: templ.Attributes{"inputmode": "numeric", "autocomplete": "off"},
			},
			{
				Name: "most", Label: sayMost, Hint: v.Say(sayMostHint), Max: 20,
				More: templ.Attributes{"inputmode": "decimal", "autocomplete": "off"},
			},
		},
	}
	return v.ShowForm(status, v.Say(sayRuleOf, v.Say(say.Method(own.Method))+" "+own.Masked), asked, typed, wrong)
}

// setRule sets what the messages about a requisite do, once, and overwrites
// nothing that the form has not shown.
func (v *visit) setRule() error {
	own, set, err := v.ruleAsked()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	err = v.OnceAsSeen(form, set, rulePath(own), func() (submission.Outcome, error) {
		err := v.Messages.SetRule(v.Ctx(), v.Who, bankmessage.NewRule{
			RequisiteID: own.ID, DeviceID: portal.IDOf(form, "deviceId"), Bank: form.Get("bank"), Account: form.Get("account"),
			Mode: bankmessage.Mode(form.Get("messageMode")), Most: money.Typed(form.Get("most")),
		})
		return submission.Outcome{LedTo: messagesPath, Said: "rule-set"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showRule(http.StatusUnprocessableEntity, own, form, wrong)
	}
	return err
}

func (v *visit) resume() error {
	id, err := v.Numbered()
	if err == nil {
		err = v.Messages.Looked(v.Ctx(), v.Who, id)
	}
	if err != nil {
		return err
	}
	return v.Done(messagesPath, "rule-set")
}
