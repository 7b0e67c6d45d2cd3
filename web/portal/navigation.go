package portal

import (
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/waits"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// entry is a page in the navigation of the users whom its route lets in.
type entry struct {
	href string
	// also is the path of pages to which its list leads; "" is none.
	also  string
	label say.Phrase
	icon  string
	// waits is the queue whose length is shown; "" is none.
	waits waits.Queue
	// waiting says that it is shown only while something waits.
	waiting bool
}

// menu are the entries of all portals in their order, by the heading of those
// that belong together.
var menu = []struct {
	heading say.Phrase
	entries []entry
}{
	{say.Phrase{}, []entry{
		{href: "/merchant", label: say.Overview, icon: "home"},
	}},
	{say.Payments, []entry{
		{href: OwnPaymentsPath, label: say.Payments, icon: "in"},
		{href: OwnPayoutsPath, also: "/merchant/payout-files", label: say.Payouts, icon: "out", waits: waits.Overdue},
		{href: OwnAppealsPath, label: say.Appeals, icon: "flag", waits: waits.OwnAppeals},
		{href: "/merchant/links", label: say.LinksTitle, icon: "link"},
		{href: "/merchant/blocks", label: say.BlocksTitle, icon: "ban"},
	}},
	{say.MoneyGroup, []entry{
		{href: OwnDepositsPath, label: say.Deposits, icon: "wallet", waits: waits.OwnDeposits},
		{href: "/merchant/withdrawals", label: say.Withdrawals, icon: "out"},
		{href: "/merchant/balance", label: say.BalanceTitle, icon: "coins"},
		{href: OwnStatementPath, label: say.StatementTitle, icon: "list"},
	}},
	{say.DeveloperGroup, []entry{
		{href: KeysPath, label: say.KeysTitle, icon: "key"},
		{href: HooksPath, label: say.WebhooksTitle, icon: "link", waits: waits.Failing},
		{href: EventsPath, label: say.EventsTitle, icon: "bell", waits: waits.DeadEvents},
		{href: RequestsPath, label: say.RequestsTitle, icon: "code"},
		{href: "/merchant/developers/doctor", label: say.DoctorTitle, icon: "pulse"},
	}},
	{say.SettingGroup, []entry{
		{href: LooksPath, label: say.LooksTitle, icon: "brush"},
		{href: "/merchant/team", label: say.TeamTitle, icon: "team"},
		{href: "/merchant/log", label: say.LogTitle, icon: "log"},
	}},
	{say.Phrase{}, []entry{
		{href: "/trader", label: say.Desk, icon: "desk"},
		{href: "/trader/payments", label: say.Payments, icon: "in"},
		{href: "/trader/payouts", label: say.Payouts, icon: "out"},
		{href: "/trader/appeals", label: say.Appeals, icon: "flag", waits: waits.Unread, waiting: true},
		{href: "/trader/requisites", label: say.Requisites, icon: "card"},
		{href: "/trader/messages", label: say.MessagesShort, icon: "message", waits: waits.Messages},
		{href: "/trader/statement", label: say.StatementTitle, icon: "list"},
		{href: "/trader/withdrawals", label: say.Withdrawals, icon: "wallet"},
	}},
	{say.WorkGroup, []entry{
		{href: "/operator", label: say.WorkTitle, icon: "desk"},
		{href: PaymentsPath, label: say.Payments, icon: "in"},
		{href: PayoutsPath, label: say.Payouts, icon: "out"},
		{href: LinksPath, label: say.LinksTitle, icon: "link"},
		{href: DepositsPath, also: "/operator/transfers", label: say.Deposits, icon: "wallet", waits: waits.Deposits},
		{href: WithdrawalsPath, also: "/operator/hand-overs", label: say.Withdrawals, icon: "out", waits: waits.Withdrawals},
		{href: AppealsPath, label: say.Appeals, icon: "flag", waits: waits.OpenAppeals},
		{href: CasesPath, label: say.CasesTitle, icon: "scales", waits: waits.Cases, waiting: true},
		{href: ObjectionsPath, label: say.ObjectionsTitle, icon: "message", waits: waits.Objections, waiting: true},
		{href: OverduePath, label: say.OverdueTitle, icon: "clock", waits: waits.Overdue},
		{href: ConflictsPath, label: say.ConflictsTitle, icon: "card", waits: waits.Conflicts},
		{href: DeadPath, label: say.DeadTitle, icon: "link", waits: waits.DeadEvents},
		{href: FailingPath, label: say.FailingTitle, icon: "pulse", waits: waits.Failing},
	}},
	{say.DirectoryGroup, []entry{
		{href: MerchantsPath, label: say.Merchants, icon: "shop"},
		{href: CashboxesPath, label: say.Cashboxes, icon: "till"},
		{href: TradersPath, label: say.Traders, icon: "team"},
		{href: RequisitesPath, label: say.Requisites, icon: "card"},
		{href: UsersPath, label: say.Users, icon: "user"},
		{href: LimitsPath, label: say.PlatformLimit, icon: "gauge"},
		{href: BlocksPath, label: say.BlocksTitle, icon: "ban"},
		{href: BanksPath, label: say.Banks, icon: "bank"},
		{href: MessagesPath, label: say.MessagesOfBanks, icon: "message"},
	}},
	{say.RateGroup, []entry{
		{href: RatesPath, label: say.RatesTitle, icon: "rate"},
		{href: RoutingPath, label: say.RoutingTitle, icon: "route"},
	}},
	{say.MoneyGroup, []entry{
		{href: MoneyPath, label: say.MoneyTitle, icon: "coins"},
		{href: ApprovalsPath, label: say.ApprovalsTitle, icon: "approve", waits: waits.Proposals},
		{href: AccountsPath, label: say.AccountsTitle, icon: "wallet"},
		{href: ReceivingPath, label: say.ReceivingTitle, icon: "in"},
		{href: TermsPath, label: say.WithdrawalsTerms, icon: "gauge"},
		{href: IncomePath, label: say.IncomeTitle, icon: "chart"},
	}},
	{say.TrustGroup, []entry{
		{href: AlarmsPath, label: say.AlarmsTitle, icon: "bell"},
		{href: PatternsPath, label: say.PatternsTitle, icon: "find"},
		{href: ReconPath, label: say.ReconTitle, icon: "scales"},
		{href: AuditPath, label: say.AuditTitle, icon: "log"},
		{href: ManualPath, label: say.ManualTitle, icon: "book"},
	}},
	{say.SandboxGroup, []entry{
		{href: SimulatorPath, label: say.SimulatorTitle, icon: "desk"},
	}},
	{say.OwnGroup, []entry{
		{href: "/account", label: say.Account, icon: "user"},
	}},
}

// navigation lists the pages of the user's portal that their role may see.
func (v *Visit) navigation() []view.NavItem {
	var items []view.NavItem
	for _, group := range menu {
		if v.Who.Kind == caller.Trader { // who has few pages
			group.heading = say.Phrase{}
		}
		for _, e := range group.entries {
			page := v.server.pages[e.href]
			if !slices.Contains(page.Kinds, v.Who.Kind) || page.Needs != "" && !v.Who.May(page.Needs) {
				continue
			}
			items = append(items, view.NavItem{
				Href: e.href, Label: e.label, Group: group.heading, Icon: e.icon, Current: v.isAt(e), Waits: string(e.waits), Waiting: e.waiting,
			})
		}
	}
	return items
}

// tellWaits adds to the navigation how much waits where. If that cannot be
// read, the page is shown without it.
func (v *Visit) tellWaits() {
	if len(v.Shell.Nav) == 0 || v.route.Fragment {
		return
	}
	counts, err := IfSoon(v.server.Waits.For(v.Ctx(), v.Who))
	if err != nil {
		v.Log(err)
	}
	for i, item := range v.Shell.Nav {
		v.Shell.Nav[i].Count = counts[waits.Queue(item.Waits)].Text()
	}
	v.Shell.Nav = slices.DeleteFunc(v.Shell.Nav, func(item view.NavItem) bool {
		return item.Waiting && item.Count == "" && !item.Current
	})
}

// isAt reports whether the page belongs to an entry. To the portal's first page
// no other page belongs.
func (v *Visit) isAt(e entry) bool {
	path := v.R.URL.Path
	return path == e.href || path == e.also || strings.HasPrefix(path, e.href+"/") && strings.Count(e.href, "/") > 1 ||
		e.also != "" && strings.HasPrefix(path, e.also+"/")
}
