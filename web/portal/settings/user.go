package settings

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryUserRoutes = slices.Concat(
	[]route{looks(portal.UsersPath, (*visit).userList)},
	makes(portal.UsersPath, caller.OperatorUsers, (*visit).newUser),
	settings(portal.UsersPath+"/{id}", caller.OperatorUsers, (*visit).user),
	changes(portal.UsersPath+"/{id}/{step}", caller.OperatorUsers, (*visit).userStepPage, (*visit).userStep),
)

func (v *visit) userList() error {
	search := v.searched()
	list, cursor, err := v.Sessions.Users(v.Ctx(), v.Who, session.UserSearch{
		Page: search.Page, Text: search.Text, On: search.On, Kind: caller.Kind(v.R.URL.Query().Get(asksKind)),
		MerchantID: search.MerchantID, TraderID: search.TraderID,
	})
	d := v.userTable(list)
	d.Path, d.Hint = portal.UsersPath, sayFindByLogin
	return v.showList(d, cursor, err, portal.AsksMerchant, portal.AsksTrader, asksKind)
}

// userTable is a table of users, for their own list and for the page of an
// owner. It says when they were last seen only if they have an open session.
func (v *visit) userTable(list []session.User) Directory {
	given := v.R.URL.Query()
	d := Directory{
		Title: say.Users, NewLabel: sayNewUser, None: sayNobodyYet,
		New: v.Makes(view.Query(portal.UsersPath+"/new", portal.AsksMerchant, given.Get(portal.AsksMerchant),
			portal.AsksTrader, given.Get(portal.AsksTrader)), caller.OperatorUsers),
		Columns: v.Columns(false, say.Login, say.Number, say.KindLabel, sayBelongsTo, say.MemberSeen, say.Status),
	}
	for _, u := range list {
		seen := ""
		if u.Sessions > 0 {
			seen = v.When(u.SeenAt)
		}
		d.row(portal.Numbered(portal.UsersPath, u.ID), view.Cell{Text: u.Login}, number(portal.IDText(u.ID)),
			view.Cell{Text: v.kindAndRole(u.Kind, u.Role)}, view.Cell{Text: u.OfName}, view.Cell{Text: seen},
			v.Shell.BadgeCell(view.MemberBadge(u.Enabled, !u.HasPassword)))
	}
	return d
}

// kindAndRole says what a user is.
func (v *visit) kindAndRole(kind caller.Kind, role caller.Role) string {
	text := v.Say(say.Kind(string(kind)))
	if role != "" {
		text = v.Say(sayMethodOf, text, strings.ToLower(v.Say(say.Role(string(role)))))
	}
	return text
}

// usersOf lists the first users of an owner.
func (v *visit) usersOf(search session.UserSearch, by string) (Directory, error) {
	search.Limit = new(int32(listedWithin))
	list, more, err := v.Sessions.Users(v.Ctx(), v.Who, search)
	d := v.userTable(list)
	id := v.R.PathValue("id")
	d.New = v.Makes(view.Query(portal.UsersPath+"/new", by, id), caller.OperatorUsers)
	if more != nil {
		d.All = view.Query(portal.UsersPath, by, id)
	}
	return d, err
}

// roleChoices are the kinds of users with their roles.
func (v *visit) roleChoices() []view.Option {
	var options []view.Option
	for _, kind := range []caller.Kind{caller.MerchantPortal, caller.Trader, caller.Operator} {
		for _, role := range caller.Roles(kind) {
			options = append(options, view.Option{
				Value: string(kind) + "/" + string(role), Text: v.kindAndRole(kind, role),
			})
		}
	}
	return append(options, view.Option{Value: string(caller.Cabinet), Text: v.kindAndRole(caller.Cabinet, "")})
}

