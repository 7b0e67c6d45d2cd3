package seal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
)

// FormatProof names the format of proofs, in each file.
const FormatProof = "gateway-ledger-proof-1"

const (
	SubjectPayment    = "payment"
	SubjectPayout     = "payin"
	SubjectDeposit    = "deposit"
	SubjectWithdrawal = "withdrawal"
)

// Proof proves that the transfers of a payment, a payout, a deposit or a
// withdrawal, as far as they debit or credit its merchant, are on the pages of
// their days.
type Proof struct {
	Format    string `json:"format"`
	Subject   string `json:"subject"`
	SubjectID int64  `json:"subject_id"`
	// Transfers are on Pages; Waiting are on no page yet.
	Transfers []Transfer `json:"transfers"`
	Pages     []Page     `json:"pages"`
	Waiting   []Waiting  `json:"waiting"`
}

// Transfer is a transfer that is on a page. Only the merchant's sides are
// shown.
type Transfer struct {
	Header Header `json:"header"`
	Debit  Side   `json:"debit"`
	Credit Side   `json:"credit"`
	Leaf   Hash   `json:"leaf"`
	// Day names the page. Index is the leaf's index on it, from 0, and Path
	// leads from it to the root.
	Day   string `json:"day"`
	Index int64  `json:"index"`
	Path  []Hash `json:"path"`
}

// Side is a hidden side of a transfer, with its opening if it is shown.
type Side struct {
	Hash  Hash     `json:"hash"`
	Shown *Opening `json:"shown,omitempty"`
}

// Waiting is a transfer that will be on a page when its day is sealed.
type Waiting struct {
	ID          int64     `json:"id"`
	SealedAfter time.Time `json:"sealed_after"`
}

// File encodes the proof as a file.
func (p Proof) File() ([]byte, error) {
	file, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the proof: %w", err)
	}
	return append(file, '\n'), nil
}

// Payment proves a payment's transfers to a user of its merchant. It accepts
// the payment's id or uuid.
func (s *Service) Payment(ctx context.Context, who caller.Caller, paymentID string) (Proof, error) {
	return s.prove(ctx, who, caller.MerchantRead, SubjectPayment, func() (id, cashboxID int64, err error) {
		p, err := s.services.Payments.Get(ctx, who, paymentID)
		return p.ID, p.CashboxID, err
	})
}

// Payout proves a payout's transfers to a user of its merchant. It accepts the
// payout's uuid.
func (s *Service) Payout(ctx context.Context, who caller.Caller, payoutID string) (Proof, error) {
	return s.prove(ctx, who, caller.MerchantRead, SubjectPayout, func() (id, cashboxID int64, err error) {
		p, err := s.services.Payouts.Get(ctx, who, payoutID)
		return p.ID, p.CashboxID, err
	})
}

// Deposit proves a deposit's transfers to a user of its merchant.
func (s *Service) Deposit(ctx context.Context, who caller.Caller, depositID int64) (Proof, error) {
	return s.prove(ctx, who, caller.MerchantMoney, SubjectDeposit, func() (id, cashboxID int64, err error) {
		d, err := s.services.Deposits.Get(ctx, who, depositID)
		return d.ID, d.CashboxID, err
	})
}

// Withdrawal proves a withdrawal's transfers to a user of its merchant.
func (s *Service) Withdrawal(ctx context.Context, who caller.Caller, withdrawalID int64) (Proof, error) {
	return s.prove(ctx, who, caller.MerchantMoney, SubjectWithdrawal, func() (id, cashboxID int64, err error) {
		w, err := s.services.Withdrawals.Get(ctx, who, withdrawalID)
		return w.ID, w.CashboxID, err
	})
}

// prove finds a subject for a caller with the capability, and proves the
// transfers of its cashbox.
func (s *Service) prove(
	ctx context.Context, who caller.Caller, needed caller.Capability, subject string,
	find func() (id, cashboxID int64, err error),
) (Proof, error) {
	if err := who.Admit(ctx, needed); err != nil {
		return Proof{}, err
	}
	id, cashboxID, err := find()
	if err != nil {
		return Proof{}, err
	}
	p := Proof{
		Format: FormatProof, Subject: subject, SubjectID: id,
		Transfers: []Transfer{}, Pages: []Page{}, Waiting: []Waiting{},
	}
	moved, err := s.q.LedgerTransfersOf(ctx, db.LedgerTransfersOfParams{Subject: subject, SubjectID: id})
	if err != nil {
		return p, fmt.Errorf("read transfers: %w", err)
	}
	for _, t := range moved {
		if !owns(cashboxID, t.DebitAccount) && !owns(cashboxID, t.CreditAccount) {
			continue
		}
		if err := s.proveTransfer(ctx, &p, t, cashboxID); err != nil {
			return p, fmt.Errorf("prove transfer %d: %w", t.ID, err)
		}
	}
	return p, nil
}

