package developers

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/web/portal/view"
)

// What a merchant's developers work with: keys, webhooks, events.
var developerRoutes = []route{
	{Pattern: "GET /merchant/developers/keys", Needs: caller.MerchantEvents, Handle: (*visit).keys},
	{Pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/new", Needs: caller.MerchantKeys, Handle: portal.After((*visit).box, (*visit).newKeyPage)},
	{Pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/new", Needs: caller.MerchantKeys, Handle: portal.After((*visit).box, (*visit).newKey)},
	{Pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits", Needs: caller.MerchantKeys, Handle: (*visit).keyLimitsPage},
	{Pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits", Needs: caller.MerchantKeys, Handle: (*visit).keyLimits},
	{Pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke", Needs: caller.MerchantKeys, Handle: portal.After((*visit).box, (*visit).revokePage)},
	{Pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke", Needs: caller.MerchantKeys, Handle: portal.After((*visit).box, (*visit).revoke)},
	{Pattern: "GET /merchant/developers/webhooks", Needs: caller.MerchantEvents, Handle: (*visit).hooks},
	{Pattern: "GET /merchant/developers/cashboxes/{cashbox}/secret", Needs: caller.MerchantKeys, Handle: portal.After((*visit).box, (*visit).rotatePage)},
	{Pattern: "POST /merchant/developers/cashboxes/{cashbox}/secret", Needs: caller.MerchantKeys, Handle: portal.After((*visit).box, (*visit).rotate)},
	{Pattern: "GET /merchant/developers/cashboxes/{cashbox}/test", Needs: caller.MerchantResend, Handle: portal.After((*visit).box, (*visit).testPage)},
	{Pattern: "POST /merchant/developers/cashboxes/{cashbox}/test", Needs: caller.MerchantResend, Handle: (*visit).test},
	{Pattern: "GET /merchant/developers/events", Needs: caller.MerchantEvents, Keeps: &eventList, Handle: (*visit).events},
	{Pattern: "GET /merchant/developers/events/{event}", Needs: caller.MerchantEvents, Handle: portal.After((*visit).eventAsked, (*visit).event)},
	{Pattern: "GET /merchant/developers/events/{event}/resend", Needs: caller.MerchantResend, Handle: portal.After((*visit).eventAsked, (*visit).resendPage)},
	{Pattern: "POST /merchant/developers/events/{event}/resend", Needs: caller.MerchantResend, Handle: portal.After((*visit).eventAsked, (*visit).resendEvent)},
	{Pattern: "GET /merchant/developers/resend", Needs: caller.MerchantResend, Handle: portal.With(ownDead, (*visit).dead)},
	{Pattern: "GET /merchant/developers/resend/confirm", Needs: caller.MerchantResend, Handle: portal.With(ownDead, (*visit).deadPage)},
	{Pattern: "POST /merchant/developers/resend", Needs: caller.MerchantResend, Handle: portal.With(ownDead, (*visit).resendDead)},
	{Pattern: "GET /merchant/developers/resend/{replay}", Needs: caller.MerchantEvents, Handle: portal.With(ownDead, (*visit).replay)},
	{Pattern: "GET /merchant/developers/resend/{replay}/progress", Needs: caller.MerchantEvents, Fragment: true, Handle: portal.With(ownDead, (*visit).replayRegion)},
	{Pattern: "POST /merchant/developers/resend/{replay}/stop", Needs: caller.MerchantResend, Handle: portal.With(ownDead, (*visit).stopReplay)},
}

const (
	boxesPath = "/merchant/developers/cashboxes/"
)

// box is the cashbox in the address. Another merchant's is not found.
func (v *visit) box() (directory.OwnCashbox, error) { return v.boxNamed(v.R.PathValue("cashbox")) }

func (v *visit) boxNamed(id string) (directory.OwnCashbox, error) {
	list, err := v.Settings.OwnCashboxes(v.Ctx(), v.Who)
	if err != nil {
		return directory.OwnCashbox{}, err
	}
	at := slices.IndexFunc(list, func(box directory.OwnCashbox) bool { return boxID(box) == id })
	if at < 0 {
		return directory.OwnCashbox{}, fault.ErrNotFound
	}
	return list[at], nil
}

func boxID(box directory.OwnCashbox) string { return strconv.FormatInt(box.ID, 10) }

func boxPath(box directory.OwnCashbox, page string) string {
	return boxesPath + boxID(box) + "/" + page
}

func keysOf(box directory.OwnCashbox) view.Link {
	return view.Query(portal.KeysPath, "cashbox", boxID(box))
}

func (v *visit) boxName(box directory.OwnCashbox) string {
	return v.Say(sayCashboxName, box.Name, box.Currency, box.ID)
}

// readable is a stranger's bytes as text, without characters that a page must
// not show.
func readable(raw []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(raw), "\uFFFD"))
}
