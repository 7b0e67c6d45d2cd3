package portal

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/web/portal/view"
)

// Addresses of a feature's pages to which other features link.
const (
	OwnPaymentsPath  = "/merchant/payments"
	OwnPayoutsPath   = "/merchant/payouts"
	OwnAppealsPath   = "/merchant/appeals"
	OwnDepositsPath  = "/merchant/deposits"
	OwnStatementPath = "/merchant/statement"
	KeysPath         = "/merchant/developers/keys"
	HooksPath        = "/merchant/developers/webhooks"
	EventsPath       = "/merchant/developers/events"
	RequestsPath     = "/merchant/developers/requests"
	LooksPath        = "/merchant/looks"

	PaymentsPath = "/operator/payments"
	PayoutsPath  = "/operator/payouts"
	DepositsPath = "/operator/deposits"

	WithdrawalsPath = "/operator/withdrawals"

	AppealsPath    = "/operator/appeals"
	OverduePath    = "/operator/overdue"
	CasesPath      = "/operator/cases"
	ConflictsPath  = "/operator/conflicts"
	ObjectionsPath = "/operator/objections"
	DeadPath       = "/operator/events/dead"
	FailingPath    = "/operator/events/failing"
	MerchantsPath  = "/operator/merchants"
	CashboxesPath  = "/operator/cashboxes"
	LinksPath      = "/operator/links"
	TradersPath    = "/operator/traders"
	RequisitesPath = "/operator/requisites"
	LimitsPath     = "/operator/limits"
	BlocksPath     = "/operator/blocks"
	BanksPath      = "/operator/banks"
	MessagesPath   = "/operator/messages"
	UsersPath      = "/operator/users"
	MoneyPath      = "/operator/money"
	ApprovalsPath  = "/operator/approvals"
	AccountsPath   = "/operator/accounts"
	StatementPath  = AccountsPath + "/statement"
	ReceivingPath  = "/operator/receiving"
	TermsPath      = "/operator/withdrawal-terms"
	IncomePath     = "/operator/income"
	RatesPath      = "/operator/rates"
	SetRatePath    = RatesPath + "/set"
	FeedsPath      = RatesPath + "/feeds"
	PatternsPath   = "/operator/patterns"
	RoutingPath    = "/operator/routing"
	AlarmsPath     = "/operator/alarms"
	ReconPath      = "/operator/reconciliation"
	AuditPath      = "/operator/audit"
	ManualPath     = "/operator/manual"
	SimulatorPath  = "/operator/simulator"
)

// IDText is a number as addresses and forms have it.
func IDText(id int64) string { return strconv.FormatInt(id, 10) }

// Numbered is the address of one of those listed at a path.
func Numbered(path string, id int64) string { return path + "/" + IDText(id) }

// ManualPart is the address of a part of a page of the operators' manual.
// Without a part it is that of the page, and without a page that of the index.
func ManualPart(page, part string) string {
	address := ManualPath
	if page != "" {
		address += "/" + page
	}
	if part != "" {
		address += "#" + part
	}
	return address
}

// EventPath is the page of a merchant's webhook.
func EventPath(id string) string { return EventsPath + "/" + id }

// ApprovalPath is the page on which a proposal is decided.
func ApprovalPath(id int64) string { return Numbered(ApprovalsPath, id) }

// ChoicePath is the page that explains why a payment got its requisite.
func ChoicePath(id int64) string { return Numbered(RoutingPath+"/payments", id) }

// StandingPath is the page that explains why a trader gets payments, or none.
func StandingPath(id int64) string { return Numbered(RoutingPath+"/traders", id) }

// StatementOf leads to the statement of an account.
func StatementOf(a ledger.Account) view.Link {
	a.Reserved = false
	return view.Query(StatementPath, AsksOwner, IDText(a.ID()))
}

// Path is an address in the user's own portal.
func (v *Visit) Path(below string) string { return "/" + v.Shell.Portal + below }

// PaymentPath is the page of a payment in the user's own portal.
func (v *Visit) PaymentPath(id int64) string { return Numbered(v.Path("/payments"), id) }

// PayerPath is the page about a payer; "" if there is none.
func (v *Visit) PayerPath(merchantID int64, user *string) view.Link {
	switch {
	case user == nil || *user == "":
		return ""
	case v.Who.Kind == caller.Operator:
		return view.Query(v.Path("/payer"), AsksMerchant, IDText(merchantID), AsksUser, *user)
	}
	return view.Query(v.Path("/payer"), AsksUser, *user)
}

// PayoutPath is the page of a payout in the user's own portal.
func (v *Visit) PayoutPath(id string) string { return v.Path("/payouts/" + id) }

// DepositPath is the page of a deposit in the user's own portal.
func (v *Visit) DepositPath(id int64) string { return Numbered(v.Path("/deposits"), id) }

// AppealPath is the page of an appeal in the user's own portal.
func (v *Visit) AppealPath(id int64) view.Link { return view.Link(Numbered(v.Path("/appeals"), id)) }

// Linked is an address, or "" if this program has no such page.
func (v *Visit) Linked(href string) view.Link {
	r, err := http.NewRequestWithContext(v.Ctx(), http.MethodGet, href, nil)
	if err != nil || href == "" {
		return ""
	}
	if _, pattern := v.server.addresses.Handler(r); pattern == "" {
		return ""
	}
	return view.Link(href)
}
