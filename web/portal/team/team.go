package team

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// A merchant's team, and what it did.
var teamRoutes = []route{
	{Pattern: "GET /merchant/team", Needs: caller.MerchantTeamRead, Handle: (*visit).team},
	{Pattern: "GET /merchant/team/invite", Needs: caller.MerchantTeam, Handle: (*visit).invitePage},
	{Pattern: "POST /merchant/team/invite", Needs: caller.MerchantTeam, Handle: portal.After((*visit).Form, (*visit).invite)},
	{Pattern: "GET /merchant/team/{member}", Needs: caller.MerchantTeamRead, Handle: portal.After((*visit).memberAsked, (*visit).member)},
	{Pattern: "POST /merchant/team/{member}/role", Needs: caller.MerchantTeam, Handle: portal.After((*visit).memberAsked, (*visit).setRole)},
	{Pattern: "GET /merchant/team/{member}/{step}", Needs: caller.MerchantTeam, Handle: portal.After((*visit).memberAsked, (*visit).memberPage)},
	{Pattern: "POST /merchant/team/{member}/{step}", Needs: caller.MerchantTeam, Handle: portal.After((*visit).memberAsked, (*visit).memberStep)},
	{Pattern: "GET /merchant/log", Needs: caller.MerchantTeamRead, Handle: (*visit).teamLog},
}

const teamPath = "/merchant/team"

func memberPath(id int64) string { return teamPath + "/" + strconv.FormatInt(id, 10) }

// team lists the users of the merchant. It says whether each has a second
// factor, not which. When they were seen is known only of those with an open
// session.
func (v *visit) team() error {
	members, err := v.Sessions.Team(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	sheet := view.Sheet{
		Label: v.Say(say.TeamTitle), Columns: v.Columns(false, say.Member, say.RoleLabel, say.WithFactor, say.MemberSeen, say.Status),
	}
	for _, m := range members {
		name, seen := view.Cell{Text: m.Login, Href: view.Link(memberPath(m.ID))}, view.Cell{Note: v.Say(sayNotSignedIn)}
		if m.ID == v.Who.ID {
			name.Beside = "(" + v.Say(sayMemberYou) + ")"
		}
		if m.Sessions > 0 {
			seen = view.Cell{At: &m.SeenAt}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			name, {Text: v.Say(say.Role(string(m.Role)))}, {Text: v.factor(m)}, seen,
			v.Shell.BadgeCell(view.MemberBadge(m.Enabled, m.Invited)),
		})
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.TeamTitle), TeamPage, sheet)
}

// factor says whether a user has a second factor.
func (v *visit) factor(m session.Member) string {
	if m.Factor {
		return v.Say(say.HasFactor)
	}
	return v.Say(say.NoFactorYet)
}

func (v *visit) roleOptions() []view.Option {
	var options []view.Option
	for _, role := range caller.Roles(caller.MerchantPortal) {
		options = append(options, view.Option{Value: string(role), Text: v.Say(say.Role(string(role)))})
	}
	return options
}

func (v *visit) invitePage() error {
	return v.showInvite(http.StatusOK, Invite{Role: string(caller.Support)})
}

func (v *visit) showInvite(status int, shown Invite) error {
	shown.Token, shown.Roles = submission.NewToken(), v.roleOptions()
	v.Shell.Title, v.Shell.Mistakes = v.Say(sayInviteTitle), shown.Wrong != nil
	return portal.Show(v.Visit, status, InvitePage, shown)
}

// invite makes a user, once, and shows their link in the answer.
func (v *visit) invite(form url.Values) error {
	asked := Invite{Login: form.Get("login"), Role: form.Get("role")}
	link := ""
	outcome, err := v.Submissions.Once(v.Ctx(), v.Who.ID, form.Get("token"), func() (submission.Outcome, error) {
		var err error
		link, err = v.Sessions.InviteMember(v.Ctx(), v.Who, asked.Login, caller.Role(asked.Role))
		return submission.Outcome{LedTo: teamPath, Said: "invited-before"}, err
	})
	if asked.Wrong = v.Wrong(err); asked.Wrong != nil {
		return v.showInvite(http.StatusUnprocessableEntity, asked)
	}
	if err != nil || link == "" {
		return v.Led(outcome, err)
	}
	return v.Invited(asked.Login, link, teamPath)
}

// memberAsked is the user of the reader's own team in the address.
func (v *visit) memberAsked() (session.Member, error) {
	members, err := v.Sessions.Team(v.Ctx(), v.Who)
	if err != nil {
		return session.Member{}, err
	}
	id := v.R.PathValue("member")
	at := slices.IndexFunc(members, func(m session.Member) bool { return strconv.FormatInt(m.ID, 10) == id })
	if at < 0 {
		return session.Member{}, fault.ErrNotFound
	}
	return members[at], nil
}

func (v *visit) member(m session.Member) error {
	return v.showMember(http.StatusOK, m, string(m.Role), nil)
}

func (v *visit) showMember(status int, m session.Member, role string, wrong map[string]string) error {
	shown := MemberShown{
		State: view.MemberBadge(m.Enabled, m.Invited), Path: memberPath(m.ID), RoleValue: role, Roles: v.roleOptions(), Wrong: wrong,
		Enabled: m.Enabled, Sessions: m.Sessions,
		Facts: []view.Fact{
			{Label: say.WithFactor, Value: v.factor(m)}, {Label: say.OpenOnes, Value: strconv.Itoa(m.Sessions), Class: "num"},
		},
	}
	v.Shell.Title, v.Shell.Mistakes = m.Login, wrong != nil
	return portal.Show(v.Visit, status, MemberPage, shown)
}

