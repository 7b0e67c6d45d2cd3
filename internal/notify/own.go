package notify

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/SherClockHolmes/webpush-go"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	maxLabel = 100
	// channelsMost limits the channels of one user.
	channelsMost = 20
	codeLasts    = 15 * time.Minute
	// mailedByUser and mailedTo limit how many codes a user may have
	// mailed, and how many are mailed to an address, within a period.
	mailedByUser, mailedTo = 10, 3
	mailedWithin           = 24 * time.Hour
	shownMost              = 10
)

// Line is one of a user's chats, mail addresses or browsers.
type Line struct {
	ID        int64
	Channel   Channel
	Label     string
	Confirmed bool
	// Ended says that a sender refused it for good.
	Ended     bool
	CreatedAt time.Time
}

// Choice is whether a user wants to be told about a kind on a channel.
type Choice struct {
	Kind    Kind
	Channel Channel
	Wanted  bool
}

// Sent is an attempt to tell the user something.
type Sent struct {
	Channel Channel
	Label   string
	Kind    Kind
	Count   int
	At      time.Time
	// Outcome is sent, again or given_up.
	Outcome string
	Problem Problem
}

// Own is what a user has set, and what was sent to them.
type Own struct {
	Channels []Channel
	Kinds    []About
	Lines    []Line
	// Choices has one entry for every kind and channel, in that order.
	Choices []Choice
	// QuietFrom and QuietUntil are minutes of the day in Zone; nil means no
	// quiet hours.
	QuietFrom, QuietUntil *int
	Zone                  string
	MutedUntil            *time.Time
	Sent                  []Sent
	// PushKey is the public key with which browsers subscribe.
	PushKey string
}

// mayHear checks that the caller is a user whose sign-in is complete. Cabinet
// users have no role.
func mayHear(who caller.Caller) error {
	switch who.Kind {
	case caller.Cabinet:
		return nil
	case caller.Trader, caller.MerchantPortal, caller.Operator:
		if who.Role != "" {
			return nil
		}
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Device, caller.Link:
	}
	return fault.ErrTokenKindNotAllowed
}

func mayChange(ctx context.Context, who caller.Caller) error {
	if err := mayHear(who); err != nil {
		return err
	}
	if who.ViewAs {
		return fault.ErrViewOnly
	}
	return fault.Decoded(ctx).Err()
}

