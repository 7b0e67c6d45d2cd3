package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

var errTelegramAway = fault.ErrBusy.Saying("Telegram does not answer; try again in a moment.")

// pollFor is how long Telegram keeps a request open until there are new
// messages.
const pollFor = 50 * time.Second

// TelegramSender sends through a bot, and answers what users write to it.
type TelegramSender struct {
	bot *bot.Bot
	// name is the bot's name, without the @, once Telegram has said it.
	name atomic.Pointer[string]
	// service answers users' messages; nil until the bot runs.
	service *Service
}

// NewTelegram makes the sender. base is the address of Telegram's API; "" is
// the real one. It makes no call yet.
func NewTelegram(token, base string) (*TelegramSender, error) {
	t := &TelegramSender{}
	options := []bot.Option{
		bot.WithSkipGetMe(), bot.WithDefaultHandler(t.hear), bot.WithNotAsyncHandlers(),
		bot.WithHTTPClient(pollFor, &http.Client{Timeout: pollFor + 10*time.Second}),
		bot.WithAllowedUpdates(bot.AllowedUpdates{models.AllowedUpdateMessage}),
		bot.WithErrorsHandler(func(err error) {
			if !errors.Is(err, bot.ErrorConflict) { // another process receives what users write
				slog.Warn("Telegram", "error", innermost(err))
			}
		}),
	}
	if base != "" {
		options = append(options, bot.WithServerURL(strings.TrimSuffix(base, "/")))
	}
	var err error
	t.bot, err = bot.New(token, options...)
	return t, err
}

// innermost is the error that began it. Those around it may quote a whole
// answer of Telegram, with what users write.
func innermost(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

func (*TelegramSender) Channel() Channel { return Telegram }

// named is the bot's name. Telegram is asked for it once.
func (t *TelegramSender) named(ctx context.Context) (string, error) {
	if known := t.name.Load(); known != nil {
		return *known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	me, err := t.bot.GetMe(ctx)
	if err != nil {
		return "", errTelegramAway
	}
	t.name.Store(&me.Username)
	return me.Username, nil
}

func (t *TelegramSender) Send(ctx context.Context, address string, m Message) error {
	text := m.Text
	if m.URL != "" {
		text += "\n" + m.URL
	}
	return t.write(ctx, address, text)
}

// write sends a text to a chat. Its errors are *Refusal, which says whether the
// chat is gone and when to try again. After telegramSilent the text may have
// arrived all the same.
func (t *TelegramSender) write(ctx context.Context, chat, text string) error {
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil {
		return &Refusal{Why: addressWrong, Gone: true}
	}
	off := true
	_, err = t.bot.SendMessage(ctx, &bot.SendMessageParams{
		ChatID: id, Text: text, LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: &off},
	})
	var many *bot.TooManyRequestsError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		return &Refusal{Why: telegramWaits, After: time.Duration(many.RetryAfter) * time.Second}
	case errors.Is(err, bot.ErrorForbidden):
		return &Refusal{Why: telegramBlocked, Gone: true}
	case errors.Is(err, bot.ErrorBadRequest), errors.Is(err, bot.ErrorNotFound):
		return &Refusal{Why: telegramRefuses}
	}
	return &Refusal{Why: telegramSilent}
}

// Run answers users until ctx ends. Telegram gives users' messages to one
// process at a time. So only the process that holds the feed's lease asks for
// them.
func (t *TelegramSender) Run(ctx context.Context, s *Service, f *Feed) {
	t.service = s
	look := time.NewTicker(hearEvery)
	defer look.Stop()
	var hearing sync.WaitGroup
	stop := func() {}
	asks := false
	for ctx.Err() == nil {
		if may := f.Works(); may != asks {
			stop()
			hearing.Wait()
			if asks = may; may {
				var asking context.Context
				asking, stop = context.WithCancel(ctx)
				hearing.Go(func() { t.bot.Start(asking) })
			}
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		}
	}
	stop()
	hearing.Wait()
}

// hearEvery is how often a process checks whether it holds the feed's lease.
const hearEvery = 500 * time.Millisecond

