package webhook

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// A dead event is found by an operator, sent again and delivered, on a schedule
// of its own.
func TestDeadIsListedReplayedDelivered(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusGone, http.StatusInternalServerError, http.StatusOK))
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	dead, _ := testenv.Must2(b.events.ListDead(t.Context(), operator, DeadPage{}))(t)
	testenv.Need(t, len(dead) == 1 && dead[0].ID == id && len(dead[0].Attempts) == 1, "dead: %+v", dead)
	progress := testenv.Must(b.events.Replay(t.Context(), operator,
		Replay{EventID: new(id.String()), MerchantID: &b.merchant.ID}))(t)
	testenv.Check(t, progress.Replayed == 1 && progress.Done && progress.ID == nil, "replayed %+v", progress)
	b.await(t, id, 2)
	testenv.Want(t, b.status(t, id), statusPending, "after a failure the event is")
	b.hurry(t)
	b.await(t, id, 3)
	testenv.Want(t, b.status(t, id), statusDelivered, "the event is")
	for _, got := range r.All() { // receivers drop doubles by the event's id
		verifies(t, b.secret, got)
		testenv.Want(t, got.Header.Get("webhook-id"), id.String(), "the id sent again")
	}
}

// A merchant sends its own event again whatever its status: one delivered
// already goes out once more.
func TestReplayDelivered(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusOK))
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	progress := b.again(t, id)
	b.await(t, id, 2)
	testenv.Check(t, progress.Replayed == 1 && b.status(t, id) == statusDelivered,
		"replayed %+v, now %s", progress, b.status(t, id))
}

// Sent again while it waits for its next attempt, an event has one schedule and
// not two.
func TestReplayPending(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusInternalServerError, http.StatusInternalServerError, http.StatusOK))
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	b.again(t, id)
	b.await(t, id, 2)
	// One attempt of this round was made, and one delivery is queued.
	made, _, _ := b.queued(t, id)
	testenv.Check(t, made == 1 && b.status(t, id) == statusPending && len(r.All()) == 2,
		"the event is %s after %d attempts, sent %d times", b.status(t, id), made, len(r.All()))
	b.hurry(t)
	b.await(t, id, 3)
	testenv.Want(t, b.status(t, id), statusDelivered, "the event is")
}

// An attempt that was on its way when its event was sent again is kept, and
// decides nothing.
func TestReplayDuringAnAttempt(t *testing.T) {
	b := setup(t)
	r, asked, answer := twoAtOnce(t)
	id := b.add(t, r.URL)
	<-asked
	b.again(t, id)
	answer[0] <- http.StatusGone
	<-asked // the second attempt is under way, so the first is over
	b.await(t, id, 1)
	testenv.Want(t, b.status(t, id), statusPending, "an attempt")
	answer[1] <- http.StatusOK
	b.await(t, id, 2)
	testenv.Want(t, b.status(t, id), statusDelivered, "the event is")
}

// dead inserts a dead event of a merchant, an endpoint and a time.
func (b *bundle) dead(t *testing.T, merchant dbtest.Merchant, url string, at time.Time) uuid.UUID {
	t.Helper()
	event := b.event(merchant, url)
	event.At = at
	testenv.NoError(t, db.Run(t.Context(), b.Queries(), event.Insert()...))
	b.number(t)
	b.setStatus(t, event.ID, statusDead)
	return event.ID
}

