package payoutfiles

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const filesPath = "/merchant/payout-files"

var fileRoutes = []route{
	{Pattern: "GET " + filesPath, Needs: caller.MerchantMoney, Handle: (*visit).list},
	{Pattern: "GET " + filesPath + "/new", Needs: caller.MerchantPayouts, Handle: (*visit).ask},
	{Pattern: "GET " + filesPath + "/template.csv", Needs: caller.MerchantPayouts, Handle: (*visit).template},
	{Pattern: "POST " + filesPath, Needs: caller.MerchantPayouts, Handle: (*visit).send},
	{Pattern: "GET " + filesPath + "/{id}", Needs: caller.MerchantMoney, Handle: (*visit).file},
	{Pattern: "GET " + filesPath + "/{id}/progress", Needs: caller.MerchantMoney, Fragment: true, Handle: (*visit).progress},
	{Pattern: "GET " + filesPath + "/{id}/result.csv", Needs: caller.MerchantMoney, Handle: (*visit).result},
	{Pattern: "GET " + filesPath + "/{id}/pay", Needs: caller.MerchantPayOut, Handle: (*visit).askPay},
	{Pattern: "POST " + filesPath + "/{id}/pay", Needs: caller.MerchantPayOut, Handle: (*visit).pay},
}

// list lists the merchant's files, the newest first. Number and sum are those
// of payouts, so a file of which none were made has neither.
func (v *visit) list() error {
	var page payout.FilePage
	page.Cursor = optional.Of(v.R.URL.Query().Get("cursor"))
	files, next, err := v.Payouts.Files(v.Ctx(), v.Who, page)
	if err != nil {
		return err
	}
	shown := List{
		MayPay: v.Who.May(caller.MerchantPayouts),
		Files: view.Sheet{
			Label: v.Say(sayTitle), Empty: view.Empty{Title: sayNone, Text: sayNoneText},
			Columns: portal.AtRight(v.Columns(false, sayFile, saySent, sayPayouts, sayFroze, say.Status), 2, 3),
		},
	}
	for _, f := range files {
		row := []view.Cell{{Text: f.Name, Href: view.Link(portal.Numbered(filesPath, f.ID))}, {At: &f.SentAt}}
		if f.Made() {
			row = append(row, view.Cell{Text: v.Shell.Grouped(strconv.Itoa(f.Payouts))}, view.Cell{Text: v.USDT(f.FrozenUSDT)},
				view.Cell{Text: v.Say(sayMadeAt), Tone: "good"})
		} else {
			row = append(row, view.Cell{}, view.Cell{}, view.Cell{Text: v.Say(sayNotMade), Tone: "late"})
		}
		shown.Files.Rows = append(shown.Files.Rows, row)
	}
	if next != nil {
		shown.Next = view.Query(filesPath, "cursor", *next)
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayTitle), ListPage, shown)
}

func (v *visit) ask() error { return v.showForm(http.StatusOK, "", nil) }

