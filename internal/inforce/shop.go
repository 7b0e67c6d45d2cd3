package inforce

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
)

// Shop is a cashbox with its settings for one payment method.
type Shop struct {
	CashboxID      int64
	CollectEnabled bool
	// MethodEnabled is also false if the cashbox does not have the method
	// or the currency.
	MethodEnabled        bool
	MarginPercent        decimal.NullDecimal
	Validity             time.Duration
	MinAmount, MaxAmount decimal.NullDecimal
	// ReturnHosts are the hosts that a return address may name; empty means
	// any host.
	ReturnHosts []string
}

// Shop finds the cashbox of a payment: the cashbox of the API key, or, if the
// key has none, the merchant's first cashbox with the method enabled. It
// returns nil if there is none.
func (k *Keeper) Shop(merchantID int64, cashboxID *int64, method, currency string) *Shop {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if cashboxID != nil {
		if box := k.cashboxes[*cashboxID]; box != nil && box.MerchantID == merchantID {
			return box.shop(method, currency)
		}
		return nil
	}
	for _, id := range k.merchants[merchantID].cashboxes {
		if shop := k.cashboxes[id].shop(method, currency); shop.CollectEnabled && shop.MethodEnabled {
			return shop
		}
	}
	return nil
}

// Offers are the methods and currencies for which Shop would find a cashbox.
func (k *Keeper) Offers(merchantID int64, cashboxID *int64) []string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	var offers []string
	for _, id := range k.merchants[merchantID].cashboxes {
		if box := k.cashboxes[id]; box.CollectEnabled && (cashboxID == nil || id == *cashboxID) {
			for name, m := range box.methods {
				if m.Enabled {
					offers = append(offers, name+" in "+box.Currency)
				}
			}
		}
	}
	slices.Sort(offers)
	return slices.Compact(offers)
}

// Methods are the methods by which a cashbox takes payments, in the catalogue's
// order.
func (k *Keeper) Methods(cashboxID int64) []string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	box := k.cashboxes[cashboxID]
	if box == nil || !box.CollectEnabled {
		return nil
	}
	return slices.DeleteFunc(catalogue.Names(catalogue.Payments(box.Currency)), func(name string) bool {
		return !box.methods[name].Enabled
	})
}

//rule:which of several values of a setting is in force
func (c *cashbox) shop(method, currency string) *Shop {
	m := c.methods[method]
	return &Shop{
		CashboxID: c.ID, CollectEnabled: c.CollectEnabled, MethodEnabled: m.Enabled && c.Currency == currency,
		MarginPercent: m.MarginPercent, Validity: time.Duration(m.ValiditySeconds) * time.Second,
		MinAmount: m.MinAmount, MaxAmount: m.MaxAmount, ReturnHosts: c.ReturnHosts,
	}
}

// Taken reports whether any cashbox takes payments by a method in a currency.
func (k *Keeper) Taken(method, currency string) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, box := range k.cashboxes {
		if shop := box.shop(method, currency); shop.CollectEnabled && shop.MethodEnabled {
			if k.merchants[box.MerchantID].apiEnabled {
				return true
			}
		}
	}
	return false
}

// method is the settings of a cashbox's method. If the cashbox is not in
// memory, they are empty and known is false.
func (k *Keeper) method(cashboxID int64, name string) (m db.CashboxMethodsSinceRow, known bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if box := k.cashboxes[cashboxID]; box != nil {
		return box.methods[name], true
	}
	return m, false
}

// Validity is how long a payment by a cashbox's method waits for its payer.
func (k *Keeper) Validity(cashboxID int64, method string) time.Duration {
	m, _ := k.method(cashboxID, method)
	return time.Duration(m.ValiditySeconds) * time.Second
}

// Patience is how long a payment waits at least after its payer said that they
// paid.
func (k *Keeper) Patience(cashboxID int64, method string) time.Duration {
	m, _ := k.method(cashboxID, method)
	return time.Duration(m.ClaimSeconds) * time.Second
}

// Lateness is how long after its expiry a payment can still be completed by its
// trader.
func (k *Keeper) Lateness(cashboxID int64, method string) time.Duration {
	m, _ := k.method(cashboxID, method)
	return time.Duration(m.LateSeconds) * time.Second
}

// AmountPolicy says what happens if a payment receives an amount other than the
// one asked for.
func (k *Keeper) AmountPolicy(cashboxID int64, method string) AmountPolicy {
	m, _ := k.method(cashboxID, method)
	return AmountPolicy{
		Kind: m.AmountPolicy, Percent: m.TolerancePercent, Amount: m.ToleranceAmount, ToPlatform: m.DifferenceTo == "platform",
	}
}

// CardsAllowed is how many cards may be tried for a payment; 1 if its cashbox
// is not in memory.
//
//rule:how many cards a payer may try for a payment
func (k *Keeper) CardsAllowed(cashboxID int64, method string) int {
	m, known := k.method(cashboxID, method)
	if !known {
		return 1
	}
	return int(m.Cards)
}

// PayerEvents reports whether the merchant wants events about what payers
// report.
func (k *Keeper) PayerEvents(cashboxID int64) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	box := k.cashboxes[cashboxID]
	return box != nil && box.PayerEvents
}
