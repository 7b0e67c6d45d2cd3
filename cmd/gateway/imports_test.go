package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// floors are the packages, each with the floor it is on. Imports only ever go
// down.
var floors = map[string]int{
	"gateway.example/internal/catalogue":                  0,
	"gateway.example/internal/timeline":                   5,
	"gateway.example/internal/tongue":                     0,
	"gateway.example/internal/money":                      0,
	"gateway.example/internal/optional":                   0,
	"gateway.example/internal/outbound":                   0,
	"gateway.example/internal/bankstatement":              1,
	"gateway.example/internal/sheet":                      0,
	"gateway.example/internal/tracing":                    0,
	"gateway.example/internal/export":                     1,
	"gateway.example/internal/fault":                      0,
	"gateway.example/internal/caller":                     1,
	"gateway.example/internal/clock":                      0,
	"gateway.example/internal/strictjson":                 0,
	"gateway.example/schema":                              0,
	"gateway.example/internal/db":                         1,
	"gateway.example/internal/pgserver":                   1,
	"gateway.example/internal/vault":                      0,
	"gateway.example/internal/ledger":                     2,
	"gateway.example/internal/rate":                       2,
	"gateway.example/internal/routing":                    2,
	"gateway.example/internal/auth":                       2,
	"gateway.example/internal/limit":                      2,
	"gateway.example/internal/requestlog":                 2,
	"gateway.example/internal/webhook":                    2,
	"gateway.example/internal/notify":                     2,
	"gateway.example/internal/webhook/signing":            1,
	"gateway.example/internal/card":                       2,
	"gateway.example/internal/acquirer":                   3,
	"gateway.example/internal/directory":                  3,
	"gateway.example/internal/inforce":                    3,
	"gateway.example/internal/checkout":                   5,
	"gateway.example/internal/report":                     5,
	"gateway.example/internal/reporttest":                 5,
	"gateway.example/internal/bankmessage":                5,
	"gateway.example/internal/paylink":                    5,
	"gateway.example/internal/withdrawal":                 3,
	"gateway.example/internal/simulator":                  5,
	"gateway.example/internal/seal":                       5,
	"gateway.example/internal/checkdigit":                 0,
	"gateway.example/internal/requisite":                  1,
	"gateway.example/internal/block":                      2,
	"gateway.example/internal/books":                      6,
	"gateway.example/internal/attachment":                 2,
	"gateway.example/internal/metadata":                   2,
	"gateway.example/internal/payout":                     3,
	"gateway.example/internal/payment":                    4,
	"gateway.example/internal/chain":                      2,
	"gateway.example/internal/chain/simulated":            3,
	"gateway.example/internal/deposit":                    3,
	"gateway.example/internal/sandbox":                    6,
	"gateway.example/internal/dbtest":                     4,
	"gateway.example/internal/session":                    3,
	"gateway.example/internal/edge":                       4,
	"gateway.example/internal/audit":                      3,
	"gateway.example/internal/auditlog":                   6,
	"gateway.example/internal/foureyes":                   1,
	"gateway.example/internal/setting":                    2,
	"gateway.example/internal/proposal":                   5,
	"gateway.example/internal/alarm":                      4,
	"gateway.example/internal/model":                      6,
	"gateway.example/internal/trigger":                    6,
	"gateway.example/rpc/gen/gateway/v1":                  3,
	"gateway.example/rpc/gen/portal/v1":                   4,
	"gateway.example/rpc/gen/sandbox/v1":                  4,
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect": 5,
	"gateway.example/rpc/gen/gateway/v1/gatewayv1client":  6,
	"gateway.example/rpc/gen/portal/v1/portalv1connect":   5,
	"gateway.example/rpc/gen/portal/v1/portalv1client":    6,
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect": 5,
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1client":  6,
	"gateway.example/rpc/sign":                            0,
	"gateway.example/rpc/unary":                           0,
	"gateway.example/rpc/webhook":                         0,
	"gateway.example/rpc":                                 6,
	"gateway.example/rpc/portal":                          7,
	"gateway.example/rpc/portal/operator":                 8,
	"gateway.example/rpc/portal/report":                   8,
	"gateway.example/rpc/rest":                            7,
	"gateway.example/docs":                                0,
	"gateway.example/rpc/rest/describe":                   8,
	"gateway.example/web/words":                           5,
	"gateway.example/web":                                 0,
	"gateway.example/web/static":                          0,
	"gateway.example/web/chart":                           0,
	"gateway.example/internal/testenv":                    0,
	"gateway.example/internal/figures":                    5,
	"gateway.example/internal/waits":                      4,
	"gateway.example/internal/history":                    0,
	"gateway.example/web/browsertest":                     1,
	"gateway.example/internal/signature":                  1,
	"gateway.example/internal/attest":                     2,
	"gateway.example/internal/reseal":                     2,
	"gateway.example/internal/submission":                 2,
	"gateway.example/internal/work":                       3,
	"gateway.example/internal/savedview":                  2,
	"gateway.example/internal/sensitive":                  2,
	"gateway.example/web/portal/say":                      3,
	"gateway.example/web/portal/view":                     6,
	"gateway.example/web/portal":                          7,
	"gateway.example/web/portal/desk":                     8,
	"gateway.example/web/portal/notices":                  8,
	"gateway.example/web/portal/requisites":               8,
	"gateway.example/web/portal/payments":                 8,
	"gateway.example/web/portal/payoutfiles":              8,
	"gateway.example/web/portal/payers":                   8,
	"gateway.example/web/portal/search":                   8,
	"gateway.example/web/portal/statement":                8,
	"gateway.example/web/portal/overview":                 8,
	"gateway.example/web/portal/developers":               8,
	"gateway.example/web/portal/team":                     8,
	"gateway.example/web/portal/deposits":                 8,
	"gateway.example/web/portal/appeals":                  8,
	"gateway.example/web/portal/arrivals":                 8,
	"gateway.example/web/portal/bankstatement":            8,
	"gateway.example/web/portal/links":                    8,
	"gateway.example/web/portal/messages":                 8,
	"gateway.example/web/portal/account":                  8,
	"gateway.example/web/portal/sandbox":                  8,
	"gateway.example/web/portal/cases":                    8,
	"gateway.example/web/portal/money":                    8,
	"gateway.example/web/portal/rates":                    8,
	"gateway.example/web/portal/routing":                  8,
	"gateway.example/web/portal/trust":                    8,
	"gateway.example/web/portal/withdrawals":              8,
	"gateway.example/web/portal/settings":                 8,
	"gateway.example/web/portals":                         9,
	"gateway.example/web/portal/portaltest":               10,
	"gateway.example/web/reference":                       7,
	"gateway.example/web/site":                            6,
	"gateway.example/web/pay/view":                        6,
	"gateway.example/web/pay":                             7,
	"gateway.example/cmd/gateway":                         10,
	"gateway.example/cmd/bench":                           8,
	"gateway.example/internal/acceptance":                 8,
	"gateway.example/internal/gendocs":                    8,
	"gateway.example/internal/tools/gallery":              0,
	"gateway.example/internal/tools/pluginzip":            8,
}

