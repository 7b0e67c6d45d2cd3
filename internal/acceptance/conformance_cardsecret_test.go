package acceptance

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// cardIsSealed: nothing of it can be read in the database.
func cardIsSealed(t *testing.T, w *instance) {
	const sealed = `select count(*) from payment_card where payment_id = $1::text::bigint
		and length(pan) > 16 and length(expiry) > 7 and length(holder) > 6`
	if w.count(t, sealed, w.ids["id"]) != 1 {
		t.Error("no card is kept sealed")
	}
	for _, table := range []string{"payment_card", "card_attempt", "checkout", "card_declined", "sandbox_acquirer", "payment"} {
		content := strings.Join(w.texts(t, "select t::text from "+table+" t"), "\n")
		for _, secret := range []string{deskCard, keptCode, "ANNA B"} {
			if strings.Contains(content, secret) || strings.Contains(content, hex.EncodeToString([]byte(secret))) {
				t.Errorf("%s holds %s", table, secret)
			}
		}
	}
}

// nothingElseOfTheCard is in any answer: not its number, code or expiry, nor the bank's code.
func nothingElseOfTheCard(t *testing.T, w *instance) {
	for _, name := range []string{
		"card", "read with card", "code", "resend", "read with resend", "resend event", "read with trader's resend", "card event",
	} {
		got := w.fixture(t, name)
		if strings.Contains(got.raw, deskCard) {
			t.Errorf("%s holds the number", name)
		}
		for _, leaf := range leaves(got.body) {
			if slices.Contains([]string{
				"pan",
				"cvv",
				"otp",
				"expMonth",
				"expYear",
				keptYear,
				keptYear[2:],
				"12/" + keptYear[2:],
				keptCVV,
				keptCode,
			}, leaf) {
				t.Errorf("%s holds %s", name, leaf)
			}
		}
	}
}

// leaves are the names and the values in a body.
func leaves(value any) []string {
	var all []string
	switch inside := value.(type) {
	case object:
		for name, field := range inside {
			all = append(append(all, name), leaves(field)...)
		}
	case []any:
		for _, item := range inside {
			all = append(all, leaves(item)...)
		}
	case json.Number:
		all = append(all, inside.String())
	default:
		all = append(all, fmt.Sprint(inside))
	}
	return all
}
