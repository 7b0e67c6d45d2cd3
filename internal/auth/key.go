// Package auth decides who calls: keys and signatures, tokens, users.
package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/signature"
	"gateway.example/internal/vault"
)

// InsertKey writes an API key. Of its secret only the hash is kept.
func InsertKey(ctx context.Context, q *db.Queries, secret string, params db.KeyInsertParams) (int64, error) {
	params.SecretHash = HashSecret(secret)
	return q.KeyInsert(ctx, params)
}

// Headers are the names of the three headers of a signed request.
type Headers = signature.Headers

// DefaultHeaders are the documented names.
func DefaultHeaders() Headers { return signature.DefaultHeaders() }

// Refusals of a signed request, in the order they are checked.
var (
	errSignatureRequired = fault.New(fault.Unauthenticated, "signature_required", "The signature header is missing.")
	errKeyIDRequired     = fault.New(fault.Forbidden, "merchant_key_id_required", "The key id header is missing.")
	errSecretRequired    = fault.New(fault.Forbidden, "merchant_secret_required", "The secret header is missing.")
	errKeyExpired        = fault.New(fault.Forbidden, "key_expired", "The key has expired.")
	errKeyAddress        = fault.New(
		fault.Forbidden, "key_address_not_allowed", "The key may not be used from this address.",
	)
	errInvalidSignature = fault.New(fault.Forbidden, "invalid_signature", "The key, secret or signature is wrong.")
)

const (
	// keyAge is how long a looked-up key is believed: a revoked one is refused within a second
	// everywhere.
	keyAge = 500 * time.Millisecond
	// usedEvery is how often at most a key's last use is written down.
	usedEvery = time.Minute
	// keysKept bounds the memory that key ids, also made-up ones, can take.
	keysKept = 10_000
	// maxKeyID is longer than any key id.
	maxKeyID = 255
)

// Keys authenticates signed requests.
type Keys struct {
	q       *db.Queries
	vault   *vault.Vault
	headers Headers
	// secret is the application's external-payments secret; empty while not configured.
	secret []byte
	// OnlyV2 has the application sign by HeaderV2.
	OnlyV2 bool
	// Address is where a call comes from, as the door knows it.
	Address func(context.Context) string

	mu    sync.Mutex
	known map[string]knownKey
}

type knownKey struct {
	row db.KeyGetRow
	// exists is false for a key id that has no key, or a revoked one.
	exists bool
	readAt time.Time
	usedAt time.Time
}

// NewKeys makes the authenticator. The vault opens webhook secrets, to recognise a signature that was
// made with one. applicationSecret may be empty: then no payment can be created.
func NewKeys(pool db.DBTX, v *vault.Vault, headers Headers, applicationSecret string) *Keys {
	return &Keys{
		q: db.New(pool), vault: v, headers: headers, secret: []byte(applicationSecret), known: map[string]knownKey{},
	}
}

// ReadBody returns the body that a signature covers.
type ReadBody func() ([]byte, error)

// Merchant authenticates a merchant's signed request. The body is asked for only when key and
// secret have been found good.
func (k *Keys) Merchant(r *http.Request, body ReadBody) (caller.Caller, error) {
	proof, err := k.Begin(r)
	if err != nil {
		return caller.Caller{}, err
	}
	content, err := body()
	if err != nil {
		return caller.Caller{}, err
	}
	return proof.Check(r.Context(), content)
}

// Begin authenticates the key and the secret of a merchant's request, before anything of its body
// is read. The signature is left to the proof's Check.
func (k *Keys) Begin(r *http.Request) (*Proof, error) {
	header := r.Header
	signed, keyID := header.Get(k.headers.Signature), header.Get(k.headers.KeyID)
	secret := header.Get(k.headers.Secret)
	switch {
	case signed == "":
		return nil, errSignatureRequired
	case keyID == "":
		return nil, errKeyIDRequired
	case secret == "":
		return nil, errSecretRequired
	}
	key, err := k.find(r.Context(), keyID)
	if err != nil {
		return nil, err
	}
	// The secret is compared whether or not the key exists, so that the time taken tells nothing of
	// it.
	hash := sha256.Sum256([]byte(secret))
	known := subtle.ConstantTimeCompare(hash[:], key.secretHash()) == 1
	if !key.exists || !known {
		return nil, errInvalidSignature
	}
	if err := k.within(r.Context(), key.row); err != nil {
		return nil, err
	}
	return &Proof{keys: k, key: key, request: r}, nil
}

