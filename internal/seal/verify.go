package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gateway.example/internal/attest"
)

// Verdict is the result of verifying a proof. Proven is meaningful only if
// nothing is wrong.
type Verdict struct {
	Wrong  []string
	Proven []string
}

// ParseProof parses a proof exactly as it was written. It refuses repeated and
// unknown names and another order, because readers could interpret them
// differently.
func ParseProof(file []byte) (Proof, error) {
	var p Proof
	if err := json.Unmarshal(file, &p); err != nil {
		return p, fmt.Errorf("the file: %w", err)
	}
	if p.Format != FormatProof {
		return p, fmt.Errorf("the file: not of the format %s", FormatProof)
	}
	var compact bytes.Buffer
	again, err := json.Marshal(p)
	if err := json.Compact(&compact, file); err != nil {
		return p, fmt.Errorf("the file: %w", err)
	}
	if err != nil || !bytes.Equal(again, compact.Bytes()) {
		return p, fmt.Errorf("the file: it has more than a proof has, or is written otherwise than ours are")
	}
	return p, nil
}

// Months are the months whose published pages a proof has to be compared with.
func (p Proof) Months() []string {
	var months []string
	for _, page := range p.Pages {
		months = append(months, page.month())
	}
	slices.Sort(months)
	return slices.Compact(months)
}

// Verify checks a proof with the gateway's public keys and, if given, its
// published pages.
func (p Proof) Verify(keys attest.Keys, published []Page) Verdict {
	var v Verdict
	v.pages("the page of %s", p.Pages, keys)
	v.pages("the published page of %s", published, keys)
	v.chain(published)
	if published != nil {
		v.compare(p.Pages, published)
	}
	for _, t := range p.Transfers {
		v.transfer(p, t)
	}
	if len(p.Transfers) == 0 {
		v.wrong("the file proves nothing: it has no transfer that is sealed")
	}
	return v
}

func (v *Verdict) wrong(format string, args ...any) {
	v.Wrong = append(v.Wrong, fmt.Sprintf(format, args...))
}

// pages checks the signatures of pages.
func (v *Verdict) pages(name string, pages []Page, keys attest.Keys) {
	for _, page := range pages {
		named := fmt.Sprintf(name, page.Day)
		signed, known := keys.Signed(page.Kid, page.signed(), page.Signature)
		switch {
		case Hash(sha256.Sum256(page.signed())) != page.Hash:
			v.wrong("%s: it was changed, its hash is of another", named)
		case !known:
			v.wrong("%s: the key %s is none of the gateway's (%d are known)", named, page.Kid, len(keys))
		case !signed:
			v.wrong("%s: the signature was not made by the key %s", named, page.Kid)
		}
	}
}

// chain verifies that published pages follow each other. Pages on both sides of
// a missing month cannot be compared.
func (v *Verdict) chain(published []Page) {
	for i := 1; i < len(published); i++ {
		before, page := published[i-1], published[i]
		beside := before.after() == page.Day || before.month() == page.month()
		if beside && !follows(before, page) {
			v.wrong("the published page of %s does not follow the one before it, of %s", page.Day, before.Day)
		}
	}
}

// after is the day after the page's day, or "" if that is malformed.
func (p Page) after() string {
	date, err := time.Parse(time.DateOnly, p.Day)
	if err != nil {
		return ""
	}
	return date.Add(day).Format(time.DateOnly)
}

func (p Page) month() string { return p.Day[:min(len(monthForm), len(p.Day))] }

// compare verifies that pages are equal to the published ones.
func (v *Verdict) compare(pages, published []Page) {
	for _, page := range pages {
		at := slices.IndexFunc(published, func(p Page) bool { return p.Day == page.Day })
		switch {
		case at < 0:
			v.wrong("the page of %s is none of the published ones", page.Day)
		case published[at].Hash != page.Hash:
			v.wrong("the page of %s is not the one that is published", page.Day)
		}
	}
}

// transfer verifies a transfer, from the sides that are shown up to the root.
func (v *Verdict) transfer(p Proof, t Transfer) {
	wrong := len(v.Wrong)
	if t.Header.Subject != p.Subject || t.Header.SubjectID != p.SubjectID {
		v.wrong("transfer %d: it is of %s, not of %s", t.Header.ID,
			subjectName(t.Header.Subject, t.Header.SubjectID), subjectName(p.Subject, p.SubjectID))
	}
	v.side(t, debit, t.Debit)
	v.side(t, credit, t.Credit)
	if leafHash(t.Header.leaf(t.Debit.Hash, t.Credit.Hash)) != t.Leaf {
		v.wrong("transfer %d: its header, or the hash of one of its sides, was changed", t.Header.ID)
	}
	at := slices.IndexFunc(p.Pages, func(page Page) bool { return page.Day == t.Day })
	if at < 0 {
		v.wrong("transfer %d: the page of %s is missing", t.Header.ID, t.Day)
		return
	}
	if root, whole := climb(t.Leaf, t.Index, p.Pages[at].Transfers, t.Path); !whole || root != p.Pages[at].Root {
		v.wrong("transfer %d: its path does not lead to the root of the page of %s", t.Header.ID, t.Day)
	}
	if len(v.Wrong) == wrong {
		v.Proven = append(v.Proven, t.sentence(p.Pages[at]))
	}
}

func (v *Verdict) side(t Transfer, name string, side Side) {
	if side.Shown != nil && side.Shown.hash(name) != side.Hash {
		v.wrong("transfer %d: what is shown of its %s was changed", t.Header.ID, name)
	}
}

// sentence says what a proven transfer shows, of the sides that are shown. It
// relies on transfer having found nothing wrong.
func (t Transfer) sentence(page Page) string {
	var sides []string
	for _, side := range []struct {
		words string
		shown *Opening
	}{{"taken from", t.Debit.Shown}, {"given to", t.Credit.Shown}} {
		if o := side.shown; o != nil {
			sides = append(sides, fmt.Sprintf("%s USDT were %s the %s account of %s %d",
				o.Amount, side.words, o.Account, o.Owner, o.OwnerID))
		}
	}
	return fmt.Sprintf("transfer %d of %s (%s, %s): %s; it is one of the %d transfers of the ledger's page of %s",
		t.Header.ID, subjectName(t.Header.Subject, t.Header.SubjectID), t.Header.Kind,
		t.Header.CreatedAt, strings.Join(sides, " and "), page.Transfers, page.Day)
}
