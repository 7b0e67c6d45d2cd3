package withdrawal

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	// Rest is how long nothing may be sent to a new address, so that the
	// owners have time to notice an address that none of them has added.
	Rest = 24 * time.Hour
	// maxAddresses is how many addresses an address book may have.
	maxAddresses = 200
	maxLabel     = 100
	// alike is how many characters at each end people compare.
	alike = 4
)

var (
	errAlike = fault.New(fault.Refused, "withdrawal_address_alike",
		"It begins and ends like another address of your book. Compare all of it, and confirm that both are yours.")
	errKnown = fault.New(fault.Conflict, "withdrawal_address_known", "The address is in your book already.")
	errFull  = fault.New(fault.Refused, "withdrawal_addresses_full", "Your book has as many addresses as it may have.")
)

// Address is an address of an address book.
type Address struct {
	ID             int64
	Network        string
	Address, Label string
	// AddedBy is who added it, as far as the caller may know that.
	AddedBy string
	AddedAt time.Time
	// UsableAt is from when on it may be used, and Rests says that this is
	// in the future.
	UsableAt time.Time
	Rests    bool
}

// NewAddress is an address to add.
type NewAddress struct {
	Network, Address, Label string
	// Confirmed says that the user has seen that it looks like another
	// address.
	Confirmed bool
}

// AddAddress adds an address to the caller's address book. Nothing is sent to
// it before Rest has passed.
func (s *Service) AddAddress(ctx context.Context, who caller.Caller, n NewAddress) (Address, error) {
	own, err := acting(who)
	if err != nil {
		return Address{}, err
	}
	if who.Kind == caller.MerchantKey { // a program must never extend its own permissions
		return Address{}, fault.ErrTokenKindNotAllowed
	}
	f := fault.Decoded(ctx)
	n.Label = f.RequiredText("label", n.Label, maxLabel)
	if n.Address, err = s.checkAddress(ctx, f, n.Network, strings.TrimSpace(n.Address)); err != nil {
		return Address{}, err
	}
	if err := f.Err(); err != nil {
		return Address{}, err
	}
	book, err := s.q.WithdrawalAddressList(ctx, db.WithdrawalAddressListParams{
		OwnerKind: own.kind, OwnerID: own.id, Most: maxAddresses,
	})
	if err != nil {
		return Address{}, fmt.Errorf("read the address book: %w", err)
	}
	for _, known := range book {
		if !n.Confirmed && looksLike(n.Address, known.Address) {
			return Address{}, errAlike
		}
	}
	if len(book) == maxAddresses {
		return Address{}, errFull
	}
	return s.keepAddress(ctx, who, own, n)
}

// keepAddress adds an address, and records that in the log that the owners
// read.
func (s *Service) keepAddress(ctx context.Context, who caller.Caller, own owner, n NewAddress) (Address, error) {
	now := s.clock.Now()
	c := db.SettingChange{At: now, Actor: who.Actor(), Subject: "withdrawal_address"}
	c, err := db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			return q.WithdrawalAddressInsert(ctx, db.WithdrawalAddressInsertParams{
				OwnerKind: own.kind, OwnerID: own.id, Network: n.Network, Address: n.Address, Label: n.Label,
				AddedBy: who.Actor(), AddedAt: now, UsableAt: now.Add(Rest),
			})
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) { return q.WithdrawalAddressSetting(ctx, id) },
	})
	if db.IsUniqueViolation(err) {
		return Address{}, errKnown
	}
	if err != nil {
		return Address{}, fmt.Errorf("add an address: %w", err)
	}
	id, err := strconv.ParseInt(c.SubjectKey, 10, 64)
	return Address{
		ID: id, Network: n.Network, Address: n.Address, Label: n.Label, AddedBy: who.Actor(), AddedAt: now,
		UsableAt: now.Add(Rest), Rests: true,
	}, err
}

// looksLike reports whether two addresses begin and end alike, so that people
// may take one for the other.
func looksLike(a, b string) bool {
	a, b = bare(a), bare(b)
	return a != b && a[:alike] == b[:alike] && a[len(a)-alike:] == b[len(b)-alike:]
}

// bare is an address without the prefix that all addresses of its network have.
func bare(address string) string { return strings.TrimPrefix(strings.ToLower(address), "0x") }

// Addresses is the caller's address book, the newest first.
func (s *Service) Addresses(ctx context.Context, who caller.Caller) ([]Address, error) {
	own, err := reading(who)
	if err != nil {
		return nil, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, err
	}
	rows, err := s.q.WithdrawalAddressList(ctx, db.WithdrawalAddressListParams{
		OwnerKind: own.kind, OwnerID: own.id, Most: maxAddresses,
	})
	if err != nil {
		return nil, fmt.Errorf("read the address book: %w", err)
	}
	now := s.clock.Now()
	return db.Each(rows, func(row db.WithdrawalAddress) Address {
		return Address{
			ID: row.ID, Network: row.Network, Address: row.Address, Label: row.Label, AddedBy: who.Knows(row.AddedBy),
			AddedAt: row.AddedAt, UsableAt: row.UsableAt, Rests: now.Before(row.UsableAt),
		}
	}), nil
}

// RemoveAddress removes an address from the caller's address book. Withdrawals
// to it that were already requested are not affected.
func (s *Service) RemoveAddress(ctx context.Context, who caller.Caller, id int64) error {
	own, err := acting(who)
	if err != nil {
		return err
	}
	if who.Kind == caller.MerchantKey {
		return fault.ErrTokenKindNotAllowed
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return err
	}
	row, err := s.q.WithdrawalAddressGet(ctx, id)
	switch {
	case db.NoRows(err), err == nil && (row.OwnerKind != own.kind || row.OwnerID != own.id):
		return fault.ErrNotFound
	case err != nil:
		return fmt.Errorf("read an address: %w", err)
	}
	now := s.clock.Now()
	c := db.SettingChange{
		At: now, Actor: who.Actor(), Subject: "withdrawal_address", SubjectKey: strconv.FormatInt(id, 10),
	}
	_, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read:  func(q *db.Queries) ([]byte, error) { return q.WithdrawalAddressSetting(ctx, id) },
		Apply: func(q *db.Queries) error {
			return q.WithdrawalAddressRemove(ctx, db.WithdrawalAddressRemoveParams{ID: id, RemovedAt: &now})
		},
	})
	return err
}
