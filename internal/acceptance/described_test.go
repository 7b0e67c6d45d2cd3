package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"gateway.example/internal/testenv"
)

// describedMessages are messages of docs/openapi.json as far as tests go by them.
type describedMessages map[string]struct {
	Required   []string
	Properties map[string]struct {
		Type            any
		MaxLength       int
		Enum            []any
		Pattern, Format string
	}
}

var messages = sync.OnceValue(func() describedMessages {
	content, err := os.ReadFile("../../docs/openapi.json")
	var all struct {
		Components struct{ Schemas describedMessages }
	}
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil {
		panic(err)
	}
	return all.Components.Schemas
})

// creations are the sections of wrong.txt whose bodies create something: by which message, where, and what it is.
var creations = map[string]struct {
	endpoint
	request, path, shown string
}{
	"payment": {newPayment, "CreatePaymentRequest", payments, "Payment"},
	"payin":   {newPayin, "CreatePayinRequest", payins, "Payin"},
	"deposit": {newDeposit, "CreateDepositRequest", deposits, "Deposit"},
}

// describedTexts are rows for the texts that a creation describes: what is wrong in any text, and what any that says no
// more of itself takes. Those of wrong.txt come on top.
func describedTexts(title string) (wrong, taken [][]string) {
	message := messages()[creations[title].request]
	for _, name := range slices.Sorted(maps.Keys(message.Properties)) {
		text := message.Properties[name]
		if !strings.Contains(fmt.Sprint(text.Type), "string") {
			continue
		}
		bad := []string{name, "<no text>", "<flawed>", `"<9*60000>"`, `"<ж*30000>"`}
		good := []string{name}
		plain := text.Enum == nil && text.Pattern == "" && text.Format == ""
		switch needed := slices.Contains(message.Required, name); {
		case needed:
			bad = append(bad, "<none>", "null", `""`)
		case plain:
			good = append(good, "<none>", "null")
		}
		if n := text.MaxLength; n > 0 && plain {
			bad = append(bad, fmt.Sprintf(`"<x*%d>"`, n+1), fmt.Sprintf(`"<ж*%d>"`, n+1))
			good = append(good, fmt.Sprintf(`"<x*%d>"`, n), fmt.Sprintf(`"<ж*%d>"`, n))
		}
		wrong, taken = append(wrong, bad), append(taken, good)
	}
	return wrong, taken
}

// What a creation is sent is in its answer, and in what is read later, wherever both have a text of that name.
func TestSentIsShown(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for title, c := range creations {
		shown := messages()[c.shown].Properties
		sent := object{}
		for name, text := range messages()[c.request].Properties {
			if _, both := shown[name]; !both || text.Enum != nil || text.MaxLength == 0 || name == "orderId" {
				continue
			}
			sent[name] = "Some text"
			if text.Format == "uri" {
				sent[name] = "https://shop.example/thanks"
			}
		}
		got := c.send(t, g, c.good(sent)).must(t, title, c.status)
		read := g.readBy(t, g.first(), c.path+"/"+got.text("data.id"))
		for name, value := range sent {
			testenv.Want(t, got.text("data."+name), fmt.Sprint(value), "%s is created with %s", title, name)
			testenv.Want(t, read.text("data."+name), fmt.Sprint(value), "%s is read with %s", title, name)
		}
	}
}