// tooOld is the age from which on a message is not answered.
const tooOld = time.Minute

// hear answers a message. The bot moves no money, and tells nothing to chats
// that it does not know: they are not told either that something failed.
func (t *TelegramSender) hear(ctx context.Context, _ *bot.Bot, update *models.Update) {
	message := update.Message
	if message == nil || message.Chat.Type != models.ChatTypePrivate {
		return
	}
	if time.Since(time.Unix(int64(message.Date), 0)) > tooOld { // it may have been read elsewhere
		return
	}
	chat := strconv.FormatInt(message.Chat.ID, 10)
	answer, err := t.service.answer(ctx, chat, labelOf(message), message.Text)
	if err != nil { // who writes may be a stranger
		notAnswered(ctx, err)
	}
	if answer != "" {
		if err := t.write(ctx, chat, answer); err != nil {
			slog.WarnContext(ctx, "Telegram", "error", err)
		}
	}
}

// notAnswered logs that something failed inside, and returns what those are
// told whom the bot knows.
func notAnswered(ctx context.Context, err error) string {
	slog.ErrorContext(ctx, "a message to the bot could not be answered", "error", err)
	return "It did not work. Try again.\nНе получилось. Попробуйте ещё раз."
}

func labelOf(m *models.Message) string {
	if m.From != nil && m.From.Username != "" {
		return "@" + cut(m.From.Username)
	}
	return cut(m.Chat.FirstName + " (Telegram)")
}

func cut(text string) string {
	if letters := []rune(text); len(letters) > maxLabel {
		return string(letters[:maxLabel])
	}
	return text
}

// Breaker begins or ends a break of a trader, in which they get no new
// payments. The bot only begins breaks; they are ended at the desk.
type Breaker func(ctx context.Context, who caller.Caller, on bool) error

const commands = "/status /break /mute /unmute"

// muteFor is how long the user gets no messages after /mute.
const muteFor = 8 * time.Hour

// answer does what a chat asks for, and returns the text of the answer.
func (s *Service) answer(ctx context.Context, chat, label, text string) (string, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "", nil
	}
	if words[0] == "/start" && len(words) == 2 {
		return s.link(ctx, chat, label, words[1])
	}
	linked, err := s.q.NotifyChannelsOf(ctx, db.NotifyChannelsOfParams{Mark: s.mark(Telegram, chat), Channel: string(Telegram)})
	if err != nil {
		return "", fmt.Errorf("find a chat: %w", err)
	}
	if len(linked) == 0 {
		return s.toStranger("This chat is not linked. Open Notifications in the portal.\n" +
			"Чат не привязан. Откройте «Уведомления» в портале."), nil
	}
	var answers []string
	for _, one := range linked {
		user, err := s.q.NotifyWho(ctx, one.UserID)
		if err != nil {
			return "", fmt.Errorf("find a user: %w", err)
		}
		said, err := s.command(ctx, user, words[0])
		if err != nil {
			said = notAnswered(ctx, err)
		}
		if len(linked) > 1 {
			said = user.Login + ": " + said
		}
		answers = append(answers, said)
	}
	return strings.Join(answers, "\n"), nil
}

// strangersAtOnce is how many strangers are answered at once, and then one a
// second. Telegram takes some thirty messages a second of a bot, which are for
// users.
const strangersAtOnce = 10

// toStranger is an answer to a chat that the bot does not know, or "" where
// strangers ask too much.
func (s *Service) toStranger(text string) string {
	if !s.strangers.AllowN(s.clock.Now(), 1) {
		return ""
	}
	return text
}

// link links a chat to the user to whom the code was given.
func (s *Service) link(ctx context.Context, chat, label, code string) (string, error) {
	taken, err := s.q.NotifyCodeTake(ctx, db.NotifyCodeTakeParams{Hash: hashOf(code), Now: s.clock.Now(), Open: true})
	if db.NoRows(err) {
		return s.toStranger("The code is wrong or too old.\nКод неверен или устарел."), nil
	}
	if err != nil {
		return "", fmt.Errorf("take a code: %w", err)
	}
	now := s.clock.Now()
	if _, err := s.put(ctx, taken.UserID, Telegram, chat, label, &now); err != nil {
		return notAnswered(ctx, err), nil
	}
	return "Linked. " + commands + "\nПривязано. " + commands, nil
}

