package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// How the hosted pages of a merchant's cashboxes look.
var lookRoutes = []route{
	{pattern: "GET " + looksPath, kinds: merchants, needs: caller.MerchantEvents, handle: (*visit).looks},
	{pattern: "POST " + looksPath, kinds: merchants, needs: caller.MerchantLooks, handle: (*visit).changeLook},
	{pattern: "GET " + looksPath + "/preview", kinds: merchants, needs: caller.MerchantEvents, handle: (*visit).sample},
	// The frame of the preview is sandboxed: browsers send no cookie with what is asked for in it.
	{pattern: "GET " + looksPath + "/code.svg", open: true, handle: (*visit).sampleCode},
}

const looksPath = "/merchant/looks"

// The names of the fields, as the service calls them.
const (
	lookColor  = "pageColor"
	lookHosts  = "returnHosts"
	lookFrame  = "frameOrigin"
	lookEvents = "payerEvents"
)

func lookPath(id int64) string {
	return looksPath + "?" + url.Values{asksCashbox: {strconv.FormatInt(id, 10)}}.Encode()
}

// ownLooks are those of the merchant's cashboxes, and the place of the one that the address names: the
// first where it names none.
func (v *visit) ownLooks() ([]directory.OwnLook, int, error) {
	looks, err := v.Settings.OwnLooks(v.ctx(), v.who)
	wanted := v.r.URL.Query().Get(asksCashbox)
	if err != nil || wanted == "" {
		return looks, 0, err
	}
	at := slices.IndexFunc(looks, func(l directory.OwnLook) bool {
		return strconv.FormatInt(l.CashboxID, 10) == wanted
	})
	if at < 0 {
		return nil, 0, fault.ErrNotFound
	}
	return looks, at, nil
}

func (v *visit) looks() error {
	looks, at, err := v.ownLooks()
	if err != nil {
		return err
	}
	if len(looks) == 0 {
		return v.showLook(http.StatusOK, nil, 0, nil, nil)
	}
	return v.showLook(http.StatusOK, looks, at, lookValues(looks[at]), nil)
}

// lookValues are a look as the form has it.
func lookValues(l directory.OwnLook) url.Values {
	values := url.Values{
		lookColor: {l.Color}, lookHosts: {strings.Join(l.ReturnHosts, "\n")}, lookFrame: {l.FrameOrigin},
		"version": {l.Version()},
	}
	if l.PayerEvents {
		values.Set(lookEvents, "on")
	}
	return values
}

// showLook shows the form with what is typed, and the payer's page in the colour that is typed.
func (v *visit) showLook(
	status int, looks []directory.OwnLook, at int, typed url.Values, wrong map[string]string,
) error {
	shown := view.Looks{Empty: view.Empty{Title: say.NoKeyBoxes, Text: say.AskOperator}}
	for i, l := range looks {
		name := v.shell.Say(say.CashboxName, l.Name, l.Currency, l.CashboxID)
		shown.Boxes = append(shown.Boxes, view.Tab{
			Text: name, Href: view.Link(lookPath(l.CashboxID)), Current: i == at,
		})
		if i == at {
			shown.Box = name
			v.fillLook(&shown, l, typed, wrong)
		}
	}
	v.shell.Title, v.shell.Live, v.shell.Mistakes = v.shell.Say(say.LooksTitle), true, len(wrong) > 0
	showFrames(v.w)
	v.show(status, func(s view.Shell) site.Page { return view.LooksPage(s, shown) })
	return nil
}

func (v *visit) fillLook(shown *view.Looks, l directory.OwnLook, typed url.Values, wrong map[string]string) {
	color, good := directory.Color(typed.Get(lookColor))
	if !good {
		color = l.Color
	}
	shown.Action, shown.MayChange = lookPath(l.CashboxID), v.who.May(caller.MerchantLooks)
	shown.Token, shown.Version = submission.NewToken(), typed.Get("version")
	shown.Events, shown.Color = typed.Get(lookEvents) != "", color
	if color == "" {
		shown.Color = ownColor
	}
	shown.Fields = v.lookFields(typed, wrong)
	if shown.MayChange {
		shown.Fields[0].More = shown.Follows()
	}
	shown.Drawn = v.drawnLook(l, color)
}

