package developers

import (
	"cmp"
	"net/http"
	"time"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/money"
	"gateway.example/internal/requisite"
	payview "gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

// showFrames allows the page that is about to be sent to contain a frame of the
// portals' own.
func showFrames(w http.ResponseWriter) { edge.ShowFrames(w.Header()) }

// sample is the payer's page of an invented payment in the colour of the
// address. Only the portals' own pages may show it in a frame.
func (v *visit) sample() error {
	looks, at, err := v.ownLooks()
	if err != nil {
		return err
	}
	color, good := directory.Color(v.R.URL.Query().Get("color"))
	if len(looks) == 0 || !good {
		return v.NotFound()
	}
	sheet := site.PaySheet(color)
	edge.AdmitOwn(v.W.Header(), sheet.Hash)
	page := v.samplePage(looks[at])
	page.Color, page.Style = color, sheet.Text
	site.Show(v.W, v.R, http.StatusOK, payview.Waiting(page))
	return nil
}

// sampleSeconds is the time left in the sample, out of half an hour.
const sampleSeconds = 24*60 + 30

// samplePage is a page that waits for an invented transfer, in the reader's
// language.
func (v *visit) samplePage(l directory.OwnLook) payview.Requisite {
	w, amount := v.Shell.Words, decimal.NewFromInt(1500)
	kind := sampleType(l.Currency)
	value := kind.Sample(1)
	page := payview.Requisite{
		Shell: payview.Shell{
			Words: w, Files: payview.Files{Icon: v.Shell.Files.Icon}, Path: portal.LooksPath, Merchant: l.Merchant,
		},
		Bill: payview.Bill{
			Amount: w.Amount(amount, l.Currency), Plain: money.Fiat(amount), Order: "1024",
		},
		Countdown: payview.Countdown{
			SecondsLeft: sampleSeconds, Seconds: 30 * 60, TimeLeft: w.Say(words.MinutesLeft, sampleSeconds/60),
			Deadline:    v.Shell.Now.Add(sampleSeconds*time.Second).Format("15:04") + " (UTC)",
			DeadlineISO: v.Shell.Now.Add(sampleSeconds * time.Second).Format(time.RFC3339),
		},
		Fields: []payview.Field{{ID: "value", Label: w.Say(words.Key(kind.Label)), Value: kind.Readable(value)}},
	}
	if l.Logo != "" {
		page.Logo = directory.LogoPath + l.Logo
	}
	page.Steps = []string{
		w.Say(words.Key(kind.Open)), w.Say(words.Key(cmp.Or(kind.EnterNumber, kind.Enter))),
		w.Say(words.SendAmount, page.Amount),
	}
	return page
}

// sampleType is the type of requisite that a currency's payers use most.
func sampleType(currency string) requisite.Type {
	for _, method := range catalogue.Payments(currency) {
		if method.RequisiteType != "" {
			return requisite.Of(method.RequisiteType)
		}
	}
	return requisite.Of("card")
}

// sampleCode is the QR code in the sample. It leads nowhere.
func (v *visit) sampleCode() error {
	drawn, err := site.QR("https://pay.example/")
	if err != nil {
		return err
	}
	v.W.Header().Set("Content-Type", "image/svg+xml")
	site.Send(v.W, v.R, http.StatusOK, drawn)
	return nil
}
