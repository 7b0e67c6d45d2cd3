package portal

import "gateway.example/internal/caller"

// The kinds of users that pages are for.
var (
	Users     = []caller.Kind{caller.MerchantPortal, caller.Trader, caller.Operator, caller.Cabinet}
	Merchants = []caller.Kind{caller.MerchantPortal}
	Traders   = []caller.Kind{caller.Trader}
	Operators = []caller.Kind{caller.Operator}
)

// ForMerchants is the route of a page of those merchants' users who have a capability.
func ForMerchants[V any](pattern string, needs caller.Capability, handle func(V) error) RouteOf[V] {
	return RouteOf[V]{Pattern: pattern, Kinds: Merchants, Needs: needs, Handle: handle}
}

// ForTraders is the same for traders.
func ForTraders[V any](pattern string, needs caller.Capability, handle func(V) error) RouteOf[V] {
	return RouteOf[V]{Pattern: pattern, Kinds: Traders, Needs: needs, Handle: handle}
}

// ForOperators is the same for operators.
func ForOperators[V any](pattern string, needs caller.Capability, handle func(V) error) RouteOf[V] {
	return RouteOf[V]{Pattern: pattern, Kinds: Operators, Needs: needs, Handle: handle}
}

// Kept is the same route where a list is shown, of which users may keep views.
func (r RouteOf[V]) Kept(l *List) RouteOf[V] {
	r.Keeps = l
	return r
}

// Part is the same route where a script asks for what it leads to.
func (r RouteOf[V]) Part() RouteOf[V] {
	r.Fragment = true
	return r
}
