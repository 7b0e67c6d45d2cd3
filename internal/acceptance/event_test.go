package acceptance

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

func (g *instance) merchantDesk(token string) portalv1connect.MerchantServiceClient {
	return portalv1connect.NewMerchantServiceClient(withToken(token), g.BaseURL)
}

// feed reads a merchant's whole feed.
func feed(t *testing.T, desk portalv1connect.MerchantServiceClient) []*portalv1.Event {
	t.Helper()
	var all []*portalv1.Event
	var cursor *string
	for {
		page := called(t, desk.ListEvents, &portalv1.ListEventsRequest{Cursor: cursor})
		if len(page.GetData()) == 0 {
			return all
		}
		all, cursor = append(all, page.GetData()...), page.NextCursor
	}
}

// What a merchant's endpoint refused for good is found dead, sent again, delivered, and told as it
// went.
func TestDeadEventIsReplayed(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box, operator := g.first(), g.operator(t)
	s := newShop(t, box.WebhookSecret, http.StatusGone)
	created := g.create(t, box, object{"callbackUri": s.URL})
	g.callback(t, created.text("data.id"), `{"status":"completed"}`)
	var dead *portalv1.Event
	testenv.Until(t, "the event is dead", func() bool {
		list := called(t, operator.ListDeadEvents, &portalv1.ListDeadEventsRequest{}).GetData()
		i := slices.IndexFunc(list, func(e *portalv1.Event) bool { return e.GetUrl() == s.URL })
		if i >= 0 {
			dead = list[i]
		}
		return i >= 0
	})
	order := created.text("data.orderId")
	if dead.GetStatus() != "dead" || !strings.Contains(dead.GetBody(), order) || len(dead.GetAttempts()) != 1 ||
		dead.GetAttempts()[0].GetStatusCode() != http.StatusGone || dead.GetAttempts()[0].Answer == nil || dead.GetAttempts()[0].Error != nil {
		t.Errorf("dead: %v", dead)
	}
	replayed := called(t, operator.ReplayEvents, &portalv1.ReplayEventsRequest{
		Url:        &dead.Url,
		MerchantId: &dead.MerchantId,
		From:       dead.GetCreatedAt(),
		Until:      timestamppb.New(dead.GetCreatedAt().AsTime().Add(time.Second)),
	})
	if replayed.GetReplayed() != 1 {
		t.Errorf("replayed %d", replayed.GetReplayed())
	}
	if got := s.await(t, order, 1)[0]; got.EventID != dead.GetEventId() {
		t.Errorf("event %s, sent again as %s", dead.GetEventId(), got.EventID)
	}
	g.wantTold(t, dead.GetEventId())
}

// wantTold looks an event up in its merchant's feed, delivered at the second attempt, and finds no
// other merchant's there.
func (g *instance) wantTold(t *testing.T, id string) {
	t.Helper()
	desk := g.merchantDesk(g.user(t, "merchant").Token)
	var list []*portalv1.Event
	testenv.Until(t, "the event is delivered at the second attempt", func() bool {
		list = feed(t, desk)
		return slices.ContainsFunc(list, func(e *portalv1.Event) bool {
			return e.GetEventId() == id && e.GetStatus() == "delivered" && len(e.GetAttempts()) == 2
		})
	})
	for _, e := range list {
		if e.GetMerchantId() != list[0].GetMerchantId() {
			t.Errorf("another merchant's event: %v", e)
		}
	}
}

// A merchant's events are nobody else's, whichever way they are asked for.
func TestEventsRefused(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	own, other := g.merchantDesk(g.user(t, "merchant").Token), g.merchantDesk(g.user(t, "merchant-2").Token)
	var id string
	noError(t, g.pool.QueryRow(t.Context(), "select gen_random_uuid()::text").Scan(&id))
	foreign := &portalv1.RotateWebhookSecretRequest{MerchantCashboxId: g.first().MerchantCashboxID}
	far := &timestamppb.Timestamp{Seconds: 1 << 60}
	for name, test := range map[string]struct {
		call   func() error
		code   string
		fields []string
	}{
		"another's cashbox": {func() error {
			_, err := other.RotateWebhookSecret(t.Context(), connect.NewRequest(foreign))
			return err
		}, "cashbox_access_denied", nil},
		"no event": {func() error {
			_, err := own.ReplayEvents(t.Context(), connect.NewRequest(&portalv1.ReplayEventsRequest{EventId: &id}))
			return err
		}, "not_found", nil},
		"no date": {func() error {
			_, err := own.ReplayEvents(t.Context(), connect.NewRequest(&portalv1.ReplayEventsRequest{From: far, Until: far}))
			return err
		}, "validation_failed", []string{"from", "until", "url"}},
		"whose": {func() error {
			_, err := g.operator(t).ReplayEvents(t.Context(), connect.NewRequest(&portalv1.ReplayEventsRequest{EventId: &id}))
			return err
		}, "validation_failed", []string{"merchantId"}},
		"no operator": {func() error {
			client := portalv1connect.NewOperatorServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
			_, err := client.ListDeadEvents(t.Context(), connect.NewRequest(&portalv1.ListDeadEventsRequest{}))
			return err
		}, "token_kind_not_allowed", nil},
	} {
		err := test.call()
		if err == nil {
			t.Errorf("%s: allowed", name)
			continue
		}
		if _, code, fields := connectFault(t, err); code != test.code || !slices.Equal(fields, test.fields) {
			t.Errorf("%s: %s %v", name, code, fields)
		}
	}
}

// A cashbox's secret is changed without missing a webhook: the endpoint may verify by either for a
// day.
func TestWebhookSecretRotates(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box := g.first()
	rotated := called(t, g.merchantDesk(g.user(t, "merchant").Token).RotateWebhookSecret,
		&portalv1.RotateWebhookSecretRequest{MerchantCashboxId: box.MerchantCashboxID})
	secret, until := rotated.GetWebhookSecret(), rotated.GetPreviousUntil().AsTime()
	keepSecret(secret)
	if left := time.Until(until); left < 24*time.Hour-testenv.Patience || left > 24*time.Hour ||
		secret == box.WebhookSecret {
		t.Errorf("the old secret signs for %s", left)
	}
	for _, valid := range []string{box.WebhookSecret, secret} {
		s := newShop(t, valid)
		created := g.create(t, box, object{"callbackUri": s.URL})
		g.callback(t, created.text("data.id"), `{"status":"failed"}`)
		s.await(t, created.text("data.orderId"), 1)
	}
	if _, err := g.merchantDesk("nobody").
		ListEvents(t.Context(), connect.NewRequest(&portalv1.ListEventsRequest{})); connect.CodeOf(
		err,
	) != connect.CodeUnauthenticated {
		t.Error(errors.Join(errors.New("a stranger reads events"), err))
	}
}
