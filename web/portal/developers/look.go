package developers

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gateway.example/web/portal"

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
	{Pattern: "GET " + portal.LooksPath, Needs: caller.MerchantEvents, Handle: (*visit).looks},
	{Pattern: "POST " + portal.LooksPath, Needs: caller.MerchantLooks, Handle: (*visit).changeLook},
	{Pattern: "GET " + portal.LooksPath + "/preview", Needs: caller.MerchantEvents, Handle: (*visit).sample},
	// The frame of the preview is sandboxed, so browsers send no cookies
	// with its requests.
	{Pattern: "GET " + portal.LooksPath + "/code.svg", Open: true, Handle: (*visit).sampleCode},
}

// The names of the fields in the service.
const (
	lookColor  = "pageColor"
	lookHosts  = "returnHosts"
	lookFrame  = "frameOrigin"
	lookEvents = "payerEvents"
	lookTold   = "depositCallbackUri"
)

func lookPath(id int64) string {
	return portal.LooksPath + "?" + url.Values{portal.AsksCashbox: {strconv.FormatInt(id, 10)}}.Encode()
}

// ownLooks are the looks of the merchant's cashboxes, and the index of the one
// in the address; without one it is the first.
func (v *visit) ownLooks() ([]directory.OwnLook, int, error) {
	looks, err := v.Settings.OwnLooks(v.Ctx(), v.Who)
	wanted := v.R.URL.Query().Get(portal.AsksCashbox)
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

// lookValues are a look as values of a form.
func lookValues(l directory.OwnLook) url.Values {
	values := url.Values{
		lookColor: {l.Color}, lookHosts: {strings.Join(l.ReturnHosts, "\n")}, lookFrame: {l.FrameOrigin}, lookTold: {l.DepositCallbackURI},
		"version": {l.Version()},
	}
	if l.PayerEvents {
		values.Set(lookEvents, "on")
	}
	return values
}

// showLook shows the form with the typed values, and the payer's page in the
// typed colour.
func (v *visit) showLook(
	status int, looks []directory.OwnLook, at int, typed url.Values, wrong map[string]string,
) error {
	shown := Looks{Empty: view.Empty{Title: sayNoKeyBoxes, Text: sayAskOperator}}
	for i, l := range looks {
		name := v.Say(sayCashboxName, l.Name, l.Currency, l.CashboxID)
		shown.Boxes = append(shown.Boxes, view.Tab{
			Text: name, Href: view.Link(lookPath(l.CashboxID)), Current: i == at,
		})
		if i == at {
			shown.Box = name
			v.fillLook(&shown, l, typed, wrong)
		}
	}
	v.Shell.Title, v.Shell.Live, v.Shell.Mistakes = v.Say(say.LooksTitle), true, len(wrong) > 0
	showFrames(v.W)
	return portal.Show(v.Visit, status, LooksPage, shown)
}

// fillLook fills the page for one cashbox. What is no colour leaves the preview
// in the present one. Its two forms, for the settings and for the logo, have a
// token each, because each is sent without the other.
func (v *visit) fillLook(shown *Looks, l directory.OwnLook, typed url.Values, wrong map[string]string) {
	color, good := directory.Color(typed.Get(lookColor))
	if !good {
		color = l.Color
	}
	shown.Action, shown.MayChange = lookPath(l.CashboxID), v.Who.May(caller.MerchantLooks)
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
	shown.Logo, shown.HasLogo = v.logoField(wrong[fieldLogo]), l.Logo != ""
	shown.LogoToken, shown.LogoAction = submission.NewToken(), strings.Replace(shown.Action, "?", "/logo?", 1)
	shown.LogoVersion = l.Version()
}

// ownColor is the default colour of hosted pages, as tokens.css has it.
const ownColor = "#0b6650"

// lookFields are the fields of a look, with what was typed and its mistakes.
// All of them may be empty.
func (v *visit) lookFields(typed url.Values, wrong map[string]string) []view.Field {
	fields := []view.Field{
		{Name: lookColor, Label: sayLookColor, Hint: v.Say(sayLookColorHint), Max: 7},
		{Name: lookHosts, Label: sayLookHosts, Hint: v.Say(sayLookHostsHint), Area: true, Max: 13_000},
		{Name: lookFrame, Label: sayLookFrame, Hint: v.Say(sayLookFrameHint), Max: 260},
		{Name: lookTold, Label: sayLookTold, Hint: v.Say(sayLookToldHint), Max: 2048},
	}
	for i := range fields {
		f := &fields[i]
		f.Quiet, f.Value, f.Wrong = true, typed.Get(f.Name), wrong[f.Name]
	}
	return fields
}

// drawnLook is the payer's page in a colour, with notes about the colour.
func (v *visit) drawnLook(l directory.OwnLook, color string) DrawnLook {
	query := url.Values{portal.AsksCashbox: {strconv.FormatInt(l.CashboxID, 10)}, "color": {color}}
	drawn := DrawnLook{Preview: portal.LooksPath + "/preview?" + query.Encode()}
	if color == "" {
		drawn.Good = v.Say(sayLookOwn)
		return drawn
	}
	read := site.Legible(color)
	drawn.Light, drawn.Dark = read.Light, read.Dark
	ratio := func(of float64) string { return v.Number(decimal.NewFromFloat(of).RoundDown(2)) }
	if read.OnLight < site.Readable {
		drawn.Notes = append(drawn.Notes, v.Say(sayLookPale, ratio(read.OnLight)))
	}
	if read.OnDark < site.Readable {
		drawn.Notes = append(drawn.Notes, v.Say(sayLookDim, ratio(read.OnDark)))
	}
	if len(drawn.Notes) == 0 {
		drawn.Good = v.Say(sayLookReadable)
	}
	return drawn
}

// changeLook saves the form, once, or only draws it if that is all the form
// asks for.
func (v *visit) changeLook() error {
	looks, at, err := v.ownLooks()
	if err != nil {
		return err
	}
	if len(looks) == 0 {
		return fault.ErrNotFound
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	if v.R.URL.Query().Get("do") == "preview" {
		return v.redrawLook(looks, at, form)
	}
	path := lookPath(looks[at].CashboxID)
	err = v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Settings.UpdateOwnLook(v.Ctx(), v.Who, typedLook(looks[at].CashboxID, form))
		return submission.Outcome{LedTo: path, Said: "look-saved"}, err
	})
	if f := fault.As(err); f != nil && f.Code == directory.ErrLookChanged.Code {
		return v.Done(path, "look-changed")
	}
	if wrong := v.Wrong(err); wrong != nil {
		return v.showLook(http.StatusUnprocessableEntity, looks, at, form, wrong)
	}
	return err
}

// redrawLook shows the typed values without saving them.
func (v *visit) redrawLook(looks []directory.OwnLook, at int, form url.Values) error {
	if _, good := directory.Color(form.Get(lookColor)); !good {
		wrong := map[string]string{lookColor: say.Wrong(v.Shell.Code, directory.NoColor)}
		return v.showLook(http.StatusUnprocessableEntity, looks, at, form, wrong)
	}
	return v.showLook(http.StatusOK, looks, at, form, nil)
}

// typedLook reads a look from a form. Hosts are separated by line breaks or
// commas.
func typedLook(id int64, form url.Values) directory.LookUpdate {
	color, frame := strings.TrimSpace(form.Get(lookColor)), strings.TrimSpace(form.Get(lookFrame))
	hosts := strings.Fields(strings.ReplaceAll(form.Get(lookHosts), ",", " "))
	events, told := form.Get(lookEvents) != "", form.Get(lookTold)
	return directory.LookUpdate{
		CashboxID: id, Version: form.Get("version"), Color: &color, FrameOrigin: &frame, ReturnHosts: &hosts,
		PayerEvents: &events, DepositCallbackURI: &told,
	}
}