// A range takes that endpoint's dead events of that merchant from its first
// moment to just before its last.
func TestReplayRange(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusOK))
	from := b.clock.Now().Add(-time.Hour)
	until := from.Add(time.Minute)
	within := map[uuid.UUID]bool{
		b.dead(t, b.merchant, r.URL+"/a", from):                         true,
		b.dead(t, b.merchant, r.URL+"/a", until.Add(-time.Microsecond)): true,
	}
	b.dead(t, b.merchant, r.URL+"/a", from.Add(-time.Microsecond))
	b.dead(t, b.merchant, r.URL+"/a", until)
	b.dead(t, b.merchant, r.URL+"/b", from)
	b.dead(t, b.merchant, r.URL+"/a/", from)
	b.dead(t, b.newMerchant(t), r.URL+"/a", from)
	delivered := b.dead(t, b.merchant, r.URL+"/a", from)
	b.setStatus(t, delivered, statusDelivered)

	ask := Replay{URL: new(r.URL + "/a"), From: &from, Until: &until}
	progress := testenv.Must(b.events.Replay(t.Context(), b.merchant.User(caller.Owner), ask))(t)
	testenv.Check(t, progress.Replayed == 2 && progress.Done, "replayed %+v", progress)
	testenv.Until(t, "two are sent again", func() bool { return len(r.All()) >= 2 })
	for id := range within {
		b.await(t, id, 1)
	}
	var dead, jobs int
	testenv.NoError(t, b.Pool.QueryRow(t.Context(), `select (select count(*) from webhook_event where status = 'dead'),
		(select count(*) from webhook_attempt)`).Scan(&dead, &jobs))
	testenv.Check(t, dead == 5 && jobs == 2 && len(r.All()) == 2,
		"%d are dead still, %d attempts, %d sent", dead, jobs, len(r.All()))
	progress, err := b.events.Replay(t.Context(), b.merchant.User(caller.Owner), ask)
	testenv.Check(t, err == nil && progress.Replayed == 0, "again: %+v, %v", progress, err)
	ask.From, ask.Until = nil, nil
	progress, err = b.events.Replay(t.Context(), b.merchant.User(caller.Owner), ask)
	testenv.Check(t, err == nil && progress.Replayed == 2, "with open ends: %+v, %v", progress, err)
}

// manyDead makes more dead events of an endpoint than one transaction takes.
func (b *bundle) manyDead(t *testing.T, url string) (count int64) {
	t.Helper()
	const many = 2*replayBatch + 1
	b.insertMany(t, b.merchant, url, many)
	b.number(t)
	b.Exec(t, "update webhook_event set status = 'dead'")
	return many
}

// goOn goes on with a replay until it is done.
func (b *bundle) goOn(t *testing.T, id *int64) Progress {
	t.Helper()
	var progress Progress
	testenv.Until(t, "the replay is done", func() bool {
		testenv.NoError(t, b.events.FeedReplays(t.Context()))
		progress = testenv.Must(b.events.ReplayProgress(t.Context(), b.merchant.User(caller.Owner), *id))(t)
		return progress.Done
	})
	return progress
}

// One call takes any number: the first batch at once, the others as the
// endpoint takes them.
func TestReplayTakesAll(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusOK))
	many := b.manyDead(t, r.URL)
	progress, err := b.events.Replay(t.Context(), b.merchant.User(caller.Owner), Replay{URL: &r.URL})
	testenv.Need(t, err == nil && progress.Replayed == replayBatch && progress.Left == many-replayBatch && !progress.Done,
		"at first %+v, %v", progress, err)
	progress = b.goOn(t, progress.ID)
	testenv.Check(t, progress.Replayed == many && !progress.Stopped, "in the end %+v of %d", progress, many)
	testenv.Until(t, "all are delivered", func() bool {
		return b.Count(t, "select count(*) from webhook_event where status = 'delivered'") == int(many)
	})
}

