package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gateway.example/internal/fault"
	"gateway.example/internal/savedview"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// Lists that users find again by a name.
var viewRoutes = []route{
	{pattern: "POST /views", kinds: users, handle: (*visit).saveView},
	{pattern: "POST /views/{id}/remove", kinds: users, handle: (*visit).removeView},
}

// lists are the lists of which there may be views.
var lists = []list{
	paymentList, payoutList, statementList,
	ownPaymentList, ownPayoutList, ownStatementList, depositList, appealList, eventList, requestList,
	casePaymentList, casePayoutList, caseDepositList, caseAppealList,
	auditList,
}

func (v *visit) savedViews(a asked) ([]view.SavedView, error) {
	saved, err := v.Views.List(v.ctx(), v.who, a.path)
	if err != nil {
		return nil, err
	}
	now := a.query.Encode()
	shown := make([]view.SavedView, 0, len(saved))
	for _, one := range saved {
		shown = append(shown, view.SavedView{
			ID: one.ID, Name: one.Name, Href: listed(one.Path, one.Query), Current: one.Query == now,
		})
	}
	return shown, nil
}

func listed(path, query string) view.Link {
	if query == "" {
		return view.Link(path)
	}
	return view.Link(path + "?" + query)
}

// saveView keeps the filters of a list, as far as the list knows them.
func (v *visit) saveView() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(lists, func(l list) bool { return l.path == form.Get("path") })
	query, err := url.ParseQuery(form.Get("query"))
	if at < 0 || err != nil {
		return fault.ErrNotFound
	}
	for name := range query {
		if !slices.Contains(lists[at].parameters(), name) {
			query.Del(name)
		}
	}
	asked := view.NewView{Name: form.Get("name"), Path: lists[at].path, Query: query.Encode()}
	err = v.Views.Save(v.ctx(), v.who, savedview.View{Name: asked.Name, Path: asked.Path, Query: asked.Query})
	if asked.Wrong = v.wrong(err); asked.Wrong != nil {
		v.shell.Title = v.shell.Say(say.SaveView)
		v.show(http.StatusUnprocessableEntity, func(s view.Shell) site.Page { return view.SaveView(s, asked) })
		return nil
	}
	if err != nil {
		return err
	}
	return v.done(string(listed(asked.Path, asked.Query)), "view-saved")
}

func (v *visit) removeView() error {
	id, err := strconv.ParseInt(v.r.PathValue("id"), 10, 64)
	if err != nil {
		return fault.ErrNotFound
	}
	path, err := v.Views.Remove(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	to := v.back()
	if to == "/" {
		to = path
	}
	return v.done(to, "view-removed")
}
