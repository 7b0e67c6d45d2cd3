package acceptance

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/history"
	"gateway.example/internal/sandbox"
)

// maxDeliveries is how often the contract has an event delivered at most: once, and ten times more.
const maxDeliveries = 11

// seen tells a recorder what a client was answered. What was refused, at the door or because there is no database, is to have
// done nothing: it is not recorded, so that whatever it did is seen as wrong.
func seen(asked history.Call, end func(history.Answer), kind string, got answer) {
	switch {
	case kind == "":
		changed := got.text("data.callbackQueued") == "true"
		if asked.What == history.Create {
			changed = got.header.Get("Idempotent-Replay") == ""
		}
		end(history.Answer{ID: got.text("data.id"), Status: got.text("data.status"), Changed: changed})
	case kind == "refused" || strings.HasPrefix(kind, "503 ") && kind != "503 outcome_unknown":
	default:
		end(history.Answer{Unknown: true})
	}
}

// feedReader is a merchant's program that reads events, and goes on from where it stopped.
type feedReader struct {
	box   sandbox.Cashbox
	bases [2]string
	tries int

	cursor string
	events []history.Event
	// cursors are those it has had, by the number of events before.
	cursors map[int]string
}

// page reads a page at one of the replicas, and reports whether there was anything. A page that does not come is asked for again.
func (r *feedReader) page() (more bool, err error) {
	r.tries++
	address := r.bases[r.tries%len(r.bases)] + "/api/v1/events?limit=100"
	if r.cursor != "" {
		address += "&cursor=" + url.QueryEscape(r.cursor)
	}
	got, err := trySend(http.MethodGet, address, "", signed(r.box, ""))
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("events: %s", got)
	}
	if err != nil {
		return true, err
	}
	list, _ := got.at("data").([]any)
	for _, one := range list {
		payload := fmt.Sprint(one.(object)["payload"])
		r.events = append(r.events, eventOf(fmt.Sprint(one.(object)["id"]), payload))
	}
	if next, is := got.at("next_cursor").(string); is && len(list) > 0 {
		if r.cursors == nil {
			r.cursors = map[int]string{}
		}
		r.cursor = next
		r.cursors[len(r.events)] = next
	}
	return len(list) > 0, nil
}

// rest reads on to the end.
func (r *feedReader) rest() error {
	failed := 0
	for {
		more, err := r.page()
		if err == nil && !more {
			return nil
		}
		if err != nil {
			if failed++; failed > 20 {
				return err
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

func eventOf(id, body string) history.Event {
	e := answer{body: decoded(body)}
	sequence, _ := strconv.Atoi(e.text("meta.sequence"))
	return history.Event{ID: id, Order: e.text("meta.method") + " " + e.text("data.orderId"), Sequence: sequence, Body: body}
}

// checkHistory wants what clients saw to be explained by calls one after the other, the events that they read while faults came
// and went to be all there are, in the order in which they are for everybody, and what came to endpoints to be those.
func (s *stage) checkHistory(t *testing.T) {
	t.Helper()
	orders, calls, unknown := s.load.seen.Counts()
	began := time.Now()
	if err := s.load.seen.Check(time.Minute); err != nil {
		t.Error(err)
	}
	t.Logf("history: %d calls about %d payments, of %d nobody knows the outcome; checked in %s", calls, orders, unknown, time.Since(began))
	for i, reader := range s.load.feeds {
		again, err := s.checkFeed(reader, s.load.hooks[i]())
		if err != nil {
			t.Errorf("events of %s: %v", reader.box.KeyID, err)
		}
		t.Logf("events of %s: %d, of which %d came again", reader.box.KeyID, len(reader.events), again)
	}
}

func (s *stage) checkFeed(reader *feedReader, hook *shop) (again int, err error) {
	if err := reader.rest(); err != nil {
		return 0, err
	}
	whole := &feedReader{box: reader.box, bases: reader.bases}
	if err := whole.rest(); err != nil {
		return 0, err
	}
	err = errors.Join(history.CheckLog(whole.events), history.CheckResumed(whole.events, reader.events, 0))
	points := slices.Collect(maps.Keys(reader.cursors))
	for range min(len(points), 10) { // anybody goes on at any cursor
		after := points[rand.IntN(len(points))]
		resumed := &feedReader{box: reader.box, bases: reader.bases, cursor: reader.cursors[after]}
		if cause := resumed.rest(); cause != nil {
			return 0, cause
		}
		err = errors.Join(err, history.CheckResumed(whole.events, resumed.events, after))
	}
	var came []history.Event
	for _, l := range hook.all() {
		came = append(came, eventOf(l.text("eventId"), l.raw))
	}
	again, cause := history.CheckDeliveries(whole.events, came, maxDeliveries)
	return again, errors.Join(err, cause)
}