// Own reads what the caller has set.
func (s *Service) Own(ctx context.Context, who caller.Caller) (Own, error) {
	if err := mayHear(who); err != nil {
		return Own{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Own{}, err
	}
	own := Own{Channels: s.Channels()}
	for _, a := range Kinds {
		if a.hears(who) {
			own.Kinds = append(own.Kinds, a)
		}
	}
	if p, there := s.senders[Push].(*PushSender); there {
		own.PushKey = p.PublicKey
	}
	var lines []db.NotifyChannelsRow
	var choices []db.NotifyChoicesRow
	var user db.NotifyUserGetRow
	var sent []db.NotifyMessagesRow
	err := db.Pipeline(ctx, s.pool,
		db.One(&lines, (*db.Queries).NotifyChannels, who.ID),
		db.One(&choices, (*db.Queries).NotifyChoices, who.ID),
		db.One(&user, (*db.Queries).NotifyUserGet, who.ID),
		db.One(&sent, (*db.Queries).NotifyMessages, db.NotifyMessagesParams{UserID: who.ID, Most: shownMost}),
	)
	if err != nil {
		return Own{}, fmt.Errorf("read what a user is told: %w", err)
	}
	for _, row := range lines {
		own.Lines = append(own.Lines, Line{row.ID, Channel(row.Channel), row.Label, row.Confirmed, row.Ended, row.CreatedAt})
	}
	for _, a := range own.Kinds {
		for _, c := range own.Channels {
			wanted := !a.Off
			for _, row := range choices {
				if row.Kind == string(a.Kind) && row.Channel == string(c) {
					wanted = row.Wanted || a.Security
				}
			}
			own.Choices = append(own.Choices, Choice{a.Kind, c, wanted})
		}
	}
	for _, row := range sent {
		own.Sent = append(own.Sent, Sent{
			Channel(row.Channel), row.Label, Kind(row.Kind), int(row.Count), row.At, row.Outcome, Problem(row.Problem),
		})
	}
	own.Zone, own.MutedUntil = user.Zone, user.MutedUntil
	own.QuietFrom, own.QuietUntil = minutes(user.QuietFrom), minutes(user.QuietUntil)
	return own, nil
}

func minutes(m *int16) *int {
	if m == nil {
		return nil
	}
	return new(int(*m))
}

// Update changes the caller's settings. Choices that it does not name stay.
type Update struct {
	Choices []Choice
	// QuietFrom and QuietUntil are both nil for no quiet hours.
	QuietFrom, QuietUntil *int
	// KeepQuiet leaves the quiet hours as they are.
	KeepQuiet bool
}

// Set stores the caller's settings. Security kinds are told in any case.
func (s *Service) Set(ctx context.Context, who caller.Caller, u Update) error {
	if err := mayChange(ctx, who); err != nil {
		return err
	}
	f := fault.Fields{}
	put := db.NotifyChoicePutParams{UserID: who.ID}
	for _, c := range u.Choices {
		about, known := AboutOf(c.Kind)
		f.Check(known && about.Kind != Trial && about.hears(who), "choices", "name a kind that is not known")
		f.Check(slices.Contains([]Channel{Telegram, Mail, Push}, c.Channel), "choices", "name a channel that is not known")
		f.Check(!about.Security || c.Wanted, "choices", "cannot switch off what is about security")
		put.Kinds, put.Channels = append(put.Kinds, string(c.Kind)), append(put.Channels, string(c.Channel))
		put.Wanted = append(put.Wanted, c.Wanted)
	}
	times := db.NotifyUserPutParams{UserID: who.ID}
	times.QuietFrom, times.QuietUntil = u.quiet(f)
	if err := f.Err(); err != nil {
		return err
	}
	var queries []db.Query
	if !u.KeepQuiet {
		queries = append(queries, db.Do((*db.Queries).NotifyUserPut, times))
	}
	if len(put.Kinds) > 0 {
		queries = append(queries, db.Do((*db.Queries).NotifyChoicePut, put))
	}
	return named("keep what a user wants", db.Write(ctx, s.pool, queries...))
}

// quiet checks quiet hours, which may be none.
func (u Update) quiet(f fault.Fields) (begin, end *int16) {
	f.Check((u.QuietFrom == nil) == (u.QuietUntil == nil), "quietUntil", "must be given with the other end")
	if u.QuietFrom == nil || u.QuietUntil == nil {
		return nil, nil
	}
	from, until := *u.QuietFrom, *u.QuietUntil
	f.Check(from >= 0 && from < 24*60, "quietFrom", "must be a time of the day")
	f.Check(until >= 0 && until < 24*60, "quietUntil", "must be a time of the day")
	f.Check(from != until, "quietUntil", "must not be the same")
	return new(int16(from)), new(int16(until))
}

// put adds a channel of a user, or makes an ended one work again.
func (s *Service) put(
	ctx context.Context, userID int64, c Channel, address, label string, confirmed *time.Time,
) (db.NotifyChannelPutRow, error) {
	id, err := s.q.NotifyChannelID(ctx)
	if err != nil {
		return db.NotifyChannelPutRow{}, fmt.Errorf("number a channel: %w", err)
	}
	row, err := s.q.NotifyChannelPut(ctx, db.NotifyChannelPutParams{
		ID: id, UserID: userID, Channel: string(c), Address: s.vault.Seal([]byte(address), place(id)), Mark: s.mark(c, address), Label: cut(label),
		Now: s.clock.Now(), ConfirmedAt: confirmed, Most: channelsMost, Kind: string(ChannelAdded),
	})
	if db.NoRows(err) {
		return row, fault.Fields{"address": {"is one too many: remove another one first"}}.Err()
	}
	return row, named("keep a channel", err)
}

// code makes a code that can be used once and expires.
func (s *Service) code(ctx context.Context, userID int64, channelID *int64) (string, error) {
	code := rand.Text()
	err := s.q.NotifyCodeInsert(ctx, db.NotifyCodeInsertParams{
		Hash: hashOf(code), UserID: userID, ChannelID: channelID, ExpiresAt: s.clock.Now().Add(codeLasts),
	})
	return code, named("keep a code", err)
}

func hashOf(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}

// LinkTelegram is the address that opens the bot's chat with a code, which
// links the chat to the caller.
func (s *Service) LinkTelegram(ctx context.Context, who caller.Caller) (string, error) {
	if err := mayChange(ctx, who); err != nil {
		return "", err
	}
	t, there := s.senders[Telegram].(*TelegramSender)
	if !there {
		return "", fault.ErrNotFound
	}
	bot, err := t.named(ctx)
	if err != nil {
		return "", err
	}
	code, err := s.code(ctx, who.ID, nil)
	return "https://t.me/" + bot + "?start=" + code, err
}

// AddMail adds an address and mails a code to it. The address is used once
// ConfirmMail has confirmed it.
func (s *Service) AddMail(ctx context.Context, who caller.Caller, address string) error {
	if err := mayChange(ctx, who); err != nil {
		return err
	}
	sender := s.senders[Mail]
	if sender == nil {
		return fault.ErrNotFound
	}
	address = strings.TrimSpace(address)
	parsed, err := mail.ParseAddress(address)
	f := fault.Fields{}
	f.Check(err == nil && parsed.Address == address && len(address) <= 254, "address", "must be an address such as you@example.com")
	if err := f.Err(); err != nil {
		return err
	}
	row, err := s.put(ctx, who.ID, Mail, address, masked(address), nil)
	if err != nil || row.Confirmed {
		return err
	}
	now := s.clock.Now()
	noted, err := s.q.NotifyMailed(ctx, db.NotifyMailedParams{
		UserID: who.ID, Mark: s.mark(Mail, address), Now: now, Since: now.Add(-mailedWithin), UserMost: mailedByUser, MarkMost: mailedTo,
	})
	if err != nil {
		return fmt.Errorf("note a code that is sent: %w", err)
	}
	if noted == 0 {
		return fault.Fields{"address": {"got too many codes today: come again tomorrow"}}.Err()
	}
	code, err := s.code(ctx, who.ID, &row.ID)
	if err != nil {
		return err
	}
	user, err := s.q.NotifyWho(ctx, who.ID)
	if err != nil {
		return fmt.Errorf("find a user: %w", err)
	}
	text := say(user.Language, "Confirm that this address is yours:", "Подтвердите, что это ваш адрес:") + " " + code
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	if err := sender.Send(ctx, address, Message{Text: text, Security: true}); err != nil {
		var refused *Refusal
		if errors.As(err, &refused) && refused.Why == mailAddressRefused {
			return fault.Fields{"address": {"is refused by the mail server"}}.Err()
		}
		return fault.Fields{"address": {"cannot be written to now: try again later"}}.Err()
	}
	return nil
}

// masked is an address in a form that its owner recognizes and that reveals it
// to nobody else.
func masked(address string) string {
	name, host, _ := strings.Cut(address, "@")
	first, _ := utf8.DecodeRuneInString(name)
	return string(first) + "•••@" + host
}

// ConfirmMail confirms an address by the code that was sent to it.
func (s *Service) ConfirmMail(ctx context.Context, who caller.Caller, code string) error {
	if err := mayChange(ctx, who); err != nil {
		return err
	}
	wrong := fault.Fields{"code": {"is wrong or too old"}}
	now := s.clock.Now()
	taken, err := s.q.NotifyCodeTake(ctx, db.NotifyCodeTakeParams{Hash: hashOf(strings.TrimSpace(code)), Now: now})
	if db.NoRows(err) || err == nil && taken.UserID != who.ID {
		return wrong.Err()
	}
	if err != nil {
		return fmt.Errorf("take a code: %w", err)
	}
	err = s.q.NotifyChannelConfirm(ctx, db.NotifyChannelConfirmParams{ID: *taken.ChannelID, Now: &now, Kind: string(ChannelAdded)})
	return named("confirm an address", err)
}

// AddPush adds a browser by its subscription, in the JSON of
// PushSubscription.toJSON.
func (s *Service) AddPush(ctx context.Context, who caller.Caller, subscription, label string) error {
	if err := mayChange(ctx, who); err != nil {
		return err
	}
	sender, there := s.senders[Push].(*PushSender)
	if !there {
		return fault.ErrNotFound
	}
	given, err := sender.read(subscription)
	if err != nil {
		return err
	}
	kept, err := json.Marshal(given)
	if err != nil {
		return err
	}
	if label = strings.TrimSpace(label); label == "" {
		label = "browser"
	}
	now := s.clock.Now()
	if _, err = s.put(ctx, who.ID, Push, string(kept), label, &now); err != nil {
		return err
	}
	err = s.q.NotifyPushLeave(ctx, db.NotifyPushLeaveParams{Mark: s.mark(Push, string(kept)), UserID: who.ID})
	return named("take a browser from other users", err)
}

// read reads a subscription as a browser gives it.
func (s *PushSender) read(subscription string) (given webpush.Subscription, err error) {
	f := fault.Fields{}
	err = json.Unmarshal([]byte(subscription), &given)
	f.Check(err == nil && given.Keys.Auth != "" && given.Keys.P256dh != "" && len(subscription) <= 4096,
		"subscription", "must be a subscription")
	if err == nil {
		f.Flaw("subscription", s.addresses.Check(given.Endpoint))
	}
	return given, f.Err()
}

// Remove removes one of the caller's channels. A last message on that channel
// says so.
func (s *Service) Remove(ctx context.Context, who caller.Caller, id int64) error {
	if err := mayChange(ctx, who); err != nil {
		return err
	}
	_, err := s.q.NotifyChannelRemove(ctx, db.NotifyChannelRemoveParams{
		ID: id, UserID: who.ID, Kind: string(ChannelRemoved), Path: abouts[ChannelRemoved].All, Now: s.clock.Now(), Channels: s.configured(),
	})
	if db.NoRows(err) {
		return fault.ErrNotFound
	}
	return named("remove a channel", err)
}

// Try sends the caller a trial message on each of their channels.
func (s *Service) Try(ctx context.Context, who caller.Caller) error {
	if err := mayChange(ctx, who); err != nil {
		return err
	}
	return s.tell(ctx, []event{{
		kind: Trial, of: ofUser, ownerID: who.ID, subject: fmt.Sprint(s.clock.Now().Unix()), path: trial.All,
	}})
}
