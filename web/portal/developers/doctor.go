package developers

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/signature"
	"gateway.example/web/portal/say"
)

// What is wrong with a signed request.
var doctorRoutes = []route{
	{Pattern: "GET /merchant/developers/doctor", Needs: caller.MerchantEvents, Handle: (*visit).doctorPage},
	{Pattern: "POST /merchant/developers/doctor", Needs: caller.MerchantEvents, Handle: portal.After((*visit).Form, (*visit).doctor)},
}

func (v *visit) doctorPage() error { return v.showDoctor(http.StatusOK, Doctor{}) }

func (v *visit) showDoctor(status int, shown Doctor) error {
	v.Shell.Title, v.Shell.Mistakes = v.Say(say.DoctorTitle), shown.Wrong != nil
	return portal.Show(v.Visit, status, DoctorPage, shown)
}

// doctor says what is wrong with a request. Forms send each line break as CRLF,
// which counts as LF here.
func (v *visit) doctor(form url.Values) error {
	typed := func(name string) string { return strings.ReplaceAll(form.Get(name), "\r\n", "\n") }
	sample := auth.Sample{Request: typed("request"), Secret: form.Get("secret")}
	if sample.Request == "" { // the fields may still have the parts of the previous request
		sample.Method, sample.Path = strings.TrimSpace(form.Get("method")), strings.TrimSpace(form.Get("path"))
		sample.Header, sample.Body = signature.ParseHeaders(typed("headers")), []byte(typed("body"))
	}
	request, found, err := v.Keys.Diagnose(v.Ctx(), v.Who, sample)
	shown := Doctor{
		Method: request.Method, Path: request.Path, Headers: headerLines(request.Header), Body: readable(request.Body),
	}
	if shown.Wrong = v.Wrong(err); shown.Wrong != nil {
		return v.showDoctor(http.StatusUnprocessableEntity, shown)
	}
	if err != nil {
		return err
	}
	shown.Found, shown.Tone = sayDiagnosis(string(found.Mistake), found.Mistake.Hint()), "late"
	if found.Mistake == signature.Right {
		shown.Tone = "good"
	}
	if found.Header != "" {
		shown.Notes = append(shown.Notes, v.Say(sayDoctorHeader, found.Header))
	}
	if found.Offset >= 0 {
		shown.Notes = append(shown.Notes, v.Say(sayDoctorOffset, found.Offset))
	}
	return v.showDoctor(http.StatusOK, shown)
}

// headerLines formats headers, one on each line.
func headerLines(header http.Header) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			_, _ = fmt.Fprintf(&lines, "%s: %s\n", name, readable([]byte(value)))
		}
	}
	return lines.String()
}
