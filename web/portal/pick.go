package portal

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// Pick is a kind of participant that a form names, by number or by a unique
// name. The server decides what a text means, so that it works without scripts;
// with scripts the field offers names while the user types.
type Pick struct {
	// kind is what it is called in addresses.
	kind string
	none say.Phrase
	// several says that more than one may be named, separated by commas.
	several bool
	list    func(context.Context, *directory.Settings, caller.Caller, directory.Search) ([]candidate, error)
	get     func(context.Context, *directory.Settings, caller.Caller, int64) (candidate, error)
}

// candidate is a participant that a text may mean: the name, and how pages show
// it.
type candidate struct {
	id           int64
	name, called string
}

// The kinds of participants that forms name.
var (
	PickMerchant = pickOf("merchant", say.NoMerchant, (*directory.Settings).Merchants, (*directory.Settings).Merchant,
		func(m directory.Merchant) candidate { return candidate{m.ID, m.Name, Titled(m.Name, m.ID)} })
	PickTrader = pickOf("trader", say.NoTrader, (*directory.Settings).Traders, (*directory.Settings).Trader,
		func(t directory.Trader) candidate { return candidate{t.ID, t.Name, Titled(t.Name, t.ID)} })
	PickCashbox = pickOf("cashbox", say.NoCashbox, (*directory.Settings).Cashboxes, (*directory.Settings).Cashbox,
		func(c directory.Cashbox) candidate {
			return candidate{c.ID, c.Name, Titled(c.MerchantName+", "+c.Name, c.ID)}
		})
	PickMerchants = &Pick{kind: "merchants", none: PickMerchant.none, several: true, list: PickMerchant.list, get: PickMerchant.get}

	picks = []*Pick{PickMerchant, PickTrader, PickCashbox, PickMerchants}
)

// pickOf makes a Pick for a kind that the directory lists.
func pickOf[T any](
	kind string,
	none say.Phrase,
	list func(*directory.Settings, context.Context, caller.Caller, directory.Search) ([]T, *string, error),
	get func(*directory.Settings, context.Context, caller.Caller, int64) (T, error),
	as func(T) candidate,
) *Pick {
	return &Pick{
		kind: kind, none: none,
		list: func(
			ctx context.Context, s *directory.Settings, who caller.Caller, search directory.Search,
		) ([]candidate, error) {
			found, _, err := list(s, ctx, who, search)
			candidates := make([]candidate, 0, len(found))
			for _, one := range found {
				candidates = append(candidates, as(one))
			}
			return candidates, err
		},
		get: func(ctx context.Context, s *directory.Settings, who caller.Caller, id int64) (candidate, error) {
			found, err := get(s, ctx, who, id)
			return as(found), err
		},
	}
}

const (
	// offered is how many names a field offers, and how many participants
	// of the same name are looked at.
	offered = 100
	// namedInFlaw is how many participants of the same name a message
	// lists.
	namedInFlaw = 5
	maxPicked   = 200
)

// PickField asks for a participant by name or number. A number that was typed
// is shown with its name.
func (v *Visit) PickField(
	p *Pick, name string, label say.Phrase, typed url.Values, wrong map[string]string,
) view.Field {
	return view.Field{
		Name: name, Label: label, Value: v.Called(p, typed.Get(name)), Wrong: wrong[name], Max: maxPicked,
		Suggest: v.Offered(p, ""),
		More: map[string]any{
			"autocomplete": "off", "spellcheck": "false", "data-names": namesPath + p.kind,
		},
	}
}

// namesPath is the address from which fields read names that they did not offer
// from the beginning.
const namesPath = "/operator/names/"

var pickRoutes = []Route{
	{Pattern: "GET " + namesPath + "{kind}", Needs: caller.OperatorRead, Fragment: true, Handle: (*Visit).offerNames},
}

