package requisites

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// bulkLimits are the limits that can be set for several requisites at once.
// Hours are set for one only.
var bulkLimits = []struct {
	name  string
	label say.Phrase
	mode  string
}{
	{"minAmount", say.LimitMinAmount, "decimal"}, {"maxAmount", say.LimitMaxAmount, "decimal"},
	{"dailyCount", say.LimitDailyCount, "numeric"}, {"dailySum", say.LimitDailySum, "decimal"},
	{"openPayments", say.LimitOpen, "numeric"},
}

// changeRequisites switches the ticked requisites, or sets their limits. Those
// that do not allow that show why, and stay ticked.
func (v *visit) changeRequisites(form url.Values) error {
	bulk := BulkForm{Fields: bulkFields(form, nil)}
	for _, text := range form["id"] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fault.ErrNotFound
		}
		bulk.IDs = append(bulk.IDs, id)
	}
	found := fault.Fields{}
	update, word := bulkUpdate(found, form)
	refused, err := v.Settings.UpdateOwnRequisites(fault.WithDecoded(v.Ctx(), found), v.Who, bulk.IDs, update)
	if wrong := v.Wrong(err); wrong != nil {
		short := portal.ShortLimits(wrong)
		bulk.Fields, bulk.Limits = bulkFields(form, short), true
		if short["ids"] != "" {
			bulk.Note, bulk.Limits = v.Say(sayTickFirst), false
		}
		return v.showRequisites(http.StatusUnprocessableEntity, bulk)
	}
	if err != nil {
		return err
	}
	if len(refused) == 0 {
		return v.Done(v.BackTo(requisitesPath), word)
	}
	bulk.Note = v.Say(sayNotAllChanged, len(bulk.IDs)-len(refused), len(refused))
	bulk.IDs, bulk.Refused = nil, map[int64]string{}
	for id, f := range refused {
		bulk.IDs, bulk.Refused[id] = append(bulk.IDs, id), v.whyRefused(f)
	}
	return v.showRequisites(http.StatusUnprocessableEntity, bulk)
}

// whyRefused is why one requisite does not allow a change.
func (v *visit) whyRefused(f *fault.Error) string {
	if len(f.Fields) == 0 {
		return v.Say(sayWhyOperatorOff)
	}
	var texts []string
	for _, field := range bulkLimits {
		for _, text := range f.Fields["limits."+field.name] {
			texts = append(texts, v.Say(field.label)+": "+say.Wrong(v.Shell.Code, text))
		}
	}
	return strings.Join(texts, "; ")
}

// bulkUpdate is the change that the pressed button stands for. An empty limit
// stays as it is, and 0 clears it.
func bulkUpdate(found fault.Fields, form url.Values) (directory.OwnUpdate, string) {
	switch form.Get("act") {
	case "on":
		return directory.OwnUpdate{Enabled: new(true)}, "requisites-on"
	case "off":
		return directory.OwnUpdate{Enabled: new(false)}, "requisites-off"
	}
	typed := url.Values{}
	given := func(name string) bool { return strings.TrimSpace(form.Get(name)) != "" }
	for _, field := range bulkLimits {
		if strings.TrimSpace(form.Get(field.name)) != "0" {
			typed.Set(field.name, form.Get(field.name))
		}
	}
	limits := typedLimits(found, typed)
	limits.WorkFrom, limits.WorkUntil, limits.TimeZone = nil, nil, nil
	for name, limit := range map[string]**string{
		"minAmount": &limits.MinAmount, "maxAmount": &limits.MaxAmount, "dailySum": &limits.DailySum,
	} {
		if !given(name) {
			*limit = nil
		}
	}
	for name, limit := range map[string]**int32{"dailyCount": &limits.DailyCount, "openPayments": &limits.OpenPayments} {
		if !given(name) {
			*limit = nil
		}
	}
	return directory.OwnUpdate{Limits: limits}, "requisites-saved"
}

// bulkFields ask for the limits of several requisites.
func bulkFields(form url.Values, wrong map[string]string) []view.Field {
	var fields []view.Field
	for _, field := range bulkLimits {
		fields = append(fields, view.Field{
			Name: field.name, Label: field.label, Value: form.Get(field.name), Wrong: wrong[field.name], Max: 24,
			More: templ.Attributes{"inputmode": field.mode, "autocomplete": "off", "required": false},
		})
	}
	return fields
}
