package caller

// Whoever may read a payment, a payout or a requisite sees some of it in any case. What else they see is said here, for calls,
// pages, exports and timelines alike. Which ones a caller may read is another question: each service answers it.

// SeesWholeRequisites reports whether lists may show the caller whole requisites. Operators see the last characters, whoever
// they look as: reading a whole one is a separate act (OperatorReveal), which is noted.
func (c Caller) SeesWholeRequisites() bool { return c.Kind != Operator && !c.ViewAs }

// SeesLink reports whether the caller sees the link to the payer's page. Whoever has it can act as the payer: pay, claim and
// cancel. That is the merchant's program, its users who may end payments, and the payer; not operators, whoever they look as,
// and not traders.
func (c Caller) SeesLink() bool {
	return c.Kind == MerchantKey || c.Kind == Cabinet && !c.ViewAs || c.May(MerchantLinks)
}

// SeesOrder reports whether the caller sees what the merchant said: order id, description, payer and addresses.
func (c Caller) SeesOrder() bool { return c.Kind != Trader }

// SeesMetadata reports whether the caller sees the merchant's metadata.
func (c Caller) SeesMetadata() bool { return c.SeesOrder() && c.Kind != Cabinet }

// SeesTrader reports whether the caller sees who the trader is, by which requisite, and what they keep. A merchant's users do not.
func (c Caller) SeesTrader() bool { return c.Kind != MerchantPortal }

// SeesRate reports whether the caller sees the base rate and the markup. To a merchant's users these are their own terms.
func (c Caller) SeesRate() bool { return c.Kind != Trader && c.Kind != Cabinet }

// SeesEarnings reports whether the caller sees what the platform keeps. The base rate would tell it to a trader or a cabinet, who
// know the trader's share.
func (c Caller) SeesEarnings() bool { return c.SeesRate() && c.Kind != MerchantPortal }
