package model_test

import (
	"slices"
)

// shrinkModelSteps drops what the failure can do without: first whole kinds of
// steps, then halves, then ever smaller chunks, down to single steps, until
// nothing more can go. fails plays a list on a fresh database and answers at
// which step it fails, or -1; more says whether there is time left.
func shrinkModelSteps(steps []modelStep, fails func([]modelStep) int, more func() bool) []modelStep {
	try := func(shorter []modelStep) bool {
		if len(shorter) == len(steps) || !more() {
			return false
		}
		at := fails(shorter)
		if at >= 0 {
			steps = shorter[:at+1]
		}
		return at >= 0
	}
	for _, o := range modelOps {
		try(slices.DeleteFunc(slices.Clone(steps), func(s modelStep) bool { return s.op == o.op }))
	}
	for size := max(len(steps)/2, 1); ; size = max(size/2, 1) {
		dropped := false
		// From the end: late steps are the likelier to be needless.
		for end := len(steps) - 1; end > 0; end = min(end, len(steps)) - size {
			if try(slices.Delete(slices.Clone(steps), max(end-size, 0), end)) {
				dropped = true
			}
		}
		if !more() || size == 1 && !dropped {
			return steps
		}
	}
}
