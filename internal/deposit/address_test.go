package deposit

import (
	"testing"

	"gateway.example/internal/testenv"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	testenv.Want(t, len(networks), 5, "networks: those of the table are Tron's, and all others'")
	for _, row := range testenv.Rows(t, "addresses.txt") {
		for network, wrong := range networks {
			if (network == "TRC20") == (row[1] == "TRC20") {
				testenv.Want(t, wrong(row[2]) == "", row[0] == "good", "%s takes %.50s", network, row[2])
			}
		}
	}
}
