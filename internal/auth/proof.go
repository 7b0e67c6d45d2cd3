package auth

import (
	"context"
	"strconv"
)

// Proof is a merchant's key and secret found good, with the signature still to be checked.
type Proof struct {
	caller   Caller
	signedBy func(content []byte) bool
}

// Key is the id of the key, for counting calls.
func (p *Proof) Key() int64 { return p.caller.ID }

// Check returns the caller if its signature is that of the content, raw or in a canonical form.
func (p *Proof) Check(content []byte) (Caller, error) {
	if !p.signedBy(content) {
		return Caller{}, errInvalidSignature
	}
	return p.caller, nil
}

// Upload is what an appeal's signature covers. A part that was not sent, or not once, is nil.
type Upload struct {
	Reason, FileName *string
	File             []byte
}

// complete reports whether there is something to sign at all.
func (u Upload) complete() bool { return u.Reason != nil && u.FileName != nil && u.File != nil }

// AppealText is the canonical string an appeal's signature covers: four lines joined by LF, none at the end.
func AppealText(reason, fileName string, fileSize int) string {
	return "appeal-v1\n" + reason + "\n" + fileName + "\n" + strconv.Itoa(fileSize)
}

// ProveUpload finishes what the door began for an upload, whose signature covers what its body says instead of the
// body's bytes: until then, the caller is anyone. An upload that lacks a part has no text that could be signed, rightly
// or wrongly: its sender has proved key and secret, and is told what is missing.
func ProveUpload(ctx context.Context, u Upload) (Caller, error) {
	proof, ok := ctx.Value(proofKey{}).(*Proof)
	switch {
	case !ok:
		return CallerFrom(ctx), nil
	case !u.complete():
		return proof.caller, nil
	}
	return proof.Check([]byte(AppealText(*u.Reason, *u.FileName, len(u.File))))
}

type proofKey struct{}

// WithProof returns a context that carries a proof from the door to the handler.
func WithProof(ctx context.Context, p *Proof) context.Context {
	return context.WithValue(ctx, proofKey{}, p)
}
