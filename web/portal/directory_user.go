package portal

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const usersPath = "/operator/users"

var directoryUserRoutes = slices.Concat(
	[]route{looks(usersPath, (*visit).userList)},
	changes(usersPath+"/new", caller.OperatorUsers, (*visit).userNew, (*visit).makeUser),
	settings(usersPath+"/{id}", caller.OperatorUsers, (*visit).userPage, (*visit).changeUser),
	changes(usersPath+"/{id}/{step}", caller.OperatorUsers, (*visit).userStepPage, (*visit).userStep),
)

func (v *visit) userList() error {
	search := v.searched()
	list, cursor, err := v.Sessions.Users(v.ctx(), v.who, session.UserSearch{
		Page: search.Page, Text: search.Text, On: search.On, Kind: caller.Kind(v.r.URL.Query().Get(asksKind)),
		MerchantID: search.MerchantID, TraderID: search.TraderID,
	})
	d := v.userTable(list)
	d.Path, d.Hint = usersPath, say.FindByLogin
	return v.showList(d, cursor, err, asksMerchant, asksTrader, asksKind)
}

func (v *visit) userTable(list []session.User) view.Directory {
	given := v.r.URL.Query()
	d := view.Directory{
		Title: say.Users, NewLabel: say.NewUser, None: say.NobodyYet,
		New: v.makes(view.Query(
			usersPath+"/new", asksMerchant, given.Get(asksMerchant), asksTrader, given.Get(asksTrader),
		), caller.OperatorUsers),
		Columns: []say.Phrase{say.Login, say.Number, say.KindLabel, say.BelongsTo, say.MemberSeen, say.Status},
	}
	for _, u := range list {
		seen := ""
		if u.Sessions > 0 {
			seen = v.shell.When(u.SeenAt)
		}
		d.Rows = append(d.Rows, view.DirectoryRow{Href: view.Link(numbered(usersPath, u.ID)), Cells: []view.SubjectCell{
			{
				Text: u.Login,
			},
			{Text: idText(u.ID), Class: "num"},
			{Text: v.kindAndRole(u.Kind, u.Role)},
			{Text: u.OfName},
			{Text: seen},
			{Badge: view.MemberBadge(u.Enabled, !u.HasPassword)},
		}})
	}
	return d
}

// kindAndRole says what a user is.
func (v *visit) kindAndRole(kind caller.Kind, role caller.Role) string {
	text := v.shell.Say(say.Kind(string(kind)))
	if role != "" {
		text = v.shell.Say(say.MethodOf, text, strings.ToLower(v.shell.Say(say.Role(string(role)))))
	}
	return text
}

// usersOf are the first users of somebody.
func (v *visit) usersOf(search session.UserSearch, by string) (view.Directory, error) {
	search.Limit = new(int32(listedWithin))
	list, more, err := v.Sessions.Users(v.ctx(), v.who, search)
	d := v.userTable(list)
	id := v.r.PathValue("id")
	d.New = v.makes(view.Query(usersPath+"/new", by, id), caller.OperatorUsers)
	if more != nil {
		d.All = view.Query(usersPath, by, id)
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

func (v *visit) newUser() subject {
	given := v.r.URL.Query()
	role := string(caller.MerchantPortal) + "/" + string(caller.Owner)
	if given.Get(asksTrader) != "" {
		role = string(caller.Trader) + "/" + string(caller.Owner)
	}
	if given.Get(asksKind) == string(caller.Operator) {
		role = string(caller.Operator) + "/" + string(caller.Admin)
	}
	s := subject{
		title: v.shell.Say(say.NewUser), path: usersPath + "/new", needs: caller.OperatorUsers,
		inputs: []input{
			{name: "login", label: say.Login, hint: say.LoginHint, needed: true},
			{name: "role", label: say.KindAndRole, options: v.roleChoices()},
			{name: "merchantId", label: say.MerchantNumber, hint: say.ForMerchants, kind: asWhole, max: 19},
			{name: "traderId", label: say.TraderNumber, hint: say.ForTraders, kind: asWhole, max: 19},
			{name: "merchantIds", label: say.CabinetIDs, hint: say.ForCabinet},
		},
		values: url.Values{
			"role": {role}, "merchantId": {given.Get(asksMerchant)}, "traderId": {given.Get(asksTrader)},
		},
	}
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Users), Href: usersPath}}
	s.page.Form.Text, s.page.Form.Save, s.page.Form.Back = say.UserInviteText, say.InviteYes, usersPath
	return s
}

