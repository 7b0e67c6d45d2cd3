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

// Proof is a merchant's key and secret found good, with the signature still to be checked.
type Proof struct {
	keys    *Keys
	key     knownKey
	request *http.Request
}

// Key is the id of the key, for counting calls.
func (p *Proof) Key() int64 { return p.key.row.ID }

// Check returns the caller if its signature is that of the content, raw or in a canonical form.
func (p *Proof) Check(ctx context.Context, content []byte) (caller.Caller, error) {
	if !p.signed(ctx, content) {
		return caller.Caller{}, p.explain(ctx, content)
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

// explain says what is wrong with the signature. Only one who has sent the key's secret gets here, and
// who has the secret could make the right signature: nothing is given away.
func (p *Proof) explain(ctx context.Context, content []byte) error {
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
		ReceivedBytes: len(content), BodySHA256: hex.EncodeToString(hash[:]), Hint: found.Mistake.Hint(),
	})
}

// Need settles what the key may do, before anything of an upload's body is read.
func (p *Proof) Need(scope string) error { return p.key.who().NeedMerchant(scope) }

// Merchant is the key's merchant, or 0.
func (p *Proof) Merchant() int64 { return p.key.who().MerchantID }

// Upload is what an appeal's signature covers: the reason, and the file's name and size. A part
// that was not sent, or not once, is nil.
type Upload struct {
	Reason, FileName *string
	FileSize         *int64
}

// complete reports whether there is something to sign at all.
func (u Upload) complete() bool { return u.Reason != nil && u.FileName != nil && u.FileSize != nil }

// AppealText is the canonical string an appeal's signature covers: four lines joined by LF, none at
// the end.
func AppealText(reason, fileName string, fileSize int64) string {
	return "appeal-v1\n" + reason + "\n" + fileName + "\n" + strconv.FormatInt(fileSize, 10)
}

// ProveUpload finishes what the door began for an upload, whose signature covers what its body says
// instead of the body's bytes: until then, the caller is anyone. It returns the upload as it was
// signed, see spellings. An upload that lacks a part has no text that could be signed, rightly or
// wrongly: its sender has proved key and secret, and is told what is missing.
func ProveUpload(ctx context.Context, u Upload) (caller.Caller, Upload, error) {
	proof, ok := ctx.Value(proofKey{}).(*Proof)
	switch {
	case !ok:
		return caller.From(ctx), u, nil
	case !u.complete():
		return proof.key.who(), u, nil
	}
	for _, signed := range u.spellings() {
		if proof.signed(ctx, []byte(AppealText(*signed.Reason, *signed.FileName, *signed.FileSize))) {
			return proof.key.who(), signed, nil
		}
	}
	return caller.Caller{}, Upload{}, proof.explain(ctx, []byte(AppealText(*u.Reason, *u.FileName, *u.FileSize)))
}

// undone undoes what FormData, in browsers and in Node, does to a file's name on its way.
var undone = strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")

// spellings are the uploads that a form may stand for: as it came, and with what FormData changes
// changed back. It sends each line break of a reason as CRLF, and quotes and line breaks of a name
// escaped, after its caller has signed them as they were.
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

// WithProof returns a context that carries a proof from the door to the handler.
func WithProof(ctx context.Context, p *Proof) context.Context {
	return context.WithValue(ctx, proofKey{}, p)
}
