package directory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/requisite"
)

// Block keeps a payer from paying, or a requisite from being paid out to.
type Block struct {
	ID   int64
	Kind block.Kind
	// Shown is the user id or address; of a card or requisite it is only
	// the last characters.
	Shown string
	// MerchantID is the merchant at which the block applies; nil is all
	// merchants. Own says that the merchant made it.
	MerchantID *int64
	Own        bool
	Reason     string
	// Until is when it ends by itself, or nil.
	Until     *time.Time
	CreatedAt time.Time
	CreatedBy string
	// EndedAt, EndedBy and EndedReason say who lifted it; nil where nobody
	// has.
	EndedAt              *time.Time
	EndedBy, EndedReason *string

	mark string
}

// Holds reports whether the block applies at a time.
func (b Block) Holds(now time.Time) bool {
	return b.EndedAt == nil && (b.Until == nil || now.Before(*b.Until))
}

// NewBlock is what is to be blocked.
type NewBlock struct {
	Kind block.Kind
	// Value is a user id, an address or a requisite. With PaymentID the
	// value is taken from that payment instead; a card can be blocked only
	// in this way.
	Value     string
	PaymentID int64
	// MerchantID is the merchant at which the block is to apply; 0 is all
	// merchants. For a merchant's users it is always their own.
	MerchantID int64
	Reason     string
	Until      *time.Time
}

const (
	maxBlockValue  = 255
	wrongRecipient = "must be a phone number such as +79001234567, a card number, or an account number of 20 digits"
)

// separators removes what people put between the characters of a requisite.
var separators = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "-", "", "(", "", ")", "")

// blockNeeds are the capabilities to block, and blockReads those to see what is
// blocked.
var (
	blockNeeds = []caller.Capability{caller.OperatorBlock, caller.MerchantBlock}
	blockReads = []caller.Capability{caller.OperatorRead, caller.MerchantRead}
)

// BlockPayer blocks a payer or a requisite. If it is blocked already, only the
// reason and the end are changed, and it ends no sooner: whoever blocks by a
// payment does not see what block there is.
func (s *Settings) BlockPayer(ctx context.Context, who caller.Caller, n NewBlock) (Block, error) {
	if err := who.Need(blockNeeds...); err != nil {
		return Block{}, err
	}
	row, err := s.newBlock(ctx, who, n)
	if err != nil {
		return Block{}, err
	}
	var id int64
	err = s.changeBlock(ctx, row, func(q *db.Queries) (err error) {
		id, err = q.PayerBlockSet(ctx, row)
		return err
	})
	if err != nil {
		return Block{}, err
	}
	return s.Block(ctx, who, id)
}

// UnblockPayer lifts a block. A merchant's users can lift only blocks that the
// merchant made.
func (s *Settings) UnblockPayer(ctx context.Context, who caller.Caller, id int64, reason string) (Block, error) {
	if err := who.Need(blockNeeds...); err != nil {
		return Block{}, err
	}
	f := fault.Decoded(ctx)
	reason = f.RequiredText("reason", reason, maxReason)
	if err := f.Err(); err != nil {
		return Block{}, err
	}
	found, err := s.Block(ctx, who, id)
	if err != nil || found.EndedAt != nil {
		return found, err
	}
	change := db.PayerBlockSetParams{
		Mark: found.mark, MerchantID: found.MerchantID, Own: found.Own, CreatedAt: s.clock.Now(), CreatedBy: who.Actor(),
	}
	err = s.changeBlock(ctx, change, func(q *db.Queries) error {
		return q.PayerBlockEnd(ctx, db.PayerBlockEndParams{
			ID: id, EndedAt: &change.CreatedAt, EndedBy: &change.CreatedBy, EndedReason: &reason,
		})
	})
	if err != nil {
		return Block{}, err
	}
	return s.Block(ctx, who, id)
}

// changeBlock changes a block for the caller that the row names, and records
// the change.
func (s *Settings) changeBlock(ctx context.Context, row db.PayerBlockSetParams, apply func(q *db.Queries) error) error {
	scope := "all"
	if row.MerchantID != nil {
		scope = fmt.Sprint(*row.MerchantID)
	}
	c := Change{At: row.CreatedAt, Actor: row.CreatedBy, Subject: "payer_block", SubjectKey: scope + "/" + row.Mark}
	_, err := db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true, New: true, Apply: apply,
		Read: func(q *db.Queries) ([]byte, error) {
			return q.PayerBlockSetting(ctx, db.PayerBlockSettingParams{
				Mark: row.Mark, MerchantID: row.MerchantID, Own: row.Own,
			})
		},
	})
	return err
}

