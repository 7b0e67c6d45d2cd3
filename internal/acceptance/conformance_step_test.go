package acceptance

import (
	"path"
	"strconv"
	"strings"
	"testing"
	"time"
)

// steps makes the calls of a section of steps.txt.
func steps(t *testing.T, name string, done *proven) func(t *testing.T, w *instance) {
	t.Helper()
	var lines []string
	section := ""
	for _, line := range linesOf(t, "steps.txt") {
		if title := heading.FindStringSubmatch(line); title != nil {
			section = title[1]
		} else if section == name {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		t.Fatal("no function of the tests and no section of steps.txt is called ", name)
	}
	return func(t *testing.T, w *instance) {
		for _, line := range lines {
			w.prove(t, line, done)
		}
	}
}

// stepWords are what a line of steps.txt begins with that is no call.
var stepWords = map[string]func(t *testing.T, w *instance, words []string){
	"new": func(_ *testing.T, w *instance, names []string) {
		for _, name := range names {
			w.ids[name] = newOrder()
		}
	},
	"entered": func(t *testing.T, w *instance, words []string) {
		created, token := w.cardPayment(t, object{"callbackUri": w.inbox.URL})
		w.keep(words[0], created)
		step(token, "payer-details", typedCard(words[1], nil))(t, w).must(t, "a card", 200)
	},
	"failed": func(t *testing.T, w *instance, words []string) { w.ids[words[0]] = w.failed(t, nil) },
	"await": func(t *testing.T, w *instance, words []string) {
		w.awaitCheckout(t, w.ids[words[0]+"_token"], words[1], words[2])
	},
	"pass": func(t *testing.T, w *instance, words []string) {
		by, err := time.ParseDuration(words[0])
		noError(t, err)
		w.pass(t, by)
	},
	"sql":     func(t *testing.T, w *instance, words []string) { w.exec(t, strings.Join(words, " ")) },
	"settled": func(t *testing.T, w *instance, _ []string) { w.awaitSettings(t) },
}

// toldOf wants a webhook about what is kept to show something: "a 1: data.status ...".
func (w *instance) toldOf(t *testing.T, line string) {
	t.Helper()
	which, shown, _ := strings.Cut(line, ": ")
	name, count, _ := strings.Cut(which, " ")
	nth, err := strconv.Atoi(count)
	noError(t, err)
	w.inbox.letters(t, w.ids[name+"_order"], nth)[nth-1].shows(t, w.path(t, shown))
}

// keep keeps an answer, and what later calls name of it.
func (w *instance) keep(name string, got answer) {
	w.answers[name] = got
	w.ids[name], w.ids[name+"_uuid"] = got.text("data.id"), got.text("data.uuid")
	for short, field := range map[string]string{
		"order": "orderId", "created": "createdAt", "expires": "expiresAt", "value": "requisite.value",
		"holder": "requisite.holder",
	} {
		w.ids[name+"_"+short] = got.text("data." + field)
	}
	for _, link := range []string{"data.checkoutUrl", "data.paymentPageUrl"} {
		if address, ok := got.at(link).(string); ok {
			w.ids[name+"_token"] = path.Base(address)
		}
	}
}
