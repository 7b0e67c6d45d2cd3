package acceptance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"gateway.example/internal/testenv"
)

// talkative pays at a processor that tells what it was told, in every part of answers good and bad.
// What it returns waits until that is over: the gateway gives up the worst of them after ten
// seconds, which only the whole check has.
func (r *cardRun) talkative() func() {
	p := &talker{arrived: map[string]int{}, calls: map[string]int{}, bad: badAnswers()}
	r.setProcessor(r.t, newCardProcessor(r.t, p.answer))
	var paying sync.WaitGroup
	for which := range len(p.bad) + testenv.Pick(r.t, 0, 1) {
		_, token := r.create("sandbox-azn", nil)
		card, code := typedCard(r.pan("4"), object{"cvv": r.cvv()}), fmt.Sprintf(`{"otp":%q}`, r.code("1"))
		paying.Go(func() {
			_, _ = trySend(http.MethodPost, r.BaseURL+"/api/v1/checkout/"+token+"/payer-details", card, nil)
			_, _ = trySend(http.MethodPost, r.BaseURL+"/api/v1/checkout/"+token+"/payer-otp", code, nil)
		})
		// They arrive one after the other, and wait together.
		testenv.Until(r.t, "the processor was asked again", func() bool { return p.attempts() > which })
	}
	return func() {
		paying.Wait()
		testenv.Check(r.t, !testenv.Whole(r.t) || strings.Contains(r.stderr.String(), "no answer of an acquirer"),
			"no answer was so bad that it was logged")
		r.setProcessor(r.t, newCardProcessor(r.t, nil))
	}
}

// talker answers the first call of a kind with something bad, a different thing for each attempt,
// and then as a processor does: half of the cards are declined, and all codes. The last attempt
// never gets another answer.
type talker struct {
	mu sync.Mutex
	// arrived is the order of the attempts, calls counts each one's by kind.
	arrived, calls map[string]int
	bad            []answerer
}

func (p *talker) attempts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.arrived)
}

func (p *talker) answer(w http.ResponseWriter, call string, body object, sign func(string) string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := textOf(body["attemptId"])
	if _, known := p.arrived[id]; !known && call == "authorize" {
		p.arrived[id] = len(p.arrived)
	}
	p.calls[id+call]++
	which, known := p.arrived[id]
	switch {
	case !known:
		return false
	case which == len(p.bad):
		return call == "authorize" && p.bad[0](w, call, body, sign)
	case p.calls[id+call] == 1:
		return p.bad[which](w, call, body, sign)
	case call == "code", call == "authorize" && which%2 == 0:
		return signedWords(`{"attemptId":%q,"state":"declined","reason":%q}`)(w, call, body, sign)
	}
	return false
}

func badAnswers() []answerer {
	return []answerer{
		words(http.StatusInternalServerError),
		words(http.StatusFound),
		words(http.StatusOK), // which is not signed
		signedWords(`%[2]s`),
		signedWords(`{"attemptId":%[2]q,"state":"declined"}`),
		signedWords(`{"attemptId":%q,"state":%q}`),
		signedWords(`{"attemptId":%q,"state":"pending","codes":%q}`),
	}
}

// told is what the processor was told, as text.
func told(body object) string {
	card, _ := body["card"].(object)
	return fmt.Sprintf("%v cvv=%v %v", card["pan"], card["cvv"], body["code"])
}

// words answers with a status and, in its headers and body, with what it was told.
func words(status int) answerer {
	return func(w http.ResponseWriter, _ string, body object, _ func(string) string) bool {
		w.Header().Set("Location", "/"+url.PathEscape(told(body)))
		w.Header().Set("X-Error", told(body))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(told(body)))
		return true
	}
}

// signedWords answers as agreed on, save that what it was told is somewhere in it; the form takes
// attempt and words.
func signedWords(form string) answerer {
	return func(w http.ResponseWriter, _ string, body object, sign func(string) string) bool {
		answer := fmt.Sprintf(form, textOf(body["attemptId"]), told(body))
		w.Header().Set("X-Acquirer-Signature", sign(answer))
		_, _ = w.Write([]byte(answer))
		return true
	}
}
