package caller

// Everybody who may read a payment, a payout or a requisite sees a common part
// of it. This file decides, for calls, pages, exports and timelines alike,
// which further parts a caller sees. Which payments, payouts and requisites a
// caller may read at all is decided by each service.

// sight is a set of parts that only some kinds of callers see.
type sight uint8

// requisites are whole requisites that payers send money to: those of
// payments, and those in a trader's own list. A trader also sees the requisite
// of a payout that they took. Merchants, like operators, see only the last
// digits of that one, although it came from the merchant.
const (
	requisites sight = 1 << iota
	order
	metadata
	trader
	rate
	earnings
)

// sights are the parts by kind of caller. A kind that is missing here sees none
// of them. A merchant's users see the rate, since it is their own terms. A
// trader and a cabinet do not: they know the trader's share, and the rate would
// tell them what the platform keeps.
//
//rule:who sees whole requisites of payments, orders, rates and earnings
var sights = map[Kind]sight{
	MerchantKey:    requisites | order | metadata | trader | rate | earnings,
	Application:    requisites | order | metadata | trader | rate | earnings,
	Operator:       order | metadata | trader | rate | earnings,
	MerchantPortal: requisites | order | metadata | rate,
	Cabinet:        requisites | order | trader,
	Trader:         requisites | trader,
}

func (c Caller) sees(one sight) bool { return sights[c.Kind]&one != 0 }

// SeesWholeRequisites reports whether the caller sees the whole of requisites
// that their kind may see. Operators see the last characters, also while they
// view the portal as somebody else: to read a whole one is an act of its own
// (OperatorReveal), which is recorded.
func (c Caller) SeesWholeRequisites() bool { return c.sees(requisites) && !c.ViewAs }

// SeesLink reports whether the caller sees the link to the payer's page.
// Whoever has the link can act as the payer: pay, claim and cancel. So the
// merchant's program sees it, the payer, and those of the merchant's users who
// may end payments, but no trader and no operator, also not one who views the
// portal as somebody else.
func (c Caller) SeesLink() bool {
	return c.Kind == MerchantKey || c.Kind == Cabinet && !c.ViewAs || c.May(MerchantLinks)
}

// SeesOrder reports whether the caller sees what the merchant said about the
// order: order id, description, payer and addresses.
func (c Caller) SeesOrder() bool { return c.sees(order) }

// SeesMetadata reports whether the caller sees the merchant's metadata.
func (c Caller) SeesMetadata() bool { return c.sees(metadata) }

// SeesTrader reports whether the caller sees who the trader is, by which
// requisite, and what they keep.
func (c Caller) SeesTrader() bool { return c.sees(trader) }

// SeesRate reports whether the caller sees the base rate and the markup.
func (c Caller) SeesRate() bool { return c.sees(rate) }

// SeesEarnings reports whether the caller sees what the platform keeps.
func (c Caller) SeesEarnings() bool { return c.sees(earnings) }
