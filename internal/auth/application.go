package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/signature"
)

// HeaderV2 is a signature of the application that is good for one payment and
// for a few minutes: "t=<unix seconds>,v1=<hex HMAC-SHA256 of t.uuid.body>",
// where uuid is the payment's. A Signature is that of the body alone, and so
// good for any payment at any time.
const HeaderV2 = "Signature-V2"

// toleranceV2 is how far the time of a signature may be from ours.
const toleranceV2 = 5 * time.Minute

var (
	errV2Required = lacking(errSignatureRequired, HeaderV2)
	errV2Form     = errInvalidSignature.Saying(HeaderV2 + " must be t=<unix seconds>,v1=<64 hexadecimal digits>.")
	errV2Time     = errInvalidSignature.Saying("The time of " + HeaderV2 + " is more than five minutes from ours.")
)

// Application authenticates the application, which signs with the
// external-payments secret: by Signature, by HeaderV2, or by both. Every
// signature that is sent must be right. paymentOf returns the id or the uuid of
// the payment that a call names; a HeaderV2 for an id that no payment has is
// refused.
func (k *Keys) Application(
	ctx context.Context, header http.Header, body ReadBody, paymentOf func(content []byte) (id int64, uuid string),
) (caller.Caller, error) {
	signed, signedV2 := header.Get(k.headers.Signature), header.Get(HeaderV2)
	switch {
	case signed == "" && signedV2 == "" && !k.onlyV2:
		return caller.Caller{}, lacking(errSignatureRequired, k.headers.Signature)
	case len(k.secret) == 0 && signed+signedV2 != "":
		return caller.Caller{}, fault.ErrExternalSecretNotSet
	case signedV2 == "" && k.onlyV2:
		return caller.Caller{}, errV2Required
	}
	if err := Once(header, errInvalidSignature, k.headers.Signature, HeaderV2); err != nil {
		return caller.Caller{}, err
	}
	content, err := body()
	if err != nil {
		return caller.Caller{}, err
	}
	if signed != "" && !signature.Verify(k.secret, content, signed) {
		return caller.Caller{}, errInvalidSignature
	}
	if signedV2 != "" {
		id, uuid := paymentOf(content)
		if err := k.checkV2(ctx, signedV2, content, id, uuid, signed != "" && !k.onlyV2); err != nil {
			return caller.Caller{}, err
		}
	}
	return caller.Caller{Kind: caller.Application}, nil
}

// formV2 parses a HeaderV2. The number of digits of the time is bounded.
var formV2 = regexp.MustCompile(`^t=([0-9]{1,12}),v1=([0-9A-Fa-f]{64})$`)

// checkV2 checks a HeaderV2 for a payment that is named by its uuid or, where
// that is "", by its id. If another signature has already proved the caller, an
// id that no payment has is left for the handler to report.
//
//rule:how the payer's application signs
func (k *Keys) checkV2(ctx context.Context, signed string, content []byte, id int64, uuid string, proved bool) error {
	parts := formV2.FindStringSubmatch(signed)
	if parts == nil {
		return errV2Form
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return errV2Form
	}
	// Real time: a sandbox's clock must not decide about secrets.
	if time.Since(time.Unix(seconds, 0)).Abs() > toleranceV2 {
		return errV2Time
	}
	if uuid == "" {
		found, err := k.q.PaymentUUID(ctx, id)
		switch {
		case db.NoRows(err) && proved:
			return nil
		case db.NoRows(err):
			return errInvalidSignature
		case err != nil:
			return fmt.Errorf("find the payment of a callback: %w", err)
		}
		uuid = found.String()
	}
	claimed, err := hex.DecodeString(parts[2])
	if err != nil {
		return errV2Form
	}
	mac := hmac.New(sha256.New, k.secret)
	_, _ = fmt.Fprintf(mac, "%s.%s.", parts[1], uuid) // never fails
	_, _ = mac.Write(content)
	if !hmac.Equal(mac.Sum(nil), claimed) {
		return errInvalidSignature
	}
	return nil
}
