package view

import (
	"slices"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// FirstStep is a step that is needed before the first payment. Href links to
// where it is taken; "" if the user may not.
type FirstStep struct {
	Label say.Phrase
	Done  bool
	Href  templ.SafeURL
}

// AllDone reports whether no step is left.
func AllDone(steps []FirstStep) bool {
	return !slices.ContainsFunc(steps, func(step FirstStep) bool { return !step.Done })
}

func (s FirstStep) badge() Badge {
	if s.Done {
		return Badge{Text: say.StepDone, Tone: "good"}
	}
	return Badge{Text: say.StepOpen, Tone: "off"}
}
