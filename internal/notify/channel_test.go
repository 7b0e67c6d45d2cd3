package notify

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// mailbox is an SMTP server that keeps what it is given.
type mailbox struct {
	mu    sync.Mutex
	mails []string
}

func (m *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return letter{m}, nil }

type letter struct{ to *mailbox }

func (letter) Reset()                               {}
func (letter) Logout() error                        { return nil }
func (letter) Mail(string, *smtp.MailOptions) error { return nil }
func (letter) Rcpt(to string, _ *smtp.RcptOptions) error {
	var detail int
	if _, err := fmt.Sscanf(to, "from-%d@", &detail); err == nil {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, detail}, Message: "bad sender"}
	}
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
	}
	return nil
}

func (l letter) Data(r io.Reader) error {
	content, err := io.ReadAll(r)
	l.to.mu.Lock()
	defer l.to.mu.Unlock()
	l.to.mails = append(l.to.mails, string(content))
	return err
}

func newMailbox(t *testing.T) (*mailbox, *MailSender) {
	t.Helper()
	box := &mailbox{}
	server := smtp.NewServer(box)
	server.Domain = "localhost"
	listener := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	port := listener.Addr().(*net.TCPAddr).Port
	return box, testenv.Must(NewMail(MailServer{Host: "127.0.0.1", Port: port, From: "gateway@example.com", Plain: true}))(t)
}

func (m *mailbox) last(t *testing.T) string {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	testenv.Need(t, len(m.mails) != 0, "there is no mail")
	return m.mails[len(m.mails)-1]
}

// An address is told nothing before a code that was sent to it confirms it.
// Mail is text and HTML, and says where it is switched off. An address that a
// server refuses is told no more, unless it is ours that it refuses.
func TestMail(t *testing.T) {
	box, sender := newMailbox(t)
	b := setup(t, sender)
	testenv.NoError(t, b.AddMail(t.Context(), b.who, "trader@example.com"))
	b.round(t)
	b.pay(t, 1, 1)
	b.round(t)
	testenv.Want(t, len(box.mails), 1, "mails before the address is confirmed")
	_, code, _ := strings.Cut(box.last(t), "is yours: ")
	code, _, _ = strings.Cut(code, "\r\n")
	other := b.newUser(t, "desk-2")
	testenv.Check(t, b.ConfirmMail(t.Context(), other, "WRONG") != nil, "a wrong code is good")
	testenv.NoError(t, b.ConfirmMail(t.Context(), b.who, code))
	b.feed.renewAt = b.feed.renewAt.Add(-feedLease)
	b.round(t)
	b.pay(t, 2, 2)
	b.round(t)
	for _, part := range []string{
		"Subject: A payment is open.", "List-Unsubscribe: <https://portal.example/account/notifications>",
		"https://portal.example/trader/payments/2", "text/plain", "text/html",
	} {
		testenv.Check(t, strings.Contains(box.last(t), part), "the mail lacks %q:\n%s", part, box.last(t))
	}
	b.StoredNowhere(t, "trader@example.com")
	for _, user := range []caller.Caller{other, other, b.newUser(t, "desk-3")} {
		testenv.NoError(t, b.AddMail(t.Context(), user, "иван@example.com"))
	}
	refused := fault.As(b.AddMail(t.Context(), b.newUser(t, "desk-4"), "иван@example.com"))
	testenv.Check(t, refused != nil && strings.Contains(fmt.Sprint(refused.Fields), "too many codes"), "a fourth code in a day: %v", refused)
	testenv.NoError(t, db.Run(t.Context(), b.q, Forget(b.who.ID)))
	testenv.Want(t, b.Count(t, fmt.Sprintf("select count(*) from notify_channel where user_id = %d", b.who.ID)), 0, "channels after a reset")
	for address, gone := range map[string]bool{"nobody@example.com": true, "from-7@example.com": false, "from-8@example.com": false} {
		err := sender.Send(t.Context(), address, Message{Text: "x"})
		refusal, is := err.(*Refusal) //nolint:errorlint // it is returned as it is
		testenv.Check(t, is && refusal.Gone == gone, "%s is refused: %v", address, err)
	}
}