// within settles that a key is used while it is good and from where it may be. Only who has sent its secret
// learns of either.
func (k *Keys) within(ctx context.Context, key db.KeyGetRow) error {
	if expired(key.ExpiresAt) {
		return errKeyExpired
	}
	if len(key.AllowedNetworks) == 0 {
		return nil
	}
	from := ""
	if k.Address != nil {
		from = k.Address(ctx)
	}
	address, err := netip.ParseAddr(from)
	if network, of6 := netip.ParsePrefix(from); of6 == nil { // a caller of IPv6 is known by its network
		address, err = network.Addr(), nil
	}
	for _, text := range key.AllowedNetworks {
		if network, wrong := netip.ParsePrefix(text); err == nil && wrong == nil && network.Contains(address) {
			return nil
		}
	}
	return errKeyAddress
}

// Signed reports whether a request carries any of the headers of a signed one.
func (k *Keys) Signed(header http.Header) bool {
	return header.Get(k.headers.Signature) != "" || header.Get(k.headers.KeyID) != "" ||
		header.Get(k.headers.Secret) != ""
}

func (k *Keys) find(ctx context.Context, keyID string) (knownKey, error) {
	// A header may hold bytes that no text of the database does, and so no key id.
	if !utf8.ValidString(keyID) || strings.IndexByte(keyID, 0) >= 0 {
		return knownKey{}, nil
	}
	if len(keyID) > maxKeyID {
		return knownKey{}, nil
	}
	k.mu.Lock()
	key, ok := k.known[keyID]
	k.mu.Unlock()
	if ok && time.Since(key.readAt) < keyAge {
		return key, nil
	}
	// The age counts from before the read: what is revoked during it is noticed in time.
	fresh := knownKey{readAt: time.Now(), usedAt: key.usedAt}
	row, err := k.q.KeyGet(ctx, keyID)
	if err != nil && !db.NoRows(err) {
		return knownKey{}, fmt.Errorf("read key: %w", err)
	}
	fresh.row, fresh.exists = row, err == nil
	k.remember(keyID, fresh)
	return fresh, nil
}

// newID is the form of the ids that are made for keys.
var newID = regexp.MustCompile(`^mk_[0-9a-f]{24}$`)

// LoggableID is the id of the key that a request names. What is neither a known key's nor has an
// id's form is left out: it may be the secret, in the wrong header.
func (k *Keys) LoggableID(header http.Header) string {
	id := header.Get(k.headers.KeyID)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known[id].exists || newID.MatchString(id) {
		return id
	}
	return ""
}

func (k *Keys) remember(keyID string, key knownKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) >= keysKept {
		clear(k.known)
	}
	k.known[keyID] = key
}

// used writes the key's last use down, at most once a minute. On the wall clock: it is a matter of
// security, not of the payment's life. Failing to do so refuses nobody.
func (k *Keys) used(ctx context.Context, keyID string, key knownKey) {
	now := time.Now()
	if now.Sub(key.usedAt) < usedEvery {
		return
	}
	key.usedAt = now
	k.remember(keyID, key)
	before := now.Add(-usedEvery)
	if err := k.q.KeyUsed(
		ctx,
		db.KeyUsedParams{ID: key.row.ID, Now: &now, Before: &before},
	); err != nil &&
		!errors.Is(err, context.Canceled) {
		k.remember(keyID, knownKey{row: key.row, exists: true, readAt: key.readAt})
	}
}

// secretHash of a key that does not exist is that of no secret.
func (k knownKey) secretHash() []byte {
	if !k.exists {
		return make([]byte, sha256.Size)
	}
	return k.row.SecretHash
}

func (k knownKey) who() caller.Caller {
	c := caller.Caller{
		Kind: caller.MerchantKey, ID: k.row.ID, CashboxID: k.row.CashboxID, Scopes: k.row.Scopes,
		APIEnabled: k.row.ApiEnabled, RatePercent: k.row.MerchantRatePercent,
	}
	if k.row.MerchantID != nil {
		c.MerchantID = *k.row.MerchantID
	}
	return c
}

// HashSecret is what the service keeps of a key's secret or a bearer token, both of which are too
// long to be guessed.
func HashSecret(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}
