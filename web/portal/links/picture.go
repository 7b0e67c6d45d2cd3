package links

import (
	"io"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"gateway.example/internal/fault"
	"gateway.example/internal/paylink"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// merchantPictures is how many pictures of one merchant are received at the
// same time.
const merchantPictures = 2

// pictureForm is the form that sets or removes a link's picture.
func (v *visit) pictureForm(l paylink.Link, wrong string) *PictureForm {
	return &PictureForm{
		Action: view.Link(portal.Numbered(linksPath, l.ID) + "/picture"), Token: submission.NewToken(), Has: l.PictureHash != nil,
		File: view.Field{
			Name: portal.FileField, Label: sayPictureFile, Hint: v.Say(sayPictureHint), Wrong: wrong,
			Type: view.TypeFile, Quiet: true, More: map[string]any{"accept": "image/png,image/jpeg"},
		},
	}
}

// changePicture stores a picture, or removes it if the form asks for that.
func (v *visit) changePicture(id int64) error {
	sent, err := v.TakeUpload(v.uploads, v.Who.MerchantID, portal.LargerThanAny)
	if err == nil {
		err = v.Once(sent.Form, func() (submission.Outcome, error) {
			return submission.Outcome{LedTo: portal.Numbered(linksPath, id), Said: "link-picture"}, v.keepPicture(id, sent)
		})
	}
	wrong := v.Wrong(err)
	if wrong == nil {
		return err
	}
	return v.showLink(http.StatusUnprocessableEntity, id, wrong[portal.FileField])
}

// keepPicture stores the sent picture, or removes the present one if the form
// says so, whatever file it has. An empty file is refused here, because
// SetPicture would remove the picture.
func (v *visit) keepPicture(id int64, sent portal.Upload) error {
	if sent.Form.Get("remove") != "" {
		return v.PayLinks.SetPicture(v.Ctx(), v.Who, id, nil)
	}
	if sent.File == nil {
		return fault.Fields{portal.FileField: {"is required"}}.Err()
	}
	content, err := io.ReadAll(sent.File.Content())
	if err != nil {
		return err
	}
	if len(content) == 0 {
		return fault.Fields{portal.FileField: {paylink.PictureIsNone}}.Err()
	}
	return v.PayLinks.SetPicture(v.Ctx(), v.Who, id, content)
}

// askPicture asks an operator why a picture is removed from the page of a link.
// Only the merchant can set one.
func (v *visit) askPicture() error { return v.showRemoval("", nil) }

// showRemoval asks an operator for the reason, and shows the picture by a link
// only. A link that has no picture by now is not found.
func (v *visit) showRemoval(reason string, wrong map[string]string) error {
	l, err := v.pictured()
	if err != nil {
		return err
	}
	return v.Question(view.Question{
		Title: sayRemoval, Texts: []string{v.Say(sayRemovalText)}, Yes: v.Say(sayPictureRemove), Danger: true,
		Action: portal.Numbered(portal.LinksPath, l.ID) + "/picture", Back: view.Link(portal.Numbered(portal.LinksPath, l.ID)),
		Facts: []view.Fact{
			{Label: sayFor, Value: l.Title}, {Label: sayPicture, Value: v.Say(sayPictureOpen), Href: templ.SafeURL(l.PictureURL(v.PayURL, v.Tokens))},
		},
		Fields: []view.Field{{
			Name: "reason", Label: say.ReasonWhy, Value: reason, Wrong: wrong["reason"], Area: true, Max: paylink.MaxReason,
		}},
	})
}

// pictured is the link in the address, which must have a picture.
func (v *visit) pictured() (paylink.Terms, error) {
	id, err := v.Numbered()
	if err != nil {
		return paylink.Terms{}, err
	}
	return v.PayLinks.Pictured(v.Ctx(), v.Who, id)
}

// removePicture removes a picture, once. If somebody else has removed it
// meanwhile, the page is not found.
func (v *visit) removePicture(form url.Values) error {
	err := v.Once(form, func() (submission.Outcome, error) {
		l, err := v.pictured()
		if err == nil {
			_, err = v.PayLinks.RemovePicture(v.Ctx(), v.Who, l.ID, form.Get("reason"))
		}
		return submission.Outcome{LedTo: portal.Numbered(portal.LinksPath, l.ID), Said: "setting-saved"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showRemoval(form.Get("reason"), wrong)
	}
	return err
}