// newUser is the page that makes a user and shows the link of their invitation
// in the answer.
func (v *visit) newUser() subject {
	given := v.R.URL.Query()
	role := string(caller.MerchantPortal) + "/" + string(caller.Owner)
	if given.Get(portal.AsksTrader) != "" {
		role = string(caller.Trader) + "/" + string(caller.Owner)
	}
	if given.Get(asksKind) == string(caller.Operator) {
		role = string(caller.Operator) + "/" + string(caller.Admin)
	}
	s := v.newOne(portal.UsersPath, say.Users, sayNewUser, caller.OperatorUsers,
		input{name: "login", label: say.Login, hint: say.LoginHint, needed: true},
		input{name: "role", label: sayKindAndRole, options: v.roleChoices()},
		input{name: "merchantId", label: say.PortalMerchant, hint: sayForMerchants, kind: asPick, pick: portal.PickMerchant},
		input{name: "traderId", label: say.PortalTrader, hint: sayForTraders, kind: asPick, pick: portal.PickTrader},
		input{name: "merchantIds", label: say.CabinetIDs, hint: sayForCabinet, kind: asPick, pick: portal.PickMerchants})
	s.values = url.Values{
		"role": {role}, "merchantId": {given.Get(portal.AsksMerchant)}, "traderId": {given.Get(portal.AsksTrader)},
	}
	s.page.Form.Text, s.page.Form.Save, s.said = sayUserInviteText, say.InviteYes, "invited-before"
	s.keep = func(ctx context.Context, form typed) (string, error) {
		kind, role, _ := strings.Cut(form.Get("role"), "/")
		n := session.NewUser{
			Kind: caller.Kind(kind), Role: caller.Role(role), Login: form.plain("login"),
			MerchantID: optional.Of(form.id("merchantId")), TraderID: optional.Of(form.id("traderId")),
			MerchantIDs: form.ids("merchantIds"),
		}
		c, link, err := v.Sessions.Create(ctx, v.Who, n)
		path := portal.Numbered(portal.UsersPath, c.Now.ID)
		if err == nil {
			v.reveal = func() error { return v.Invited(n.Login, link, path) }
		}
		return path, err
	}
	return s
}

// ids parses numbers that are separated by commas.
func (t typed) ids(name string) []int64 {
	var ids []int64
	if t.found.Wrong(name) {
		return nil
	}
	for _, text := range strings.FieldsFunc(t.Get(name), func(r rune) bool { return r == ',' || r == ' ' }) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.found.Add(name, wholeNumber)
		}
		ids = append(ids, id)
	}
	return ids
}

// user is the page of a user, on which their role is changed. Setting the same
// role again changes nothing.
func (v *visit) user() (subject, error) {
	u, err := portal.Named(v.Visit, v.Sessions.User)
	if err != nil {
		return subject{}, err
	}
	s := subject{
		title: u.Login, path: portal.Numbered(portal.UsersPath, u.ID), needs: caller.OperatorUsers, version: u.Version,
		log: [2]string{"app_user", portal.IDText(u.ID)}, values: url.Values{"role": {string(u.Role)}}, said: "member-changed",
	}
	if roles := caller.Roles(u.Kind); len(roles) > 0 {
		role := input{name: "role", label: say.RoleLabel, needed: true}
		for _, one := range roles {
			role.options = append(role.options, view.Option{Value: string(one), Text: v.Say(say.Role(string(one)))})
		}
		s.inputs = []input{role}
	}
	s.page.Form.Text, s.page.Form.Save = say.MemberEnds, say.SetRole
	s.page.State = view.MemberBadge(u.Enabled, !u.HasPassword)
	s.page.Crumbs = []Crumb{{Text: v.Say(say.Users), Href: portal.UsersPath}}
	s.page.Facts = v.userFacts(u)
	if v.May(caller.OperatorUsers) {
		s.page.Links = userSteps(u)
	}
	if v.MayViewAs() && u.Enabled && u.Kind != caller.Operator {
		s.page.ViewAs = u.Login
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		role := caller.Role(form.Get("role"))
		if role == u.Role && form.Get("version") == u.Version {
			return s.path, nil
		}
		_, err := v.Sessions.Update(ctx, v.Who, session.UserUpdate{ID: u.ID, Role: &role, Seen: form.Get("version")})
		return s.path, err
	}
	return s, nil
}

// userFacts says what a user is, to whom they belong and how they sign in. A
// second factor that is locked is shown as that, and not as one that they have.
func (v *visit) userFacts(u session.User) []view.Fact {
	factor := v.Say(say.NoFactorYet)
	if u.HasTOTP || u.Passkeys > 0 {
		factor = v.Say(say.HasFactor)
	}
	if u.FactorLockedAt != nil {
		factor = v.Say(sayLockedFactor)
	}
	facts := []view.Fact{
		numberFact(u.ID),
		{Label: say.KindLabel, Value: v.kindAndRole(u.Kind, u.Role)},
	}
	switch {
	case u.MerchantID != nil:
		facts = append(facts, view.Fact{
			Label: sayBelongsTo, Value: u.OfName, Href: view.Link(portal.Numbered(portal.MerchantsPath, *u.MerchantID)),
		})
	case u.TraderID != nil:
		facts = append(facts, view.Fact{
			Label: sayBelongsTo, Value: u.OfName, Href: view.Link(portal.Numbered(portal.TradersPath, *u.TraderID)),
		})
	case len(u.MerchantIDs) > 0:
		facts = append(facts, view.Fact{Label: say.CabinetIDs, Value: portal.IDTexts(u.MerchantIDs)})
	}
	facts = append(facts, view.Fact{Label: say.WithFactor, Value: factor},
		view.Fact{Label: say.OpenOnes, Value: strconv.Itoa(u.Sessions), Class: "num"})
	if u.Sessions > 0 {
		facts = append(facts, view.Fact{Label: say.MemberSeen, At: &u.SeenAt})
	}
	if u.AwaitsUntil != nil && u.AwaitsUntil.After(v.Shell.Now) {
		facts = append(facts, view.Fact{Label: say.ConsentUntil, At: u.AwaitsUntil})
	}
	return append(facts, view.Fact{Label: sayMadeOn, At: &u.CreatedAt})
}

