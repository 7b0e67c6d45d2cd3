package portal

import (
	"net/http"
	"strings"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What is wrong with a signed request.
var doctorRoutes = []route{
	{
		pattern: "GET /merchant/developers/doctor",
		kinds:   merchants,
		needs:   caller.MerchantEvents,
		handle:  (*visit).doctorPage,
	},
	{
		pattern: "POST /merchant/developers/doctor",
		kinds:   merchants,
		needs:   caller.MerchantEvents,
		handle:  (*visit).doctor,
	},
}

func (v *visit) doctorPage() error { return v.showDoctor(http.StatusOK, view.Doctor{}) }

func (v *visit) showDoctor(status int, shown view.Doctor) error {
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.DoctorTitle), shown.Wrong != nil
	v.show(status, func(s view.Shell) site.Page { return view.DoctorPage(s, shown) })
	return nil
}

// doctor says in what a signature is wrong. Forms send each line break of a body as CRLF: a body
// that was sent with LF alone is looked at, too.
func (v *visit) doctor() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	shown := view.Doctor{KeyID: form.Get("keyId"), Signature: form.Get("signature"), Body: form.Get("body")}
	sample := auth.Sample{
		KeyID: strings.TrimSpace(shown.KeyID), Secret: form.Get("secret"), Signature: shown.Signature,
		Body: []byte(strings.ReplaceAll(shown.Body, "\r\n", "\n")),
	}
	found, err := v.Keys.Diagnose(v.ctx(), v.who, sample)
	if shown.Wrong = v.wrong(err); shown.Wrong != nil {
		return v.showDoctor(http.StatusUnprocessableEntity, shown)
	}
	if err != nil {
		return err
	}
	shown.Found, shown.Tone = say.Diagnosis(string(found)), "late"
	if found == auth.DiagnosedRight {
		shown.Tone = "good"
	}
	return v.showDoctor(http.StatusOK, shown)
}
