package payout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/vault"
)

const (
	// keepUnmade is how long a file is kept without its payouts being made,
	// and unmadeMost is how many such files a merchant may have; a new file
	// replaces the oldest.
	keepUnmade = 24 * time.Hour
	unmadeMost = 20
)

type File struct {
	ID, KeyID int64
	Name      string
	SentAt    time.Time
	// MadeAt and MadeBy are when and by whom the payouts were made; nil
	// before that.
	MadeAt *time.Time
	MadeBy *string
	// Payouts is how many were made, and Amount and FrozenUSDT are their
	// sums.
	Payouts            int
	Amount, FrozenUSDT decimal.Decimal
}

func (f File) Made() bool { return f.MadeAt != nil }

func fileOf(row db.PayoutFileListRow) File {
	f := File{
		ID: row.ID, KeyID: row.KeyID, Name: row.Name, SentAt: row.SentAt,
		MadeAt: row.MadeAt, MadeBy: row.MadeBy, Amount: row.Amount.Decimal, FrozenUSDT: row.FrozenUSDT.Decimal,
	}
	if row.Payouts != nil {
		f.Payouts = int(*row.Payouts)
	}
	return f
}

func fromFileRow(row db.PayoutFile) File {
	return fileOf(db.PayoutFileListRow{
		ID: row.ID, KeyID: row.KeyID, Name: row.Name, SentAt: row.SentAt,
		MadeAt: row.MadeAt, MadeBy: row.MadeBy, Payouts: row.Payouts, Amount: row.Amount, FrozenUSDT: row.FrozenUSDT,
	})
}

func filePlace(id int64) vault.Place {
	return vault.Place{Table: "payout_file", Column: "content", Row: id}
}

// NewFile is an uploaded file, and the key by which its payouts are to be made.
type NewFile struct {
	KeyID   int64
	Name    string
	Content []byte
}

// SendFile stores a file so that it can be previewed before its payouts are
// made. A file with the same content is not stored twice: its payouts will be
// made by the new key, unless they are made already.
func (s *Service) SendFile(ctx context.Context, who caller.Caller, n NewFile) (File, error) {
	if err := who.Need(caller.MerchantPayouts); err != nil {
		return File{}, err
	}
	f := fault.Decoded(ctx)
	if f.Check(len(n.Content) > 0, "file", "must not be empty"); !f.Wrong("file") {
		f.Check(len(n.Content) <= MaxFileSize, "file", "%s", fault.LargerThan(MaxFileSize))
	}
	n.Name = f.RequiredText("name", n.Name, maxText)
	f.Flaw("name", fault.NameFlaw(n.Name))
	if err := f.Err(); err != nil {
		return File{}, err
	}
	keys, err := s.keys(ctx, s.q, who, &n.KeyID)
	if err != nil {
		return File{}, err
	}
	if len(keys) == 0 {
		return File{}, fault.Fields{"keyId": {"is no key of yours that may ask for payouts"}}.Err()
	}
	t, err := readTable(ctx, n.Content)
	if err == nil {
		_, err = t.lines(ctx, keys[0].Currency, s.addresses)
	}
	if err != nil {
		return File{}, err
	}
	id, err := s.keep(ctx, who, keys[0], n)
	if err != nil {
		return File{}, fmt.Errorf("keep a file of payouts: %w", err)
	}
	return s.File(ctx, who, id)
}

// keep stores a file, or finds the one with the same content.
func (s *Service) keep(ctx context.Context, who caller.Caller, k Key, n NewFile) (id int64, err error) {
	sum := sha256.Sum256(n.Content)
	hash := hex.EncodeToString(sum[:])
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		next, err := q.PayoutFileNext(ctx)
		if err != nil {
			return err
		}
		id, err = q.PayoutFileInsert(ctx, db.PayoutFileInsertParams{
			ID: next, MerchantID: who.MerchantID, KeyID: k.ID, CashboxID: k.CashboxID, Hash: hash, Name: n.Name,
			Content: s.vault.Seal(n.Content, filePlace(next)), SentAt: s.clock.Now(), SentBy: who.Actor(),
		})
		if db.NoRows(err) {
			id, err = q.PayoutFileByHash(ctx, db.PayoutFileByHashParams{MerchantID: who.MerchantID, Hash: hash})
			return err
		}
		if err != nil {
			return err
		}
		return q.PayoutFileTrim(ctx, db.PayoutFileTrimParams{MerchantID: who.MerchantID, Keep: unmadeMost})
	})
	return id, err
}

// File reads a file of the caller's merchant.
func (s *Service) File(ctx context.Context, who caller.Caller, id int64) (File, error) {
	row, err := s.fileRow(ctx, who, id)
	return fromFileRow(row), err
}

// fileRow reads a file of the caller's merchant, for those who may see its
// money. A file of another merchant is not found. It takes no lock, so whether
// the payouts are made has to be read again under one.
func (s *Service) fileRow(ctx context.Context, who caller.Caller, id int64) (db.PayoutFile, error) {
	if err := who.Need(caller.MerchantMoney); err != nil {
		return db.PayoutFile{}, err
	}
	row, err := s.fresh().PayoutFileGet(ctx, db.PayoutFileGetParams{MerchantID: who.MerchantID, ID: id})
	switch {
	case db.NoRows(err):
		return row, fault.ErrNotFound
	case err != nil:
		return row, fmt.Errorf("read a file of payouts: %w", err)
	}
	return row, nil
}

