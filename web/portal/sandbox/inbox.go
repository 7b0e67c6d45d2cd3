package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/web/portal"
)

// inboxSize is how many webhooks a sandbox keeps, in memory.
const inboxSize = 200

// inbox has the webhooks that the sandbox's own endpoint received, the oldest
// first.
type inbox struct {
	mu   sync.Mutex
	list []Delivery
	last int64
}

// add stores a webhook, and drops the oldest if there are too many.
func (i *inbox) add(d Delivery) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last++
	d.ID = i.last
	i.list = append(i.list, d)
	if len(i.list) > inboxSize {
		i.list = slices.Delete(i.list, 0, len(i.list)-inboxSize)
	}
}

// of returns the webhooks about a payment or payout, or all, the newest first,
// and the number of the last one that was ever received.
func (i *inbox) of(uuid string) (list []Delivery, last int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, d := range slices.Backward(i.list) {
		if uuid == "" || d.UUID == uuid {
			list = append(list, d)
		}
	}
	return list, i.last
}

// counts are the numbers of webhooks about each payment and payout.
func (i *inbox) counts() map[string]int {
	i.mu.Lock()
	defer i.mu.Unlock()
	counts := map[string]int{}
	for _, d := range i.list {
		counts[d.UUID]++
	}
	return counts
}

// receive stores a webhook, whether or not its signature is genuine.
func (v *visit) receive() error {
	box, err := v.sandboxCashbox(v.R.PathValue("cashbox"))
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(v.R.Body, edge.MaxBody)
	if err != nil {
		v.W.WriteHeader(http.StatusRequestEntityTooLarge)
		return nil //nolint:nilerr // the status is the answer
	}
	d := delivery(body, v.R.Header)
	d.At, d.Verified = time.Now().UTC(), v.Page.Verified(v.Ctx(), box.ID, body, v.R.Header)
	d.KeyID = box.KeyID
	v.Page.hooks.add(d)
	if !d.Verified {
		v.W.WriteHeader(http.StatusBadRequest)
		return nil
	}
	v.W.WriteHeader(http.StatusNoContent)
	return nil
}

// delivery is a webhook as it is shown. Nothing in it is trusted, because
// anybody may post.
func delivery(body []byte, header http.Header) Delivery {
	d := Delivery{Body: strings.ToValidUTF8(string(body), "\ufffd")}
	var indented bytes.Buffer
	if json.Indent(&indented, body, "", "  ") == nil {
		d.Body = strings.ToValidUTF8(indented.String(), "\ufffd")
	}
	var told struct {
		Type string `json:"type"`
		Data struct {
			UUID   string `json:"uuid"`
			Status string `json:"status"`
		} `json:"data"`
		Meta struct {
			ID int64 `json:"id"`
		} `json:"meta"`
	}
	if json.Unmarshal(body, &told) == nil {
		d.Type, d.UUID, d.Status = told.Type, told.Data.UUID, strings.ToLower(told.Data.Status)
		d.Number = told.Meta.ID
	}
	for name := range header {
		d.Headers = append(d.Headers, Header{Name: name, Value: strings.ToValidUTF8(header.Get(name), "\ufffd")})
	}
	slices.SortFunc(d.Headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return d
}

func (v *visit) inboxPage() error {
	v.Shell.Title, v.Shell.Live = v.Say(sayInbox), true
	shown := v.inboxShown()
	return portal.Show(v.Visit, http.StatusOK, InboxPage, shown)
}

// inboxRegion is the list, which the page reads again and again. If nothing has
// arrived, it is not sent again.
func (v *visit) inboxRegion() error {
	shown := v.inboxShown()
	if v.R.URL.Query().Get("seen") == strconv.FormatInt(shown.Last, 10) {
		v.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	return portal.Show(v.Visit, http.StatusOK, InboxRegion, shown)
}

func (v *visit) inboxShown() Inbox {
	shown := Inbox{Of: v.R.URL.Query().Get("of")}
	shown.List, shown.Last = v.Page.hooks.of(shown.Of)
	return shown
}

// sandboxCashbox is the sandbox's cashbox with an id.
func (v *visit) sandboxCashbox(id string) (Cashbox, error) {
	for _, box := range v.Page.Cashboxes {
		if strconv.FormatInt(box.ID, 10) == id {
			return box, nil
		}
	}
	return Cashbox{}, fault.ErrNotFound
}
