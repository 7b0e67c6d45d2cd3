// Package auth authenticates signed requests, and makes keys and the links of
// hosted pages.
package auth

import (
	"cmp"
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

// InsertKey stores an API key with the hash of its secret.
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
	errKeyAddress        = fault.New(fault.Forbidden, "key_address_not_allowed", "The key may not be used from this address.")
	errInvalidSignature  = fault.New(fault.Forbidden, "invalid_signature", "The key, secret or signature is wrong.")
)

const (
	// keyAge is how long a key is cached: a revoked key is refused
	// everywhere within a second.
	keyAge = 500 * time.Millisecond
	// usedEvery is how often the last use of a key is stored at most.
	usedEvery = time.Minute
	// keysKept bounds the memory of the cache. Callers may make up key ids.
	keysKept = 10_000
	// maxKeyID is longer than any key id.
	maxKeyID = 255
)

// Keys authenticates signed requests.
type Keys struct {
	q       *db.Queries
	vault   *vault.Vault
	headers Headers
	// secret is the application's external-payments secret; empty if there
	// is none.
	secret []byte
	onlyV2 bool
	// address returns where a call comes from; nil if nothing knows.
	address func(context.Context) string

	mu    sync.Mutex
	known map[string]knownKey
}

type knownKey struct {
	row db.KeyGetRow
	// exists is false for a key id without a key, and for a revoked key.
	exists bool
	readAt time.Time
	usedAt time.Time
}

// Config says what Keys expects. With the zero value the application is
// refused, and so is every key that is bound to networks.
type Config struct {
	// Secret is the application's secret for external payments. Without it
	// no payment can be created.
	Secret string
	// OnlyV2 has the application sign by HeaderV2.
	OnlyV2 bool
	// Address tells where a call comes from.
	Address func(context.Context) string
}

// NewKeys makes the authenticator. The vault opens webhook secrets, to
// recognise a signature made with the wrong secret.
func NewKeys(pool db.DBTX, v *vault.Vault, headers Headers, config Config) *Keys {
	return &Keys{
		q: db.New(pool), vault: v, headers: headers, known: map[string]knownKey{},
		secret: []byte(config.Secret), onlyV2: config.OnlyV2, address: config.Address,
	}
}

// ReadBody returns the body that a signature covers.
type ReadBody func() ([]byte, error)

// Merchant authenticates a merchant's signed request. The body is read only
// after key and secret were right.
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

// Begin checks the key and the secret of a merchant's request before its body
// is read. It does not check the signature: the proof's Check does.
//
//rule:how a merchant's call is recognised
func (k *Keys) Begin(r *http.Request) (*Proof, error) {
	if err := k.complete(r.Header); err != nil {
		return nil, err
	}
	if err := Once(r.Header, errInvalidSignature, k.headers.Signature, k.headers.KeyID, k.headers.Secret); err != nil {
		return nil, err
	}
	keyID, secret := r.Header.Get(k.headers.KeyID), r.Header.Get(k.headers.Secret)
	key, err := k.find(r.Context(), keyID)
	if err != nil {
		return nil, err
	}
	// The secret is compared even if the key does not exist, so that the
	// time taken reveals nothing.
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

// Once refuses a request that has one of these headers twice: a proxy in front
// may have gone by the other one.
func Once(header http.Header, refusal *fault.Error, names ...string) error {
	for _, name := range names {
		if len(header.Values(name)) > 1 {
			return refusal.Saying("The header " + name + " was sent more than once.")
		}
	}
	return nil
}

// complete refuses a request without all three headers, and names those that
// are missing.
func (k *Keys) complete(header http.Header) error {
	var names []string
	var refusal *fault.Error
	for _, wanted := range []struct {
		name    string
		refusal *fault.Error
	}{
		{k.headers.Signature, errSignatureRequired},
		{k.headers.KeyID, errKeyIDRequired},
		{k.headers.Secret, errSecretRequired},
	} {
		if header.Get(wanted.name) == "" {
			names, refusal = append(names, wanted.name), cmp.Or(refusal, wanted.refusal)
		}
	}
	if refusal == nil {
		return nil
	}
	return lacking(refusal, names...)
}

// lacking is the error that names the missing headers.
func lacking(refusal *fault.Error, names ...string) error {
	return refusal.Saying("These headers are missing: " + strings.Join(names, ", ") + ".")
}

// within checks when and from where a key may be used. Only somebody who has
// sent its secret learns that.
func (k *Keys) within(ctx context.Context, key db.KeyGetRow) error {
	if expired(key.ExpiresAt) {
		return errKeyExpired
	}
	if len(key.AllowedNetworks) == 0 {
		return nil
	}
	from := ""
	if k.address != nil {
		from = k.address(ctx)
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

// find returns a key from memory, or from the database if what is remembered is
// older than keyAge. A key that is unknown or revoked is no error: exists is
// false, and that is remembered too. Parallel callers may each read the same
// key.
func (k *Keys) find(ctx context.Context, keyID string) (knownKey, error) {
	// A header may hold bytes that the database cannot store as text.
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
	// The age counts from before the read, so that a key revoked during the
	// read is noticed in time.
	fresh := knownKey{readAt: time.Now(), usedAt: key.usedAt}
	row, err := k.q.KeyGet(ctx, keyID)
	if err != nil && !db.NoRows(err) {
		return knownKey{}, fmt.Errorf("read key: %w", err)
	}
	fresh.row, fresh.exists = row, err == nil
	k.remember(keyID, fresh)
	return fresh, nil
}

// newID is the form of generated key ids.
var newID = regexp.MustCompile(`^mk_[0-9a-f]{24}$`)

// LoggableID is the key id of a request, for the log. Anything that is neither
// a known key nor looks like an id is left out, since it may be a secret in the
// wrong header.
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

// used stores the last use of a key, at most once a minute, in real time. If
// that fails, the call goes on.
func (k *Keys) used(ctx context.Context, keyID string, key knownKey) {
	now := time.Now()
	if now.Sub(key.usedAt) < usedEvery {
		return
	}
	key.usedAt = now
	k.remember(keyID, key)
	before := now.Add(-usedEvery)
	if err := k.q.KeyUsed(ctx, db.KeyUsedParams{ID: key.row.ID, Now: &now, Before: &before}); err != nil &&
		!errors.Is(err, context.Canceled) {
		k.remember(keyID, knownKey{row: key.row, exists: true, readAt: key.readAt})
	}
}

// secretHash returns a hash that no secret has if the key does not exist.
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

// HashSecret hashes a key's secret or a bearer token. Both are too long to be
// guessed, so they need no salt.
func HashSecret(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}
