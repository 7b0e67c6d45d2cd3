package deposit

import (
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// Tron's is the contract of USDT itself; Ethereum's are the examples of EIP-55.
func TestAddresses(t *testing.T) {
	t.Parallel()
	const usdtOfTron = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	ethereum := []string{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
		"0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77",
		"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x" + strings.Repeat("0", 40),
	}
	good := map[string][]string{"TRC20": {usdtOfTron, "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"}}
	bad := map[string][]string{"TRC20": {
		"", "T", usdtOfTron[:33], usdtOfTron + "t", " " + usdtOfTron, strings.ToLower(usdtOfTron), usdtOfTron[:33] + "u",
		usdtOfTron[:33] + "0", usdtOfTron[:33] + "l", ethereum[0], strings.Repeat("T", 5000), "Тр7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj",
		// Sound base58check, but of Bitcoin, and of the prefix next to Tron's.
		"112D2adLM3UKy4Z4giRbReR6gjWuvHUqB", "TZJqCCFeCFdJJaGGgNhTbhcLdyjmqUrgFq",
	}}
	for _, network := range []string{"ERC20", "BEP20", "POLYGON", "ARBITRUM"} {
		good[network] = ethereum
		bad[network] = []string{
			"", "0x", ethereum[0][2:], ethereum[0][:41], ethereum[0] + "0", "0X" + ethereum[0][2:], ethereum[0] + " ",
			"0x" + strings.Repeat("g", 40), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
			"0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", usdtOfTron, "0x" + strings.Repeat("0", 5000),
		}
	}
	for network, wrong := range networks {
		for _, address := range good[network] {
			testenv.Want(t, wrong(address), "", "%s %s", network, address)
		}
		for _, address := range bad[network] {
			testenv.Check(t, wrong(address) != "", "%s takes %.50s", network, address)
		}
	}
	testenv.Want(t, len(networks), len(good), "networks tested")
}
