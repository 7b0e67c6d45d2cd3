package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/edge"
	"gateway.example/internal/sandbox"
)

// receiver receives the webhooks of a sandbox, verifies and prints them, and
// can forward them.
type receiver struct {
	info sandbox.Info
	// forward is the URL to which webhooks are forwarded; "" is none.
	forward string

	// mu keeps the lines of one webhook together.
	mu  sync.Mutex
	out io.Writer
}

const (
	// webhookMost limits the size of a webhook.
	webhookMost = 1 << 20
	// forwardPatience is shorter than the gateway waits for an answer.
	forwardPatience = 10 * time.Second
)

// listen receives webhooks on a loopback address until ctx ends.
func (e environment) listen(ctx context.Context, args []string) error {
	var c config
	var addr, forward string
	o := newOptions("listen", e.getenv, e.stdout, append(
		c.only("data-dir"),
		setting{&addr, "addr", "", welcomeHookAddr, "address to listen on"},
		setting{&forward, "forward", "", "",
			"URL to send each verified webhook on to, such as http://127.0.0.1:3000/webhook"},
	))
	if _, err := o.parse(args); err != nil {
		return err
	}
	if forward != "" && !isForward(forward) {
		return o.wrong(errors.New("-forward must be a whole URL such as http://127.0.0.1:3000/webhook, without a user"))
	}
	info, err := sandbox.Read(c.dataDir)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return listenError("addr", addr, err)
	}
	_, _ = fmt.Fprintf(e.stdout, "waiting for webhooks on http://%s\n", listener.Addr())
	server := edge.NewServer(&receiver{info: info, forward: forward, out: e.stdout})
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// isForward reports whether webhooks can be forwarded to an address.
func isForward(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// ServeHTTP receives a webhook. It answers with the status of the receiver
// behind, so that the gateway repeats what that one refused.
func (l *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, webhookMost))
	keyID, signed := l.signer(body, r.Header)
	if err != nil || !signed {
		w.WriteHeader(http.StatusBadRequest)
		l.print("refused: the signature matches no cashbox of the sandbox\n")
		return
	}
	text := describeWebhook(keyID, body)
	status := http.StatusOK
	if l.forward != "" {
		var said string
		status, said = l.send(r.Context(), body, r.Header)
		text += said
	}
	w.WriteHeader(status)
	l.print(text)
}

func (l *receiver) print(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.out, text)
}

// signer returns the key id of the cashbox whose secret signed the webhook.
func (l *receiver) signer(body []byte, header http.Header) (keyID string, signed bool) {
	for _, box := range l.info.Signers() {
		verifier, err := standardwebhooks.NewWebhook(box.WebhookSecret)
		if err == nil && verifier.Verify(body, header) == nil {
			return box.KeyID, true
		}
	}
	return "", false
}

// describeWebhook returns a line about the webhook and its body, indented.
func describeWebhook(keyID string, body []byte) string {
	var event struct{ Type string }
	var pretty bytes.Buffer
	if json.Unmarshal(body, &event) != nil || json.Indent(&pretty, body, "", "  ") != nil {
		return fmt.Sprintf("\nverified for %s: no JSON: %q\n", keyID, body)
	}
	return fmt.Sprintf("\nverified for %s: %s\n%s\n", keyID, event.Type, &pretty)
}

// send forwards a webhook unchanged and says what came of it.
func (l *receiver) send(ctx context.Context, body []byte, header http.Header) (status int, said string) {
	ctx, cancel := context.WithTimeout(ctx, forwardPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.forward, bytes.NewReader(body))
	if err != nil {
		return http.StatusBadGateway, "not forwarded: the URL is not right\n"
	}
	r.Header = header.Clone()
	for _, own := range []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Te", "Trailer", "Upgrade"} {
		r.Header.Del(own) // they are about the connection to us
	}
	answer, err := direct.Do(r)
	if err != nil {
		return http.StatusBadGateway, fmt.Sprintf(
			"not forwarded: %s does not answer; the gateway sends the webhook again later\n", l.forward)
	}
	_ = answer.Body.Close()
	return answer.StatusCode, fmt.Sprintf("forwarded: %s answers %d %s\n",
		l.forward, answer.StatusCode, http.StatusText(answer.StatusCode))
}
