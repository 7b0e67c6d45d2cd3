package caller

import (
	"slices"
	"time"

	"gateway.example/internal/fault"
)

// Role is what a user does for those they belong to. It decides what they may do of what their kind
// may.
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

// Capability is something that a user may do or may not, by their kind and role.
type Capability string

// What users may do.
const (
	// TraderRead is to see the trader's payments, payouts and requisites; TraderWork is to answer
	// for them: confirm, cancel, ask for codes, take and end payouts, begin and end shifts.
	TraderRead Capability = "trader.read"
	TraderWork Capability = "trader.work"
	// TraderMoney is to see the trader's balance and statement, and to export; TraderRequisites is to
	// change requisites within what operators allow.
	TraderMoney      Capability = "trader.money"
	TraderRequisites Capability = "trader.requisites"
	// TraderTeam is to answer for the users whom operators let in at the trader.
	TraderTeam Capability = "trader.team"

	// MerchantRead is to see payments, payouts, appeals and receipts; MerchantAppeal is to open an
	// appeal, MerchantPayouts to cancel payouts.
	MerchantRead    Capability = "merchant.read"
	MerchantAppeal  Capability = "merchant.appeal"
	MerchantPayouts Capability = "merchant.payouts"
	// MerchantLinks is to have the links of payers' pages: who holds one acts as the payer.
	MerchantLinks Capability = "merchant.links"
	// MerchantMoney is to see balances, deposits and statements, and to export; MerchantDeposits is to
	// ask for deposits.
	MerchantMoney    Capability = "merchant.money"
	MerchantDeposits Capability = "merchant.deposits"
	// MerchantEvents is to read what was sent to the merchant's endpoints, MerchantResend to send it
	// again, MerchantKeys to manage keys and signing secrets.
	MerchantEvents Capability = "merchant.events"
	MerchantResend Capability = "merchant.resend"
	MerchantKeys   Capability = "merchant.keys"
	// MerchantLooks is to change how the hosted pages of the merchant's cashboxes look, where they lead
	// back to and who may frame them; who sees events sees these, too.
	MerchantLooks Capability = "merchant.looks"
	// MerchantTeamRead is to see the merchant's users and what they did, MerchantTeam to invite them, to
	// change their roles, to switch them off and to end their sessions.
	MerchantTeamRead Capability = "merchant.team.read"
	MerchantTeam     Capability = "merchant.team"

	// OperatorRead is to see everything that operators see.
	OperatorRead Capability = "operator.read"
	// OperatorReveal is to read whole what lists show the last characters of, which is noted.
	OperatorReveal Capability = "operator.reveal"
	// OperatorDirectory is to change who takes part and by which terms; OperatorRates is to set rates
	// and feeds; OperatorMoney moves USDT by hand; OperatorCases decides what waits for an operator:
	// appeals, payouts, card conflicts, events; OperatorUsers manages users and their sessions.
	OperatorDirectory Capability = "operator.directory"
	OperatorRates     Capability = "operator.rates"
	OperatorMoney     Capability = "operator.money"
	OperatorCases     Capability = "operator.cases"
	OperatorUsers     Capability = "operator.users"
	// OperatorViewAs is to look at the portal as another user.
	OperatorViewAs Capability = "operator.view-as"
)

// grant says who has a capability.
type grant struct {
	roles map[Kind][]Role
	// reads tells that nothing is changed by it, so that somebody who only looks, or waits for an owner's consent, has it, too.
	reads bool
	// reach is what it can move or reveal. What reaches anything asks for a second factor of the last minutes, by
	// whichever door it comes.
	reach Reach
}

// Reach is what a capability can move or reveal, at worst.
type Reach string

// The reaches. Nothing is what can be looked at or done without harm to others.
const (
	Nothing    Reach = ""
	Settings   Reach = "settings"
	People     Reach = "people"
	Money      Reach = "money"
	Requisites Reach = "a whole requisite"
)

var grants = map[Capability]grant{
	TraderRead:       {roles: map[Kind][]Role{Trader: {Owner, Desk}}, reads: true},
	TraderWork:       {roles: map[Kind][]Role{Trader: {Owner, Desk}}},
	TraderMoney:      {roles: map[Kind][]Role{Trader: {Owner}}, reads: true},
	TraderRequisites: {roles: map[Kind][]Role{Trader: {Owner}}},
	TraderTeam:       {roles: map[Kind][]Role{Trader: {Owner}}, reach: People},

	MerchantRead:     {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance, Developer, Support}}, reads: true},
	MerchantAppeal:   {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance, Support}}},
	MerchantPayouts:  {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}},
	MerchantLinks:    {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}},
	MerchantMoney:    {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}, reads: true},
	MerchantDeposits: {roles: map[Kind][]Role{MerchantPortal: {Owner, Finance}}},
	MerchantEvents:   {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}, reads: true},
	MerchantResend:   {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}},
	MerchantKeys:     {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}, reach: Money},
	MerchantLooks:    {roles: map[Kind][]Role{MerchantPortal: {Owner, Developer}}},

	MerchantTeamRead: {roles: map[Kind][]Role{MerchantPortal: {Owner}}, reads: true},
	MerchantTeam:     {roles: map[Kind][]Role{MerchantPortal: {Owner}}, reach: People},

	OperatorRead:      {roles: map[Kind][]Role{Operator: {Admin, Treasury, Support, Auditor}}, reads: true},
	OperatorReveal:    {roles: map[Kind][]Role{Operator: {Admin, Treasury, Support}}, reads: true, reach: Requisites},
	OperatorDirectory: {roles: map[Kind][]Role{Operator: {Admin}}, reach: Settings},
	OperatorRates:     {roles: map[Kind][]Role{Operator: {Admin, Treasury}}, reach: Money},
	OperatorMoney:     {roles: map[Kind][]Role{Operator: {Admin, Treasury}}, reach: Money},
	OperatorCases:     {roles: map[Kind][]Role{Operator: {Admin, Support}}, reach: Money},
	OperatorUsers:     {roles: map[Kind][]Role{Operator: {Admin}}, reach: People},
	OperatorViewAs:    {roles: map[Kind][]Role{Operator: {Admin, Support}}, reach: People},
}

// Proved is the caller as if they had just given a second factor: what they may do then.
func (c Caller) Proved() Caller {
	c.Stale, c.Factorless = false, false
	return c
}

// errConsentAwaited refuses a change to who waits for an owner's consent. It says until when.
var errConsentAwaited = fault.New(fault.Forbidden, "consent_awaited", "Your account waits for the consent of an owner.")

// May reports whether the caller has one of the capabilities.
func (c Caller) May(wanted ...Capability) bool { return c.Need(wanted...) == nil }

// Need settles that the caller has one of the capabilities. It says first that the caller is of
// another kind, then that the role does not include it, that the caller only looks or waits for an owner's consent,
// and last that a second factor is to be set up, or to be given again.
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

// Roles are those of a kind of user, the one with the most capabilities first. Kinds without roles
// have none.
func Roles(kind Kind) []Role {
	switch kind {
	case MerchantPortal:
		return []Role{Owner, Finance, Developer, Support}
	case Trader:
		return []Role{Owner, Desk}
	case Operator:
		return []Role{Admin, Treasury, Support, Auditor}
	case Anyone, MerchantKey, Application, Cabinet:
	}
	return nil
}

// Capabilities are all there are that the caller has, in order.
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
