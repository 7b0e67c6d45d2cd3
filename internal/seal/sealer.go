package seal

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	day = 24 * time.Hour
	// Grace is how long after its end a day is sealed, so that most late
	// transfers are still on its page. Later ones are on the next.
	Grace = 10 * time.Minute
	// partSize is how many transfers a part of a day has. The stored parts
	// depend on it.
	partSize = 1024
	// readSize is how many transfers are read at a time: a whole number of
	// parts.
	readSize = 8 * partSize
	// turn is how long a process may take to seal a day before another
	// process may try, too.
	turn = 10 * time.Minute
)

type Sealer struct {
	pool   db.Pool
	q      *db.Queries
	clock  clock.Clock
	signer *attest.Signer
	// writersLeave is how long the sealer waits for open transactions.
	writersLeave time.Duration
}

// NewSealer makes a sealer. The signer's key has to be published.
func NewSealer(pool db.Pool, c clock.Clock, signer *attest.Signer) *Sealer {
	return &Sealer{pool: pool, q: db.New(pool), clock: c, signer: signer, writersLeave: 10 * time.Second}
}

// Run seals all days that are over and not sealed, one after the other. However
// many processes do it, and wherever one of them stops, it comes to the same
// pages:
//
//  1. It is decided once, in a row of its own, up to which id a day's page goes, and only when no
//     transaction can commit such an id any more.
//  2. A page has the transfers up to that id that were made before the day's end and are on no page
//     before. So each transfer is on exactly one page, and what is committed late, or by a clock that
//     went back, is on the first page that is decided after it.
//  3. From then on nothing about the page can change: transfers are never changed. So it is read in
//     short steps, without a transaction around them, and the first page to be written stays.
func (s *Sealer) Run(ctx context.Context) error {
	if due, err := s.next(ctx); err != nil || due == nil {
		return err
	}
	taken, err := s.q.LedgerSealerTake(ctx, turn.Seconds())
	if err != nil {
		return fmt.Errorf("take the turn to seal: %w", err)
	}
	if taken == 0 {
		return nil
	}
	err = s.sealAll(ctx)
	return errors.Join(err, s.q.LedgerSealerLeave(ctx))
}

// sealAll seals one day after the other until none is due. It stops at the
// first that fails, because a page is chained to the page of the day before.
func (s *Sealer) sealAll(ctx context.Context) error {
	for ctx.Err() == nil {
		due, err := s.next(ctx)
		if err != nil || due == nil {
			return err
		}
		if err := s.seal(ctx, *due); err != nil {
			return fmt.Errorf("seal %s: %w", due.day.Format(time.DateOnly), err)
		}
	}
	return ctx.Err()
}

// span selects the transfers of a page: see LedgerDayTransfers.
type span struct {
	day              time.Time
	begin, end       time.Time
	beforeID, lastID int64
}

// next returns the day to be sealed now, or nil.
func (s *Sealer) next(ctx context.Context) (*dueDay, error) {
	d := &dueDay{}
	switch last, err := s.q.LedgerPageLast(ctx); {
	case err == nil:
		d.day, d.before = last.Day.Add(day), &last
	case !db.NoRows(err):
		return nil, fmt.Errorf("read the last page: %w", err)
	default:
		first, err := s.q.LedgerFirstMade(ctx)
		if err != nil {
			return nil, db.IgnoreNoRows(err) // there are no transfers yet
		}
		d.day = first.UTC().Truncate(day)
	}
	if d.day.Add(day + Grace).After(s.clock.Now()) {
		return nil, nil
	}
	return d, nil
}

// dueDay is a day to be sealed, and the page before it, nil for the first.
type dueDay struct {
	day    time.Time
	before *db.LedgerPage
}

func (d dueDay) span(lastID int64) span {
	s := span{day: d.day, begin: d.day, end: d.day.Add(day), lastID: lastID}
	if d.before == nil { // the first page has everything that was made before
		s.begin, s.beforeID = time.Time{}, lastID
		return s
	}
	s.beforeID = d.before.LastID
	return s
}

// seal makes the page of a day that is over. It has no transaction. If it is
// stopped, or another process does the same, what is decided and stored is used
// again, and the first page to be written stays.
func (s *Sealer) seal(ctx context.Context, due dueDay) error {
	decided, err := s.decide(ctx, due.day)
	if err != nil {
		return err
	}
	var before Totals
	if due.before != nil {
		if before, err = totalsOf(due.before.Totals); err != nil {
			return err
		}
	}
	r := reading{sealer: s, span: due.span(decided.LastID), salt: decided.Salt, count: countFrom(before)}
	if err := r.read(ctx); err != nil {
		return err
	}
	return s.write(ctx, due, r)
}

