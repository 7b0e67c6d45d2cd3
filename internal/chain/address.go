package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"
)

var (
	ErrNetwork  = errors.New("must be TRC20, ERC20, BEP20, POLYGON or ARBITRUM")
	ErrContract = errors.New("must not be the contract of the token itself: what is sent there is lost")

	errTron     = errors.New("must be a TRC20 address: 34 characters from T on, with a valid checksum")
	errEthereum = errors.New("must be an address of 0x and 40 hexadecimal digits")
	errChecksum = errors.New("must have a valid checksum in the case of its letters (EIP-55)")
)

// Raw is an address as contracts and nodes store it, which is the same on every
// network.
type Raw [20]byte

// form is the way in which a network writes addresses and hashes.
type form struct {
	read       func(address string) (Raw, error)
	write      func(Raw) string
	hashPrefix string
}

var (
	tron     = form{read: readTron, write: writeTron}
	ethereum = form{read: readEthereum, write: writeEthereum, hashPrefix: "0x"}
)

// CheckForm says what is wrong with the form of an address on a network: its
// length, alphabet and checksum.
func CheckForm(network, address string) error {
	_, err := Read(network, address)
	return err
}

// CheckAddress says what is wrong with an address as a recipient of USDT. In
// addition to CheckForm it refuses the contracts of the token on every network.
func CheckAddress(network, address string) error {
	raw, err := Read(network, address)
	if err != nil {
		return err
	}
	for _, n := range networks {
		if contract, _ := n.form.read(n.Token); contract == raw {
			return ErrContract
		}
	}
	return nil
}

// Read parses an address of a network.
func Read(network, address string) (Raw, error) {
	n, known := Find(network)
	if !known {
		return Raw{}, ErrNetwork
	}
	return n.form.read(address)
}

// Write writes an address in the network's notation, with its checksum.
func (n Network) Write(address Raw) string { return n.form.write(address) }

const (
	tronLength   = 34
	tronPrefix   = 0x41
	tronPayload  = 21
	tronChecksum = 4
)

// readTron reads Tron's base58check: the prefix, 20 bytes, and four bytes of
// their double SHA-256.
func readTron(address string) (Raw, error) {
	if len(address) != tronLength {
		return Raw{}, errTron
	}
	raw, err := base58.Decode(address)
	if err != nil || len(raw) != tronPayload+tronChecksum || raw[0] != tronPrefix {
		return Raw{}, errTron
	}
	if !bytes.Equal(tronSum(raw[:tronPayload]), raw[tronPayload:]) {
		return Raw{}, errTron
	}
	return Raw(raw[1:tronPayload]), nil
}

func tronSum(payload []byte) []byte {
	once := sha256.Sum256(payload)
	twice := sha256.Sum256(once[:])
	return twice[:tronChecksum]
}

func writeTron(raw Raw) string {
	payload := append([]byte{tronPrefix}, raw[:]...)
	return base58.Encode(append(payload, tronSum(payload)...))
}

const ethereumDigits = 40

// readEthereum reads an address of Ethereum and networks that share its form.
// With letters of both cases it carries a checksum (EIP-55), otherwise none.
func readEthereum(address string) (Raw, error) {
	digits, prefixed := strings.CutPrefix(address, "0x")
	raw, err := hex.DecodeString(digits)
	if !prefixed || len(digits) != ethereumDigits || err != nil {
		return Raw{}, errEthereum
	}
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && address != writeEthereum(Raw(raw)) {
		return Raw{}, errChecksum
	}
	return Raw(raw), nil
}

// writeEthereum writes an address as EIP-55 does: a letter is a capital if the
// digit at its place in the hash of the lower-case address is 8 or more.
func writeEthereum(raw Raw) string {
	out := []byte(hex.EncodeToString(raw[:]))
	hash := sha3.NewLegacyKeccak256()
	_, _ = hash.Write(out) // never fails
	sum := hex.EncodeToString(hash.Sum(nil))
	for i, c := range out {
		if c >= 'a' && sum[i] >= '8' {
			out[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(out)
}