// offerNames offers the names that contain the typed text. If several may be
// named, that is the text after the last comma.
func (v *Visit) offerNames() error {
	query := v.R.URL.Query()
	at := slices.IndexFunc(picks, func(p *Pick) bool { return p.kind == v.R.PathValue("kind") })
	if at < 0 {
		return fault.ErrNotFound
	}
	p, before, text := picks[at], "", query.Get(AsksSearch)
	if last := strings.LastIndex(text, ","); p.several && last >= 0 {
		before, text = text[:last+1]+" ", text[last+1:]
	}
	found, err := v.named(p, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	names := calledAll(found, before)
	v.Show(http.StatusOK, func(view.Shell) site.Page { return view.Offers(names) })
	return nil
}

// Offered are the names that a field offers, each after the text before. If
// they cannot be read, the form is shown without them.
func (v *Visit) Offered(p *Pick, before string) []string {
	known, err := v.named(p, "")
	if err != nil {
		v.Log(err)
	}
	return calledAll(known, before)
}

// calledAll is how pages show several candidates, each after the text before.
func calledAll(list []candidate, before string) []string {
	names := make([]string, 0, len(list))
	for _, one := range list {
		names = append(names, before+one.called)
	}
	return names
}

// Called is how pages show the participant with a number. A text that is no
// number, or nobody's, stays as it is.
func (v *Visit) Called(p *Pick, text string) string {
	if p.several && strings.Contains(text, ",") {
		var names []string
		for one := range strings.SplitSeq(text, ",") {
			names = append(names, v.Called(p, strings.TrimSpace(one)))
		}
		return strings.Join(names, ", ")
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return text
	}
	one, err := v.numbered(p, id)
	if err != nil {
		v.Log(err)
	}
	if err != nil || one == nil {
		return text
	}
	return one.called
}

// Picked replaces the typed texts by the participants' numbers, which services
// read. A text that means nobody or several is added to the form's mistakes.
func (v *Visit) Picked(form url.Values, picks map[string]*Pick) error {
	found := fault.Decoded(v.Ctx())
	for name, p := range picks {
		if strings.TrimSpace(form.Get(name)) == "" {
			continue
		}
		texts := []string{form.Get(name)}
		if p.several {
			texts = strings.Split(texts[0], ",")
		}
		for i, text := range texts {
			id, flaw, err := v.pick(p, text)
			if err != nil {
				return err
			}
			found.Flaw(name, flaw)
			texts[i] = IDText(id)
		}
		if !found.Wrong(name) {
			form.Set(name, strings.Join(texts, ","))
		}
	}
	if found.Err() != nil {
		v.R = v.R.WithContext(fault.WithDecoded(v.Ctx(), found))
	}
	return nil
}

// aNumber matches a number alone, and calledForm a name with its number, as
// pages write it.
var (
	aNumber    = regexp.MustCompile(`^[#№]? ?([0-9]{1,18})$`)
	calledForm = regexp.MustCompile(`^.+ № ([0-9]{1,18})$`)
)

// pick is the number of the participant that a text names; otherwise flaw says
// why there is none.
func (v *Visit) pick(p *Pick, text string) (id int64, flaw string, err error) {
	if text = strings.Join(strings.Fields(text), " "); len([]rune(text)) > maxPicked {
		return 0, v.Say(say.WrongTooLong), nil
	}
	for _, form := range []*regexp.Regexp{aNumber, calledForm} {
		number := form.FindStringSubmatch(text)
		if number == nil {
			continue
		}
		id, _ := strconv.ParseInt(number[1], 10, 64)
		one, err := v.numbered(p, id)
		switch {
		case err != nil:
			return 0, "", err
		case one != nil && (form == aNumber || strings.EqualFold(strings.Join(strings.Fields(one.called), " "), text)):
			return id, "", nil
		}
	}
	found, err := v.named(p, text)
	if err != nil {
		return 0, "", err
	}
	var exact []candidate
	for _, one := range found {
		if strings.EqualFold(strings.Join(strings.Fields(one.name), " "), text) {
			exact = append(exact, one)
		}
	}
	switch {
	case len(found) == 0 || aNumber.MatchString(text):
		return 0, v.Say(p.none), nil
	case len(found) == 1:
		return found[0].id, "", nil
	case len(exact) == 1 && len(found) < offered:
		return exact[0].id, "", nil
	case len(exact) > 0:
		found = exact
	}
	return 0, v.severalMeant(found), nil
}

// severalMeant lists the participants of whom the user has to choose one.
func (v *Visit) severalMeant(found []candidate) string {
	names := calledAll(found[:min(len(found), namedInFlaw)], "")
	if len(found) > namedInFlaw {
		names = append(names, "…")
	}
	return v.Say(say.SeveralMeant, strings.Join(names, "; "))
}

// numbered is the participant with a number; nil if there is none.
func (v *Visit) numbered(p *Pick, id int64) (*candidate, error) {
	one, err := p.get(v.plain(), v.server.Settings, v.Who, id)
	if f := fault.As(err); f != nil && f.Kind == fault.NotFound {
		return nil, nil //nolint:nilnil // there is none
	}
	return &one, err
}

// named lists the participants whose name contains a text, in the order of
// their names.
func (v *Visit) named(p *Pick, text string) ([]candidate, error) {
	search := directory.Search{Text: text}
	search.Limit = new(int32(offered))
	found, err := p.list(v.plain(), v.server.Settings, v.Who, search)
	slices.SortStableFunc(found, func(a, b candidate) int {
		return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	})
	return found, err
}

// plain is the request's context without the form's mistakes, which are
// reported separately.
func (v *Visit) plain() context.Context { return fault.WithDecoded(v.Ctx(), nil) }
