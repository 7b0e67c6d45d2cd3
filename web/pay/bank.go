package pay

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

// banks lists the banks whose apps the page can open for a payment.
func (p *Pay) banks(v visit, s view.Shell) ([]view.Bank, error) {
	list, err := p.Looks.Banks(v.r.Context(), v.payment.Currency, v.payment.Method)
	if err != nil {
		return nil, err
	}
	shown := make([]view.Bank, 0, len(list))
	for _, bank := range list {
		one := view.Bank{Name: bank.Name, Steps: cmp.Or(bank.Steps[s.Code], bank.Steps["en"])}
		if bank.Link != "" {
			// The link is an operator's. Its scheme was checked
			// when it was set.
			link := bank.Fill(*v.payment.RequisiteValue, money.Fiat(v.payment.Expected()), optional.Value(v.payment.RequisiteHolder))
			if rest, test := strings.CutPrefix(link, testBank); test && p.Sandbox {
				link = "/test-bank" + rest
			}
			one.Link = templ.SafeURL(link)
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

// withLogo adds the logo of the requisite's bank, if it is a known bank.
func withLogo(lines []view.Field, banks []view.Bank) []view.Field {
	for i, line := range lines {
		for _, bank := range banks {
			if line.Mark == "bank" && line.Value == bank.Name {
				lines[i].Logo = bank.Logo
			}
		}
	}
	return lines
}

// testBank is the address of all banks' links in a sandbox. The page that
// simulates a bank's app has it.
const testBank = "https://test-bank.example/"

// openTestBank simulates a bank's app and shows what it would be opened with.
func (p *Pay) openTestBank(w http.ResponseWriter, r *http.Request) {
	s, query := p.shell(w, r), r.URL.Query()
	filled := strings.Join([]string{query.Get("to"), query.Get("sum"), query.Get("name")}, ", ")
	site.Show(w, r, http.StatusOK, view.Message(s, s.Say(words.TestBankTitle), s.Say(words.TestBankText, filled)))
}

var hashForm = regexp.MustCompile(`^[0-9a-f]+$`)

// logo serves a logo or another picture by its hash, so its content never
// changes.
func (p *Pay) logo(read func(context.Context, string) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hash := r.PathValue("hash")
		if !hashForm.MatchString(hash) {
			p.unknown(w, r)
			return
		}
		logo, err := read(r.Context(), hash)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			p.unknown(w, r)
		case err != nil:
			p.broken(w, r, err)
		default:
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			w.Header().Set("Content-Type", http.DetectContentType(logo))
			_, _ = w.Write(logo)
		}
	}
}
