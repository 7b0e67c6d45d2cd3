package settings

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"gateway.example/web/portal"

	"gateway.example/internal/directory"
	"gateway.example/internal/setting"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const historyPage = 10

// unsaid are fields that the page of a new item shows already, or that are only
// for the program.
var unsaid = []string{"id", "created_at", "trader_id", "present"}

// history adds how a subject's settings have changed.
func (v *visit) history(s *subject) error {
	page := directory.ChangePage{Subject: &s.log[0], SubjectKey: &s.log[1]}
	if s.log[0] == "app_user" {
		page.Also = new("token")
	}
	page.Limit = new(int32(historyPage))
	if after := v.R.URL.Query().Get(portal.AsksAfter); after != "" && v.Reads() {
		page.Cursor = &after
	}
	list, cursor, err := v.Settings.Changes(v.Ctx(), v.Who, page)
	if err != nil {
		return err
	}
	names, err := v.actors(list)
	if err != nil {
		return err
	}
	labels := map[string]say.Phrase{"enabled": say.Of(setting.Trader.Find("enabled").Label),
		"api_enabled": say.Of(setting.Merchant.Find("apiEnabled").Label)}
	for _, in := range s.inputs {
		labels[setting.Column(in.name)] = in.label
	}
	s.page.Past = true
	for _, c := range list {
		what := sayHistorySet
		switch {
		case c.Subject == "token":
			what = sayHistoryEnded
		case len(c.Before) == 0:
			what = sayHistoryMade
		}
		s.page.History = append(s.page.History, view.LogRow{
			At: c.At, Login: names[c.Actor], What: v.Say(what), Notes: v.notes(c, labels),
		})
		if c.Reason != nil {
			row := &s.page.History[len(s.page.History)-1]
			row.Notes = append(row.Notes, v.Say(say.LineReason, *c.Reason))
		}
	}
	if cursor != nil {
		s.page.Older = view.Query(s.path, portal.AsksAfter, *cursor)
	}
	return nil
}

// actors are the names of those who made changes, by their names in the log.
func (v *visit) actors(list []directory.Change) (map[string]string, error) {
	actors := make([]string, 0, len(list))
	for _, c := range list {
		actors = append(actors, c.Actor)
	}
	logins, err := v.LoginsOf(actors)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, actor := range actors {
		names[actor] = cmp.Or(logins[actor], actor)
	}
	return names, nil
}

// notes say what a change has changed.
func (v *visit) notes(c directory.Change, labels map[string]say.Phrase) []string {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(c.After, &is) != nil || len(c.Before) > 0 && json.Unmarshal(c.Before, &was) != nil {
		return nil
	}
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		label := name
		if phrase, known := labels[name]; known {
			label = v.Say(phrase)
		}
		old, now := v.logged(was[name]), v.logged(is[name])
		switch {
		case len(c.Before) == 0 && now != v.logged(nil) && !slices.Contains(unsaid, name):
			notes = append(notes, v.Say(sayHistoryIs, label, now))
		case len(c.Before) > 0 && old != now:
			notes = append(notes, v.Say(sayHistoryFrom, label, old, now))
		}
	}
	return notes
}

// logged is a value from the log in a form for people.
func (v *visit) logged(raw json.RawMessage) string {
	var text string
	switch written := string(raw); {
	case json.Unmarshal(raw, &text) == nil && text != "":
		return text
	case written == "true":
		return v.Say(say.YesWord)
	case written == "false":
		return v.Say(say.NoWord)
	case written == "", written == "null", written == `""`, written == "[]", written == "{}":
		return v.Say(sayHistoryEmpty)
	default:
		return zeros.ReplaceAllString(written, "$1")
	}
}

// zeros matches needless zeros after the second decimal.
var zeros = regexp.MustCompile(`^(-?\d+\.\d\d\d*?)0+$`)
