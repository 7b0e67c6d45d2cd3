package chain

import (
	"encoding/hex"
	"strings"
)

// Network is a network on which USDT are transferred.
type Network struct {
	Name string
	// Token is the contract of USDT on the network, in the network's
	// notation of addresses.
	Token string
	// Decimals is how many decimals the contract's amounts have.
	Decimals int32
	// Confirmations is how many blocks, its own among them, make a transfer
	// final.
	Confirmations int64
	form          form
	// still says that there are no new blocks while nothing is sent, as in
	// a sandbox.
	still bool
}

// networks are all networks, in the order of their names.
var networks = []Network{
	{"ARBITRUM", "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", 6, 240, ethereum, false},
	{"BEP20", "0x55d398326f99059fF775485246999027B3197955", 18, 30, ethereum, false},
	{"ERC20", "0xdAC17F958D2ee523a2206206994597C13D831ec7", 6, 64, ethereum, false},
	{"POLYGON", "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", 6, 128, ethereum, false},
	{"TRC20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", 6, 20, tron, false},
}

// Networks are all networks, in the order of their names.
func Networks() []Network { return append([]Network(nil), networks...) }

// Names are the names of all networks, in order.
func Names() []string {
	names := make([]string, 0, len(networks))
	for _, n := range networks {
		names = append(names, n.Name)
	}
	return names
}

// Find finds a network by its name.
func Find(name string) (Network, bool) {
	for _, n := range networks {
		if n.Name == name {
			return n, true
		}
	}
	return Network{}, false
}

const hashDigits = 64

// Hash parses the hash of a transaction, with or without 0x and in upper or
// lower case, and writes it as the network's explorers do. It returns "" for
// any other text.
func (n Network) Hash(text string) string {
	digits := strings.ToLower(strings.TrimSpace(text))
	digits = strings.TrimPrefix(digits, "0x")
	if _, err := hex.DecodeString(digits); err != nil || len(digits) != hashDigits {
		return ""
	}
	return n.form.hashPrefix + digits
}

// Still is the network as a sandbox simulates it, with new blocks only while
// something is sent.
func (n Network) Still() Network {
	n.still = true
	return n
}
