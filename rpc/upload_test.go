package rpc

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// As many uploads as there are places are let in; the next waits for one of them, but not for ever.
func TestTurnstile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(turnstile, 2)
		for range 2 {
			if err := gate.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		if err := gate.enter(t.Context()); !errors.Is(err, errUploadsBusy) || time.Since(began) != uploadWait {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := gate.enter(gone); err == nil {
			t.Error("who has gone away was let in")
		}
		time.AfterFunc(uploadWait/2, gate.leave)
		if err := gate.enter(t.Context()); err != nil {
			t.Errorf("a place came free: %v", err)
		}
	})
}
