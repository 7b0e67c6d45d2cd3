package portal

import (
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/waits"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// entry is a page in the navigation, for who has the capability. Group is the heading of entries that
// belong together, for those who have many.
type entry struct {
	needs caller.Capability
	href  string
	label say.Phrase
	group say.Phrase
	icon  string
	// waits is what is counted there; "" is nothing.
	waits waits.Queue
	// waiting tells that it is only there while something waits.
	waiting bool
}

var merchantEntries = []entry{
	{needs: caller.MerchantRead, href: "/merchant", label: say.Overview, icon: "home"},
	{needs: caller.MerchantRead, href: OwnPaymentsPath, label: say.Payments, group: say.Payments, icon: "in"},
	{
		needs: caller.MerchantRead, href: OwnPayoutsPath, label: say.Payouts,
		group: say.Payments, icon: "out", waits: waits.Overdue,
	},
	{
		needs: caller.MerchantRead, href: OwnAppealsPath, label: say.Appeals,
		group: say.Payments, icon: "flag", waits: waits.OwnAppeals,
	},
	{needs: caller.MerchantRead, href: "/merchant/links", label: say.LinksTitle, group: say.Payments, icon: "link"},
	{needs: caller.MerchantRead, href: "/merchant/blocks", label: say.BlocksTitle, group: say.Payments, icon: "ban"},
	{
		needs: caller.MerchantMoney, href: OwnDepositsPath, label: say.Deposits,
		group: say.MoneyGroup, icon: "wallet", waits: waits.OwnDeposits,
	},
	{
		needs: caller.MerchantMoney, href: "/merchant/withdrawals", label: say.Withdrawals,
		group: say.MoneyGroup, icon: "out",
	},
	{
		needs: caller.MerchantMoney, href: "/merchant/balance", label: say.BalanceTitle,
		group: say.MoneyGroup, icon: "coins",
	},
	{
		needs: caller.MerchantMoney, href: OwnStatementPath, label: say.StatementTitle,
		group: say.MoneyGroup, icon: "list",
	},
	{
		needs: caller.MerchantEvents, href: KeysPath, label: say.KeysTitle,
		group: say.DeveloperGroup, icon: "key",
	},
	{
		needs: caller.MerchantEvents, href: HooksPath, label: say.WebhooksTitle,
		group: say.DeveloperGroup, icon: "link", waits: waits.Failing,
	},
	{
		needs: caller.MerchantEvents, href: EventsPath, label: say.EventsTitle,
		group: say.DeveloperGroup, icon: "bell", waits: waits.DeadEvents,
	},
	{
		needs: caller.MerchantEvents, href: RequestsPath, label: say.RequestsTitle,
		group: say.DeveloperGroup, icon: "code",
	},
	{
		needs: caller.MerchantEvents, href: "/merchant/developers/doctor", label: say.DoctorTitle,
		group: say.DeveloperGroup, icon: "pulse",
	},
	{needs: caller.MerchantEvents, href: LooksPath, label: say.LooksTitle, group: say.SettingGroup, icon: "brush"},
	{
		needs: caller.MerchantTeamRead, href: "/merchant/team", label: say.TeamTitle,
		group: say.SettingGroup, icon: "team",
	},
	{needs: caller.MerchantTeamRead, href: "/merchant/log", label: say.LogTitle, group: say.SettingGroup, icon: "log"},
}

var traderEntries = []entry{
	{needs: caller.TraderRead, href: "/trader", label: say.Desk, icon: "desk"},
	{needs: caller.TraderRead, href: "/trader/payments", label: say.Payments, icon: "in"},
	{needs: caller.TraderRead, href: "/trader/payouts", label: say.Payouts, icon: "out"},
	{
		needs: caller.TraderRead, href: "/trader/appeals", label: say.Appeals, icon: "flag",
		waits: waits.Unread, waiting: true,
	},
	{needs: caller.TraderRead, href: "/trader/requisites", label: say.Requisites, icon: "card"},
	{
		needs: caller.TraderRead, href: "/trader/messages", label: say.MessagesShort, icon: "message",
		waits: waits.Messages,
	},
	{needs: caller.TraderMoney, href: "/trader/statement", label: say.StatementTitle, icon: "list"},
	{needs: caller.TraderMoney, href: "/trader/withdrawals", label: say.Withdrawals, icon: "wallet"},
}

// entries are the pages of a kind of user.
func entries(kind caller.Kind) []entry {
	switch kind {
	case caller.MerchantPortal:
		return merchantEntries
	case caller.Trader:
		return traderEntries
	case caller.Operator:
		return slices.Concat(workEntries, directoryEntries, rateEntries, moneyEntries, trustEntries)
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Cabinet, caller.Device, caller.Link:
	}
	return nil
}

// navigation lists the pages of the user's portal, as far as their role has them.
func (v *Visit) navigation() []view.NavItem {
	var items []view.NavItem
	all := slices.Clone(entries(v.Who.Kind))
	if v.server.Simulator && v.Who.Kind == caller.Operator {
		all = append(all, simulatorEntries...)
	}
	own := entry{href: "/account", label: say.Account, icon: "user"}
	if v.Who.Kind != caller.Trader { // the others' entries have groups
		own.group = say.OwnGroup
	}
	for _, e := range append(all, own) {
		if e.needs != "" && !v.Who.May(e.needs) {
			continue
		}
		items = append(items, view.NavItem{
			Href: e.href, Label: e.label, Group: e.group, Icon: e.icon, Current: v.isAt(e.href), Waits: string(e.waits), Waiting: e.waiting,
		})
	}
	return items
}

// tellWaits has the navigation of a page tell how much waits where. A page can do without it.
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

// isAt tells whether the page belongs to an entry. The portal's first page is only itself.
func (v *Visit) isAt(href string) bool {
	path := v.R.URL.Path
	for page, of := range map[string]string{ // pages that lists lead to
		"/payout-files": "/payouts", "/operator/hand-overs": WithdrawalsPath, "/operator/transfers": DepositsPath,
	} {
		path = strings.Replace(path, page, of, 1)
	}
	return path == href || strings.HasPrefix(path, href+"/") && strings.Count(href, "/") > 1
}

// moneyEntries are the pages of money in an operator's navigation.
var moneyEntries = []entry{
	{needs: caller.OperatorMoney, href: MoneyPath, label: say.MoneyTitle, group: say.MoneyGroup, icon: "coins"},
	{
		needs: caller.OperatorRead, href: ApprovalsPath, label: say.ApprovalsTitle,
		group: say.MoneyGroup, icon: "approve", waits: waits.Proposals,
	},
	{needs: caller.OperatorRead, href: AccountsPath, label: say.AccountsTitle, group: say.MoneyGroup, icon: "wallet"},
	{needs: caller.OperatorRead, href: ReceivingPath, label: say.ReceivingTitle, group: say.MoneyGroup, icon: "in"},
	{needs: caller.OperatorRead, href: TermsPath, label: say.WithdrawalsTerms, group: say.MoneyGroup, icon: "gauge"},
	{needs: caller.OperatorRead, href: IncomePath, label: say.IncomeTitle, group: say.MoneyGroup, icon: "chart"},
}

// rateEntries are the pages of rates and routing in an operator's navigation.
var rateEntries = []entry{
	{needs: caller.OperatorRead, href: RatesPath, label: say.RatesTitle, group: say.RateGroup, icon: "rate"},
	{needs: caller.OperatorRead, href: RoutingPath, label: say.RoutingTitle, group: say.RateGroup, icon: "route"},
}

var simulatorEntries = []entry{
	{needs: caller.OperatorRead, href: SimulatorPath, label: say.SimulatorTitle, group: say.SandboxGroup, icon: "desk"},
}

var trustEntries = []entry{
	{needs: caller.OperatorRead, href: AlarmsPath, label: say.AlarmsTitle, group: say.TrustGroup, icon: "bell"},
	{needs: caller.OperatorRead, href: PatternsPath, label: say.PatternsTitle, group: say.TrustGroup, icon: "find"},
	{needs: caller.OperatorRead, href: ReconPath, label: say.ReconTitle, group: say.TrustGroup, icon: "scales"},
	{needs: caller.OperatorRead, href: AuditPath, label: say.AuditTitle, group: say.TrustGroup, icon: "log"},
	{needs: caller.OperatorRead, href: ManualPath, label: say.ManualTitle, group: say.TrustGroup, icon: "book"},
}

var workEntries = []entry{
	{needs: caller.OperatorRead, href: "/operator", label: say.WorkTitle, group: say.WorkGroup, icon: "desk"},
	{needs: caller.OperatorRead, href: PaymentsPath, label: say.Payments, group: say.WorkGroup, icon: "in"},
	{needs: caller.OperatorRead, href: PayoutsPath, label: say.Payouts, group: say.WorkGroup, icon: "out"},
	{needs: caller.OperatorRead, href: LinksPath, label: say.LinksTitle, group: say.WorkGroup, icon: "link"},
	{
		needs: caller.OperatorRead, href: DepositsPath, label: say.Deposits,
		group: say.WorkGroup, icon: "wallet", waits: waits.Deposits,
	},
	{
		needs: caller.OperatorRead, href: WithdrawalsPath, label: say.Withdrawals,
		group: say.WorkGroup, icon: "out", waits: waits.Withdrawals,
	},
	{
		needs: caller.OperatorRead, href: AppealsPath, label: say.Appeals,
		group: say.WorkGroup, icon: "flag", waits: waits.OpenAppeals,
	},
	{
		needs: caller.OperatorRead, href: CasesPath, label: say.CasesTitle,
		group: say.WorkGroup, icon: "scales", waits: waits.Cases, waiting: true,
	},
	{
		needs: caller.OperatorRead, href: ObjectionsPath, label: say.ObjectionsTitle,
		group: say.WorkGroup, icon: "message", waits: waits.Objections, waiting: true,
	},
	{
		needs: caller.OperatorRead, href: OverduePath, label: say.OverdueTitle,
		group: say.WorkGroup, icon: "clock", waits: waits.Overdue,
	},
	{
		needs: caller.OperatorRead, href: ConflictsPath, label: say.ConflictsTitle,
		group: say.WorkGroup, icon: "card", waits: waits.Conflicts,
	},
	{
		needs: caller.OperatorRead, href: DeadPath, label: say.DeadTitle,
		group: say.WorkGroup, icon: "link", waits: waits.DeadEvents,
	},
	{
		needs: caller.OperatorRead, href: FailingPath, label: say.FailingTitle,
		group: say.WorkGroup, icon: "pulse", waits: waits.Failing,
	},
}

var directoryEntries = []entry{
	{needs: caller.OperatorRead, href: MerchantsPath, label: say.Merchants, group: say.DirectoryGroup, icon: "shop"},
	{needs: caller.OperatorRead, href: CashboxesPath, label: say.Cashboxes, group: say.DirectoryGroup, icon: "till"},
	{needs: caller.OperatorRead, href: TradersPath, label: say.Traders, group: say.DirectoryGroup, icon: "team"},
	{needs: caller.OperatorRead, href: RequisitesPath, label: say.Requisites, group: say.DirectoryGroup, icon: "card"},
	{needs: caller.OperatorRead, href: UsersPath, label: say.Users, group: say.DirectoryGroup, icon: "user"},
	{needs: caller.OperatorRead, href: LimitsPath, label: say.PlatformLimit, group: say.DirectoryGroup, icon: "gauge"},
	{needs: caller.OperatorRead, href: BlocksPath, label: say.BlocksTitle, group: say.DirectoryGroup, icon: "ban"},
	{needs: caller.OperatorRead, href: BanksPath, label: say.Banks, group: say.DirectoryGroup, icon: "bank"},
	{needs: caller.OperatorReveal, href: MessagesPath, label: say.MessagesOfBanks, group: say.DirectoryGroup, icon: "message"},
}
