package payout

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"gateway.example/internal/attachment"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/sensitive"
)

// Proof shows that a payout was paid.
type Proof struct {
	// Reference is required; it is, for example, the transfer's number.
	Reference *string
	// FileName is the trader's name of the file, and the file a photo or a
	// PDF. Without content there is no file.
	FileName string
	File     *io.SectionReader
}

// check checks a trader's proof, and returns the media type of its file.
func (p Proof) check(f fault.Fields) (reference *string, media string, err error) {
	reference = requiredText(f, "proofReference", p.Reference)
	if p.File != nil {
		media, err = attachment.Check(f, p.FileName, p.File, attachment.Receipts)
	}
	return reference, media, err
}

// keep stores the file in the transaction that completes the payout.
func (p Proof) keep(ctx context.Context, q *db.Queries, of db.Payout, media string, now time.Time) error {
	content, size, err := attachment.WithoutMetadata(p.File, media)
	if err != nil {
		return fmt.Errorf("read proof: %w", err)
	}
	err = q.PayoutProofInsert(ctx, db.PayoutProofInsertParams{
		MerchantID: of.MerchantID, PayoutID: of.ID, FileName: p.FileName, FileType: media, FileSize: size, CreatedAt: now,
	})
	if err != nil {
		return fmt.Errorf("keep proof: %w", err)
	}
	return attachment.Store(ctx, q, content, size, func(ctx context.Context, at int32, piece []byte) error {
		return q.PayoutProofChunkInsert(ctx, db.PayoutProofChunkInsertParams{
			MerchantID: of.MerchantID, PayoutID: of.ID, Number: at, Content: piece,
		})
	})
}

// ProofFile is the file that shows that a payout was paid.
type ProofFile struct {
	// Name is the trader's name of the file, made safe to show and to save.
	// Type is the media type of the content, which has Size bytes.
	Name, Type string
	Size       int64
	SentAt     time.Time
}

// FindProof finds the file that proves a payout, for the trader who took it,
// its merchant or an operator. It is nil if none was sent.
func (s *Service) FindProof(ctx context.Context, who caller.Caller, id string) (*ProofFile, error) {
	_, row, err := s.findProof(ctx, who, id)
	if row == nil || err != nil {
		return nil, err
	}
	file := proofFile(*row)
	return &file, nil
}

func proofFile(row db.PayoutProof) ProofFile {
	return ProofFile{
		Name: attachment.KeptName(row.FileName, row.FileType), Type: row.FileType, Size: row.FileSize, SentAt: row.CreatedAt,
	}
}

// findProof finds a payout that the caller may see, and what is known of its
// proof, nil if none was sent. It does not read the file, and records nothing.
func (s *Service) findProof(ctx context.Context, who caller.Caller, id string) (db.Payout, *db.PayoutProof, error) {
	p, err := s.findShown(ctx, who, id)
	if err != nil {
		return p, nil, err
	}
	row, err := s.q.PayoutProofGet(ctx, db.PayoutProofGetParams{MerchantID: p.MerchantID, PayoutID: p.ID})
	if db.NoRows(err) {
		return p, nil, nil
	}
	if err != nil {
		return p, nil, fmt.Errorf("read proof: %w", err)
	}
	return p, &row, nil
}

// findShown finds a payout for a caller who may see all of it: the trader who
// took it, its merchant, or an operator.
func (s *Service) findShown(ctx context.Context, who caller.Caller, id string) (db.Payout, error) {
	if who.Kind == caller.MerchantPortal || who.Kind == caller.MerchantKey {
		return s.findOwn(ctx, who, caller.MerchantRead, id)
	}
	if err := who.Need(caller.TraderRead, caller.OperatorRead); err != nil {
		return db.Payout{}, err
	}
	p, err := s.find(ctx, id)
	if err == nil && who.Kind == caller.Trader && !isTaker(p, who) {
		err = fault.ErrNotFound
	}
	return p, err
}

// ReadProof reads the file that proves a payout. That an operator read it is
// recorded.
func (s *Service) ReadProof(ctx context.Context, who caller.Caller, id string) (ProofFile, []byte, error) {
	p, row, err := s.findProof(ctx, who, id)
	switch {
	case err != nil:
		return ProofFile{}, nil, err
	case row == nil:
		return ProofFile{}, nil, fault.ErrNotFound
	case row.PurgedAt != nil:
		return ProofFile{}, nil, attachment.ErrPurged
	}
	pieces, err := s.q.PayoutProofChunkList(ctx, db.PayoutProofChunkListParams{MerchantID: p.MerchantID, PayoutID: p.ID})
	if err != nil {
		return ProofFile{}, nil, fmt.Errorf("read proof: %w", err)
	}
	subject := sensitive.Subject{Kind: "payin", Key: strconv.FormatInt(p.ID, 10), What: "file"}
	return proofFile(*row), bytes.Join(pieces, nil), sensitive.Record(ctx, s.q, who, s.clock.Now(), subject)
}
