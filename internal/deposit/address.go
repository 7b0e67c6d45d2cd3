package deposit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"
)

// networks are the networks of deposits, each with what is wrong with an address, or "".
var networks = map[string]func(address string) string{
	"TRC20":    wrongTron,
	"ERC20":    wrongEthereum,
	"BEP20":    wrongEthereum,
	"POLYGON":  wrongEthereum,
	"ARBITRUM": wrongEthereum,
}

// Networks are the names of the networks of deposits, in order.
func Networks() []string { return slices.Sorted(maps.Keys(networks)) }

const (
	tronLength   = 34
	tronPrefix   = 0x41
	tronPayload  = 21
	tronChecksum = 4
)

// wrongTron checks Tron's base58check: the prefix, 20 bytes, and four bytes of their double SHA-256.
func wrongTron(address string) string {
	const wrong = "must be a TRC20 address: 34 characters from T on, with a valid checksum"
	if len(address) != tronLength {
		return wrong
	}
	raw, err := base58.Decode(address)
	if err != nil || len(raw) != tronPayload+tronChecksum || raw[0] != tronPrefix {
		return wrong
	}
	once := sha256.Sum256(raw[:tronPayload])
	twice := sha256.Sum256(once[:])
	if !bytes.Equal(twice[:tronChecksum], raw[tronPayload:]) {
		return wrong
	}
	return ""
}

const ethereumDigits = 40

// wrongEthereum checks an address of Ethereum and networks that share its form. With letters of both
// cases it carries a checksum (EIP-55), otherwise none.
func wrongEthereum(address string) string {
	digits, prefixed := strings.CutPrefix(address, "0x")
	if _, err := hex.DecodeString(digits); !prefixed || len(digits) != ethereumDigits || err != nil {
		return "must be an address of 0x and 40 hexadecimal digits"
	}
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && digits != checksummed(digits) {
		return "must have a valid checksum in the case of its letters (EIP-55)"
	}
	return ""
}

// checksummed writes the digits of an address as EIP-55 does: a letter is a capital if the digit at
// its place in the hash of the lower-case address is 8 or more.
func checksummed(digits string) string {
	out := []byte(strings.ToLower(digits))
	hash := sha3.NewLegacyKeccak256()
	_, _ = hash.Write(out) // never fails
	sum := hex.EncodeToString(hash.Sum(nil))
	for i, c := range out {
		if c >= 'a' && sum[i] >= '8' {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}