// tableOf reads what a kept file has, which never changes.
func (s *Service) tableOf(ctx context.Context, row db.PayoutFile) (table, error) {
	content, err := s.vault.Open(row.Content, filePlace(row.ID))
	if err != nil {
		return table{}, err
	}
	return readTable(ctx, content)
}

// fresh reads through the pool that writes, to see what has just been written.
func (s *Service) fresh() *db.Queries { return db.New(s.pool) }

// PreviewFile shows what the payouts of a file would be if they were made now,
// and what prevents that.
func (s *Service) PreviewFile(ctx context.Context, who caller.Caller, id int64) (Preview, error) {
	row, err := s.fileRow(ctx, who, id)
	if err != nil || row.MadeAt != nil {
		return Preview{}, err
	}
	t, err := s.tableOf(ctx, row)
	if err != nil {
		return Preview{}, err
	}
	preview, _, _, err := s.draftFile(ctx, s.fresh(), who, row.KeyID, t)
	return preview, err
}

type FilePage struct{ db.Page }

// Files lists the files of the caller's merchant, the newest first. The cursor
// is nil on the last page.
func (s *Service) Files(ctx context.Context, who caller.Caller, page FilePage) ([]File, *string, error) {
	if err := who.Need(caller.MerchantMoney); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	limit, before := page.Bounds(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	rows, err := s.fresh().PayoutFileList(ctx, db.PayoutFileListParams{MerchantID: who.MerchantID, BeforeID: before, Page: limit + 1})
	if err != nil {
		return nil, nil, fmt.Errorf("list files of payouts: %w", err)
	}
	rows, cursor := db.Cut(rows, limit, func(row db.PayoutFileListRow) int64 { return row.ID })
	return db.Each(rows, fileOf), cursor, nil
}

// FileProgress counts the payouts of a file by their status.
func (s *Service) FileProgress(ctx context.Context, who caller.Caller, id int64) (map[Status]int64, error) {
	if _, err := s.fileRow(ctx, who, id); err != nil {
		return nil, err
	}
	rows, err := s.fresh().PayoutFileCounts(ctx, db.PayoutFileCountsParams{MerchantID: who.MerchantID, FileID: id})
	if err != nil {
		return nil, fmt.Errorf("count the payouts of a file: %w", err)
	}
	counts := map[Status]int64{}
	for _, row := range rows {
		counts[Status(row.Status)] = row.Payouts
	}
	return counts, nil
}

// FilePayout is the payout that a line of a file asked for.
type FilePayout struct {
	Line int
	Payout
}

// FilePayouts lists the payouts of a file in the order of its lines. The cursor
// is nil on the last page.
func (s *Service) FilePayouts(ctx context.Context, who caller.Caller, id int64, page FilePage) ([]FilePayout, *string, error) {
	if _, err := s.fileRow(ctx, who, id); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	limit, after := page.Bounds(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	if page.Cursor == nil {
		after = 0
	}
	return s.filePayouts(ctx, who, id, int32(min(after, MaxFileRows+headRows)), limit)
}

// filePayouts reads payouts of a file below a line. Its callers have checked
// that the caller may see the file.
func (s *Service) filePayouts(ctx context.Context, who caller.Caller, id int64, after, limit int32) ([]FilePayout, *string, error) {
	rows, err := s.fresh().PayoutFileRowList(ctx, db.PayoutFileRowListParams{
		MerchantID: who.MerchantID, FileID: id, After: after, Page: limit + 1,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list the payouts of a file: %w", err)
	}
	rows, cursor := db.Cut(rows, limit, func(row db.PayoutFileRowListRow) int64 { return int64(row.Line) })
	return db.Each(rows, func(row db.PayoutFileRowListRow) FilePayout {
		return FilePayout{Line: int(row.Line), Payout: FromRow(row.Payout)}
	}), cursor, nil
}

// AllFilePayouts lists all payouts of a file in the order of its lines.
func (s *Service) AllFilePayouts(ctx context.Context, who caller.Caller, id int64) ([]FilePayout, error) {
	if _, err := s.fileRow(ctx, who, id); err != nil {
		return nil, err
	}
	list, _, err := s.filePayouts(ctx, who, id, 0, MaxFileRows)
	return list, err
}

// PurgeFiles deletes files that were sent at least keepUnmade ago and whose
// payouts were not made.
func (s *Service) PurgeFiles(ctx context.Context) error {
	_, err := s.fresh().PayoutFilePurge(ctx, s.clock.Now().Add(-keepUnmade))
	return err
}

// FileTemplate is an empty file as CSV: the names of the columns and an example
// row to overwrite.
func FileTemplate() string {
	return strings.Join(FileColumns[:needed], ",") + ",bankName\r\n" + "PAYOUT-1,1500.00,sbp,79001234567,Ivan Petrov,Sberbank\r\n"
}
