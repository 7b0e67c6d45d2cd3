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
	{
		Pattern: "GET /merchant/developers/keys",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantEvents,
		Handle:  (*visit).keys,
	},
	{
		Pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/new",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).newKeyPage,
	},
	{
		Pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/new",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).newKey,
	},
	{
		Pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).keyLimitsPage,
	},
	{
		Pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).keyLimits,
	},
	{
		Pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).revokePage,
	},
	{
		Pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).revoke,
	},
	{
		Pattern: "GET /merchant/developers/webhooks",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantEvents,
		Handle:  (*visit).hooks,
	},
	{
		Pattern: "GET /merchant/developers/cashboxes/{cashbox}/secret",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).rotatePage,
	},
	{
		Pattern: "POST /merchant/developers/cashboxes/{cashbox}/secret",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantKeys,
		Handle:  (*visit).rotate,
	},
	{
		Pattern: "GET /merchant/developers/cashboxes/{cashbox}/test",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).testPage,
	},
	{
		Pattern: "POST /merchant/developers/cashboxes/{cashbox}/test",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).test,
	},
	{
		Pattern: "GET /merchant/developers/events",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantEvents,
		Keeps:   &eventList, Handle: (*visit).events,
	},
	{
		Pattern: "GET /merchant/developers/events/{event}",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantEvents,
		Handle:  (*visit).event,
	},
	{
		Pattern: "GET /merchant/developers/events/{event}/resend",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).resendPage,
	},
	{
		Pattern: "POST /merchant/developers/events/{event}/resend",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).resendEvent,
	},
	{
		Pattern: "GET /merchant/developers/resend",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).dead,
	},
	{
		Pattern: "GET /merchant/developers/resend/confirm",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).deadPage,
	},
	{
		Pattern: "POST /merchant/developers/resend",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).resendDead,
	},
	{
		Pattern: "GET /merchant/developers/resend/{replay}",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantEvents,
		Handle:  (*visit).replay,
	},
	{
		Pattern: "GET /merchant/developers/resend/{replay}/progress", Kinds: portal.Merchants, Needs: caller.MerchantEvents,
		Fragment: true, Handle: (*visit).replayRegion,
	},
	{
		Pattern: "POST /merchant/developers/resend/{replay}/stop",
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantResend,
		Handle:  (*visit).stopReplay,
	},
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