// A range follows its endpoint: while that takes nothing, no more is queued. It
// can be looked at and stopped, by whose it is and by operators alone, and what
// was queued is delivered.
func TestReplayFollowsItsEndpoint(t *testing.T) {
	b := setup(t)
	answer := make(chan struct{})
	r := newReceiver(t, func(http.ResponseWriter, int) { <-answer })
	many := b.manyDead(t, r.URL)
	own := b.merchant.User(caller.Owner)
	progress := testenv.Must(b.events.Replay(t.Context(), own, Replay{URL: &r.URL}))(t)
	for range 5 {
		testenv.NoError(t, b.events.FeedReplays(t.Context()))
	}
	testenv.Want(t, b.Count(t, "select count(*) from webhook_delivery"), replayBatch,
		"are queued for an endpoint that takes none")
	seen := testenv.Must(b.events.ReplayProgress(t.Context(), operator, *progress.ID))(t)
	testenv.Check(t, !seen.Done, "%+v", seen)
	stranger := b.newMerchant(t).User(caller.Owner)
	dbtest.WantCode(t, testenv.ErrOf(b.events.ReplayProgress(t.Context(), stranger, *progress.ID)), "not_found")
	dbtest.WantCode(t, testenv.ErrOf(b.events.StopReplay(t.Context(), stranger, *progress.ID)), "not_found")
	seen = testenv.Must(b.events.ReplayProgress(t.Context(), own, *progress.ID))(t)
	testenv.Check(t, !seen.Done, "a stranger has stopped it: %+v", seen)
	progress, err := b.events.StopReplay(t.Context(), own, *progress.ID)
	testenv.Check(t, err == nil && progress.Stopped && progress.Done && progress.Replayed == replayBatch,
		"stopped %+v, %v", progress, err)
	close(answer)
	testenv.Until(t, "nothing is left to deliver",
		func() bool { return b.Count(t, "select count(*) from webhook_delivery") == 0 })
	testenv.NoError(t, b.events.FeedReplays(t.Context()))
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where status = 'dead'"), int(many)-replayBatch,
		"are dead")
}

// Several calls and processes at once send each again once, and end even at an
// endpoint that kills them as fast as they come.
func TestReplayAtOnce(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusGone))
	many := b.manyDead(t, r.URL)
	var total atomic.Int64
	testenv.NoError(t, testenv.AtOnce(3, func(int) error {
		progress, err := b.events.Replay(t.Context(), b.merchant.User(caller.Owner), Replay{URL: &r.URL})
		if err == nil {
			total.Add(b.goOn(t, progress.ID).Replayed)
		}
		return err
	})...)
	var again, jobs int64
	testenv.NoError(t, b.Pool.QueryRow(t.Context(), `select (select sum(round) from webhook_event),
		(select count(*) from webhook_attempt) + (select count(*) from webhook_delivery)`).Scan(&again, &jobs))
	testenv.Check(t, total.Load() >= many && again == total.Load(),
		"replayed %d of %d, %d rounds, %d attempts and deliveries", total.Load(), many, again, jobs)
}

func TestReplayRefused(t *testing.T) {
	b := setup(t)
	id, now, own := new(b.insert(t, nowhere).String()), b.clock.Now(), b.merchant.User(caller.Owner)
	inFeed := new(b.insert(t, "").String())
	dbtest.WantCode(t, testenv.ErrOf(b.events.Replay(t.Context(), own, Replay{EventID: new(uuid.NewString())})), "not_found")
	for fields, test := range map[string]struct {
		who caller.Caller
		ask Replay
	}{
		"merchantId":     {operator, Replay{EventID: id}},
		"eventId":        {own, Replay{EventID: new("17")}},
		"eventId ":       {own, Replay{EventID: inFeed}},
		"url":            {own, Replay{}},
		"url from until": {own, Replay{EventID: id, URL: new(nowhere), From: &now, Until: &now}},
		"until":          {own, Replay{URL: new(nowhere), From: &now, Until: &now}},
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.events.Replay(t.Context(), test.who, test.ask)), strings.Fields(fields)...)
	}
	testenv.Want(t, b.Count(t, "select count(*) from webhook_delivery"), 0, "deliveries are queued")
	b.Exec(t, "update webhook_event set number = case url when '' then 2 else 1 end")
	last, err := b.events.Latest(t.Context(), own, b.merchant.CashboxID)
	testenv.NoError(t, err)
	testenv.Want(t, last.String(), *id, "the last event that can be sent")
}
