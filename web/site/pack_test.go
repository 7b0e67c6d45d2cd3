package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// What is packed around the stylesheet of the hosted pages is what it was,
// wherever that stands.
func TestPack(t *testing.T) {
	t.Parallel()
	once, packedOnce := packedSheet()
	sheet, words := string(once), strings.Repeat("Send 1 000,00 ₽ by 12:30. ", 40)
	for name, page := range map[string]string{
		"a hosted page":         "<style>" + sheet + ":root{--accent:#123456}</style>" + words,
		"after another sheet":   "<style>" + Style("link.css") + sheet + "</style>" + words,
		"with two":              "<style>" + sheet + "</style><style>" + sheet + "</style>" + words,
		"the sheet alone":       "<style>" + sheet,
		"a portal's page":       words,
		"with another sheet":    "<style>a{}</style>" + words,
		"its words in no sheet": words + sheet,
		"nothing":               "",
	} {
		packed := pack([]byte(page))
		r := testenv.Must(gzip.NewReader(bytes.NewReader(packed)))(t)
		r.Multistream(false) // as browsers read it
		testenv.Want(t, string(testenv.Must(io.ReadAll(r))(t)), page, "%s", name)
		testenv.Want(t, bytes.Contains(packed, packedOnce), strings.Contains(page, "<style>"+sheet) || name == "after another sheet",
			"%s has the sheet that was packed once", name)
	}
}
