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
	portal.ForMerchants("GET /merchant/developers/keys", caller.MerchantEvents, (*visit).keys),
	portal.ForMerchants("GET /merchant/developers/cashboxes/{cashbox}/keys/new", caller.MerchantKeys, portal.After((*visit).box, (*visit).newKeyPage)),
	portal.ForMerchants("POST /merchant/developers/cashboxes/{cashbox}/keys/new", caller.MerchantKeys, portal.After((*visit).box, (*visit).newKey)),
	portal.ForMerchants("GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits", caller.MerchantKeys, (*visit).keyLimitsPage),
	portal.ForMerchants("POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits", caller.MerchantKeys, (*visit).keyLimits),
	portal.ForMerchants("GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke", caller.MerchantKeys, portal.After((*visit).box, (*visit).revokePage)),
	portal.ForMerchants("POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke", caller.MerchantKeys, portal.After((*visit).box, (*visit).revoke)),
	portal.ForMerchants("GET /merchant/developers/webhooks", caller.MerchantEvents, (*visit).hooks),
	portal.ForMerchants("GET /merchant/developers/cashboxes/{cashbox}/secret", caller.MerchantKeys, portal.After((*visit).box, (*visit).rotatePage)),
	portal.ForMerchants("POST /merchant/developers/cashboxes/{cashbox}/secret", caller.MerchantKeys, portal.After((*visit).box, (*visit).rotate)),
	portal.ForMerchants("GET /merchant/developers/cashboxes/{cashbox}/test", caller.MerchantResend, portal.After((*visit).box, (*visit).testPage)),
	portal.ForMerchants("POST /merchant/developers/cashboxes/{cashbox}/test", caller.MerchantResend, (*visit).test),
	portal.ForMerchants("GET /merchant/developers/events", caller.MerchantEvents, (*visit).events).Kept(&eventList),
	portal.ForMerchants("GET /merchant/developers/events/{event}", caller.MerchantEvents, portal.After((*visit).eventAsked, (*visit).event)),
	portal.ForMerchants("GET /merchant/developers/events/{event}/resend", caller.MerchantResend, portal.After((*visit).eventAsked, (*visit).resendPage)),
	portal.ForMerchants("POST /merchant/developers/events/{event}/resend", caller.MerchantResend, portal.After((*visit).eventAsked, (*visit).resendEvent)),
	portal.ForMerchants("GET /merchant/developers/resend", caller.MerchantResend, portal.With(ownDead, (*visit).dead)),
	portal.ForMerchants("GET /merchant/developers/resend/confirm", caller.MerchantResend, portal.With(ownDead, (*visit).deadPage)),
	portal.ForMerchants("POST /merchant/developers/resend", caller.MerchantResend, portal.With(ownDead, (*visit).resendDead)),
	portal.ForMerchants("GET /merchant/developers/resend/{replay}", caller.MerchantEvents, portal.With(ownDead, (*visit).replay)),
	portal.ForMerchants("GET /merchant/developers/resend/{replay}/progress", caller.MerchantEvents, portal.With(ownDead, (*visit).replayRegion)).Part(),
	portal.ForMerchants("POST /merchant/developers/resend/{replay}/stop", caller.MerchantResend, portal.With(ownDead, (*visit).stopReplay)),
}

const (
	boxesPath = "/merchant/developers/cashboxes/"
)

// box is the merchant's cashbox that the address names: another's is not there.
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
	return v.Shell.Say(sayCashboxName, box.Name, box.Currency, box.ID)
}

// readable is what bytes of a stranger's say as text, without what no page shows.
func readable(raw []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(raw), "\uFFFD"))
}
