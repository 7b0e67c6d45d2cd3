package pay

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/web/pay/view"
)

// banks lists the banks whose app the payer may open for a payment.
func (p *Pay) banks(v visit, s view.Shell) ([]view.Bank, error) {
	list, err := p.Looks.Banks(v.r.Context(), v.payment.Currency, v.payment.Method)
	if err != nil {
		return nil, err
	}
	shown := make([]view.Bank, 0, len(list))
	for _, bank := range list {
		one := view.Bank{Name: bank.Name, Steps: bank.Steps[s.Code]}
		if one.Steps == "" {
			one.Steps = bank.Steps["en"]
		}
		if bank.Link != "" {
			recipient := ""
			if v.payment.RequisiteHolder != nil {
				recipient = *v.payment.RequisiteHolder
			}
			// An operator's link: its scheme was checked when it was set.
			one.Link = templ.SafeURL(bank.Fill(*v.payment.RequisiteValue, money.Fiat(v.payment.Amount), recipient))
		}
		if one.Link == "" && one.Steps == "" { // nothing is said in this language
			continue
		}
		if bank.LogoHash != "" {
			one.Logo = "/bank/" + bank.LogoHash
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// logo serves a bank's logo by its hash. Its content never changes.
func (p *Pay) logo(w http.ResponseWriter, r *http.Request) {
	logo, err := p.Looks.Logo(r.Context(), r.PathValue("hash"))
	switch {
	case errors.Is(err, fault.ErrNotFound):
		p.unknown(w, r)
	case err != nil:
		p.broken(w, r, err)
	default:
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("Content-Type", http.DetectContentType(logo))
		_, _ = w.Write(logo) //nolint:gosec // it is a picture: that was checked when it was set
	}
}
