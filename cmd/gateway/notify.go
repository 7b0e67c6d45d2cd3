package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gateway.example/internal/alarm"
	"gateway.example/internal/db"
	"gateway.example/internal/notify"
	"gateway.example/internal/outbound"
)

// botToken is the form of a bot's token. One of another form would stand in errors of the library.
var botToken = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)

// notifySettings are the channels by which users are told. The secrets come by the environment.
type notifySettings struct {
	bot, telegramURL, token              string
	mailServer, mailFrom, mailUser, word string
	pushContact, pushKey                 string

	mail    notify.MailServer
	pushing [2]string
}

// read checks the settings. No problem quotes a secret.
func (n *notifySettings) read(found *problems) {
	if n.token != "" && !botToken.MatchString(n.token) {
		found.add(envTelegramToken, "must be a token as BotFather gives it")
	}
	if n.token != "" && n.bot == "" {
		found.add("-telegram-bot (GATEWAY_TELEGRAM_BOT)", "is needed with %s", envTelegramToken)
	}
	if n.mailServer != "" {
		host, port, err := net.SplitHostPort(n.mailServer)
		number, wrong := strconv.Atoi(port)
		if err != nil || wrong != nil || host == "" {
			found.add("-mail-server (GATEWAY_MAIL_SERVER)", "must be a host and a port, such as smtp.example.com:587")
		}
		if n.mailFrom == "" {
			found.add("-mail-from (GATEWAY_MAIL_FROM)", "is needed with a mail server")
		}
		n.mail = notify.MailServer{
			Host: host, Port: number, User: n.mailUser, Password: n.word, From: n.mailFrom,
			Plain: host == "localhost" || net.ParseIP(host).IsLoopback(),
		}
	}
	if n.pushKey != "" {
		public, private, there := strings.Cut(n.pushKey, ".")
		if !there {
			found.add(envPushKey, "must be what gateway keys push prints")
		}
		if n.pushContact == "" {
			found.add("-push-contact (GATEWAY_PUSH_CONTACT)", "is needed with %s", envPushKey)
		}
		n.pushing = [2]string{public, private}
	}
}

func printPushKey(out io.Writer) error {
	public, private, err := notify.PushKeys()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s=%s.%s\n", envPushKey, public, private)
	return err
}

// wireNotify builds what tells users. A gateway that is offline tells nobody.
func (g *gateway) wireNotify(context.Context) error {
	services := notify.Services{
		Vault: g.vault, HashKey: g.hashKey, PortalURL: g.portalURL, Breaks: g.settings.SetBreak, Alarms: map[string]notify.Alarm{},
	}
	for _, rule := range alarm.Rules {
		services.Alarms[rule.Name] = notify.Alarm{Path: rule.Leads(), Work: rule.OfWork()}
	}
	if g.notify.token != "" {
		bot, err := notify.NewTelegram(g.notify.token, g.notify.bot, g.notify.telegramURL)
		if err != nil {
			return fmt.Errorf("%s: it is no token", envTelegramToken)
		}
		g.bot = bot
		services.Senders = append(services.Senders, bot)
	}
	if g.notify.mailServer != "" {
		mail, err := notify.NewMail(g.notify.mail)
		if err != nil {
			return fmt.Errorf("-mail-server (GATEWAY_MAIL_SERVER), -mail-from (GATEWAY_MAIL_FROM): %w", err)
		}
		services.Senders = append(services.Senders, mail)
	}
	if g.notify.pushKey != "" {
		services.Senders = append(services.Senders, notify.NewPush(
			g.notify.pushing[0], g.notify.pushing[1], g.notify.pushContact, outbound.NewAddresses(g.sandbox)))
	}
	g.notices = notify.New(g.pools, g.clock, services)
	g.noticeFeed = notify.NewFeed(notify.New(db.OnePool(g.workPool), g.clock, services))
	g.noticeDeliverer = notify.NewDeliverer(g.notices, g.deliveryPool, g.ops.metrics)
	return nil
}

// tellUsers runs what sends and what answers users, until ctx ends.
func (g *gateway) tellUsers(ctx context.Context) {
	var hearing sync.WaitGroup
	defer hearing.Wait()
	if g.bot != nil {
		hearing.Go(func() { g.bot.Run(ctx, g.notices, g.noticeFeed) })
	}
	g.noticeDeliverer.Run(ctx)
}
