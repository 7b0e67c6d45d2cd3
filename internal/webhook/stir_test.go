package webhook

import (
	"testing"
	"time"

	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// What this process writes, queues and finds has it look often; without it, it
// looks seldom, but does.
func TestStirred(t *testing.T) {
	b := setupWith(t, outbound.NewAddresses(true), 0) // not beside other tests, which stir, too
	b.stop()
	var s stirred
	s.at.Store(-int64(time.Since(began)) - int64(stirs))
	testenv.Check(t, !s.due(time.Now()), "it is looked for often, though nothing was made")
	testenv.Check(t, s.due(time.Now().Add(-seldom)), "what others made is not looked for")
	s.stir()
	testenv.Check(t, s.due(time.Now()), "it is not looked for, though some was just made")
	stirs := func(what string, s *stirred, do func()) {
		t.Helper()
		before := s.at.Load()
		do()
		testenv.Check(t, s.at.Load() > before, "%s stirs nobody", what)
	}
	stirs("an event", &written, func() { Event{}.Insert() })
	stirs("a relayed event", &queued, func() {
		b.written(t, b.merchant, "https://shop.example/hook")
		testenv.NoError(t, b.relay.Watch(t.Context()))
	})
}
