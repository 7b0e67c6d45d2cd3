package portal

import (
	"strconv"

	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// cashboxes are those of a merchant.
type cashboxes []report.Cashbox

// Cashboxes reads the cashboxes of the reader's merchant, if the list can be
// filtered by one.
func (v *Visit) Cashboxes(a Asked) (cashboxes, error) {
	if !a.Cashbox {
		return nil, nil
	}
	return v.server.Reports.Cashboxes(v.Ctx(), v.Who)
}

// Name is the name of a cashbox with its number, because another one may have
// the same name. What is none of them has only the number.
func (c cashboxes) Name(id string) string {
	for _, box := range c {
		if strconv.FormatInt(box.ID, 10) == id {
			return box.Name + " (№\u00a0" + id + ")"
		}
	}
	return "№\u00a0" + id
}

// options are the cashboxes to choose from; none if there is only one.
func (c cashboxes) options(v *Visit, a Asked) []view.Option {
	if len(c) < 2 {
		return nil
	}
	var options []view.Option
	if !a.Account {
		options = append(options, view.Option{Text: v.Say(say.AnyCashbox)})
	}
	for _, box := range c {
		id := strconv.FormatInt(box.ID, 10)
		options = append(options, view.Option{Value: id, Text: c.Name(id)})
	}
	return options
}