// setRole changes a user's role. The same role is not set again, because that
// would only end their sessions.
func (v *visit) setRole(m session.Member) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	role := caller.Role(form.Get("role"))
	if role == m.Role {
		return v.Done(memberPath(m.ID), "")
	}
	err = v.Sessions.UpdateMember(v.Ctx(), v.Who, session.UserUpdate{ID: m.ID, Role: &role})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showMember(http.StatusUnprocessableEntity, m, form.Get("role"), wrong)
	}
	return v.memberDone(m, "member-changed", err)
}

// memberDone redirects back to a user. It also handles the error that the last
// owner must stay.
func (v *visit) memberDone(m session.Member, word string, err error) error {
	if f := fault.As(err); f != nil && f.Code == "team_last_owner" {
		word, err = "last-owner", nil
	}
	if err != nil {
		return err
	}
	return v.Done(memberPath(m.ID), word)
}

// memberPage asks before a step is taken for a user of the team. An unknown
// step is not found.
func (v *visit) memberPage(m session.Member) error {
	name := v.R.PathValue("step")
	step, known := portal.MemberSteps[name]
	if !known {
		return fault.ErrNotFound
	}
	return v.Question(view.Question{
		Title: step.Title, Texts: []string{v.Say(step.Text)}, Action: memberPath(m.ID) + "/" + name,
		Yes: v.Say(step.Yes), Danger: step.Danger, Back: view.Link(memberPath(m.ID)),
		Facts: []view.Fact{
			{Label: say.Member, Value: m.Login}, {Label: say.RoleLabel, Value: v.Say(say.Role(string(m.Role)))},
		},
	})
}

// memberStep takes a step for a user of the team. Switching them off or on also
// ends their sessions, and may be repeated. The last owner cannot be switched
// off, and their page says so. Only a new invitation is made once, because it
// shows a link.
func (v *visit) memberStep(m session.Member) error {
	switch v.R.PathValue("step") {
	case "off", "on":
		on := v.R.PathValue("step") == "on"
		err := v.Sessions.UpdateMember(v.Ctx(), v.Who, session.UserUpdate{ID: m.ID, Enabled: &on})
		return v.memberDone(m, "member-changed", err)
	case "end":
		return v.memberDone(m, "member-ended", v.Sessions.EndMember(v.Ctx(), v.Who, m.ID))
	case "reinvite":
		return v.reinvite(m)
	}
	return fault.ErrNotFound
}

// reinvite removes a user's password, once, and shows the link to set another
// one in the answer.
func (v *visit) reinvite(m session.Member) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	link := ""
	outcome, err := v.Submissions.Once(v.Ctx(), v.Who.ID, form.Get("token"), func() (submission.Outcome, error) {
		var err error
		link, err = v.Sessions.ReinviteMember(v.Ctx(), v.Who, m.ID)
		return submission.Outcome{LedTo: memberPath(m.ID), Said: "invited-before"}, err
	})
	if v.Wrong(err) != nil { // the form's token is not one of the portal's
		return v.Done(memberPath(m.ID)+"/reinvite", "")
	}
	if err != nil {
		return v.memberDone(m, "", err)
	}
	if link == "" {
		return v.Led(outcome, nil)
	}
	return v.Invited(m.Login, link, teamPath)
}

// teamLog lists what the team changed, and who is signed in.
func (v *visit) teamLog() error {
	before, _ := strconv.ParseInt(v.R.URL.Query().Get(portal.AsksAfter), 10, 64)
	changes, more, err := v.Sessions.TeamLog(v.Ctx(), v.Who, before)
	if err != nil {
		return err
	}
	sessions, err := v.Sessions.TeamSessions(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	var shown LogPage
	for _, c := range changes {
		shown.Items = append(shown.Items, view.LogRow{
			At:    c.At,
			Login: cmp.Or(c.Login, v.Say(say.Kind(string(caller.Operator)))),
			What:  v.Say(sayLogChange, v.Say(sayLogSubject(c.Subject)), c.Key),
			Notes: v.differences(c.Before, c.After),
		})
	}
	if more {
		last := strconv.FormatInt(changes[len(changes)-1].ID, 10)
		shown.Older = view.Query("/merchant/log", portal.AsksAfter, last)
	}
	shown.Sessions = view.Sheet{
		Label: v.Say(say.OpenOnes), Columns: v.Columns(false, say.LogWho, say.Seen, say.Device, say.From),
	}
	for _, one := range sessions {
		device := v.Shell.Device(one.Agent)
		if one.Door == session.API {
			device = "API"
		}
		shown.Sessions.Rows = append(shown.Sessions.Rows, []view.Cell{
			{Text: one.Login}, {At: &one.SeenAt}, {Text: device}, {Text: one.Address},
		})
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.LogTitle), TeamLogPage, shown)
}

// differences are the fields that a change has changed, in words.
func (v *visit) differences(before, after []byte) []string {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(after, &is) != nil || len(before) > 0 && json.Unmarshal(before, &was) != nil {
		return nil
	}
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if old := was[name]; len(before) > 0 && !bytes.Equal(old, is[name]) {
			notes = append(notes, v.Say(sayLogFrom, name, string(old), string(is[name])))
		} else if len(before) == 0 && slices.Contains([]string{"login", "role", "name", "key_id", "scopes"}, name) {
			notes = append(notes, name+": "+string(is[name]))
		}
	}
	return notes
}