func (v *visit) userNew() error { return v.showSubject(http.StatusOK, v.newUser(), nil) }

// makeUser makes a user, once, and shows the link of their invitation in the answer.
func (v *visit) makeUser() error {
	link, login, path := "", "", ""
	err := v.keepSecret(v.newUser(), "invited-before", func(ctx context.Context, form typed) (string, bool, error) {
		kind, role, _ := strings.Cut(form.Get("role"), "/")
		n := session.NewUser{
			Kind: caller.Kind(kind), Role: caller.Role(role), Login: form.plain("login"),
			MerchantID: orNone(form.id("merchantId")), TraderID: orNone(form.id("traderId")),
			MerchantIDs: form.ids("merchantIds"),
		}
		c, made, err := v.Sessions.Create(ctx, v.who, n)
		link, login, path = made, n.Login, usersPath+"/"+c.SubjectKey
		return path, err == nil, err
	})
	if err != nil || link == "" {
		return err
	}
	return v.invited(login, link, path)
}

func (v *visit) invited(login, link, path string) error {
	return v.reveal(say.Invited, view.Shown{
		Text: v.shell.Say(say.InvitedText, login), Label: say.InviteLink, Secret: link, Next: view.Link(path),
	})
}

// ids are numbers with commas between.
func (t typed) ids(name string) []int64 {
	var ids []int64
	for _, text := range strings.FieldsFunc(t.Get(name), func(r rune) bool { return r == ',' || r == ' ' }) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.found.Add(name, wholeNumber)
		}
		ids = append(ids, id)
	}
	return ids
}

// userAsked is the user that the address names.
func (v *visit) userAsked() (session.User, error) {
	id, err := v.named()
	if err != nil {
		return session.User{}, err
	}
	return v.Sessions.User(v.ctx(), v.who, id)
}

func (v *visit) userSubject(u session.User) subject {
	s := subject{
		title: u.Login, path: numbered(usersPath, u.ID), needs: caller.OperatorUsers, version: u.Version,
		log: [2]string{"app_user", idText(u.ID)}, values: filled(map[string]string{"role": string(u.Role)}),
	}
	if roles := caller.Roles(u.Kind); len(roles) > 0 {
		role := input{name: "role", label: say.RoleLabel, needed: true}
		for _, one := range roles {
			role.options = append(
				role.options,
				view.Option{Value: string(one), Text: v.shell.Say(say.Role(string(one)))},
			)
		}
		s.inputs = []input{role}
	}
	s.page.Form.Text, s.page.Form.Save = say.MemberEnds, say.SetRole
	s.page.State = view.MemberBadge(u.Enabled, !u.HasPassword)
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Users), Href: usersPath}}
	s.page.Facts = v.userFacts(u)
	if v.may(caller.OperatorUsers) {
		s.page.Links = userSteps(u)
	}
	if v.mayViewAs() && u.Enabled && u.Kind != caller.Operator {
		s.page.ViewAs = u.Login
	}
	return s
}

func (v *visit) userFacts(u session.User) []view.SubjectFact {
	factor := v.shell.Say(say.NoFactorYet)
	if u.HasTOTP || u.Passkeys > 0 {
		factor = v.shell.Say(say.HasFactor)
	}
	if u.FactorLockedAt != nil {
		factor = v.shell.Say(say.LockedFactor)
	}
	facts := []view.SubjectFact{
		{Label: say.Number, Value: idText(u.ID), Class: "num"},
		{Label: say.KindLabel, Value: v.kindAndRole(u.Kind, u.Role)},
	}
	switch {
	case u.MerchantID != nil:
		facts = append(facts, view.SubjectFact{
			Label: say.BelongsTo, Value: u.OfName, Href: view.Link(numbered(merchantsPath, *u.MerchantID)),
		})
	case u.TraderID != nil:
		facts = append(facts, view.SubjectFact{
			Label: say.BelongsTo, Value: u.OfName, Href: view.Link(numbered(tradersPath, *u.TraderID)),
		})
	case len(u.MerchantIDs) > 0:
		var ids []string
		for _, id := range u.MerchantIDs {
			ids = append(ids, idText(id))
		}
		facts = append(facts, view.SubjectFact{Label: say.CabinetIDs, Value: strings.Join(ids, ", ")})
	}
	facts = append(facts, view.SubjectFact{Label: say.WithFactor, Value: factor},
		view.SubjectFact{Label: say.OpenOnes, Value: strconv.Itoa(u.Sessions), Class: "num"})
	if u.Sessions > 0 {
		facts = append(facts, view.SubjectFact{Label: say.MemberSeen, At: &u.SeenAt})
	}
	if u.AwaitsUntil != nil && u.AwaitsUntil.After(v.shell.Now) {
		facts = append(facts, view.SubjectFact{Label: say.ConsentUntil, At: u.AwaitsUntil})
	}
	return append(facts, view.SubjectFact{Label: say.MadeOn, At: &u.CreatedAt})
}

