package payment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/attachment"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/sensitive"
)

// MaxReceipts is how many receipts a payer may send for one payment.
//
//rule:how many receipts a payer may send
const MaxReceipts = 3

// receiptWindow is how long after a payment ended unpaid receipts are still
// accepted.
const receiptWindow = 24 * time.Hour

var (
	errReceiptsFull   = fault.New(fault.Refused, "receipts_full", "The payment has as many receipts as it may have.")
	errReceiptsClosed = fault.New(
		fault.Refused,
		"receipts_closed",
		"Receipts are taken once the payer says that they have paid, and until 24 hours after an unpaid end.",
	)
)

// Receipt is a file by which a payer shows that they have paid.
type Receipt struct {
	// Number is 1 to MaxReceipts, in the order they came.
	Number int32
	// Name is the payer's name of the file, made safe to show and to save.
	Name string
	// Type is the media type of the content, Size its length in bytes.
	Type      string
	Size      int64
	CreatedAt time.Time
}

func receiptFromRow(row db.PaymentReceipt) Receipt {
	return Receipt{
		Number: int32(row.Number), Name: attachment.KeptName(row.FileName, row.FileType), Type: row.FileType, Size: row.FileSize,
		CreatedAt: row.CreatedAt,
	}
}

// TakesReceipts reports whether the payer may send a receipt now. It does not
// check how many were sent.
func (p Payment) TakesReceipts(now time.Time) bool {
	switch {
	case p.CardCheckout():
		return false
	case p.Status == Failed || p.Status == Cancelled:
		return !now.After(p.StatusAt.Add(receiptWindow))
	}
	return p.Status == Pending && p.ClaimedAt != nil || p.Status == Appeal
}

// AddReceipt stores a receipt for the holder of the payment's link, at most
// MaxReceipts for a payment.
func (s *Service) AddReceipt(ctx context.Context, id uuid.UUID, name string, file *io.SectionReader) error {
	return s.AddReceiptAfter(ctx, id, MaxReceipts, name, file)
}

