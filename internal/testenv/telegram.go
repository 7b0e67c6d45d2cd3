package testenv

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Telegram simulates Telegram for a bot.
type Telegram struct {
	*httptest.Server
	// Refuse has the answers of chats that refuse messages. While Down is
	// set, the connection of every message breaks.
	Refuse map[string]string
	Down   atomic.Bool
	// Updates are sent to the bot when it asks for them.
	Updates chan string
	// Asking is how many requests for updates are open, Most how many were
	// open at the same time.
	Asking, Most atomic.Int64
	mu           sync.Mutex
	texts        map[string][]string
}

// NewTelegram starts the simulation, which ends with the test.
func NewTelegram(t testing.TB) *Telegram {
	t.Helper()
	far := &Telegram{texts: map[string][]string{}, Refuse: map[string]string{}, Updates: make(chan string)}
	far.Server = httptest.NewServer(far)
	t.Cleanup(far.Close)
	return far
}

// ServeHTTP implements http.Handler.
func (f *Telegram) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/getUpdates") {
		_, _ = io.Copy(io.Discard, r.Body) // else it is not seen that who asks is gone
		f.Most.Store(max(f.Most.Load(), f.Asking.Add(1)))
		defer f.Asking.Add(-1)
		select {
		case update := <-f.Updates:
			_, _ = io.WriteString(w, `{"ok":true,"result":[`+update+`]}`)
		case <-r.Context().Done():
		}
		return
	}
	if strings.HasSuffix(r.URL.Path, "/getMe") {
		_, _ = io.WriteString(w, `{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"Gateway","username":"GatewayBot"}}`)
		return
	}
	if f.Down.Load() {
		panic(http.ErrAbortHandler)
	}
	_ = r.ParseMultipartForm(1 << 16) //nolint:gosec // what a test's own bot writes is short
	form := url.Values(r.MultipartForm.Value)
	f.mu.Lock()
	defer f.mu.Unlock()
	if refusal := f.Refuse[form.Get("chat_id")]; refusal != "" {
		_, _ = io.WriteString(w, refusal)
		return
	}
	f.texts[form.Get("chat_id")] = append(f.texts[form.Get("chat_id")], form.Get("text"))
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": map[string]any{"message_id": 1}})
}

// Heard returns the messages to a chat since its last call.
func (f *Telegram) Heard(chat string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	texts := f.texts[chat]
	delete(f.texts, chat)
	return texts
}