// showForm asks for a file and for the key by which its payouts are made, with
// what each key may still pay out today. After a mistake only the key is chosen
// already: a browser does not send the same file again by itself.
func (v *visit) showForm(status int, chosen string, wrong map[string]string) error {
	keys, err := v.Payouts.Keys(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := Form{
		Token: submission.NewToken(), NoKey: len(keys) == 0,
		Key: view.Choice{Name: "key", Label: sayKey, Value: chosen, Wrong: wrong["keyId"]},
		File: view.Field{
			Name: portal.FileField, Label: sayFile, Type: view.TypeFile, Hint: v.Say(sayFileHint), Wrong: wrong[portal.FileField],
			More: map[string]any{"accept": ".csv,.txt,.xlsx,text/csv,text/plain"},
		},
		Columns: view.Sheet{
			Label: v.Say(sayColumns), Columns: v.Columns(false, sayColumn, sayHolds),
		},
	}
	for _, k := range keys {
		name := k.Cashbox
		if k.Name != k.Cashbox {
			name += " · " + k.Name
		}
		shown.Key.Options = append(shown.Key.Options, view.Option{
			Value: view.Number(k.ID), Text: name + " · " + v.left(k),
		})
	}
	for _, column := range payout.FileColumns {
		shown.Columns.Rows = append(shown.Columns.Rows, []view.Cell{{Text: column}, {Text: v.Say(columns[column])}})
	}
	shown.Columns.Rows = append(shown.Columns.Rows, []view.Cell{{Text: "metadata.region"}, {Text: v.Say(sayMetadata)}})
	return portal.ShowPage(v.Visit, status, v.Say(sayNew), FormPage, shown)
}

// left is how much a key may still pay out today.
func (v *visit) left(k payout.Key) string {
	left := k.Left()
	if !left.Valid {
		return v.Say(sayNoLimit)
	}
	return v.Amount(left.Decimal, k.Currency)
}

func (v *visit) template() error {
	return v.SendCSV("payouts-template.csv", func(file *portal.CSVFile) error {
		_, err := io.WriteString(file, payout.FileTemplate())
		return err
	})
}

// send stores a file and redirects to its preview, or to its payouts if they
// were already made.
func (v *visit) send() error {
	sent, err := v.TakeUpload(v.uploads, v.Who.MerchantID, fault.LargerThan(payout.MaxFileSize))
	if err == nil {
		err = v.Once(sent.Form, func() (submission.Outcome, error) {
			file, err := v.keep(sent)
			out := submission.Outcome{LedTo: portal.Numbered(filesPath, file.ID)}
			if file.Made() {
				out.Said = "payout-file-before"
			}
			return out, err
		})
	}
	if wrong := v.Wrong(err); wrong != nil {
		if said := wrong["name"]; said != "" && wrong[portal.FileField] == "" {
			wrong[portal.FileField] = said
		}
		return v.showForm(http.StatusUnprocessableEntity, sent.Form.Get("key"), wrong)
	}
	return err
}

// keep stores the sent file, of which no payouts are made yet. It reads one
// byte more than a file may have, so that the service can tell that a file is
// too large.
func (v *visit) keep(sent portal.Upload) (payout.File, error) {
	if sent.File == nil {
		return payout.File{}, fault.Fields{portal.FileField: {"must not be empty"}}.Err()
	}
	content, err := io.ReadAll(io.LimitReader(sent.File.Content(), payout.MaxFileSize+1))
	if err != nil {
		return payout.File{}, err
	}
	return v.Payouts.SendFile(v.Ctx(), v.Who, payout.NewFile{
		KeyID: portal.IDOf(sent.Form, "key"), Name: sent.Name, Content: content,
	})
}

// asked is the file in the address.
func (v *visit) asked() (payout.File, error) {
	return portal.Named(v.Visit, v.Payouts.File)
}

// file shows the payouts that were made of a file or, before, what they would
// be if they were made now.
func (v *visit) file() error {
	f, err := v.asked()
	if err != nil {
		return err
	}
	v.Shell.Title = f.Name
	if f.Made() {
		made, err := v.made(f)
		if err != nil {
			return err
		}
		return portal.Show(v.Visit, http.StatusOK, MadePage, made)
	}
	p, err := v.Payouts.PreviewFile(v.Ctx(), v.Who, f.ID)
	if err != nil {
		return err
	}
	shown := v.preview(f, p)
	return portal.Show(v.Visit, http.StatusOK, PreviewPage, shown)
}

// flawsShown is how many flaws a page shows. The download has all of them.
const flawsShown = 200

// preview shows what the payouts would cost and what is wrong with the file, up
// to flawsShown flaws. The button to make them is for users who may, and only
// if nothing prevents that.
func (v *visit) preview(f payout.File, p payout.Preview) Preview {
	path := portal.Numbered(filesPath, f.ID)
	shown := Preview{
		Crumb: filesPath, Figures: v.costs(p), Facts: v.terms(p), All: view.Link(path + "/result.csv"), Again: filesPath + "/new",
		More:  max(len(p.Flaws)-flawsShown, 0),
		Flaws: view.Sheet{Label: v.Say(sayFlaws), Columns: v.Columns(false, sayLine, sayField, sayReason)},
	}
	if p.Good() && v.Who.Proved().May(caller.MerchantPayOut) {
		shown.Pay = view.Link(path + "/pay")
	}
	if p.Refused != nil {
		shown.Refused = say.Refused(v.Shell.Code, p.Refused.Code, p.Refused.Message)
	}
	for _, flaw := range p.Flaws[:min(len(p.Flaws), flawsShown)] {
		shown.Flaws.Rows = append(shown.Flaws.Rows, []view.Cell{
			{Text: strconv.Itoa(flaw.Line)}, {Text: flaw.Field}, {Text: v.reason(flaw)},
		})
	}
	return shown
}

func (v *visit) reason(flaw payout.Flaw) string {
	text := ""
	for i, reason := range flaw.Reasons {
		if i > 0 {
			text += "; "
		}
		text += say.Wrong(v.Shell.Code, reason)
	}
	return text
}

// costs are the sums of a file that can still be previewed.
func (v *visit) costs(p payout.Preview) []view.OverviewFigure {
	return []view.OverviewFigure{
		{Label: v.Say(sayPayouts), Now: v.Shell.Grouped(strconv.Itoa(p.Payouts))},
		{Label: v.Say(saySum), Now: v.Amount(p.Amount, p.Key.Currency)},
		v.Shell.Rounded(v.Say(sayFreezes), p.FrozenUSDT), v.Shell.Rounded(v.Say(sayHas), p.Available),
	}
}

// terms are the cashbox, the key and the rate by which the payouts would be
// made. There are none if the key may not be used any more, and no rate while
// none is known.
func (v *visit) terms(p payout.Preview) []view.Fact {
	if p.Key.ID == 0 {
		return nil
	}
	facts := []view.Fact{
		{Label: say.Cashbox, Value: p.Key.Cashbox}, {Label: sayKey, Value: p.Key.Name}, {Label: sayLeft, Value: v.left(p.Key), Class: "num"},
	}
	if !p.Rate.IsZero() {
		facts = append(facts, view.Fact{Label: sayRate, Value: v.Say(sayRateOf, v.Amount(p.Rate, p.Key.Currency)), Class: "num"})
	}
	return facts
}

// askPay asks before payouts are made, with sums that are calculated anew. The
// form has the key and what would be frozen, of which the payouts may not
// exceed what was shown. A file whose payouts were made, or cannot be made now,
// leads to its page and says so.
func (v *visit) askPay() error {
	f, err := v.asked()
	if err != nil {
		return err
	}
	to := portal.Numbered(filesPath, f.ID)
	if f.Made() {
		return v.Done(to, "payout-file-before")
	}
	p, err := v.Payouts.PreviewFile(v.Ctx(), v.Who, f.ID)
	if err != nil {
		return err
	}
	if !p.Good() {
		return v.Done(to, "payout-file-refused")
	}
	return v.Question(view.Question{
		Title: sayPayAsk, Action: to + "/pay", Yes: v.Say(sayPayYes, v.Amount(p.Amount, p.Key.Currency)), Back: view.Link(to),
		Texts: []string{v.Say(sayPayText)}, Hidden: [][2]string{{"frozen", money.USDT(p.FrozenUSDT)}, {"key", view.Number(p.Key.ID)}},
		Facts: append([]view.Fact{
			{Label: sayFile, Value: f.Name}, {Label: sayPayouts, Value: v.Shell.Grouped(strconv.Itoa(p.Payouts)), Class: "num"},
			{Label: saySum, Value: v.Amount(p.Amount, p.Key.Currency), Class: "num"},
			{Label: sayFreezes, Value: v.USDT(p.FrozenUSDT), Class: "num"},
		}, v.terms(p)...),
	})
}

// refusals are the codes of the reasons against making payouts that the file's
// page explains.
var refusals = []string{
	"payout_file_flawed", "key_payout_limit", fault.ErrCashboxBalance.Code, "rate_unavailable", "merchant_external_payins_disabled",
}

// pay makes the payouts, for no more than the preview has shown.
func (v *visit) pay() error {
	f, err := v.asked()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	to := portal.Numbered(filesPath, f.ID)
	return v.Once(form, func() (submission.Outcome, error) {
		key, _ := strconv.ParseInt(form.Get("key"), 10, 64)
		made, err := v.Payouts.MakeFile(v.Ctx(), v.Who, f.ID, payout.Shown{KeyID: key, FrozenUSDT: form.Get("frozen")})
		out := submission.Outcome{LedTo: to, Said: "payouts-made"}
		refused := fault.As(err)
		switch {
		case errors.Is(err, payout.ErrFileCosts):
			out.Said, err = "payout-file-costs", nil
		case refused != nil && slices.Contains(refusals, refused.Code):
			out.Said, err = "payout-file-refused", nil
		case made.Replay:
			out.Said = "payout-file-before"
		}
		return out, err
	})
}

// made shows how far the payouts of a file are. One that failed, was cancelled
// or expired has ended too, unpaid.
func (v *visit) made(f payout.File) (Made, error) {
	counts, err := v.Payouts.FileProgress(v.Ctx(), v.Who, f.ID)
	if err != nil {
		return Made{}, err
	}
	unpaid := counts[payout.Failed] + counts[payout.Cancelled] + counts[payout.Expired]
	ended := counts[payout.Completed] + unpaid
	path := portal.Numbered(filesPath, f.ID)
	shown := Made{
		Path: path, Result: view.Link(path + "/result.csv"),
		Progress: view.Progress{Label: v.Say(sayEnded), Done: ended, Of: int64(f.Payouts), Runs: ended < int64(f.Payouts)},
		Facts: []view.Fact{
			{Label: sayMadeAt, Value: v.When(*f.MadeAt)}, {Label: sayMadeBy, Value: v.ActorName(*f.MadeBy)},
			{Label: sayFroze, Value: v.USDT(f.FrozenUSDT), Class: "num"},
		},
	}
	for _, one := range []struct {
		label say.Phrase
		count int64
	}{{sayWaits, counts[payout.Waiting]}, {sayTaken, counts[payout.Processing]}, {sayPaid, counts[payout.Completed]}, {sayUnpaid, unpaid}} {
		shown.Figures = append(shown.Figures, view.OverviewFigure{
			Label: v.Say(one.label), Now: v.Shell.Grouped(portal.IDText(one.count)),
		})
	}
	return shown, nil
}

// progress is the part of a file's page that refreshes itself.
func (v *visit) progress() error {
	f, err := v.asked()
	if err != nil {
		return err
	}
	if !f.Made() {
		return fault.ErrNotFound
	}
	made, err := v.made(f)
	if err != nil {
		return err
	}
	return portal.Show(v.Visit, http.StatusOK, MadeRegion, made)
}

// result is the download of a file's payouts, or of the flaws in its rows.
func (v *visit) result() error {
	f, err := v.asked()
	if err != nil {
		return err
	}
	name := "payouts-" + view.Number(f.ID)
	if f.Made() {
		rows, err := v.Payouts.AllFilePayouts(v.Ctx(), v.Who, f.ID)
		if err != nil {
			return err
		}
		return v.SendCSV(name+".csv", func(file *portal.CSVFile) error { return writePayouts(file, v.Shell.Zone, rows) })
	}
	p, err := v.Payouts.PreviewFile(v.Ctx(), v.Who, f.ID)
	if err != nil {
		return err
	}
	return v.SendCSV(name+"-flaws.csv", func(file *portal.CSVFile) error { return writeFlaws(file, p.Flaws, v.reason) })
}