// forbidden are imports that would go down and still must not be: the two
// transports know services, not the database nor each other, and only the
// program knows that a sandbox exists.
var forbidden = []struct{ from, to string }{
	{"gateway.example/rpc", "gateway.example/internal/db"},
	{"gateway.example/web", "gateway.example/internal/db"},
	{"gateway.example/internal", "gateway.example/rpc"},
	{"gateway.example/internal", "gateway.example/web"},
	{"gateway.example/rpc", "gateway.example/web"},
	{"gateway.example/web", "gateway.example/rpc"},
	{"gateway.example/rpc", "gateway.example/internal/sandbox"},
	{"gateway.example/web", "gateway.example/internal/sandbox"},
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
			below, ours := floors[to]
			testenv.Check(t, !ours || below < floor,
				"%s (floor %d) imports %s (floor %d)", from.ImportPath, floor, to, below)
			for _, rule := range forbidden {
				testenv.Check(t, !within(from.ImportPath, rule.from) || !within(to, rule.to),
					"%s imports %s", from.ImportPath, to)
			}
		}
	}
}

// The OTLP exporters would bring gRPC and its gateway, which take longest of
// all to compile.
func TestQuickBuild(t *testing.T) {
	t.Parallel()
	for _, one := range packages(t) {
		testenv.Check(t, one.ImportPath != "gateway.example/cmd/gateway" || !slices.Contains(one.Deps, "google.golang.org/grpc"),
			"cmd/gateway needs google.golang.org/grpc")
	}
}

// generated are the messages, clients and handlers, and what makes the
// handlers.
var generated = []string{"gateway.example/rpc/gen", "gateway.example/rpc/unary"}

// published are the packages that programs of others import.
var published = append([]string{"gateway.example/rpc/sign", "gateway.example/rpc/webhook"}, generated...)

// What others import brings nothing of the gateway's inside with it, and
// signing and verifying need nothing but the standard library.
func TestPublishedPackages(t *testing.T) {
	t.Parallel()
	for _, one := range packages(t) {
		for _, path := range published {
			if within(one.ImportPath, path) {
				checkPublished(t, one, slices.Contains(generated, path))
			}
		}
	}
}

func checkPublished(t *testing.T, one listed, isGenerated bool) {
	t.Helper()
	for _, dependency := range one.Deps {
		testenv.Check(t, !within(dependency, "gateway.example") || slices.ContainsFunc(generated, func(path string) bool { return within(dependency, path) }),
			"%s, which others import, needs %s", one.ImportPath, dependency)
		host, _, _ := strings.Cut(dependency, "/")
		testenv.Check(t, !strings.Contains(host, ".") || isGenerated,
			"%s needs %s, which is not of the standard library", one.ImportPath, dependency)
	}
}

func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

type listed struct {
	ImportPath string
	Imports    []string
	// Deps are what it needs, directly or not.
	Deps []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "gateway.example/...")
	out := testenv.Must(command.Output())(t)
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
