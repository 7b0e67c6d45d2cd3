package portal

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What a merchant's developers work with: keys, webhooks, events.
var developerRoutes = []route{
	{pattern: "GET /merchant/developers/keys", kinds: merchants, needs: caller.MerchantEvents, handle: (*visit).keys},
	{
		pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/new",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).newKeyPage,
	},
	{
		pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/new",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).newKey,
	},
	{
		pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).keyLimitsPage,
	},
	{
		pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/limits",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).keyLimits,
	},
	{
		pattern: "GET /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).revokePage,
	},
	{
		pattern: "POST /merchant/developers/cashboxes/{cashbox}/keys/{key}/revoke",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).revoke,
	},
	{
		pattern: "GET /merchant/developers/webhooks",
		kinds:   merchants,
		needs:   caller.MerchantEvents,
		handle:  (*visit).hooks,
	},
	{
		pattern: "GET /merchant/developers/cashboxes/{cashbox}/secret",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).rotatePage,
	},
	{
		pattern: "POST /merchant/developers/cashboxes/{cashbox}/secret",
		kinds:   merchants,
		needs:   caller.MerchantKeys,
		handle:  (*visit).rotate,
	},
	{
		pattern: "GET /merchant/developers/cashboxes/{cashbox}/test",
		kinds:   merchants,
		needs:   caller.MerchantResend,
		handle:  (*visit).testPage,
	},
	{
		pattern: "POST /merchant/developers/cashboxes/{cashbox}/test",
		kinds:   merchants,
		needs:   caller.MerchantResend,
		handle:  (*visit).test,
	},
	{
		pattern: "GET /merchant/developers/events",
		kinds:   merchants,
		needs:   caller.MerchantEvents,
		handle:  (*visit).events,
	},
	{
		pattern: "GET /merchant/developers/events/{event}",
		kinds:   merchants,
		needs:   caller.MerchantEvents,
		handle:  (*visit).event,
	},
	{
		pattern: "GET /merchant/developers/events/{event}/resend",
		kinds:   merchants,
		needs:   caller.MerchantResend,
		handle:  (*visit).resendPage,
	},
	{
		pattern: "POST /merchant/developers/events/{event}/resend",
		kinds:   merchants,
		needs:   caller.MerchantResend,
		handle:  (*visit).resendEvent,
	},
	{pattern: "GET /merchant/developers/resend", kinds: merchants, needs: caller.MerchantResend, handle: (*visit).dead},
	{
		pattern: "GET /merchant/developers/resend/confirm",
		kinds:   merchants,
		needs:   caller.MerchantResend,
		handle:  (*visit).deadPage,
	},
	{
		pattern: "POST /merchant/developers/resend",
		kinds:   merchants,
		needs:   caller.MerchantResend,
		handle:  (*visit).resendDead,
	},
	{
		pattern: "GET /merchant/developers/resend/{replay}",
		kinds:   merchants,
		needs:   caller.MerchantEvents,
		handle:  (*visit).replay,
	},
	{
		pattern: "POST /merchant/developers/resend/{replay}/stop",
		kinds:   merchants,
		needs:   caller.MerchantResend,
		handle:  (*visit).stopReplay,
	},
}

const (
	keysPath  = "/merchant/developers/keys"
	hooksPath = "/merchant/developers/webhooks"
	boxesPath = "/merchant/developers/cashboxes/"
)

// may reports whether the user has a capability, perhaps once they have given their second factor
// again.
func (v *visit) may(c caller.Capability) bool {
	return v.who.Proved().May(c)
}

// box is the merchant's cashbox that the address names: another's is not there.
func (v *visit) box() (directory.OwnCashbox, error) { return v.boxNamed(v.r.PathValue("cashbox")) }

func (v *visit) boxNamed(id string) (directory.OwnCashbox, error) {
	list, err := v.Settings.OwnCashboxes(v.ctx(), v.who)
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

func keysOf(box directory.OwnCashbox) view.Link { return view.Query(keysPath, "cashbox", boxID(box)) }

func (v *visit) boxName(box directory.OwnCashbox) string {
	return v.shell.Say(say.CashboxName, box.Name, box.Currency, box.ID)
}

// question shows a question.
func (v *visit) question(q view.Question) error {
	q.Token = submission.NewToken()
	v.shell.Title = v.shell.Say(q.Title)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.Ask(s, q) })
	return nil
}

// reveal shows a secret that a form has made. It is at no address: another sending of the form, and
// Back, lead to where the first one led.
func (v *visit) reveal(title say.Phrase, shown view.Shown) error {
	v.shell.Title = v.shell.Say(title)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ShownPage(s, shown) })
	return nil
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
