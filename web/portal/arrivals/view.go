package arrivals

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

type List struct {
	MayKeep bool
	Typed   string
	Money   view.Sheet
	Next    templ.SafeURL
}
