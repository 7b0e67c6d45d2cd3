package deposit

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
)

// Receiving is the platform's address for deposits on a network.
type Receiving struct {
	Network string `json:"network"`
	// Address is "" if the platform accepts nothing on the network.
	Address string `json:"address"`
	// Version identifies the state that was read. Seen is the version that
	// a change expects; "" expects any.
	Version string `json:"-"`
	Seen    string `json:"seen,omitempty"`
}

// ReceivingAddresses lists the platform's addresses by network, for operators
// and users of merchants' portals. Operators also see removed addresses, as "".
func (s *Service) ReceivingAddresses(ctx context.Context, who caller.Caller) ([]Receiving, error) {
	needed := caller.OperatorRead
	if who.Kind == caller.MerchantPortal {
		needed = caller.MerchantRead
	}
	if err := who.Admit(ctx, needed); err != nil {
		return nil, err
	}
	rows, err := s.q.ReceivingList(ctx)
	if err != nil {
		return nil, fmt.Errorf("list receiving addresses: %w", err)
	}
	var list []Receiving
	for _, row := range rows {
		var r Receiving
		if r.Version, err = db.DecodeSetting(row, &r); err != nil {
			return nil, err
		}
		if r.Address != "" || who.Kind == caller.Operator {
			list = append(list, r)
		}
	}
	return list, nil
}

// SetReceiving sets the platform's address on a network. It requires a second
// operator, because whoever could set it alone could have every deposit sent to
// themselves.
func (s *Service) SetReceiving(ctx context.Context, who caller.Caller, r Receiving) (db.SettingChange, error) {
	c := db.SettingChange{At: s.clock.Now(), Actor: who.Actor(), Subject: "receiving_address", SubjectKey: r.Network}
	if err := who.Need(caller.OperatorMoney); err != nil {
		return c, err
	}
	f := fault.Decoded(ctx)
	checkNetwork(f, r.Network)
	if r.Address != "" {
		flawed(f, chain.CheckAddress(r.Network, r.Address))
	}
	if err := f.Err(); err != nil {
		return c, err
	}
	c, err := db.ChangeSetting(ctx, s.pool, c, db.Setting{
		New:   true,
		Whole: true,
		Seen:  r.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.ReceivingSetting(ctx, r.Network) },
		Apply: func(q *db.Queries) error {
			if err := q.ReceivingRetire(ctx, r.Network); err != nil {
				return err
			}
			return q.ReceivingSet(ctx, db.ReceivingSetParams{Network: r.Network, Address: r.Address})
		},
		May: func(_ *db.Queries, c db.SettingChange) error {
			// An approval changes this state only.
			r.Seen = db.VersionOf(c.Before)
			return foureyes.WithAction(s.FourEyes.Always(), foureyes.SetReceiving, r)
		},
	})
	if db.IsUniqueViolation(err) { // the first address of a network was set by two at the same time
		return c, db.ErrSettingChanged
	}
	return c, err
}

// Ours tells an operator whether a deposit was sent to an address of the
// platform, and whether that address is still in use: somebody else may have
// the key of a former one.
func (s *Service) Ours(ctx context.Context, who caller.Caller, d Deposit) (known, present bool, err error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return false, false, err
	}
	found, err := s.q.ReceivingKnown(ctx, db.ReceivingKnownParams{Network: d.Network, Address: d.Address})
	return found.Known, found.Present, fault.Doing("look for a receiving address", err)
}

// address is the platform's address to which a portal's user who has named none
// is told to send a deposit, or "". Errors of decoding are left to the
// validation of the whole request.
func (s *Service) address(ctx context.Context, who caller.Caller, network string) (string, error) {
	list, err := s.ReceivingAddresses(fault.WithDecoded(ctx, nil), who)
	for _, r := range list {
		if r.Network == network {
			return r.Address, err
		}
	}
	return "", err
}