// command runs a command of a user.
func (s *Service) command(ctx context.Context, user db.NotifyWhoRow, command string) (string, error) {
	say := func(english, russian string) string { return say(user.Language, english, russian) }
	switch command {
	case "/status":
		return s.status(ctx, user, say)
	case "/break":
		return s.takeBreak(ctx, user, say)
	case "/mute":
		return s.mute(ctx, user, say)
	case "/unmute":
		return s.unmute(ctx, user, say)
	}
	return commands, nil
}

// both says a text in the language of a user.
type both = func(english, russian string) string

// status answers /status: to traders whether they are on a break and how many
// payments are open, to others only that they get notifications here.
func (s *Service) status(ctx context.Context, user db.NotifyWhoRow, say both) (string, error) {
	if user.TraderID == nil {
		return say("You get notifications here.", "Уведомления приходят сюда."), nil
	}
	desk, err := s.q.NotifyDesk(ctx, db.NotifyDeskParams{TraderID: *user.TraderID, Now: s.clock.Now()})
	if err != nil {
		return "", fmt.Errorf("read a desk: %w", err)
	}
	if desk.OnBreak {
		return fmt.Sprintf(say("On a break. Open payments: %d.", "Перерыв. Открытых платежей: %d."), desk.Open), nil
	}
	return fmt.Sprintf(say("On shift. Open payments: %d.", "На смене. Открытых платежей: %d."), desk.Open), nil
}

// takeBreak answers /break: it begins the break of a user's trader, if the user
// may do that in the portal. A refusal is an answer. Ending a break takes a
// visit to the desk.
func (s *Service) takeBreak(ctx context.Context, user db.NotifyWhoRow, say both) (string, error) {
	if user.TraderID == nil || s.breaks == nil {
		return say("Only traders have breaks.", "Перерывы есть только у трейдеров."), nil
	}
	who := caller.Caller{
		Kind: caller.Kind(user.Kind), ID: user.ID, Login: user.Login, Role: caller.Role(user.Role), TraderID: *user.TraderID,
	}
	if user.AwaitsUntil != nil && user.AwaitsUntil.After(s.clock.Now()) {
		who.AwaitsUntil = *user.AwaitsUntil
	}
	err := s.breaks(ctx, who, true)
	if fault.As(err) != nil {
		return say("You may not do this.", "Вам это нельзя."), nil //nolint:nilerr // the refusal is the answer
	}
	if err != nil {
		return "", err
	}
	return say("On a break: no new payments. End it at the desk.", "Перерыв: новых платежей нет. Закончить его можно на рабочем столе."), nil
}

func (s *Service) mute(ctx context.Context, user db.NotifyWhoRow, say both) (string, error) {
	until := s.clock.Now().Add(muteFor)
	if err := s.q.NotifyMute(ctx, db.NotifyMuteParams{UserID: user.ID, MutedUntil: &until}); err != nil {
		return "", fmt.Errorf("mute: %w", err)
	}
	return say("Quiet for 8 hours. Only security is still told. /unmute ends it.",
		"Тишина на 8 часов. Приходить будет только о безопасности. /unmute — закончить."), nil
}

func (s *Service) unmute(ctx context.Context, user db.NotifyWhoRow, say both) (string, error) {
	own, err := s.q.NotifyUserGet(ctx, user.ID)
	if err != nil {
		return "", fmt.Errorf("read quiet hours: %w", err)
	}
	quiet := quietFor(db.NotifyAudienceRow{Zone: own.Zone, QuietFrom: own.QuietFrom, QuietUntil: own.QuietUntil}, s.clock.Now())
	if err := s.q.NotifyUnmute(ctx, db.NotifyUnmuteParams{UserID: user.ID, Seconds: quiet.Seconds()}); err != nil {
		return "", fmt.Errorf("end a silence: %w", err)
	}
	return say("You are told again.", "Уведомления снова приходят."), nil
}