func userSteps(u session.User) []view.SubjectStep {
	path := numbered(usersPath, u.ID)
	steps := []view.SubjectStep{{Label: say.SwitchOff, Href: view.Link(path + "/off"), Danger: true}}
	if !u.Enabled {
		steps = []view.SubjectStep{{Label: say.SwitchOn, Href: view.Link(path + "/on")}}
	}
	if u.Sessions > 0 {
		steps = append(steps, view.SubjectStep{Label: say.EndTheirs, Href: view.Link(path + "/end")})
	}
	return append(steps, view.SubjectStep{Label: say.Reinvite, Href: view.Link(path + "/reinvite")})
}

func (v *visit) userPage() error {
	u, err := v.userAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, v.userSubject(u), nil)
}

// changeUser gives a user another role. The same again changes nothing.
func (v *visit) changeUser() error {
	u, err := v.userAsked()
	if err != nil {
		return err
	}
	s := v.userSubject(u)
	return v.keepSubject(s, "member-changed", func(ctx context.Context, form typed) (string, error) {
		role := caller.Role(form.Get("role"))
		if role == u.Role && form.Get("version") == u.Version {
			return s.path, nil
		}
		_, err := v.Sessions.Update(ctx, v.who, session.UserUpdate{ID: u.ID, Role: &role, Seen: form.Get("version")})
		return s.path, err
	})
}

func (v *visit) userStepPage() error {
	u, err := v.userAsked()
	if err != nil {
		return err
	}
	name := v.r.PathValue("step")
	step, known := memberSteps[name]
	if !known {
		return fault.ErrNotFound
	}
	texts := []string{v.shell.Say(step.text)}
	if (name == "on" || name == "reinvite") && (u.MerchantID != nil || u.TraderID != nil) {
		texts = append(texts, v.shell.Say(say.ConsentHint))
	}
	return v.question(view.Question{
		Title: step.title, Texts: texts, Action: numbered(usersPath, u.ID) + "/" + name,
		Yes: v.shell.Say(step.yes), Danger: step.danger, Back: view.Link(numbered(usersPath, u.ID)),
		Facts: []view.Fact{
			{Label: say.Member, Value: u.Login}, {Label: say.KindLabel, Value: v.kindAndRole(u.Kind, u.Role)},
		},
	})
}

// userStep does what was asked, once. The link of a new invitation is shown in the answer alone.
func (v *visit) userStep() error {
	u, err := v.userAsked()
	if err != nil {
		return err
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	path, link, name := numbered(usersPath, u.ID), "", v.r.PathValue("step")
	out, err := v.Submissions.Once(v.ctx(), v.who.ID, form.Get("token"), func() (submission.Outcome, error) {
		done := submission.Outcome{LedTo: path, Said: "member-changed"}
		var err error
		switch name {
		case "off", "on":
			_, err = v.Sessions.Update(v.ctx(), v.who, session.UserUpdate{ID: u.ID, Enabled: new(name == "on")})
		case "end":
			done.Said = "member-ended"
			_, err = v.Sessions.RevokeTokens(v.ctx(), v.who, u.ID)
		case "reinvite":
			done.Said = "invited-before"
			_, link, err = v.Sessions.Invite(v.ctx(), v.who, u.ID)
		default:
			err = fault.ErrNotFound
		}
		return done, err
	})
	if v.wrong(err) != nil { // the token is none of ours
		return v.done(path+"/"+name, "")
	}
	if err != nil {
		return err
	}
	if link != "" {
		return v.invited(u.Login, link, path)
	}
	return v.led(out, nil)
}
