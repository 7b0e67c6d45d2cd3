package db_test

import (
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/edge"
	"gateway.example/internal/testenv"
)

// Connections that are open and silent, as when the other machine has vanished, are found when one is
// asked after its idle time, and all pools of the process get new ones.
func TestSilentConnectionsAreReplaced(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var group db.Group
	asked := must(group.Open(t.Context(), d.URL, 2, db.ForReads))(t)
	t.Cleanup(asked.Close)
	other := must(group.Open(t.Context(), d.URL, 1, db.ForReads))(t)
	t.Cleanup(other.Close)
	// Work in the background may take minutes, and is under way when its connection goes silent.
	work := must(group.Open(t.Context(), d.URL, 1, db.ForWork))(t)
	t.Cleanup(work.Close)
	worked := make(chan error, 1)
	stopped := fill(t, work)
	for _, pid := range append(stopped, append(fill(t, asked), fill(t, other)...)...) {
		noError(t, syscall.Kill(int(pid), syscall.SIGSTOP))
		t.Cleanup(func() { _ = syscall.Kill(int(pid), syscall.SIGCONT) })
	}
	go func() {
		_, err := work.Exec(t.Context(), "select 1")
		worked <- err
	}()
	time.Sleep(1100 * time.Millisecond)
	began := time.Now()
	_, err := asked.Exec(t.Context(), "select 1")
	if took := time.Since(began); err != nil || testenv.Whole() && took > 5*time.Second {
		t.Errorf("the pool that asked: %v after %s", err, took)
	}
	began = time.Now()
	_, err = other.Exec(t.Context(), "select 1")
	if took := time.Since(began); err != nil || testenv.Whole() && took > 2*time.Second {
		t.Errorf("the other pool: %v after %s", err, took)
	}
	select {
	case err := <-worked:
		testenv.Want(t, edge.Fault(err), db.ErrUnavailable, "the work: %v", err)
	case <-time.After(testenv.Patience):
		t.Error("the work still waits")
	}
}

// Where every connection is waiting for an answer, none is asked after its idle time. The one that is
// asked every second tells of the silence then.
func TestSilenceIsNoticedWhileAllWait(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var group db.Group
	beat := must(group.Open(t.Context(), d.URL, 1, db.ForReads))(t)
	t.Cleanup(beat.Close)
	noError(t, group.Beat(t.Context(), beat))
	calls := must(group.Open(t.Context(), d.URL, 1, db.ForCalls))(t)
	t.Cleanup(calls.Close)
	for _, pid := range append(fill(t, beat), fill(t, calls)...) {
		noError(t, syscall.Kill(int(pid), syscall.SIGSTOP))
		t.Cleanup(func() { _ = syscall.Kill(int(pid), syscall.SIGCONT) })
	}
	began := time.Now()
	called := make(chan error, 1)
	go func() {
		_, err := calls.Exec(t.Context(), "select 1")
		called <- err
	}()
	if err := group.Beat(t.Context(), beat); err == nil {
		t.Error("a silent connection was taken for a good one")
	}
	err := <-called
	// Twice three seconds, while the statement itself has eight.
	if took := time.Since(began); edge.Fault(err) != db.ErrUnavailable ||
		testenv.Whole() && took > 7500*time.Millisecond {
		t.Errorf("the call ended after %s with %v", took, err)
	}
	if _, err := calls.Exec(t.Context(), "select 1"); err != nil {
		t.Errorf("the call made again: %v", err)
	}
	noError(t, group.Beat(t.Context(), beat))
}
