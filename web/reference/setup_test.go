package reference_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/reference"
)

// key is a sandbox's. Its secret must never be on a page.
var key = reference.Key{ID: "sandbox-rub", Secret: "the-secret-of-the-key", About: "cashbox 1"}

const applicationSecret = "the-secret-of-the-application"

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.End()
	os.Exit(code)
}

// serve starts the reference of the committed description, with an API that answers calls; nil is none, outside a sandbox.
func serve(t testing.TB, api http.Handler) *httptest.Server {
	t.Helper()
	rooms := reference.Rooms{Description: testenv.Must(os.ReadFile("../../docs/openapi.json"))(t)}
	if api != nil {
		rooms.API = api
		rooms.Sandbox = &reference.Sandbox{Keys: []reference.Key{key}, Secret: applicationSecret}
	}
	server := httptest.NewServer(testenv.Must(reference.New(rooms))(t))
	t.Cleanup(server.Close)
	return server
}
