package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gateway.example/internal/alarm"
	"gateway.example/internal/db"
	"gateway.example/internal/notify"
	"gateway.example/internal/outbound"
)

// botToken is the form of a bot's token. A token of another form would appear
// in the library's errors.
var botToken = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)

// notifySettings are the channels over which users get messages. Their secrets
// come from the environment.
type notifySettings struct {
	telegramURL, mailFrom    string
	token, smtpURL, pushKeys string

	mail    notify.MailServer
	pushing [2]string
}

// read checks the settings. Its errors quote no secret.
func (n *notifySettings) read(found *problems) {
	if n.token != "" && !botToken.MatchString(n.token) {
		found.add(envTelegramToken, "must be a token as BotFather gives it")
	}
	if n.smtpURL != "" {
		var reads bool
		if n.mail, reads = mailServer(n.smtpURL); !reads {
			found.add(envSMTPURL, "must be smtp:// or smtps:// with user:password@ where the server asks for them, and its host and port")
		}
		if n.mail.From = n.mailFrom; n.mailFrom == "" {
			found.add("-mail-from (GATEWAY_MAIL_FROM)", "is needed with %s", envSMTPURL)
		}
	}
	if n.pushKeys != "" {
		public, private, there := strings.Cut(n.pushKeys, ".")
		if !there {
			found.add(envPushKeys, "must be what gateway keys push prints")
		}
		n.pushing = [2]string{public, private}
	}
}

// mailServer parses the address of an SMTP server.
func mailServer(address string) (server notify.MailServer, reads bool) {
	u, err := url.Parse(address)
	if err != nil || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
		return server, false
	}
	server.Host, server.User, server.TLS = u.Hostname(), u.User.Username(), u.Scheme == "smtps"
	server.Password, _ = u.User.Password()
	server.Port = map[string]int{"smtp": 587, "smtps": 465}[u.Scheme]
	server.Plain = !server.TLS && (server.Host == "localhost" || net.ParseIP(server.Host).IsLoopback())
	if server.Port == 0 || server.Host == "" {
		return server, false
	}
	if u.Port() != "" {
		server.Port, err = strconv.Atoi(u.Port())
	}
	return server, err == nil
}

func printPushKey(out io.Writer) error {
	public, private, err := notify.PushKeys()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s=%s.%s\n", envPushKeys, public, private)
	return err
}

// wireNotify builds the services that notify users. An offline gateway
// notifies nobody.
func (g *gateway) wireNotify(context.Context) error {
	services := notify.Services{
		Vault: g.vault, HashKey: g.hashKey, PortalURL: g.portalURL, Breaks: g.settings.SetBreak, Alarms: map[string]notify.Alarm{},
	}
	for _, rule := range alarm.Rules {
		services.Alarms[rule.Name] = notify.Alarm{Path: rule.Leads(), Work: rule.OfWork()}
	}
	if g.notify.token != "" {
		bot, err := notify.NewTelegram(g.notify.token, g.notify.telegramURL)
		if err != nil {
			return fmt.Errorf("%s: it is no token", envTelegramToken)
		}
		g.bot = bot
		services.Senders = append(services.Senders, bot)
	}
	if g.notify.smtpURL != "" {
		mail, err := notify.NewMail(g.notify.mail)
		if err != nil {
			return fmt.Errorf("%s, -mail-from (GATEWAY_MAIL_FROM): %w", envSMTPURL, err)
		}
		services.Senders = append(services.Senders, mail)
	}
	if g.notify.pushKeys != "" {
		services.Senders = append(services.Senders, notify.NewPush(
			g.notify.pushing[0], g.notify.pushing[1], g.portalURL, outbound.NewAddresses(g.sandbox)))
	}
	g.notices = notify.New(g.pools, g.clock, services)
	g.noticeFeed = notify.NewFeed(notify.New(db.OnePool(g.workPool), g.clock, services))
	g.noticeDeliverer = notify.NewDeliverer(g.notices, g.deliveryPool, g.ops.metrics)
	return nil
}

// tellUsers sends notifications and answers users until ctx ends.
func (g *gateway) tellUsers(ctx context.Context) {
	var hearing sync.WaitGroup
	defer hearing.Wait()
	if g.bot != nil {
		hearing.Go(func() { g.bot.Run(ctx, g.notices, g.noticeFeed) })
	}
	g.noticeDeliverer.Run(ctx)
}
