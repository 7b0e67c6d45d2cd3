package portal

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const historyPage = 10

// history adds how a subject's settings changed.
func (v *visit) history(s *subject) error {
	page := directory.ChangePage{Subject: &s.log[0], SubjectKey: &s.log[1]}
	if s.log[0] == "app_user" {
		page.Also = new("token")
	}
	page.Limit = new(int32(historyPage))
	if after := v.r.URL.Query().Get(asksAfter); after != "" && v.reads() {
		page.Cursor = &after
	}
	list, cursor, err := v.Settings.Changes(v.ctx(), v.who, page)
	if err != nil {
		return err
	}
	names, err := v.actors(list)
	if err != nil {
		return err
	}
	labels := map[string]say.Phrase{}
	for _, in := range s.inputs {
		labels[columnName(in.name)] = in.label
	}
	s.page.Past = true
	for _, c := range list {
		what := say.HistorySet
		switch {
		case c.Subject == "token":
			what = say.HistoryEnded
		case len(c.Before) == 0:
			what = say.HistoryMade
		}
		s.page.History = append(s.page.History, view.LogRow{
			At: c.At, Login: names[c.Actor], What: v.shell.Say(what), Notes: v.notes(c, labels),
		})
	}
	if cursor != nil {
		s.page.Older = view.Query(s.path, asksAfter, *cursor)
	}
	return nil
}

// actors are those who made changes, by the names that the log has of them.
func (v *visit) actors(list []directory.Change) (map[string]string, error) {
	actors := make([]string, 0, len(list))
	for _, c := range list {
		actors = append(actors, c.Actor)
	}
	logins, err := v.loginsOf(actors)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, actor := range actors {
		names[actor] = cmp.Or(logins[actor], actor)
	}
	return names, nil
}

// loginsOf are the logins of those actors who are users.
func (v *visit) loginsOf(actors []string) (map[string]string, error) {
	var ids []int64
	by := map[string]int64{}
	for _, actor := range actors {
		kind, number, _ := strings.Cut(actor, ":")
		isUser := slices.Contains(users, caller.Kind(kind)) // others are numbered on their own
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && isUser {
			ids, by[actor] = append(ids, id), id
		}
	}
	found, err := v.Sessions.Logins(v.ctx(), v.who, ids)
	if err != nil {
		return nil, err
	}
	logins := map[string]string{}
	for actor, id := range by {
		logins[actor] = found[id]
	}
	return logins, nil
}

// columnName is what the log of settings calls a field.
func columnName(field string) string {
	var name strings.Builder
	for _, r := range field {
		if unicode.IsUpper(r) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

// notes say what a change changed.
func (v *visit) notes(c directory.Change, labels map[string]say.Phrase) []string {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(c.After, &is) != nil || len(c.Before) > 0 && json.Unmarshal(c.Before, &was) != nil {
		return nil
	}
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		label := name
		if phrase, known := labels[name]; known {
			label = v.shell.Say(phrase)
		}
		old, now := v.logged(was[name]), v.logged(is[name])
		switch {
		case len(c.Before) == 0 && now != v.logged(nil) && name != "id" && name != "created_at":
			notes = append(notes, v.shell.Say(say.HistoryIs, label, now))
		case len(c.Before) > 0 && old != now:
			notes = append(notes, v.shell.Say(say.HistoryFrom, label, old, now))
		}
	}
	return notes
}

// logged is a value of the log as people read it.
func (v *visit) logged(raw json.RawMessage) string {
	var text string
	switch written := string(raw); {
	case json.Unmarshal(raw, &text) == nil && text != "":
		return text
	case written == "true":
		return v.shell.Say(say.YesWord)
	case written == "false":
		return v.shell.Say(say.NoWord)
	case written == "", written == "null", written == `""`, written == "[]", written == "{}":
		return v.shell.Say(say.HistoryEmpty)
	default:
		return zeros.ReplaceAllString(written, "$1")
	}
}

// zeros are those beyond the second decimal, which say nothing.
var zeros = regexp.MustCompile(`^(-?\d+\.\d\d\d*?)0+$`)
