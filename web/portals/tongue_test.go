package portals_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/internal/tongue"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portal/say"
)

// A trader chooses Turkish for their account, and reads it; a merchant cannot,
// nor who looks as a trader.
func TestTradersChooseMoreLanguages(t *testing.T) {
	b, p := portaltest.Trader(t)
	want(t, "chosen", p.Post(t, "/account/preferences", "zone", "UTC", "language", "tr", "theme", "dark").To(), "/account")
	account := p.Page(t, "/account")
	want(t, "account", account.Find("html").AttrOr("lang", ""), "tr")
	want(t, "kept", account.Find("#language option[selected]").Text(), "Türkçe")
	portaltest.WantIn(t, "said once", account.Text(), "Kaydedildi.", "Bu çeviri yalnızca makineyle denetlendi")
	desk := p.Page(t, "/trader")
	want(t, "desk", desk.Find("html").AttrOr("lang", ""), "tr")
	want(t, "title", words(desk.Find("h1")), "Masa")
	portaltest.WantNot(t, "said on the account alone", desk.Text(), "makineyle")

	merchant := b.As(t, caller.Owner)
	refused := merchant.Post(t, "/account/preferences", "zone", "UTC", "language", "tr", "theme", "dark")
	portaltest.WantAnswer(t, "a merchant", refused, 422, "must be en, ru or nothing")
	want(t, "asked for", merchant.Get(t, "/merchant?lang=tr", "Accept-Language", "tr").Page(t).Find("html").AttrOr("lang", ""), "en")
	want(t, "offered", words(merchant.Page(t, "/account").Find("#language option")), "As in the browser English Русский")

	want(t, "looked at", b.Viewer(t).Get(t, "/trader?lang=tr", "Accept-Language", "tr").Page(t).Find("html").AttrOr("lang", ""), "en")

	stranger := b.Nobody()
	want(t, "a browser's", stranger.Get(t, "/sign-in", "Accept-Language", "tr").Page(t).Find("html").AttrOr("lang", ""), "en")
	want(t, "asked for", stranger.Page(t, "/sign-in?lang=tr").Find("html").AttrOr("lang", ""), "tr")
	stranger.Cookies["lang"] = "mn" // none that is offered
	want(t, "unknown", stranger.Page(t, "/sign-in").Find("html").AttrOr("lang", ""), "en")
}

// Nothing that a trader meets lacks a translation in a language that is
// offered. What another lacks that the code does not tell, go test -v prints.
func TestTradersMeetNoEnglish(t *testing.T) {
	var lock sync.Mutex
	missed := map[string]map[string]bool{}
	tongue.OnMissed(func(language, english string) {
		lock.Lock()
		defer lock.Unlock()
		if missed[language] == nil {
			missed[language] = map[string]bool{}
		}
		missed[language][english] = true
	})
	t.Cleanup(func() { tongue.OnMissed(func(string, string) {}) })
	b, p, pages := groups[slices.IndexFunc(groups, func(g group) bool { return g.name == "traders" })].open(t)
	pages = append(pages, "/trader/requisites/1?why=1", "/trader/statement?q=nothing", "/trader/search?q=1500", "/trader/payouts?status=failed")
	b.Create(t, "1700")
	for _, language := range tongue.Complete {
		p.Post(t, "/account/preferences", "zone", "UTC", "language", language, "theme", "dark")
		for _, path := range pages {
			p.Get(t, path+map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]+"lang="+language)
		}
		// What is filled in wrongly is said, too.
		p.Post(t, "/account/preferences", "zone", "nowhere", "language", language, "theme", "dark")
		p.Post(t, "/trader/requisites/new", "method", "sbp", "currency", "RUB", "value", "1")
		p.Post(t, "/trader/withdrawals", "network", "TRC20", "amount", "0")
		p.Post(t, "/trader/withdrawals/addresses", "network", "TRC20", "address", "T1")
		p.Post(t, "/account/password", "oldPassword", "wrong", "newPassword", "short")
		p.Post(t, "/account/notifications/mail", "address", "none")
	}
	lock.Lock()
	defer lock.Unlock()
	for _, language := range tongue.Complete {
		if lacking := slices.Sorted(maps.Keys(missed[language])); len(lacking) > 0 {
			t.Errorf("%s lacks %d texts that a trader meets:\n%s", language, len(lacking), strings.Join(lacking, "\n"))
		}
	}
}

// Whatever an approval sets has a name in the reader's language.
func TestProposedFieldsHaveNames(t *testing.T) {
	t.Parallel()
	for action, params := range map[foureyes.Action]any{
		foureyes.SetRateFeed: &rate.Feed{}, foureyes.SetAcquirer: &acquirer.Setting{},
		foureyes.CreateUser: &session.NewUser{}, foureyes.UpdateUser: &session.UserUpdate{},
		foureyes.CreateRequisite: &directory.NewRequisite{}, foureyes.SetCashboxMethod: &directory.CashboxMethod{},
		foureyes.SetPayoutMethod: &directory.CashboxPayoutMethod{}, foureyes.SetTraderPayoutMethod: &directory.TraderPayoutMethod{},
		foureyes.UpdateMerchant: &directory.MerchantUpdate{}, foureyes.UpdateTrader: &directory.TraderUpdate{},
		foureyes.ResolveAppeal: &payment.AppealDecision{}, foureyes.ResolvePayout: &payout.Decision{},
		foureyes.SetBank: &directory.Bank{}, foureyes.ReclaimPayout: &payout.Decision{},
		foureyes.DecideCase: &payment.CaseDecision{}, foureyes.AttachArrival: &payment.Attachment{}, foureyes.ReversePayout: &payout.Decision{}, foureyes.SetReceiving: &deposit.Receiving{},
	} {
		fill(reflect.ValueOf(params).Elem())
		details := proposal.Proposal{Params: params}.Details()
		testenv.Check(t, len(details) >= 2, "%s sets %v", action, details)
		for _, d := range details {
			name := say.Field(string(action), d.Name)
			english, russian := name.In(say.English), name.In(say.Russian)
			testenv.Check(t, strings.ContainsAny(russian, "№абвгдежзийклмнопрстуфхцчшщыьэюя") && english != "",
				"%s: %s is %q and %q", action, d.Name, english, russian)
		}
	}
}

// fill sets every field of a struct.
func fill(v reflect.Value) {
	if at, ok := v.Addr().Interface().(*time.Time); ok {
		*at = time.Unix(0, 0)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("set")
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"en": "set"}))
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(1)
	}
}
