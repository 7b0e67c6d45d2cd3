package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/signature"
)

// Proof is a merchant's request whose key and secret are right and whose
// signature is still to be checked.
type Proof struct {
	keys    *Keys
	key     knownKey
	request *http.Request
}

// Key is the id of the key, for counting calls.
func (p *Proof) Key() int64 { return p.key.row.ID }

// Check returns the caller if the signature covers the content, as it was sent
// or in a canonical form.
func (p *Proof) Check(ctx context.Context, content []byte) (caller.Caller, error) {
	if !p.signed(ctx, content) {
		return caller.Caller{}, p.explain(ctx, content, signature.Mistake.Hint)
	}
	return p.key.who(), nil
}

func (p *Proof) signed(ctx context.Context, content []byte) bool {
	names := p.keys.headers
	secret := p.request.Header.Get(names.Secret)
	if !signature.Verify([]byte(secret), content, p.request.Header.Get(names.Signature)) {
		return false
	}
	p.keys.used(ctx, p.request.Header.Get(names.KeyID), p.key)
	return true
}

// explain says what is wrong with the signature. This gives nothing away: only
// a caller with the secret, who could sign rightly, gets here.
func (p *Proof) explain(ctx context.Context, content []byte, hint func(signature.Mistake) string) error {
	r := p.request
	webhooks, err := webhookSecrets(ctx, p.keys.q, p.keys.vault, p.key.who().MerchantID)
	if err != nil {
		return err
	}
	own := signature.Key{ID: r.Header.Get(p.keys.headers.KeyID), Hash: p.key.row.SecretHash}
	sent := signature.Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: content}
	sent.Header.Set("Host", r.Host)
	found := signature.Diagnose(sent, p.keys.headers, []signature.Key{own}, webhooks...)
	hash := sha256.Sum256(content)
	return errInvalidSignature.About(fault.Signature{
		ReceivedBytes: len(content), BodySHA256: hex.EncodeToString(hash[:]), Hint: hint(found.Mistake),
	})
}

// Need checks what the key may do before an upload's body is read.
func (p *Proof) Need(scope string) error { return p.key.who().NeedMerchant(scope) }

// Merchant is the key's merchant, or 0.
func (p *Proof) Merchant() int64 { return p.key.who().MerchantID }

// Upload is what the signature of an appeal covers: the reason, and the file's
// name and size. A part is nil if it was not sent exactly once.
type Upload struct {
	Reason, FileName *string
	FileSize         *int64
}

// complete reports whether all parts are there.
func (u Upload) complete() bool { return u.Reason != nil && u.FileName != nil && u.FileSize != nil }

// AppealText is the text that an appeal's signature covers: four lines joined
// by LF, without one at the end.
func AppealText(reason, fileName string, fileSize int64) string {
	return "appeal-v1\n" + reason + "\n" + fileName + "\n" + strconv.FormatInt(fileSize, 10)
}

// ProveUpload checks the signature of an upload, which covers its fields and
// not the bytes of the body; until then the caller is anonymous. It returns the
// upload in the spelling that was signed. If a part is missing there is no text
// to be signed: the sender, who has shown key and secret, learns what is
// missing. The upload may have taken minutes, so the key is looked at again: it
// may be gone by then.
func ProveUpload(ctx context.Context, u Upload) (caller.Caller, Upload, error) {
	begun, ok := ctx.Value(proofKey{}).(*Proof)
	if !ok {
		return caller.From(ctx), u, nil
	}
	r := begun.request
	proof, err := begun.keys.Begin(r)
	if err != nil {
		return caller.Caller{}, Upload{}, err
	}
	if !u.complete() {
		return proof.key.who(), u, nil
	}
	for _, signed := range u.spellings() {
		if proof.signed(ctx, []byte(AppealText(*signed.Reason, *signed.FileName, *signed.FileSize))) {
			return proof.key.who(), signed, nil
		}
	}
	return caller.Caller{}, Upload{}, proof.explain(ctx, []byte(AppealText(*u.Reason, *u.FileName, *u.FileSize)), appealHint)
}

// appealHint is the hint for a mistake, unless the hint is about a body:
// appeals sign none.
func appealHint(m signature.Mistake) string {
	switch m {
	case signature.NoBody, signature.SignedNone, signature.Reserialised, signature.EncodedTwice,
		signature.HashedBody, signature.SignedPath, signature.SignedTime, signature.Other:
		return "Something else was signed, or with another secret: an appeal's signature covers no body but four lines, " +
			"joined by LF: appeal-v1, the reason, the file's name, and its size in bytes."
	default:
		return m.Hint()
	}
}

// undone reverses what FormData does to a file's name, in browsers and in Node.
var undone = strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")

// spellings are the uploads that a form may stand for: as it was received, and
// with the changes of FormData reversed. FormData sends line breaks of a reason
// as CRLF and escapes quotes and line breaks of a name, after the caller has
// signed.
func (u Upload) spellings() []Upload {
	all := []Upload{u}
	lf, name := strings.ReplaceAll(*u.Reason, "\r\n", "\n"), undone.Replace(*u.FileName)
	if lf != *u.Reason {
		all = append(all, Upload{&lf, u.FileName, u.FileSize})
	}
	if name != *u.FileName {
		all = append(all, Upload{u.Reason, &name, u.FileSize})
	}
	if len(all) == 3 { // both
		all = append(all, Upload{&lf, &name, u.FileSize})
	}
	return all
}

type proofKey struct{}

// WithProof returns a context that hands the proof on to the handler.
func WithProof(ctx context.Context, p *Proof) context.Context {
	return context.WithValue(ctx, proofKey{}, p)
}