// browser is a subscription, and its maker's service.
type browser struct {
	*testenv.Endpoint
	key  *ecdh.PrivateKey
	auth []byte
}

// taking answers a push, which has to be signed and encrypted, with a status.
func taking(code int) testenv.Answer {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "vapid t=") || r.Header.Get("Content-Encoding") != "aes128gcm" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(code)
	}
}

func (b *browser) subscription(endpoint string) string {
	raw := base64.RawURLEncoding
	return `{"endpoint":"` + endpoint + `","expirationTime":null,"keys":{"p256dh":"` + raw.EncodeToString(b.key.PublicKey().Bytes()) +
		`","auth":"` + raw.EncodeToString(b.auth) + `"}}`
}

// open decrypts a body as RFC 8291 has browsers do it.
func (b *browser) open(t *testing.T, body []byte) []byte {
	t.Helper()
	salt, size := body[:16], int(body[20])
	public, sealed := body[21:21+size], body[21+size:]
	shared := testenv.Must(b.key.ECDH(testenv.Must(ecdh.P256().NewPublicKey(public))(t)))(t)
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(public)
	ikm := testenv.Must(hkdf.Key(sha256.New, shared, b.auth, info, 32))(t)
	key := testenv.Must(hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16))(t)
	nonce := testenv.Must(hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12))(t)
	gcm := testenv.Must(cipher.NewGCM(testenv.Must(aes.NewCipher(key))(t)))(t)
	plain := testenv.Must(gcm.Open(nil, nonce, sealed, nil))(t)
	end := len(plain) - 1
	for end >= 0 && plain[end] == 0 {
		end--
	}
	return plain[:end]
}

// A browser can read what it is pushed, and its maker's service cannot. One
// that has ended its subscription is pushed no more, and no subscription has
// the gateway call an address within.
func TestPush(t *testing.T) {
	public, private := testenv.Must2(PushKeys())(t)
	b := setup(t, NewPush(public, private, "ops@example.com", outbound.NewAddresses(true)))
	one := &browser{testenv.NewEndpoint(t, taking(http.StatusCreated)), testenv.Must(ecdh.P256().GenerateKey(rand.Reader))(t), make([]byte, 16)}
	for _, wrong := range []string{"{}", one.subscription("https://10.0.0.1/push"), one.subscription("https://169.254.169.254/")} {
		testenv.Check(t, b.AddPush(t.Context(), b.who, wrong, "") != nil, "%s is taken", wrong)
	}
	testenv.NoError(t, b.AddPush(t.Context(), b.who, one.subscription(one.URL), "Firefox"))
	b.round(t)
	b.pay(t, 1, 2)
	b.round(t)
	sent := one.All()
	testenv.Want(t, len(sent), 1, "pushes")
	var got pushed
	testenv.NoError(t, json.Unmarshal(one.open(t, sent[0].Body), &got))
	open := int64(2)
	testenv.Check(t, reflect.DeepEqual(got, pushed{"2 payments are open.", "/trader", "payment_opened", &open}), "the browser reads %+v", got)
	for answer, ended := range map[int]int{
		http.StatusGone: 1, http.StatusNotFound: 1, http.StatusForbidden: 1, http.StatusUnauthorized: 0, http.StatusTooManyRequests: 0,
	} {
		one.Say(taking(answer))
		b.Exec(t, "delete from notice")
		b.Exec(t, "update notify_channel set ended_at = null, due_at = now()")
		testenv.NoError(t, b.Try(t.Context(), b.who))
		b.round(t)
		testenv.Want(t, b.Count(t, "select count(*) from notify_channel where ended_at is not null"), ended, "channels that are ended by %d", answer)
	}
}
