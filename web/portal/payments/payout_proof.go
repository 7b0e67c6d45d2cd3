package payments

import (
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/payout"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The file that proves a payout, for everybody who may see the payout: as a
// download, and as a picture in its page.
var payoutFileRoutes = slices.Concat(
	payoutFiles(payoutList.Path, caller.TraderRead), payoutFiles(ownPayoutList.Path, caller.MerchantRead),
	payoutFiles(casePayoutList.Path, caller.OperatorRead),
)

func payoutFiles(list string, reads caller.Capability) []route {
	return []route{
		{Pattern: "GET " + list + "/{id}/file", Needs: reads, Handle: (*visit).payoutFile},
		{Pattern: "GET " + list + "/{id}/file/shown", Needs: reads, Handle: (*visit).payoutPicture},
	}
}

func (v *visit) payoutFile() error {
	file, content, err := v.Payouts.ReadProof(v.Ctx(), v.Who, v.PayoutID())
	if err != nil {
		return err
	}
	v.KeepFile(file.Name, file.Type, content)
	return nil
}

func (v *visit) payoutPicture() error {
	file, content, err := v.Payouts.ReadProof(v.Ctx(), v.Who, v.PayoutID())
	if err != nil {
		return err
	}
	return v.ShowPicture(file.Type, content)
}

// withProof adds the file that proves a payout, if one was sent.
func (v *visit) withProof(shown Payout, id string) (Payout, error) {
	if shown.Status != string(payout.Completed) && shown.Status != string(payout.Failed) {
		return shown, nil
	}
	file, err := v.Payouts.FindProof(v.Ctx(), v.Who, id)
	if err != nil || file == nil {
		return shown, err
	}
	shown.File = &view.Receipt{
		Name: file.Name, About: v.Say(say.FileType(file.Type)) + ", " + portal.Size(file.Size),
		SentAt: file.SentAt, Download: view.Link(v.PayoutPath(id) + "/file"),
	}
	if strings.HasPrefix(file.Type, "image/") {
		shown.Picture = v.PayoutPath(id) + "/file/shown"
	}
	return shown, nil
}
