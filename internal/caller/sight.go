package caller

// Whoever may read a payment, a payout or a requisite sees some of it in any
// case. What else they see is said here, for calls, pages, exports and
// timelines alike. Which ones a caller may read is another question: each
// service answers it.

// sight is a part that some kinds of callers see.
type sight uint8

// requisites are the whole ones that payers send to: of payments, and in a
// trader's own list. A trader also sees the one that a payout they took is sent
// to. Of that one merchants see the last digits, as operators do, though it
// came from them.
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

// SeesWholeRequisites reports whether the caller is shown whole requisites
// where these are theirs to see. Operators see the last characters, whoever
// they look as: reading a whole one is a separate act (OperatorReveal), which
// is noted.
func (c Caller) SeesWholeRequisites() bool { return c.sees(requisites) && !c.ViewAs }

// SeesLink reports whether the caller sees the link to the payer's page.
// Whoever has it can act as the payer: pay, claim and cancel. That is the
// merchant's program, its users who may end payments, and the payer; not
// operators, whoever they look as, and not traders.
func (c Caller) SeesLink() bool {
	return c.Kind == MerchantKey || c.Kind == Cabinet && !c.ViewAs || c.May(MerchantLinks)
}

// SeesOrder reports whether the caller sees what the merchant said: order id,
// description, payer and addresses.
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
