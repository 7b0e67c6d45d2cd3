package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gateway.example/web/portal"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Page is what only a sandbox's portals have: a page from which everything can
// be tried.
type Page struct {
	// APIURL and PayURL are the addresses of the API and of the hosted
	// pages. File has the sandbox's keys and secrets.
	APIURL, PayURL, File string
	// HooksURL is the address at which this program reaches its own
	// portals; webhooks are sent there.
	HooksURL  string
	Users     []User
	Cashboxes []Cashbox
	// Link is a payment's token in the addresses of hosted pages.
	Link func(uuid.UUID) string
	// Merchant is the caller with the key of a cashbox.
	Merchant func(ctx context.Context, cashboxID int64) (caller.Caller, error)
	// Verified reports whether a webhook is signed with a cashbox's secret.
	Verified func(ctx context.Context, cashboxID int64, body []byte, header http.Header) bool
	// Writes returns the message that a bank writes when a payment is paid.
	Writes func(ctx context.Context, paymentID int64) (Message, error)
	// Forward makes a trader's phone forward a message, and returns the
	// state of the message.
	Forward func(ctx context.Context, m Message) (state string, err error)

	// Purse sends USDT on the sandbox's networks.
	Purse Purse

	hooks inbox
}

// User is a user to sign in as. TraderID is 0 for users of no trader.
type User struct {
	Kind     caller.Kind
	Login    string
	TraderID int64
}

// Message is a bank's message to a trader's phone.
type Message struct {
	TraderID     int64
	Sender, Text string
}

// Cashbox is a cashbox of the sandbox with its key, and what can be made with
// it.
type Cashbox struct {
	ID               int64
	Currency, KeyID  string
	Methods, Payouts []string
}

// The pages that only a sandbox has.
var sandboxRoutes = []route{
	{Pattern: "GET /{$}", Open: true, Handle: (*visit).sandboxStart},
	{Pattern: "POST /sandbox/sign-in", Open: true, Handle: portal.After((*visit).Form, (*visit).sandboxSignIn)},
	{Pattern: "POST /sandbox/payments", Open: true, Handle: (*visit).makePayment},
	{Pattern: "POST /sandbox/payouts", Open: true, Handle: (*visit).makePayout},
	{Pattern: "GET /sandbox/message", Open: true, Handle: (*visit).messagePage},
	{Pattern: "POST /sandbox/message", Open: true, Handle: portal.After((*visit).Form, (*visit).forward)},
	{Pattern: "GET /sandbox/made", Open: true, Fragment: true, Handle: portal.After((*visit).made, (*visit).madeRegion)},
	{Pattern: "GET /sandbox/inbox", Open: true, Handle: (*visit).inboxPage},
	{Pattern: "GET /sandbox/inbox/list", Open: true, Fragment: true, Handle: (*visit).inboxRegion},
	{Pattern: "POST /sandbox/hooks/{cashbox}", Open: true, Machine: true, Handle: (*visit).receive},
}

func (v *visit) sandboxStart() error { return v.showStart(http.StatusOK, StartTry{}) }

// showStart shows the page. tried is a trial that was refused.
func (v *visit) showStart(status int, tried StartTry) error {
	made, err := v.made()
	if err != nil {
		return err
	}
	box := v.Page
	shown := Start{APIURL: box.APIURL, File: box.File, Made: made, Tried: tried}
	for _, user := range box.Users {
		if portal := portal.Home(user.Kind); portal != "" {
			shown.Users = append(shown.Users, StartUser{Login: user.Login, Portal: portal})
		}
	}
	seen := map[string]bool{}
	for _, cashbox := range box.Cashboxes {
		for _, method := range cashbox.Methods {
			if key := method + cashbox.Currency; !seen[key] {
				seen[key] = true
				shown.Payments = append(shown.Payments, trial(cashbox, method, "/sandbox/payments"))
			}
		}
		for _, method := range cashbox.Payouts {
			if key := "payout " + method + cashbox.Currency; !seen[key] {
				seen[key] = true
				shown.Payouts = append(shown.Payouts, trial(cashbox, method, "/sandbox/payouts"))
			}
		}
		shown.Keys = append(shown.Keys, cashbox.KeyID)
	}
	v.Shell.Title, v.Shell.Live = v.Say(saySandboxTitle), true
	v.Shell.Mistakes = status != http.StatusOK
	return portal.Show(v.Visit, status, StartPage, shown)
}

// presets are amounts of about the same worth in each currency.
var presets = map[string]string{"RUB": "1500", "AZN": "30", "TRY": "700", "MNT": "60000"}

func trial(cashbox Cashbox, method, action string) Trial {
	return Trial{
		Action: action, Cashbox: cashbox.ID, KeyID: cashbox.KeyID, Method: method, Currency: cashbox.Currency,
		Amount: presets[cashbox.Currency],
	}
}

// sandboxSignIn begins a session as a user of the sandbox, and ends the
// browser's previous session.
func (v *visit) sandboxSignIn(form url.Values) error {
	login := form.Get("login")
	if !slices.ContainsFunc(v.Page.Users, func(u User) bool { return u.Login == login }) {
		return fault.ErrNotFound
	}
	opened, err := v.Sessions.SignInAs(v.Ctx(), login, v.Origin())
	if err != nil {
		return err
	}
	if v.Session.ID != 0 {
		if err := v.Sessions.End(v.Ctx(), v.Session); err != nil {
			v.Log(err)
		}
	}
	return v.Entered(opened)
}

// makePayment makes a payment as the shop's server would.
func (v *visit) makePayment() error {
	return v.make("payment-made", func(who caller.Caller, t StartTry, box Cashbox) error {
		_, err := v.Payments.Create(v.Ctx(), who, payment.Request{
			OrderID: newOrder(), Amount: t.Amount, Currency: box.Currency, Method: &t.Method, CallbackURI: v.hook(box),
		})
		return err
	})
}

