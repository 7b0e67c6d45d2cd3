package notify

import (
	"context"
	"errors"
	"html"
	"strings"

	"github.com/wneessen/go-mail"
)

// MailSender sends mail through an SMTP server.
type MailSender struct {
	client *mail.Client
	from   string
}

// MailServer is the SMTP server that mail is given to. With TLS the connection
// begins with it. Plain means without any, which is only for a server on the
// same machine.
type MailServer struct {
	Host           string
	Port           int
	User, Password string
	From           string
	TLS, Plain     bool
}

func NewMail(m MailServer) (*MailSender, error) {
	options := []mail.Option{mail.WithPort(m.Port), mail.WithTimeout(sendWithin), mail.WithTLSPolicy(mail.TLSMandatory)}
	if m.Plain {
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	}
	if m.TLS {
		options = append(options, mail.WithSSL())
	}
	if m.User != "" {
		auth := mail.SMTPAuthAutoDiscover
		options = append(options, mail.WithSMTPAuth(auth), mail.WithUsername(m.User), mail.WithPassword(m.Password))
	}
	client, err := mail.NewClient(m.Host, options...)
	if err != nil {
		return nil, err
	}
	return &MailSender{client: client, from: m.From}, mail.NewMsg().From(m.From)
}

func (*MailSender) Channel() Channel { return Mail }

func (s *MailSender) Send(ctx context.Context, address string, m Message) error {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := msg.From(s.from); err != nil {
		return err
	}
	if err := msg.To(address); err != nil {
		return &Refusal{Why: addressWrong, Gone: true}
	}
	msg.Subject(m.Text)
	text, page := m.Text, "<p>"+html.EscapeString(m.Text)+"</p>"
	if m.URL != "" {
		text += "\r\n\r\n" + m.URL
		page += `<p><a href="` + html.EscapeString(m.URL) + `">` + html.EscapeString(m.Link) + "</a></p>"
	}
	if m.SettingsURL != "" && !m.Security {
		msg.SetGenHeader("List-Unsubscribe", "<"+m.SettingsURL+">")
	}
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, text+"\r\n")
	msg.AddAlternativeString(mail.TypeTextHTML, "<!DOCTYPE html><html><body>"+page+"</body></html>")
	return refusalOf(s.client.DialAndSendWithContext(ctx, msg))
}

// refusalOf says why a mail was not sent, without the words of the server.
func refusalOf(err error) error {
	var refused *mail.SendError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Reason == mail.ErrSMTPRcptTo && endsAddress(refused.EnhancedStatusCode()):
		return &Refusal{Why: mailAddressRefused, Gone: true}
	case errors.As(err, &refused):
		return &Refusal{Why: mailRefused}
	}
	return &Refusal{Why: mailSilent}
}

// endsAddress reports whether a status says that the recipient's address does
// not work. 5.1.7 and 5.1.8 are about the sender's address, which is ours: the
// operator can repair that, so users keep their channel.
func endsAddress(status string) bool {
	return strings.HasPrefix(status, "5.1.") && status != "5.1.7" && status != "5.1.8"
}