// decide stores which transfers a day's page has, unless that is stored
// already.
func (s *Sealer) decide(ctx context.Context, date time.Time) (db.LedgerSeal, error) {
	decided, err := s.q.LedgerSealGet(ctx, date)
	if !db.NoRows(err) {
		return decided, err
	}
	last, err := s.lastForGood(ctx)
	if err != nil {
		return decided, err
	}
	salt := make([]byte, sha256.Size)
	_, _ = rand.Read(salt)
	if err := s.q.LedgerSealInsert(ctx, db.LedgerSealInsertParams{Day: date, LastID: last, Salt: salt}); err != nil {
		return decided, fmt.Errorf("decide what is on the page: %w", err)
	}
	return s.q.LedgerSealGet(ctx, date)
}

// reading is a day's transfers while they are read.
type reading struct {
	sealer *Sealer
	span   span
	salt   []byte
	count  count

	size  int64
	parts []Hash
	// part is the last part while it is not full.
	part        tree
	first, last int64
	full        db.LedgerPartInsertParams
}

// read reads the day's transfers in the order of their ids, and stores the full
// parts on the way. What it reads is settled by decide and never changes, so it
// needs no common snapshot.
func (r *reading) read(ctx context.Context) error {
	q, s := r.sealer.q, r.span
	bounds, err := q.LedgerDayBounds(ctx, db.LedgerDayBoundsParams{
		BeginAt: s.begin, EndAt: s.end, BeforeID: s.beforeID, LastID: s.lastID,
	})
	if err != nil {
		return fmt.Errorf("find the day's transfers: %w", err)
	}
	for past := bounds.FirstID - 1; past < bounds.LastID; {
		transfers, err := q.LedgerDayTransfers(ctx, s.transfers(past, bounds.LastID, readSize))
		if err != nil {
			return fmt.Errorf("read the day's transfers: %w", err)
		}
		if len(transfers) == 0 {
			break
		}
		for _, t := range transfers {
			r.add(t)
		}
		past = r.last
		if err := r.storeParts(ctx); err != nil {
			return err
		}
	}
	r.endPart()
	return r.storeParts(ctx)
}

func (s span) transfers(past, until int64, page int32) db.LedgerDayTransfersParams {
	return db.LedgerDayTransfersParams{
		Past: past, Until: until, BeginAt: s.begin, EndAt: s.end, BeforeID: s.beforeID, Page: page,
	}
}

// add adds a transfer to the tree and the totals. Transfers must come in the
// order of their ids, which is the order of the leaves.
func (r *reading) add(t db.Transfer) {
	if r.part.size == 0 {
		r.first = t.ID
	}
	r.last = t.ID
	r.part.add(leafOf(r.salt, t))
	r.count.add(t)
	r.size++
	if r.part.size == partSize {
		r.endPart()
	}
}

func (r *reading) endPart() {
	if r.part.size == 0 {
		return
	}
	hash := r.part.root()
	r.full.Numbers = append(r.full.Numbers, int32(len(r.parts)))
	r.full.FirstIds, r.full.LastIds = append(r.full.FirstIds, r.first), append(r.full.LastIds, r.last)
	r.full.Hashes = append(r.full.Hashes, hash[:])
	r.parts, r.part = append(r.parts, hash), tree{}
}

// storeParts stores the full parts that are not stored yet.
func (r *reading) storeParts(ctx context.Context) error {
	if len(r.full.Numbers) == 0 {
		return nil
	}
	r.full.Day = r.span.day
	if err := r.sealer.q.LedgerPartInsert(ctx, r.full); err != nil {
		return fmt.Errorf("keep parts of the day: %w", err)
	}
	r.full = db.LedgerPartInsertParams{}
	return nil
}

// write makes the page from the transfers that were read. If another process
// has already written it, that page stays; one of the unique indexes notices
// that.
func (s *Sealer) write(ctx context.Context, due dueDay, r reading) error {
	totals, now := r.count.totals(), s.clock.Now().UTC().Truncate(time.Second)
	page := Page{
		Day: due.day.Format(time.DateOnly), Transfers: r.size, Root: rootOf(r.parts), Totals: totals.hash(r.salt),
		SealedAt: now.Format(time.RFC3339),
	}
	row := db.LedgerPageInsertParams{Day: due.day, LastID: r.span.lastID, Transfers: r.size, SealedAt: now}
	if due.before != nil {
		page.Previous, row.PreviousDay = toHash(due.before.Hash), &due.before.Day
	}
	page.Hash = sha256.Sum256(page.signed())
	row.Kid, row.Signature = s.signer.SignBytes(page.signed())
	row.Root, row.TotalsHash, row.PreviousHash = page.Root[:], page.Totals[:], page.Previous[:]
	row.Hash = page.Hash[:]
	var err error
	if row.Totals, err = json.Marshal(totals); err != nil {
		return fmt.Errorf("write the totals: %w", err)
	}
	return fault.Doing("write the page", s.q.LedgerPageInsert(ctx, row))
}