// recipients are requisites for payouts that belong to nobody.
var recipients = map[string]string{"sbp": "+79001234567", "c2c": "4111111111111111"}

// makePayout makes a payout as the shop's server would.
func (v *visit) makePayout() error {
	return v.make("payout-made", func(who caller.Caller, t StartTry, box Cashbox) error {
		bank := "Sample Bank"
		_, err := v.Payouts.Create(v.Ctx(), who, payout.Request{
			OrderID: newOrder(), Amount: t.Amount, Currency: box.Currency, Method: t.Method, CallbackURI: v.hook(box),
			Address: recipients[t.Method], Recipient: "Anna S.", BankName: &bank,
		})
		return err
	})
}

// hook is the sandbox's own endpoint for a cashbox's webhooks.
func (v *visit) hook(box Cashbox) string {
	return v.Page.HooksURL + "/sandbox/hooks/" + strconv.FormatInt(box.ID, 10)
}

func newOrder() string { return "try-" + strings.ToLower(rand.Text()[:12]) }

// make makes what the form asks for, and shows it in the list, or why it was
// refused.
func (v *visit) make(word string, create func(caller.Caller, StartTry, Cashbox) error) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	box, err := v.sandboxCashbox(form.Get("cashbox"))
	if err != nil {
		return err
	}
	tried := StartTry{
		Action:  v.R.URL.Path,
		Cashbox: box.ID,
		Method:  form.Get("method"),
		Amount:  money.Typed(form.Get("amount")),
	}
	who, err := v.Page.Merchant(v.Ctx(), box.ID)
	if err == nil {
		err = create(who, tried, box)
	}
	if err == nil {
		return v.Done("/#made", word)
	}
	if wrong := v.Wrong(err); wrong != nil {
		for field, text := range wrong {
			tried.Wrong = field + ": " + text
		}
		tried.Wrong = cmp.Or(wrong["amount"], tried.Wrong)
		return v.showStart(http.StatusUnprocessableEntity, tried)
	}
	if f := edge.Fault(err); f != nil && f.Kind != fault.Unavailable {
		tried.Wrong = v.Say(saySandboxRefused, say.Refused(v.Shell.Code, f.Code, f.Message), f.Code)
		return v.showStart(http.StatusUnprocessableEntity, tried)
	}
	return err
}

const madeShown = 20

func (v *visit) madeRegion(made []Made) error {
	return portal.Show(v.Visit, http.StatusOK, MadeRegion, made)
}

// made are the latest payments and payouts of the sandbox's merchants, however
// they were made.
func (v *visit) made() ([]Made, error) {
	filter := report.Filter{Paging: report.Paging{Limit: madeShown}}
	payments, err := v.Reports.Payments(v.Ctx(), anybody, filter)
	if err != nil {
		return nil, err
	}
	payouts, err := v.Reports.Payouts(v.Ctx(), anybody, filter)
	if err != nil {
		return nil, err
	}
	hooks := v.Page.hooks.counts()
	var list []Made
	for _, p := range payments.Items {
		list = append(list, v.madePayment(p.Payment, hooks))
	}
	for _, p := range payouts.Items {
		list = append(list, v.madePayout(p.Payout, hooks))
	}
	slices.SortStableFunc(list, func(a, b Made) int { return b.At.Compare(a.At) })
	return list[:min(len(list), madeShown)], nil
}

// madePayment is a payment with the pages of its payer and of its trader. A
// pending one by transfer also links to a bank's message about it, in a
// currency for which the sandbox has a bank.
func (v *visit) madePayment(p payment.Payment, hooks map[string]int) Made {
	id := strconv.FormatInt(p.ID, 10)
	made := Made{
		Key: "payment-" + id, Name: v.Say(say.PaymentTitle, p.ID), Amount: v.Amount(p.Amount, p.Currency),
		Method: p.Method, Status: view.PaymentBadge(string(p.Status)), At: p.CreatedAt, UUID: p.UUID.String(),
		Hooks: hooks[p.UUID.String()], Trader: v.traderLogin(p.TraderID), TraderPage: "/trader/payments/" + id,
		PayerPage: v.Page.PayURL + "/pay/" + v.Page.Link(p.UUID),
	}
	if p.RequisiteSnapshot() {
		made.PayerPage = v.Page.PayURL + "/r/" + v.Page.Link(p.UUID)
		if _, known := bankSenders[p.Currency]; known && p.Status == payment.Pending {
			made.Message = view.Query(messagePath, "payment", id)
		}
	}
	return made
}

// madePayout is a payout with the page of its trader. Until one has taken it
// there is no login to name.
func (v *visit) madePayout(p payout.Payout, hooks map[string]int) Made {
	var trader int64
	if p.TraderID != nil {
		trader = *p.TraderID
	}
	return Made{
		Key:        "payout-" + strconv.FormatInt(p.ID, 10),
		Name:       v.Say(sayPayoutNumber, p.ID),
		Amount:     v.Amount(p.Amount, p.Currency),
		Method:     p.Method,
		Status:     view.PayoutBadge(string(p.Status)),
		At:         p.CreatedAt,
		UUID:       p.UUID.String(),
		Hooks:      hooks[p.UUID.String()],
		Trader:     v.traderLogin(trader),
		TraderPage: "/trader/payouts/" + p.UUID.String(),
	}
}

// traderLogin is the login of the trader with an id. What no trader has yet is
// shown as the first trader's.
func (v *visit) traderLogin(id int64) string {
	for _, user := range v.Page.Users {
		if user.TraderID != 0 && (user.TraderID == id || id == 0) {
			return user.Login
		}
	}
	return ""
}
