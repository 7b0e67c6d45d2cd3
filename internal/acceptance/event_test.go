package acceptance

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

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

// What a merchant's endpoint refused for good is found dead, sent again and delivered.
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
	if got := s.await(t, order, 1)[0]; got.text("eventId") != dead.GetEventId() {
		t.Errorf("event %s, sent again as %s", dead.GetEventId(), got)
	}
}
