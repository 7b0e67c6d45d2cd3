package caller

import (
	"maps"
	"slices"
	"time"

	"gateway.example/internal/fault"
)

// Role is a user's job at their merchant, trader or the platform. It narrows
// what their kind may do.
type Role string

// The roles. A cabinet user has none.
const (
	// Owner of a merchant or of a trader's desk: everything.
	Owner Role = "owner"
	// Finance, Developer and Support are a merchant's.
	Finance   Role = "finance"
	Developer Role = "developer"
	Support   Role = "support" // also an operator's
	// Desk is a trader's: works payments and payouts.
	Desk Role = "desk"
	// Admin, Treasury and Auditor are operators'. An auditor only reads.
	Admin    Role = "admin"
	Treasury Role = "treasury"
	Auditor  Role = "auditor"
)

// Capability is something that a user may be allowed to do, by their kind and
// role.
type Capability string

// What users may do.
const (
	// TraderRead sees the trader's payments, payouts and requisites.
	// TraderWork handles them: confirms, cancels, asks for codes, takes and
	// ends payouts, begins and ends shifts.
	TraderRead Capability = "trader.read"
	TraderWork Capability = "trader.work"
	// TraderMoney sees the trader's balance and statement, and exports.
	// TraderRequisites changes requisites within what operators allow.
	TraderMoney      Capability = "trader.money"
	TraderRequisites Capability = "trader.requisites"
	// TraderPropose proposes requisites, to which payers' money goes once
	// an operator has agreed.
	TraderPropose Capability = "trader.propose"
	// TraderPhones pairs phones, and has their messages confirm payments.
	TraderPhones Capability = "trader.phones"
	// TraderTeam accepts the users whom operators let in at the trader.
	TraderTeam Capability = "trader.team"

	// MerchantRead sees payments, payouts, appeals and receipts.
	// MerchantAppeal opens appeals, MerchantPayouts cancels payouts, and
	// looks at files of them; MerchantPayOut has them made of a file, and
	// what came returned.
	MerchantRead    Capability = "merchant.read"
	MerchantAppeal  Capability = "merchant.appeal"
	MerchantPayouts Capability = "merchant.payouts"
	MerchantPayOut  Capability = "merchant.pay-out"
	// MerchantLinks gets the links of payers' pages. Whoever has such a
	// link can act as the payer.
	MerchantLinks Capability = "merchant.links"
	// MerchantMoney sees balances, deposits and statements, and exports.
	// MerchantDeposits asks for deposits.
	MerchantMoney    Capability = "merchant.money"
	MerchantDeposits Capability = "merchant.deposits"
	// MerchantWithdraw and TraderWithdraw ask for withdrawals of USDT,
	// cancel them, and change the addresses that they may go to.
	MerchantWithdraw Capability = "merchant.withdraw"
	TraderWithdraw   Capability = "trader.withdraw"
	// MerchantEvents sees what was sent to the merchant's endpoints,
	// MerchantResend sends it again, MerchantKeys manages keys and signing
	// secrets.
	MerchantEvents Capability = "merchant.events"
	MerchantResend Capability = "merchant.resend"
	MerchantKeys   Capability = "merchant.keys"
	// MerchantLooks changes how the hosted pages of the merchant's
	// cashboxes look, where they lead back to and who may frame them.
	// Whoever sees events may see this.
	MerchantLooks Capability = "merchant.looks"
	// MerchantSell makes and closes payment links.
	MerchantSell Capability = "merchant.sell"
	// MerchantBlock is to block payers of the merchant, and to lift that
	// again.
	MerchantBlock Capability = "merchant.block"
	// MerchantTeamRead sees the merchant's users and what they did.
	// MerchantTeam invites them, changes their roles, switches them off and
	// ends their sessions.
	MerchantTeamRead Capability = "merchant.team.read"
	MerchantTeam     Capability = "merchant.team"

	// OperatorRead sees everything that operators see.
	OperatorRead Capability = "operator.read"
	// OperatorReveal reads whole requisites, which is noted. Lists show the
	// last characters.
	OperatorReveal Capability = "operator.reveal"
	// OperatorDirectory changes participants and their terms, OperatorRates
	// rates and feeds. OperatorMoney moves USDT by hand. OperatorCases
	// decides about appeals, payouts, card conflicts and events.
	// OperatorUsers manages users and their sessions.
	OperatorDirectory Capability = "operator.directory"
	OperatorRates     Capability = "operator.rates"
	OperatorMoney     Capability = "operator.money"
	OperatorCases     Capability = "operator.cases"
	OperatorUsers     Capability = "operator.users"
	// OperatorBlock is to block payers, and to lift that again.
	OperatorBlock Capability = "operator.block"
	// OperatorViewAs looks at the portal as another user.
	OperatorViewAs Capability = "operator.view-as"
)

// grant says who has a capability.
type grant struct {
	roles map[Kind][]Role
	// reads says that the capability changes nothing, so that it also holds
	// for a user who may only read.
	reads bool
	// reach is the worst that can be done with it. Anything but Nothing
	// needs a second factor of the last minutes, through every door.
	reach Reach
}

// Reach is the worst that can be done with a capability.
type Reach string

// The reaches. Nothing means that others cannot be harmed.
const (
	Nothing    Reach = ""
	Settings   Reach = "settings"
	People     Reach = "people"
	Money      Reach = "money"
	Requisites Reach = "a whole requisite"
)

