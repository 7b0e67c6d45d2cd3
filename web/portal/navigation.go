package portal

import (
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/waits"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// entry is a page in the navigation, for users who have the capability. Group is the heading of entries that belong
// together, for users with many entries.
type entry struct {
	needs caller.Capability
	href  string
	// also is the path of pages to which its list leads; "" is none.
	also  string
	label say.Phrase
	group say.Phrase
	icon  string
	// waits is the queue whose length is shown; "" is none.
	waits waits.Queue
	// waiting says that it is shown only while something waits.
	waiting bool
}

var merchantEntries = slices.Concat(
	under(say.Phrase{}, caller.MerchantRead, []entry{
		{href: "/merchant", label: say.Overview, icon: "home"},
	}),
	under(say.Payments, caller.MerchantRead, []entry{
		{href: OwnPaymentsPath, label: say.Payments, icon: "in"},
		{href: OwnPayoutsPath, also: "/merchant/payout-files", label: say.Payouts, icon: "out", waits: waits.Overdue},
		{href: OwnAppealsPath, label: say.Appeals, icon: "flag", waits: waits.OwnAppeals},
		{href: "/merchant/links", label: say.LinksTitle, icon: "link"},
		{href: "/merchant/blocks", label: say.BlocksTitle, icon: "ban"},
	}),
	under(say.MoneyGroup, caller.MerchantMoney, []entry{
		{href: OwnDepositsPath, label: say.Deposits, icon: "wallet", waits: waits.OwnDeposits},
		{href: "/merchant/withdrawals", label: say.Withdrawals, icon: "out"},
		{href: "/merchant/balance", label: say.BalanceTitle, icon: "coins"},
		{href: OwnStatementPath, label: say.StatementTitle, icon: "list"},
	}),
	under(say.DeveloperGroup, caller.MerchantEvents, []entry{
		{href: KeysPath, label: say.KeysTitle, icon: "key"},
		{href: HooksPath, label: say.WebhooksTitle, icon: "link", waits: waits.Failing},
		{href: EventsPath, label: say.EventsTitle, icon: "bell", waits: waits.DeadEvents},
		{href: RequestsPath, label: say.RequestsTitle, icon: "code"},
		{href: "/merchant/developers/doctor", label: say.DoctorTitle, icon: "pulse"},
	}),
	under(say.SettingGroup, caller.MerchantEvents, []entry{
		{href: LooksPath, label: say.LooksTitle, icon: "brush"},
	}),
	under(say.SettingGroup, caller.MerchantTeamRead, []entry{
		{href: "/merchant/team", label: say.TeamTitle, icon: "team"},
		{href: "/merchant/log", label: say.LogTitle, icon: "log"},
	}),
)

var traderEntries = slices.Concat(
	under(say.Phrase{}, caller.TraderRead, []entry{
		{href: "/trader", label: say.Desk, icon: "desk"},
		{href: "/trader/payments", label: say.Payments, icon: "in"},
		{href: "/trader/payouts", label: say.Payouts, icon: "out"},
		{href: "/trader/appeals", label: say.Appeals, icon: "flag", waits: waits.Unread, waiting: true},
		{href: "/trader/requisites", label: say.Requisites, icon: "card"},
		{href: "/trader/messages", label: say.MessagesShort, icon: "message", waits: waits.Messages},
	}),
	under(say.Phrase{}, caller.TraderMoney, []entry{
		{href: "/trader/statement", label: say.StatementTitle, icon: "list"},
		{href: "/trader/withdrawals", label: say.Withdrawals, icon: "wallet"},
	}),
)

var operatorEntries = slices.Concat(
	under(say.WorkGroup, caller.OperatorRead, []entry{
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
	}),
	under(say.DirectoryGroup, caller.OperatorRead, []entry{
		{href: MerchantsPath, label: say.Merchants, icon: "shop"},
		{href: CashboxesPath, label: say.Cashboxes, icon: "till"},
		{href: TradersPath, label: say.Traders, icon: "team"},
		{href: RequisitesPath, label: say.Requisites, icon: "card"},
		{href: UsersPath, label: say.Users, icon: "user"},
		{href: LimitsPath, label: say.PlatformLimit, icon: "gauge"},
		{href: BlocksPath, label: say.BlocksTitle, icon: "ban"},
		{href: BanksPath, label: say.Banks, icon: "bank"},
	}),
	under(say.DirectoryGroup, caller.OperatorReveal, []entry{
		{href: MessagesPath, label: say.MessagesOfBanks, icon: "message"},
	}),
	under(say.RateGroup, caller.OperatorRead, []entry{
		{href: RatesPath, label: say.RatesTitle, icon: "rate"},
		{href: RoutingPath, label: say.RoutingTitle, icon: "route"},
	}),
	under(say.MoneyGroup, caller.OperatorMoney, []entry{
		{href: MoneyPath, label: say.MoneyTitle, icon: "coins"},
	}),
	under(say.MoneyGroup, caller.OperatorRead, []entry{
		{href: ApprovalsPath, label: say.ApprovalsTitle, icon: "approve", waits: waits.Proposals},
		{href: AccountsPath, label: say.AccountsTitle, icon: "wallet"},
		{href: ReceivingPath, label: say.ReceivingTitle, icon: "in"},
		{href: TermsPath, label: say.WithdrawalsTerms, icon: "gauge"},
		{href: IncomePath, label: say.IncomeTitle, icon: "chart"},
	}),
	under(say.TrustGroup, caller.OperatorRead, []entry{
		{href: AlarmsPath, label: say.AlarmsTitle, icon: "bell"},
		{href: PatternsPath, label: say.PatternsTitle, icon: "find"},
		{href: ReconPath, label: say.ReconTitle, icon: "scales"},
		{href: AuditPath, label: say.AuditTitle, icon: "log"},
		{href: ManualPath, label: say.ManualTitle, icon: "book"},
	}),
)

var simulatorEntries = under(say.SandboxGroup, caller.OperatorRead, []entry{
	{href: SimulatorPath, label: say.SimulatorTitle, icon: "desk"},
})

// under are entries below a heading, which require a capability.
func under(group say.Phrase, needs caller.Capability, entries []entry) []entry {
	for i := range entries {
		entries[i].group, entries[i].needs = group, needs
	}
	return entries
}

// entries are the pages of a kind of user.
func entries(kind caller.Kind) []entry {
	switch kind {
	case caller.MerchantPortal:
		return merchantEntries
	case caller.Trader:
		return traderEntries
	case caller.Operator:
		return operatorEntries
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Cabinet, caller.Device, caller.Link:
	}
	return nil
}

// navigation lists the pages of the user's portal that their role may see.
func (v *Visit) navigation() []view.NavItem {
	var items []view.NavItem
	all := slices.Clone(entries(v.Who.Kind))
	if v.server.Simulator && v.Who.Kind == caller.Operator {
		all = append(all, simulatorEntries...)
	}
	own := entry{href: "/account", label: say.Account, icon: "user"}
	if v.Who.Kind != caller.Trader { // only the other kinds of users have groups
		own.group = say.OwnGroup
	}
	for _, e := range append(all, own) {
		if e.needs != "" && !v.Who.May(e.needs) {
			continue
		}
		items = append(items, view.NavItem{
			Href: e.href, Label: e.label, Group: e.group, Icon: e.icon, Current: v.isAt(e), Waits: string(e.waits), Waiting: e.waiting,
		})
	}
	return items
}

// tellWaits adds to the navigation how much waits where. If that cannot be read, the page is shown without it.
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

// isAt reports whether the page belongs to an entry. To the portal's first page no other page belongs.
func (v *Visit) isAt(e entry) bool {
	path := v.R.URL.Path
	return path == e.href || path == e.also || strings.HasPrefix(path, e.href+"/") && strings.Count(e.href, "/") > 1 ||
		e.also != "" && strings.HasPrefix(path, e.also+"/")
}
