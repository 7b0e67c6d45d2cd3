package auditlog

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// The subjects of changes that the log treats in a special way.
const (
	subjectUser     = "app_user"
	subjectSessions = "token"
)

// settingLines reads the changes of settings, and which operators viewed the
// portal as another user.
func settingLines(ctx context.Context, q *db.Queries, rank int, r query) ([]line, error) {
	settings, views := r.asks(Setting), r.asks(ViewAs)
	subject, without := optional.Of(r.Subject), (*string)(nil)
	viewAs := ViewAs
	switch {
	case !settings && !views, !settings && r.Subject != "" && r.Subject != viewAs:
		return nil, nil
	case !settings:
		subject = &viewAs
	case !views:
		without = &viewAs
	}
	at, id := r.beyond(rank)
	settingLine := func(row db.SettingChange) line {
		kind := Setting
		if row.Subject == viewAs {
			kind = ViewAs
		}
		return line{place: place{row.At, rank, row.ID}, Item: Item{
			ID: row.ID, At: row.At, Kind: kind, Actor: row.Actor, Subject: row.Subject, Key: row.SubjectKey,
			Before: shownSetting(row.Before), After: shownSetting(row.After), Reason: optional.Value(row.Reason),
		}}
	}
	rows, err := q.AuditSettings(ctx, db.AuditSettingsParams{
		Backward: r.Backward, At: at, ID: id, FromAt: r.From, ToAt: r.To, Actor: r.actor, Subject: subject,
		SubjectKey: optional.Of(r.Key), Without: without, Page: r.page,
	})
	return db.Each(rows, settingLine), err
}

// signInLines reads sign-ins, also failed ones. The user concerned can be
// selected by the filter's subject.
func signInLines(ctx context.Context, q *db.Queries, rank int, r query) ([]line, error) {
	good, failed, user := r.asks(SignIn), r.asks(Failed), r.userID
	if !good && !failed || r.Subject != "" && r.Subject != subjectUser || user != nil && *user == 0 {
		return nil, nil
	}
	if r.Key != "" {
		id, err := strconv.ParseInt(r.Key, 10, 64)
		if err != nil || user != nil && *user != id {
			return nil, nil //nolint:nilerr // what is no number is no user's id
		}
		user = &id
	}
	at, id := r.beyond(rank)
	rows, err := q.AuditSignIns(ctx, db.AuditSignInsParams{
		Backward: r.Backward, At: at, ID: id, FromAt: r.From, ToAt: r.To, UserID: user, OnlyFailed: !good, OnlyGood: !failed,
		Page: r.page,
	})
	return db.Each(rows, func(row db.AuditSignInsRow) line { return signInLine(rank, row) }), err
}

// signInLine is a sign-in, or a failed one, as a line of the log. After a login
// that nobody has, it has no subject.
func signInLine(rank int, row db.AuditSignInsRow) line {
	item := Item{
		ID:      row.ID,
		At:      row.At,
		Kind:    SignIn,
		Door:    row.Door,
		Outcome: row.Outcome,
		Address: row.Address,
		Agent:   row.Agent,
	}
	if strings.HasPrefix(row.Outcome, "wrong_") {
		item.Kind = Failed
	}
	if row.UserID != 0 {
		item.Subject, item.Key = subjectUser, strconv.FormatInt(row.UserID, 10)
	}
	return line{item, place{row.At, rank, row.ID}}
}

// hiddenFields are the fields of settings of which the log shows at most the
// last digits, to everybody.
var hiddenFields = []string{"value", "address", "pan", "iban"}

// secretWords are parts of the names of fields that the log never shows, in
// case one is ever recorded.
var secretWords = []string{"password", "secret", "token", "totp_step", "hash"}

// shownSetting is a setting as the log shows it.
func shownSetting(setting []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(setting, &fields) != nil {
		return nil
	}
	for name, value := range fields {
		var text string
		switch isText := json.Unmarshal(value, &text) == nil; {
		case isText && slices.Contains(hiddenFields, name):
			fields[name] = quoted("•••• " + lastOf(text))
		case isText && text != "" && slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(name, w) }):
			fields[name] = quoted("••••")
		}
	}
	shown, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return shown
}

// shownDigits is how many digits of a hidden value are shown.
const shownDigits = 4

// lastOf is the last digits of a hidden value, or nothing if the value is too
// short to be hidden that way.
func lastOf(text string) string {
	if utf8.RuneCountInString(text) < 2*shownDigits {
		text = text[:0]
	}
	letters := []rune(text)
	return string(letters[max(0, len(letters)-shownDigits):])
}

func quoted(text string) json.RawMessage {
	out, _ := json.Marshal(text) // encoding a string cannot fail
	return out
}

// nameUsers writes the logins of users beside their ids.
func nameUsers(ctx context.Context, q *db.Queries, lines []line) error {
	var ids []int64
	for _, line := range lines {
		ids = append(ids, userOf(line.Actor), changedUser(line.Item))
	}
	rows, err := q.AuditUsers(ctx, ids)
	if err != nil {
		return err
	}
	logins := map[int64]string{}
	for _, row := range rows {
		logins[row.ID] = row.Login
	}
	for i := range lines {
		line := &lines[i]
		line.SubjectLogin = logins[changedUser(line.Item)]
		if line.Login == "" { // reads are recorded with the login at that time
			line.Login = logins[userOf(line.Actor)]
		}
		if line.Door != "" {
			line.Login = line.SubjectLogin
		}
	}
	return nil
}

// userKinds are the kinds of actors that are users.
var userKinds = []string{"operator", "merchant_portal", "trader", "cabinet"}

// userOf is the id of the user who did something, or 0 if it was a program.
func userOf(actor string) int64 {
	kind, text, _ := strings.Cut(actor, ":")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !slices.Contains(userKinds, kind) {
		return 0
	}
	return id
}

// changedUser is the id of the user that a line is about, or 0 if it is about
// something else.
func changedUser(item Item) int64 {
	if !slices.Contains([]string{subjectUser, subjectSessions, ViewAs}, item.Subject) {
		return 0
	}
	id, _ := strconv.ParseInt(item.Key, 10, 64)
	return id
}
