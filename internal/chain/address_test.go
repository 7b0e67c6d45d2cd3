package chain_test

import (
	"errors"
	"strings"
	"testing"

	"gateway.example/internal/chain"
	"gateway.example/internal/testenv"
)

// An address is taken by the networks that write it so, and no other; read and written again it is the same.
func TestForms(t *testing.T) {
	t.Parallel()
	testenv.Want(t, len(chain.Networks()), 5, "networks: those of the table are Tron's, and all others'")
	for _, row := range testenv.Rows(t, "addresses.txt") {
		for _, network := range chain.Networks() {
			if (network.Name == "TRC20") != (row[1] == "TRC20") {
				continue
			}
			raw, err := chain.Read(network.Name, row[2])
			testenv.Want(t, err == nil, row[0] == "good", "%s takes %.50s", network.Name, row[2])
			if err == nil {
				testenv.Want(t, strings.EqualFold(network.Write(raw), row[2]), true, "%s writes %s", network.Name, row[2])
			}
		}
	}
}

// Nobody sends USDT to the contract of a token, however it is written and of whichever network.
func TestContracts(t *testing.T) {
	t.Parallel()
	for _, of := range chain.Networks() {
		contract := testenv.Must(chain.Read(of.Name, of.Token))(t)
		for _, by := range chain.Networks() {
			address := by.Write(contract)
			testenv.NoError(t, chain.CheckForm(by.Name, address))
			testenv.Want(t, errors.Is(chain.CheckAddress(by.Name, address), chain.ErrContract), true,
				"%s refuses the contract of %s", by.Name, of.Name)
		}
	}
	testenv.NoError(t, chain.CheckAddress("TRC20", "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"))
	testenv.Want(t, errors.Is(chain.CheckAddress("TON", "x"), chain.ErrNetwork), true, "an unknown network is refused")
}

func TestHash(t *testing.T) {
	t.Parallel()
	tron, _ := chain.Find("TRC20")
	other, _ := chain.Find("ERC20")
	digits := strings.Repeat("0f", 32)
	for _, written := range []string{digits, "0x" + digits, " " + strings.ToUpper(digits) + "\n"} {
		testenv.Want(t, tron.Hash(written), digits, "a hash of Tron")
		testenv.Want(t, other.Hash(written), "0x"+digits, "a hash of Ethereum")
	}
	for _, written := range []string{"", "0x", digits[1:], digits + "0", strings.Repeat("zz", 32)} {
		testenv.Want(t, other.Hash(written), "", "no hash: %q", written)
	}
}