func owns(cashboxID, account int64) bool {
	a := ledger.AccountOf(account)
	return a.Owner == ledger.Cashbox && a.OwnerID == cashboxID
}

// proveTransfer adds a transfer and its page to the proof or, if it is on no
// page yet, when it will be. Of its sides only those of the cashbox are shown.
func (s *Service) proveTransfer(ctx context.Context, p *Proof, t db.Transfer, cashboxID int64) error {
	made := t.CreatedAt.UTC().Truncate(day)
	row, err := s.q.LedgerPageOf(ctx, db.LedgerPageOfParams{Day: made, ID: t.ID})
	if db.NoRows(err) {
		w, err := s.waits(ctx, t.ID, made)
		p.Waiting = append(p.Waiting, w)
		return err
	}
	if err != nil {
		return err
	}
	proven, err := s.place(ctx, row, t)
	if err != nil {
		return err
	}
	for side, to := range map[string]*Side{debit: &proven.Debit, credit: &proven.Credit} {
		shown := openingOf(proven.salt, t, side)
		to.Hash = shown.hash(side)
		if account := accountOn(t, side); owns(cashboxID, account) {
			to.Shown = &shown
		}
	}
	p.Transfers = append(p.Transfers, proven.Transfer)
	page := pageOf(row)
	if !slices.ContainsFunc(p.Pages, func(have Page) bool { return have.Day == page.Day }) {
		p.Pages = append(p.Pages, page)
	}
	return nil
}

// waits tells when a transfer that is on no page will be sealed: with its own
// day or, if that is sealed already, with the next one.
func (s *Service) waits(ctx context.Context, id int64, made time.Time) (Waiting, error) {
	last, err := s.q.LedgerPageLast(ctx)
	if db.IgnoreNoRows(err) != nil {
		return Waiting{}, fmt.Errorf("read the last page: %w", err)
	}
	if next := last.Day.Add(day); err == nil && next.After(made) {
		made = next
	}
	return Waiting{ID: id, SealedAfter: made.Add(day + Grace)}, nil
}

type placed struct {
	Transfer
	salt []byte
}

var errNotOnPage = errors.New("the ledger is not as it was when the page was sealed")

// place finds a transfer's place on a page, and the path from there to the
// root. It reads only one part of the day, and the stored roots of the others.
func (s *Service) place(ctx context.Context, row db.LedgerPage, t db.Transfer) (placed, error) {
	p := placed{Transfer: Transfer{Header: headerOf(t), Day: row.Day.Format(time.DateOnly)}}
	decided, err := s.q.LedgerSealGet(ctx, row.Day)
	if err != nil {
		return p, fmt.Errorf("read what the page is made of: %w", err)
	}
	p.salt, p.Leaf = decided.Salt, leafOf(decided.Salt, t)
	parts, err := s.q.LedgerPartList(ctx, row.Day)
	if err != nil {
		return p, fmt.Errorf("read the parts of the day: %w", err)
	}
	at := slices.IndexFunc(parts, func(part db.LedgerPart) bool { return part.FirstID <= t.ID && t.ID <= part.LastID })
	if at < 0 {
		return p, errNotOnPage
	}
	leaves, err := s.part(ctx, row, parts[at], decided.Salt)
	if err != nil {
		return p, err
	}
	index := slices.Index(leaves, p.Leaf)
	if index < 0 {
		return p, errNotOnPage
	}
	roots := db.Each(parts, func(part db.LedgerPart) Hash { return toHash(part.Hash) })
	p.Index = int64(at)*partSize + int64(index)
	p.Path = append(append([]Hash{}, pathOf(leaves, index)...), pathOf(roots, at)...)
	if root, whole := climb(p.Leaf, p.Index, row.Transfers, p.Path); !whole || root != toHash(row.Root) {
		return p, errNotOnPage
	}
	return p, nil
}

// part are the hashes of the leaves of a part of a day.
func (s *Service) part(ctx context.Context, row db.LedgerPage, part db.LedgerPart, salt []byte) ([]Hash, error) {
	of := dueDay{day: row.Day}
	if row.PreviousDay != nil {
		before, err := s.q.LedgerPageGet(ctx, *row.PreviousDay)
		if err != nil {
			return nil, fmt.Errorf("read the page before: %w", err)
		}
		of.before = &before
	}
	transfers, err := s.q.LedgerDayTransfers(ctx,
		of.span(row.LastID).transfers(part.FirstID-1, part.LastID, partSize+1))
	return db.Each(transfers, func(t db.Transfer) Hash { return leafOf(salt, t) }), fault.Doing("read a part of the day", err)
}

func accountOn(t db.Transfer, side string) int64 {
	if side == debit {
		return t.DebitAccount
	}
	return t.CreditAccount
}

// subjectName is the subject's name in a sentence.
func subjectName(subject string, id int64) string {
	if subject == SubjectPayout {
		subject = "payout"
	}
	return subject + " " + strconv.FormatInt(id, 10)
}
