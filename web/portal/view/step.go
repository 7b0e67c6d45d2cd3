package view

import (
	"slices"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// FirstStep is something that somebody needs before the first payment. Href leads to where it is done; "" is not
// for this user.
type FirstStep struct {
	Label say.Phrase
	Done  bool
	Href  templ.SafeURL
}

// AllDone tells that no step is left.
func AllDone(steps []FirstStep) bool {
	return !slices.ContainsFunc(steps, func(step FirstStep) bool { return !step.Done })
}

func (s FirstStep) badge() Badge {
	if s.Done {
		return Badge{Text: say.StepDone, Tone: "good"}
	}
	return Badge{Text: say.StepOpen, Tone: "off"}
}
