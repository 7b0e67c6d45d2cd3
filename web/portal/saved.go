package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gateway.example/internal/fault"
	"gateway.example/internal/savedview"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Views of lists that users save under a name.
var viewRoutes = []Route{
	{Pattern: "POST /views", Kinds: Users, Handle: (*Visit).saveView},
	{Pattern: "POST /columns", Kinds: Users, Handle: (*Visit).saveColumns},
	{Pattern: "POST /views/{id}/remove", Kinds: Users, Handle: (*Visit).removeView},
}

// savedViews are the user's views of a list. The one with exactly the filters
// of the address is marked.
func (v *Visit) savedViews(a Asked) ([]view.SavedView, error) {
	saved, err := v.server.Views.List(v.Ctx(), v.Who, a.Path)
	if err != nil {
		return nil, err
	}
	now := a.Query.Encode()
	shown := make([]view.SavedView, 0, len(saved))
	for _, one := range saved {
		shown = append(shown, view.SavedView{
			ID: one.ID, Name: one.Name, Href: Listed(one.Path, one.Query), Current: one.Query == now,
		})
	}
	return shown, nil
}

// saveView saves the filters of a list, as far as the list has them.
func (v *Visit) saveView() error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	of, query, err := v.listOf(form)
	if err != nil {
		return err
	}
	asked := view.NewView{Name: form.Get("name"), Path: of.Path, Query: query.Encode()}
	err = v.server.Views.Save(v.Ctx(), v.Who, savedview.View{Name: asked.Name, Path: asked.Path, Query: asked.Query})
	if asked.Wrong = v.Wrong(err); asked.Wrong != nil {
		v.Shell.Title = v.Say(say.SaveView)
		return Show(v, http.StatusUnprocessableEntity, view.SaveView, asked)
	}
	if err != nil {
		return err
	}
	return v.Done(string(Listed(asked.Path, asked.Query)), "view-saved")
}

// listOf is the list of a form, and its filters as far as the list has them.
func (v *Visit) listOf(form url.Values) (*List, url.Values, error) {
	of := v.server.pages[form.Get("path")].Keeps
	query, err := url.ParseQuery(form.Get("query"))
	if of == nil || err != nil {
		return nil, nil, fault.ErrNotFound
	}
	for name := range query {
		if !slices.Contains(of.parameters(), name) {
			query.Del(name)
		}
	}
	return of, query, nil
}

// asksColumn names a column. A user's choice is saved as a view named columnsOf
// of the list, in this parameter.
const asksColumn = "column"

func columnsOf(l List) string { return l.Path + "#columns" }

// columns are the columns of a list that can be chosen, with the user's choice.
func (v *Visit) columns(l List) ([]view.Tick, error) {
	if len(l.Columns) == 0 {
		return nil, nil
	}
	saved, err := v.server.Views.List(v.Ctx(), v.Who, columnsOf(l))
	if err != nil {
		return nil, err
	}
	var chosen url.Values
	if len(saved) > 0 {
		chosen, _ = url.ParseQuery(saved[0].Query)
	}
	ticks := make([]view.Tick, 0, len(l.Columns))
	for _, c := range l.Columns {
		on := !c.Extra
		if len(saved) > 0 {
			on = slices.Contains(chosen[asksColumn], c.Name)
		}
		ticks = append(ticks, view.Tick{Value: c.Name, Text: v.Say(c.Label), On: on})
	}
	return ticks, nil
}

// saveColumns saves which columns of a list the user wants, and redirects back
// to it.
func (v *Visit) saveColumns() error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	of, query, err := v.listOf(form)
	if err != nil {
		return err
	}
	chosen := url.Values{}
	for _, c := range of.Columns {
		if slices.Contains(form[asksColumn], c.Name) {
			chosen.Add(asksColumn, c.Name)
		}
	}
	err = v.server.Views.Save(v.Ctx(), v.Who,
		savedview.View{Name: asksColumn, Path: columnsOf(*of), Query: chosen.Encode()})
	if err != nil {
		return err
	}
	return v.Done(string(Listed(of.Path, query.Encode())), "columns-saved")
}

func (v *Visit) removeView() error {
	id, err := strconv.ParseInt(v.R.PathValue("id"), 10, 64)
	if err != nil {
		return fault.ErrNotFound
	}
	path, err := v.server.Views.Remove(v.Ctx(), v.Who, id)
	if err := OrGone(err); err != nil {
		return err
	}
	return v.Done(v.BackTo(cmp.Or(path, v.Landing())), "view-removed")
}