//rule:who may do what
var grants = map[Capability]grant{
	TraderRead:       {roles: map[Kind][]Role{Trader: {Owner, Desk}}, reads: true},
	TraderWork:       {roles: map[Kind][]Role{Trader: {Owner, Desk}}},
	TraderMoney:      {roles: map[Kind][]Role{Trader: {Owner}}, reads: true},
	TraderRequisites: {roles: map[Kind][]Role{Trader: {Owner}}},
	TraderPropose:    {roles: map[Kind][]Role{Trader: {Owner}}, reach: Money},
	TraderPhones:     {roles: map[Kind][]Role{Trader: {Owner}}, reach: Money},
	TraderTeam:       {roles: map[Kind][]Role{Trader: {Owner}}, reach: People},
	TraderWithdraw:   {roles: map[Kind][]Role{Trader: {Owner}}, reach: Money},

	MerchantRead:     {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance, Developer, Support}}, reads: true},
	MerchantAppeal:   {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance, Support}}},
	MerchantPayouts:  {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}},
	MerchantPayOut:   {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}, reach: Money},
	MerchantLinks:    {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}},
	MerchantMoney:    {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}, reads: true},
	MerchantDeposits: {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}},
	MerchantWithdraw: {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}, reach: Money},
	MerchantEvents:   {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}, reads: true},
	MerchantResend:   {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}},
	MerchantKeys:     {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}, reach: Money},
	MerchantLooks:    {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}},
	MerchantSell:     {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}},
	MerchantBlock:    {roles: map[Kind][]Role{MerchantPortal: {Owner}}},

	MerchantTeamRead: {roles: map[Kind][]Role{MerchantPortal: {Owner}}, reads: true},
	MerchantTeam:     {roles: map[Kind][]Role{MerchantPortal: {Owner}}, reach: People},

	OperatorRead:      {roles: map[Kind][]Role{Operator: {Admin, Treasury, Support, Auditor}}, reads: true},
	OperatorReveal:    {roles: map[Kind][]Role{Operator: {Admin, Treasury, Support}}, reads: true, reach: Requisites},
	OperatorDirectory: {roles: map[Kind][]Role{Operator: {Admin}}, reach: Settings},
	OperatorRates:     {roles: map[Kind][]Role{Operator: {Admin, Treasury}}, reach: Money},
	OperatorMoney:     {roles: map[Kind][]Role{Operator: {Admin, Treasury}}, reach: Money},
	OperatorCases:     {roles: map[Kind][]Role{Operator: {Admin, Support}}, reach: Money},
	OperatorUsers:     {roles: map[Kind][]Role{Operator: {Admin}}, reach: People},
	OperatorBlock:     {roles: map[Kind][]Role{Operator: {Admin, Support}}, reach: Settings},
	OperatorViewAs:    {roles: map[Kind][]Role{Operator: {Admin, Support}}, reach: People},
}

// Kinds are the kinds of users who may have a capability.
func (c Capability) Kinds() []Kind { return slices.Sorted(maps.Keys(grants[c].roles)) }

// Proved returns the caller as they would be after a fresh second factor.
func (c Caller) Proved() Caller {
	c.Stale, c.Factorless = false, false
	return c
}

// errConsentAwaited refuses a change that requires a user whom an owner has
// accepted. It names the end of the wait.
var errConsentAwaited = fault.New(fault.Forbidden, "consent_awaited", "Your account waits for the consent of an owner.")

// May reports whether the caller has one of the capabilities.
func (c Caller) May(wanted ...Capability) bool { return c.Need(wanted...) == nil }

// Need checks that the caller has one of the capabilities. The error names the
// first of these that is wrong: the kind of caller, the role, a caller who may
// only read, a second factor that is missing or too old.
func (c Caller) Need(wanted ...Capability) error {
	refused := fault.ErrTokenKindNotAllowed
	for _, capability := range wanted {
		g := grants[capability]
		roles, kind := g.roles[c.Kind]
		switch {
		case !kind:
			continue
		case !slices.Contains(roles, c.Role):
			refused = fault.ErrRoleNotAllowed
		case c.ViewAs && !g.reads:
			return fault.ErrViewOnly
		case !c.AwaitsUntil.IsZero() && !g.reads:
			return errConsentAwaited.Saying("Your account waits for the consent of an owner until " +
				c.AwaitsUntil.UTC().Format(time.RFC3339) + ". Until then you can only look.")
		case c.Factorless && g.reach != Nothing:
			return fault.ErrFactorMissing
		case c.Stale && g.reach != Nothing:
			return fault.ErrFactorNeeded
		default:
			return nil
		}
	}
	return refused
}

// Roles are the roles of a kind of user, the one with the most capabilities
// first. Some kinds have none.
func Roles(kind Kind) []Role {
	switch kind {
	case MerchantPortal:
		return []Role{Owner, Finance, Developer, Support}
	case Trader:
		return []Role{Owner, Desk}
	case Operator:
		return []Role{Admin, Treasury, Support, Auditor}
	case Anyone, MerchantKey, Application, Cabinet, Device, Link:
	}
	return nil
}

// Capabilities are all capabilities of the caller, in order.
func (c Caller) Capabilities() []Capability {
	var list []Capability
	for capability := range grants {
		if c.May(capability) {
			list = append(list, capability)
		}
	}
	slices.Sort(list)
	return list
}
