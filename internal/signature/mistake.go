package signature

import (
	"maps"
	"slices"
)

// Mistake is what is wrong with a signed request; Right is nothing.
type Mistake string

// The mistakes. The first three are shown to anybody, since the request itself
// shows them. All others are shown only to somebody who has sent the secret of
// one of their keys.
const (
	HeaderMissing  Mistake = "header_missing"
	HeaderMisnamed Mistake = "header_misnamed"
	// Unproven is an unknown key, a revoked key or a wrong secret, without
	// saying which.
	Unproven Mistake = "key"

	Right Mistake = "right"

	KeyRevoked    Mistake = "key_revoked"
	KeyIDSpace    Mistake = "key_id_space"
	OtherKey      Mistake = "secret_other_key"
	SecretSpace   Mistake = "secret_space"
	SecretQuoted  Mistake = "secret_quoted"
	SecretPrefix  Mistake = "secret_prefix"
	SecretDecoded Mistake = "secret_decoded"
	SecretHashed  Mistake = "secret_hashed"
	WebhookSecret Mistake = "secret_webhook"
	KeyIDAsSecret Mistake = "secret_key_id"
	NoSecret      Mistake = "secret_empty"

	Prefixed  Mistake = "prefix"
	Base64    Mistake = "base64"
	NotHex    Mistake = "not_hex"
	WrongSize Mistake = "length"
	SHA1      Mistake = "sha1"
	SHA512    Mistake = "sha512"
	NoHMAC    Mistake = "no_hmac"
	Swapped   Mistake = "swapped"

	NoBody       Mistake = "no_body"
	SignedNone   Mistake = "signed_nothing_sent"
	LineBreak    Mistake = "line_break"
	LineEndings  Mistake = "line_endings"
	ByteOrder    Mistake = "bom"
	Encoding     Mistake = "encoding"
	Reserialised Mistake = "reserialised"
	EncodedTwice Mistake = "encoded_twice"
	HashedBody   Mistake = "body_hashed"
	SignedPath   Mistake = "path"
	SignedTime   Mistake = "timestamp"
	Other        Mistake = "other"
)

// hints say what to do about each mistake, in one or two sentences.
var hints = map[Mistake]string{
	HeaderMissing: "The request lacks a header: send the key id, the secret and the signature, each in its header.",
	HeaderMisnamed: "The request has a header of a similar name: call it exactly as the documentation does. A proxy may " +
		"also have dropped or renamed it.",
	Unproven: "The key id is not one of yours, the key is revoked, or the secret is not its own.",

	Right: "The signature is right for this body.",

	KeyRevoked:   "The key is revoked: make a new one.",
	KeyIDSpace:   "The key id has white space or quotes around it: send it alone.",
	OtherKey:     "The secret belongs to another key of yours than the key id names: take both from the same key.",
	SecretSpace:  "The secret has white space or a line break around it: remove it where the secret is read.",
	SecretQuoted: "The secret has quotes around it: remove them where the secret is read.",
	SecretPrefix: "The secret lacks its beginning sk_: use the whole text that was shown.",
	SecretDecoded: "The secret was decoded from Base64 or hex before signing: use its text, byte for byte, as the HMAC " +
		"key.",
	SecretHashed: "A hash of the secret was used as the HMAC key: use the secret itself.",
	WebhookSecret: "The webhook secret (whsec_) was used: it proves what the gateway sends to you. Use the secret of the " +
		"API key.",
	KeyIDAsSecret: "The key id was used as the HMAC key: use the secret.",
	NoSecret:      "An empty text was used as the HMAC key: the variable with the secret was not set where you sign.",

	Prefixed: "The signature is right but has something around it: send the 64 hex characters alone.",
	Base64:   "The signature is right but in Base64: send it as 64 hex characters.",
	NotHex:   "The signature is not hex: send it as 64 hex characters.",
	WrongSize: "The signature has another length than 64 hex characters: it was cut, or it is no HMAC-SHA256 in " +
		"hex.",
	SHA1:   "The signature has the length of SHA-1: use HMAC-SHA256.",
	SHA512: "The signature has the length of SHA-384 or SHA-512: use HMAC-SHA256.",
	NoHMAC: "The signature is a plain SHA-256 and no HMAC: use the HMAC function of your language, with the secret as " +
		"its key.",
	Swapped: "Key and text are swapped in the HMAC: the secret is the key, the body is the text.",

	NoBody: "An empty body was signed: sign the body that is sent.",
	SignedNone: "No body was sent, and something was signed in its place, such as {}: sign the empty text. If a body was " +
		"sent, a redirect or a proxy has dropped it.",
	LineBreak: "A line break at the end differs between what was signed and this body: sign the very bytes that you " +
		"send.",
	LineEndings: "Line endings differ: one of what was signed and what was sent has CR LF, the other LF.",
	ByteOrder: "A byte order mark at the beginning differs between what was signed and this body: write UTF-8 without " +
		"one.",
	Encoding: "The text was signed in another encoding than it was sent in: use UTF-8 for both, and sign the bytes.",
	Reserialised: "The same JSON was signed in another form, such as with other white space, order of fields or escapes: " +
		"make the text once, sign it, and send that text.",
	EncodedTwice: "The body was encoded as JSON twice, once more for signing: sign the text that is sent.",
	HashedBody:   "A hash of the body was signed: sign the body itself.",
	SignedPath:   "The method, the path or the query was signed: sign the body alone, and the empty text where there is none.",
	SignedTime:   "A timestamp or another header was signed with the body: sign the body alone.",
	Other: "Something else than this body was signed, or with another secret: sign the very bytes that you " +
		"send.",
}

// Hint says what to do about the mistake, in English.
func (m Mistake) Hint() string { return hints[m] }

// Mistakes are all mistakes, with Right.
func Mistakes() []Mistake { return slices.Sorted(maps.Keys(hints)) }

// Finding is the result of a diagnosis.
type Finding struct {
	Mistake Mistake
	// Offset is the first byte of the body that differs from what was
	// signed; -1 is unknown.
	Offset int
	// Header is the right name of the header that it is about, or "".
	Header string
}

func found(m Mistake) Finding { return Finding{Mistake: m, Offset: -1} }