func userSteps(u session.User) []SubjectStep {
	path := portal.Numbered(portal.UsersPath, u.ID)
	steps := []SubjectStep{{Label: say.SwitchOff, Href: view.Link(path + "/off"), Danger: true}}
	if !u.Enabled {
		steps = []SubjectStep{{Label: say.SwitchOn, Href: view.Link(path + "/on")}}
	}
	if u.Sessions > 0 {
		steps = append(steps, SubjectStep{Label: say.EndTheirs, Href: view.Link(path + "/end")})
	}
	return append(steps, SubjectStep{Label: say.Reinvite, Href: view.Link(path + "/reinvite")})
}

func (v *visit) userStepPage() error {
	u, err := portal.Named(v.Visit, v.Sessions.User)
	if err != nil {
		return err
	}
	return v.askStep(u, v.R.PathValue("step"), "", nil)
}

// askStep asks for confirmation of a step, and for a reason if the user is
// switched off.
func (v *visit) askStep(u session.User, name, reason string, wrong map[string]string) error {
	step, known := portal.MemberSteps[name]
	if !known {
		return fault.ErrNotFound
	}
	texts := []string{v.Say(step.Text)}
	if (name == "on" || name == "reinvite") && (u.MerchantID != nil || u.TraderID != nil) {
		texts = append(texts, v.Say(sayConsentHint))
	}
	q := view.Question{
		Title: step.Title, Texts: texts, Action: portal.Numbered(portal.UsersPath, u.ID) + "/" + name,
		Yes: v.Say(step.Yes), Danger: step.Danger, Back: view.Link(portal.Numbered(portal.UsersPath, u.ID)),
		Facts: []view.Fact{
			{Label: say.Member, Value: u.Login}, {Label: say.KindLabel, Value: v.kindAndRole(u.Kind, u.Role)},
		},
	}
	if name == "off" {
		field := v.reasonField()
		field.Value, field.Wrong = reason, wrong["reason"]
		q.Fields = []view.Field{field}
	}
	return v.Question(q)
}

// userStep takes the step, once. The link of a new invitation is shown only in
// the answer.
func (v *visit) userStep() error {
	u, err := portal.Named(v.Visit, v.Sessions.User)
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	path, link, name := portal.Numbered(portal.UsersPath, u.ID), "", v.R.PathValue("step")
	out, err := v.Submissions.Once(v.Ctx(), v.Who.ID, form.Get("token"), func() (submission.Outcome, error) {
		done := submission.Outcome{LedTo: path, Said: "member-changed"}
		var err error
		switch name {
		case "off", "on":
			reason := form.Get("reason")
			if found := fault.Decoded(v.Ctx()); name == "off" {
				reason = found.RequiredText("reason", reason, maxReason)
				err = found.Err()
			}
			if err == nil {
				_, err = v.Sessions.Update(
					v.Ctx(), v.Who, session.UserUpdate{ID: u.ID, Enabled: new(name == "on"), Reason: reason},
				)
			}
		case "end":
			done.Said = "member-ended"
			_, err = v.Sessions.RevokeTokens(v.Ctx(), v.Who, u.ID)
		case "reinvite":
			done.Said = "invited-before"
			_, link, err = v.Sessions.Invite(v.Ctx(), v.Who, u.ID)
		default:
			err = fault.ErrNotFound
		}
		return done, err
	})
	switch wrong := v.Wrong(err); {
	case wrong["reason"] != "":
		return v.askStep(u, name, form.Get("reason"), wrong)
	case wrong != nil: // the form's token is not one of the portal's
		return v.Done(path+"/"+name, "")
	}
	if err != nil {
		return err
	}
	if link != "" {
		return v.Invited(u.Login, link, path)
	}
	return v.Led(out, nil)
}