// AddReceiptAfter is AddReceipt for a form that was shown when the payment had
// so many receipts: one that is sent twice, or again after a broken connection,
// is stored once.
func (s *Service) AddReceiptAfter(ctx context.Context, id uuid.UUID, shown int, name string, file *io.SectionReader) error {
	found, err := s.findByUUID(ctx, id)
	if err != nil {
		return err
	}
	f := fault.Fields{}
	media, err := attachment.Check(f, name, file, attachment.Receipts)
	if err != nil {
		return err
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.inLocked(ctx, found.MerchantID, found.ID, func(tx pgx.Tx, p db.Payment) error {
		q, now := db.New(tx), s.clock.Now()
		if !s.FromRow(p).TakesReceipts(now) {
			return errReceiptsClosed
		}
		count, err := q.ReceiptCount(ctx, db.ReceiptCountParams{MerchantID: p.MerchantID, PaymentID: p.ID})
		if err != nil {
			return fmt.Errorf("count receipts: %w", err)
		}
		if count >= MaxReceipts {
			return errReceiptsFull
		}
		if count > int64(shown) {
			if again, err := hasReceipt(ctx, q, p, file, media); err != nil || again {
				return err
			}
		}
		content, size, err := attachment.WithoutMetadata(file, media)
		if err != nil {
			return fmt.Errorf("read receipt: %w", err)
		}
		number := int16(count) + 1
		err = q.ReceiptInsert(ctx, db.ReceiptInsertParams{
			MerchantID: p.MerchantID,
			PaymentID:  p.ID,
			Number:     number,
			FileName:   name,
			FileType:   media,
			FileSize:   size,
			CreatedAt:  now,
		})
		if err != nil {
			return fmt.Errorf("keep receipt: %w", err)
		}
		return attachment.Store(ctx, q, content, size, func(ctx context.Context, at int32, piece []byte) error {
			return q.ReceiptChunkInsert(ctx, db.ReceiptChunkInsertParams{
				MerchantID: p.MerchantID, PaymentID: p.ID, Receipt: number, Number: at, Content: piece,
			})
		})
	})
}

// hasReceipt reports whether a payment has a receipt with the same content.
func hasReceipt(ctx context.Context, q *db.Queries, p db.Payment, file *io.SectionReader, media string) (bool, error) {
	content, size, err := attachment.WithoutMetadata(file, media)
	if err != nil {
		return false, fmt.Errorf("read receipt: %w", err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return false, fmt.Errorf("read receipt: %w", err)
	}
	there, err := q.ReceiptThere(ctx, db.ReceiptThereParams{
		MerchantID: p.MerchantID, PaymentID: p.ID, FileSize: size, Sum: sum.Sum(nil),
	})
	return there, fault.Doing("look for the same receipt", err)
}

func (s *Service) CountReceipts(ctx context.Context, p Payment) (int, error) {
	count, err := s.q.ReceiptCount(ctx, db.ReceiptCountParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	return int(count), err
}

// ListReceipts lists the receipts of a payment that the caller may see, in the
// order they came.
func (s *Service) ListReceipts(ctx context.Context, who caller.Caller, paymentID int64) ([]Receipt, error) {
	found, err := s.findWithReceipts(ctx, who, paymentID)
	if err != nil {
		return nil, err
	}
	rows, err := s.q.ReceiptList(ctx, db.ReceiptListParams{MerchantID: found.MerchantID, PaymentID: found.ID})
	return db.Each(rows, receiptFromRow), fault.Doing("list receipts", err)
}

// findWithReceipts finds a payment if the caller may read its receipts.
func (s *Service) findWithReceipts(ctx context.Context, who caller.Caller, paymentID int64) (db.Payment, error) {
	if err := who.Admit(ctx, caller.TraderRead, caller.MerchantRead, caller.OperatorRead); err != nil {
		return db.Payment{}, err
	}
	return s.findFor(ctx, who, strconv.FormatInt(paymentID, 10))
}

func (s *Service) ReadReceipt(
	ctx context.Context,
	who caller.Caller,
	paymentID int64,
	number int32,
) (Receipt, []byte, error) {
	found, err := s.findWithReceipts(ctx, who, paymentID)
	if err != nil {
		return Receipt{}, nil, err
	}
	receipt, file, err := s.readReceipt(ctx, found, number)
	if err != nil {
		return Receipt{}, nil, err
	}
	subject := sensitive.Subject{Kind: "payment", Key: strconv.FormatInt(found.ID, 10), What: "receipt"}
	return receipt, file, sensitive.Record(ctx, s.q, who, s.clock.Now(), subject)
}

// readReceipt reads a receipt and its file for a caller who may see both. One
// that was purged is attachment.ErrPurged, one that never was is not found.
// That it was looked at, the caller records.
func (s *Service) readReceipt(ctx context.Context, found db.Payment, number int32) (Receipt, []byte, error) {
	if number < 1 || number > MaxReceipts {
		return Receipt{}, nil, fault.ErrNotFound
	}
	row, err := s.q.ReceiptGet(ctx, db.ReceiptGetParams{
		MerchantID: found.MerchantID, PaymentID: found.ID, Number: int16(number),
	})
	if err != nil {
		return Receipt{}, nil, db.Missing(err, fault.ErrNotFound, "read receipt")
	}
	if row.PurgedAt != nil {
		return Receipt{}, nil, attachment.ErrPurged
	}
	pieces, err := s.q.ReceiptChunkList(ctx, db.ReceiptChunkListParams{
		MerchantID: found.MerchantID, PaymentID: found.ID, Receipt: row.Number,
	})
	if err != nil {
		return Receipt{}, nil, fmt.Errorf("read receipt's file: %w", err)
	}
	return receiptFromRow(row), bytes.Join(pieces, nil), nil
}

// AppealWithReceipt opens an appeal of a failed payment with a receipt that the
// payer sent, for a user of the merchant's portal.
func (s *Service) AppealWithReceipt(
	ctx context.Context,
	who caller.Caller,
	paymentID int64,
	number int32,
	reason *string,
) (AppealRecord, error) {
	if err := who.Need(caller.MerchantAppeal); err != nil {
		return AppealRecord{}, err
	}
	found, err := s.findWithReceipts(ctx, who, paymentID)
	if err != nil {
		return AppealRecord{}, err
	}
	receipt, content, err := s.readReceipt(ctx, found, number)
	if err != nil {
		return AppealRecord{}, err
	}
	return s.openAppeal(ctx, who, s.FromRow(found), AppealRequest{
		Reason: reason, FileName: &receipt.Name,
		File: io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content))),
	})
}
