package developers

import (
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// running lists the replays in progress, so that users who left the page of one
// find it again.
func (v *visit) running(shown *Dead, path func(int64) string) error {
	list, err := v.Events.Replays(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	operator := v.Who.Kind == caller.Operator
	shown.Running = view.Sheet{
		Label: v.Say(sayRunning), Columns: v.Columns(true, saySentTo, sayReplaySent),
	}
	for _, one := range list {
		to := view.Cell{Text: one.URL, Href: view.Link(path(one.ID))}
		if operator {
			to.Note = v.Say(say.PortalMerchant) + ": " + one.Merchant
		}
		shown.Running.Rows = append(shown.Running.Rows, []view.Cell{to, {Text: strconv.FormatInt(one.Replayed, 10)}})
	}
	return nil
}
