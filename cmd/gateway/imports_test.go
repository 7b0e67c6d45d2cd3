package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// floors are the rooms, each with the floor it is on. Imports only ever go down.
var floors = map[string]int{
	"gateway/internal/money":                      0,
	"gateway/internal/fault":                      0,
	"gateway/internal/caller":                     1,
	"gateway/internal/clock":                      0,
	"gateway/internal/strictjson":                 0,
	"gateway/schema":                              0,
	"gateway/internal/db":                         1,
	"gateway/internal/pgserver":                   1,
	"gateway/internal/vault":                      1,
	"gateway/internal/ledger":                     2,
	"gateway/internal/rate":                       2,
	"gateway/internal/routing":                    2,
	"gateway/internal/auth":                       2,
	"gateway/internal/limit":                      2,
	"gateway/internal/webhook":                    2,
	"gateway/internal/card":                       2,
	"gateway/internal/acquirer":                   3,
	"gateway/internal/directory":                  3,
	"gateway/internal/checkout":                   5,
	"gateway/internal/checkdigit":                 0,
	"gateway/internal/requisite":                  1,
	"gateway/internal/payout":                     3,
	"gateway/internal/payment":                    4,
	"gateway/internal/deposit":                    3,
	"gateway/internal/sandbox":                    3,
	"gateway/internal/dbtest":                     4,
	"gateway/internal/edge":                       3,
	"gateway/internal/audit":                      3,
	"gateway/internal/model":                      6,
	"gateway/rpc/gen/gateway/v1":                  3,
	"gateway/rpc/gen/portal/v1":                   4,
	"gateway/rpc/gen/sandbox/v1":                  3,
	"gateway/rpc/gen/gateway/v1/gatewayv1connect": 5,
	"gateway/rpc/gen/portal/v1/portalv1connect":   5,
	"gateway/rpc/gen/sandbox/v1/sandboxv1connect": 5,
	"gateway/rpc/sign":                            0,
	"gateway/rpc":                                 6,
	"gateway/rpc/rest":                            7,
	"gateway/web/words":                           5,
	"gateway/web/view":                            6,
	"gateway/web":                                 7,
	"gateway/cmd/gateway":                         8,
	"gateway/cmd/bench":                           8,
	"gateway/internal/acceptance":                 8,
	"gateway/internal/gendocs":                    8,
}

// forbidden are imports that would go down and still must not be: the two transports know services,
// not the database nor each other, and only the program knows that a sandbox exists.
var forbidden = []struct{ from, to string }{
	{"gateway/rpc", "gateway/internal/db"}, {"gateway/web", "gateway/internal/db"},
	{"gateway/internal", "gateway/rpc"}, {"gateway/internal", "gateway/web"},
	{"gateway/rpc", "gateway/web"}, {"gateway/web", "gateway/rpc"},
	{"gateway/rpc", "gateway/internal/sandbox"}, {"gateway/web", "gateway/internal/sandbox"},
}

func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	for _, from := range packages(t) {
		floor, known := floors[from.ImportPath]
		if !known {
			t.Errorf("%s is on no floor: say which", from.ImportPath)
			continue
		}
		for _, to := range from.Imports {
			if below, ours := floors[to]; ours && below >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d)", from.ImportPath, floor, to, below)
			}
			for _, rule := range forbidden {
				if within(from.ImportPath, rule.from) && within(to, rule.to) {
					t.Errorf("%s imports %s", from.ImportPath, to)
				}
			}
		}
	}
}

func within(path, room string) bool { return path == room || strings.HasPrefix(path, room+"/") }

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "gateway/...")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one listed
		switch err := decoder.Decode(&one); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, one)
	}
}
