package view_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/testenv"
	"gateway.example/web/pay/view"
)

func render(t *testing.T, f view.Input) *goquery.Document {
	t.Helper()
	var out strings.Builder
	testenv.NoError(t, view.Typing(f).Render(t.Context(), &out))
	return testenv.Must(goquery.NewDocumentFromReader(strings.NewReader(out.String())))(t)
}

// A field is named by its label, and described by what is wrong with it.
func TestFieldWithError(t *testing.T) {
	t.Parallel()
	page := render(t, view.Input{
		Name:         "cardHolder",
		Label:        "Name on the card",
		Value:        `"><b>`,
		Autocomplete: "cc-name",
		Required:     true,
		Error:        "At most 64 characters",
	})
	input := page.Find("input#cardHolder")
	for name, want := range map[string]string{
		"name": "cardHolder", "value": `"><b>`, "autocomplete": "cc-name", "aria-invalid": "true", "aria-describedby": "cardHolder-error",
	} {
		testenv.Want(t, input.AttrOr(name, "(none)"), want, "%s", name)
	}
	testenv.Check(t, page.Find("label[for=cardHolder]").Text() == "Name on the card" &&
		page.Find("#cardHolder-error span").Text() == "At most 64 characters", "%s", page.Text())
	if _, required := input.Attr("required"); !required {
		t.Error("the field is not required")
	}
}

func TestFieldWithoutError(t *testing.T) {
	t.Parallel()
	page := render(t, view.Input{Name: "otp", Label: "Code", Mode: "numeric"})
	input := page.Find("input#otp")
	for _, name := range []string{"aria-invalid", "aria-describedby", "autocomplete", "required"} {
		if _, there := input.Attr(name); there {
			t.Errorf("%s is there", name)
		}
	}
	testenv.Check(t, page.Find(".error").Length() == 0 && input.AttrOr("inputmode", "") == "numeric", "%s", page.Text())
}