// newBlock checks what is to be blocked.
func (s *Settings) newBlock(ctx context.Context, who caller.Caller, n NewBlock) (db.PayerBlockSetParams, error) {
	f := fault.Decoded(ctx)
	row := db.PayerBlockSetParams{
		Kind: string(n.Kind), Reason: f.RequiredText("reason", n.Reason, maxReason), Until: n.Until,
		CreatedAt: s.clock.Now(), CreatedBy: who.Actor(), MerchantID: optional.Of(n.MerchantID),
	}
	if who.Kind == caller.MerchantPortal {
		row.MerchantID, row.Own = &who.MerchantID, true
	}
	f.Check(n.Until == nil || n.Until.After(row.CreatedAt), "until", "must be in the future")
	if row.MerchantID != nil && !row.Own {
		known, err := s.q.MerchantList(ctx, db.MerchantListParams{ID: row.MerchantID, BeforeID: *row.MerchantID + 1, Page: 1})
		if err != nil {
			return row, fmt.Errorf("read merchant: %w", err)
		}
		f.Check(len(known) == 1, "merchantId", "is not a merchant")
	}
	var err error
	if n.PaymentID != 0 {
		err = s.payerOf(ctx, f, who, n, &row)
	} else {
		s.typedMark(f, n, &row)
	}
	if err == nil {
		err = f.Err()
	}
	return row, err
}

// typedMark sets the mark and the shown text from the value that was typed.
func (s *Settings) typedMark(f fault.Fields, n NewBlock, row *db.PayerBlockSetParams) {
	value := f.RequiredText("value", n.Value, maxBlockValue)
	row.Shown = value
	switch n.Kind {
	case block.User:
		row.Mark = block.UserMark(&value)
	case block.Address:
		row.Mark = block.AddressMark(&value)
		f.Check(row.Mark != "" || value == "", "value", "must be an IP address")
		row.Shown = strings.TrimPrefix(row.Mark, string(block.Address)+":")
	case block.Requisite:
		// Payouts have it in one form only: a block of another one
		// would keep nobody from anything.
		value = separators.Replace(value)
		f.Check(requisite.Recipient(value) || value == "", "value", wrongRecipient)
		row.Mark, row.Shown = block.RequisiteMark(s.requisites.Hash("", value)), requisite.Mask(value)
	case block.Card:
		f.Add("paymentId", "is required: a card is blocked by a payment that it was entered for")
	default:
		f.Add("kind", "must be user, card, address or requisite")
	}
}

// payerOf sets the mark and the shown text from a payment. A user of another
// merchant than the payment's is refused.
func (s *Settings) payerOf(
	ctx context.Context, f fault.Fields, who caller.Caller, n NewBlock, row *db.PayerBlockSetParams,
) error {
	p, err := s.payer(ctx, who, n.PaymentID)
	if err != nil {
		return err
	}
	switch n.Kind {
	case block.User:
		row.Mark, row.Shown = block.UserMark(p.PayerUserID), optional.Value(p.PayerUserID)
	case block.Address:
		row.Mark, row.Shown = block.AddressMark(&p.Address), p.Address
	case block.Card:
		row.Mark, row.Shown = block.CardMark(p.Card), requisite.Mask(optional.Value(p.Last4))
	default:
		f.Add("kind", "must be user, card or address")
		return nil
	}
	f.Check(row.Mark != "", "kind", "is not known of this payment")
	return nil
}

// payer reads what is known of a payment's payer. A user of another merchant is
// refused. Whether the caller may block, or see blocks, is checked before.
func (s *Settings) payer(ctx context.Context, who caller.Caller, paymentID int64) (db.PayerOfPaymentRow, error) {
	p, err := s.q.PayerOfPayment(ctx, paymentID)
	switch {
	case db.NoRows(err):
		return p, fault.ErrNotFound
	case err != nil:
		return p, fmt.Errorf("read payer: %w", err)
	case who.Kind == caller.MerchantPortal && p.MerchantID != who.MerchantID:
		return p, fault.ErrCashboxAccessDenied
	}
	return p, nil
}