// ownColor is the colour of pages that have no other, as tokens.css has it.
const ownColor = "#0b6650"

func (v *visit) lookFields(typed url.Values, wrong map[string]string) []view.Field {
	fields := []view.Field{
		{Name: lookColor, Label: say.LookColor, Hint: v.shell.Say(say.LookColorHint), Max: 7},
		{Name: lookHosts, Label: say.LookHosts, Hint: v.shell.Say(say.LookHostsHint), Area: true, Max: 13_000},
		{Name: lookFrame, Label: say.LookFrame, Hint: v.shell.Say(say.LookFrameHint), Max: 260},
	}
	for i := range fields {
		f := &fields[i]
		f.Quiet, f.Value, f.Wrong = true, typed.Get(f.Name), wrong[f.Name]
	}
	return fields
}

// drawnLook is the payer's page in a colour, and what there is to say of it.
func (v *visit) drawnLook(l directory.OwnLook, color string) view.DrawnLook {
	query := url.Values{asksCashbox: {strconv.FormatInt(l.CashboxID, 10)}, "color": {color}}
	drawn := view.DrawnLook{Preview: looksPath + "/preview?" + query.Encode()}
	if color == "" {
		drawn.Good = v.shell.Say(say.LookOwn)
		return drawn
	}
	read := site.Legible(color)
	drawn.Light, drawn.Dark = read.Light, read.Dark
	ratio := func(of float64) string { return v.shell.Number(decimal.NewFromFloat(of).RoundDown(2)) }
	if read.OnLight < site.Readable {
		drawn.Notes = append(drawn.Notes, v.shell.Say(say.LookPale, ratio(read.OnLight)))
	}
	if read.OnDark < site.Readable {
		drawn.Notes = append(drawn.Notes, v.shell.Say(say.LookDim, ratio(read.OnDark)))
	}
	if len(drawn.Notes) == 0 {
		drawn.Good = v.shell.Say(say.LookReadable)
	}
	return drawn
}

// changeLook saves the form, once, or draws it where that is all that is asked for.
func (v *visit) changeLook() error {
	looks, at, err := v.ownLooks()
	if err != nil {
		return err
	}
	if len(looks) == 0 {
		return fault.ErrNotFound
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	if v.r.URL.Query().Get("do") == "preview" {
		return v.redrawLook(looks, at, form)
	}
	path := lookPath(looks[at].CashboxID)
	err = v.once(form, func() (submission.Outcome, error) {
		_, err := v.Settings.UpdateOwnLook(v.ctx(), v.who, typedLook(looks[at].CashboxID, form))
		return submission.Outcome{LedTo: path, Said: "look-saved"}, err
	})
	if f := fault.As(err); f != nil && f.Code == directory.ErrLookChanged.Code {
		return v.done(path, "look-changed")
	}
	if wrong := v.wrong(err); wrong != nil {
		return v.showLook(http.StatusUnprocessableEntity, looks, at, form, wrong)
	}
	return err
}

// redrawLook shows what is typed, without saving it.
func (v *visit) redrawLook(looks []directory.OwnLook, at int, form url.Values) error {
	if _, good := directory.Color(form.Get(lookColor)); !good {
		wrong := map[string]string{lookColor: say.Wrong(v.shell.Code, directory.NoColor)}
		return v.showLook(http.StatusUnprocessableEntity, looks, at, form, wrong)
	}
	return v.showLook(http.StatusOK, looks, at, form, nil)
}

// typedLook is what a form says. Hosts stand on lines, or between commas.
func typedLook(id int64, form url.Values) directory.LookUpdate {
	color, frame := strings.TrimSpace(form.Get(lookColor)), strings.TrimSpace(form.Get(lookFrame))
	hosts := strings.Fields(strings.ReplaceAll(form.Get(lookHosts), ",", " "))
	events := form.Get(lookEvents) != ""
	return directory.LookUpdate{
		CashboxID: id, Version: form.Get("version"), Color: &color, FrameOrigin: &frame, ReturnHosts: &hosts,
		PayerEvents: &events,
	}
}
