// Package block decides which payers are blocked: by what they are compared,
// and, in memory, where each is blocked.
package block

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// Kind is the property by which a payer is blocked.
type Kind string

// The kinds of blocks: by the merchant's id of the payer, by the card, by the
// address from which the payer connects, and by the requisite that payouts go
// to.
const (
	User      Kind = "user"
	Card      Kind = "card"
	Address   Kind = "address"
	Requisite Kind = "requisite"
)

var Kinds = []Kind{User, Card, Address, Requisite}

// UserMark is the mark that a block of a user id compares. This mark and the
// others are "" if there is nothing to compare. Spaces around an id are not
// compared: payments and blocks have it without them, and payouts as it came.
func UserMark(id *string) string { return mark(User, strings.TrimSpace(optional.Value(id))) }

// CardMark is the mark that a block of a card compares, made of the card's
// keyed hash.
func CardMark(hash []byte) string { return mark(Card, hex.EncodeToString(hash)) }

// AddressMark is the mark that a block of an address compares. For IPv6 it is
// the /64 network, because one user usually has all its addresses.
func AddressMark(address *string) string {
	if network, err := netip.ParsePrefix(optional.Value(address)); err == nil && network.Bits() == ipv6Network {
		return mark(Address, network.Masked().String())
	}
	ip, err := netip.ParseAddr(optional.Value(address))
	ip = ip.Unmap().WithZone("")
	switch {
	case err != nil:
		return ""
	case ip.Is4():
		return mark(Address, ip.String())
	}
	return mark(Address, netip.PrefixFrom(ip, ipv6Network).Masked().String())
}

const ipv6Network = 64

// RequisiteMark is the mark that a block of a requisite compares, made of the
// requisite's keyed hash.
func RequisiteMark(hash []byte) string { return mark(Requisite, hex.EncodeToString(hash)) }

// KindOf is the kind of a mark.
func KindOf(mark string) Kind {
	kind, _, _ := strings.Cut(mark, ":")
	return Kind(kind)
}

func mark(kind Kind, value string) string {
	if value == "" {
		return ""
	}
	return string(kind) + ":" + value
}

// List holds the blocks in force, by mark and id.
type List map[string]map[int64]db.PayerBlocksSinceRow

// Take updates the list with the current state of a block.
func (l List) Take(row db.PayerBlocksSinceRow) {
	switch {
	case row.EndedAt != nil:
		if delete(l[row.Mark], row.ID); len(l[row.Mark]) == 0 {
			delete(l, row.Mark)
		}
	case l[row.Mark] == nil:
		l[row.Mark] = map[int64]db.PayerBlocksSinceRow{row.ID: row}
	default:
		l[row.Mark][row.ID] = row
	}
}

// Has reports whether one of these marks is blocked at a merchant at this time.
func (l List) Has(merchantID int64, now time.Time, marks ...string) bool {
	for _, one := range marks {
		for _, row := range l[one] {
			here := row.MerchantID == nil || *row.MerchantID == merchantID
			if here && (row.Until == nil || now.Before(*row.Until)) {
				return true
			}
		}
	}
	return false
}
