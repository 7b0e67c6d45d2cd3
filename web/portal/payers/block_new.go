package payers

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// asksPayment names the payment whose payer is to be blocked.
const asksPayment = "paymentId"

func (v *visit) newBlock() error {
	given := v.R.URL.Query()
	typed := url.Values{"token": {submission.NewToken()}}
	for _, name := range []string{asksPayment, "kind", "value", "merchantId"} {
		typed.Set(name, given.Get(name))
	}
	return v.askBlock(http.StatusOK, typed, nil)
}

// askBlock shows the form that blocks, with what was typed and is wrong in it.
func (v *visit) askBlock(status int, typed url.Values, wrong map[string]string) error {
	form := view.MoneyForm{
		Action: v.Path("/blocks/new"), Text: v.Say(sayBlockText), Submit: v.Say(sayBlockYes),
		Back: view.Link(v.Path("/blocks")), Danger: true,
	}
	form.Hidden = [][2]string{{"token", typed.Get("token")}}
	if id := number(typed.Get(asksPayment)); id != 0 {
		if err := v.askOfPayment(&form, id); err != nil {
			return err
		}
	} else {
		v.askTyped(&form, typed, wrong)
	}
	until := view.Field{
		Name: "until", Label: sayUntil, Hint: v.Say(sayUntilHint),
		Type: "date", Quiet: true,
	}
	form.Fields = append(form.Fields, reasonField, until)
	return v.ShowForm(status, v.Say(sayBlock), form, typed, wrong)
}

// askOfPayment offers what is known of a payment's payer to be blocked.
func (v *visit) askOfPayment(form *view.MoneyForm, id int64) error {
	payer, err := v.Settings.PaymentPayer(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	by := view.Choice{Name: "kind", Label: sayWhatBy}
	for _, known := range [][2]string{
		{string(block.User), payer.User}, {string(block.Card), payer.Card}, {string(block.Address), payer.Address},
	} {
		if known[1] != "" {
			by.Options = append(by.Options, view.Option{Value: known[0], Text: v.Say(sayKind(known[0])) + ": " + known[1]})
		}
	}
	form.Notes = append(form.Notes, v.Say(sayOfPayment, id))
	form.Back = view.Link(v.PaymentPath(id))
	form.Hidden = append(form.Hidden, [2]string{asksPayment, portal.IDText(id)})
	if len(by.Options) == 0 {
		form.Notes = append(form.Notes, v.Say(sayNothingIs))
	}
	form.Choices = append(form.Choices, by)
	if v.Who.Kind != caller.Operator {
		return nil
	}
	merchant, err := v.Settings.Merchant(v.Ctx(), v.Who, payer.MerchantID)
	form.Choices = append(form.Choices, view.Choice{
		Name: "merchantId", Label: sayWhere,
		Options: []view.Option{
			{Value: portal.IDText(merchant.ID), Text: portal.Titled(merchant.Name, merchant.ID)},
			{Value: "0", Text: v.Say(sayEverywhere)},
		},
	})
	return err
}

// askTyped asks for the value to be blocked.
func (v *visit) askTyped(form *view.MoneyForm, typed url.Values, wrong map[string]string) {
	by := view.Choice{Name: "kind", Label: sayWhatBy}
	for _, kind := range block.Kinds {
		if kind != block.Card {
			by.Options = append(by.Options, view.Option{Value: string(kind), Text: v.Say(sayKind(string(kind)))})
		}
	}
	form.Choices = append(form.Choices, by)
	form.Fields = append(form.Fields, view.Field{
		Name: "value", Label: sayValue, Hint: v.Say(sayValueHint),
		More: map[string]any{"autocomplete": "off", "spellcheck": "false"},
	})
	if v.Who.Kind == caller.Operator {
		merchant := v.PickField(portal.PickMerchant, "merchantId", say.PortalMerchant, typed, wrong)
		merchant.Hint, merchant.Quiet = v.Say(sayEverywhereHint), true
		form.Fields = append(form.Fields, merchant)
	}
}

// makeBlock makes a block, only once even if its form is sent repeatedly.
func (v *visit) makeBlock(form url.Values) error {
	if form.Get("merchantId") != "0" && v.Who.Kind == caller.Operator { // 0 is all merchants
		if err := v.Picked(form, map[string]*portal.Pick{"merchantId": portal.PickMerchant}); err != nil {
			return err
		}
	}
	found := fault.Decoded(v.Ctx())
	n := directory.NewBlock{
		Kind: block.Kind(form.Get("kind")), Value: form.Get("value"), PaymentID: number(form.Get(asksPayment)),
		MerchantID: number(form.Get("merchantId")), Reason: form.Get("reason"), Until: v.endOf(found, form.Get("until")),
	}
	found.Check(n.MerchantID >= 0 || found.Wrong("merchantId"), "merchantId", "is not a merchant")
	err := v.Once(form, func() (submission.Outcome, error) {
		made, err := v.Settings.BlockPayer(fault.WithDecoded(v.Ctx(), found), v.Who, n)
		return submission.Outcome{LedTo: portal.Numbered(v.Path("/blocks"), made.ID), Said: "blocked"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.askBlock(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

// number parses a number: 0 for an empty text, and -1 for what is no number.
func number(text string) int64 {
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// endOf is the end of a day in the reader's time zone; nil for an empty text.
func (v *visit) endOf(found fault.Fields, day string) *time.Time {
	end, err := v.LastDay(day)
	found.Check(err == nil, "until", "must be a date")
	return end
}
