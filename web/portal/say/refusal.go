package say

import (
	"slices"

	"gateway.example/internal/fault"
	"gateway.example/internal/tongue"
)

// refusals are the texts, by code, about refusals that are not about a field.
var refusals = tongue.Pairs(files, "refusal.txt")

// Refused says in a language why something could not be done: the service's
// English message, or the Russian text for its code. Languages with a catalogue
// have the documented text of the code.
func Refused(language, code, message string) string {
	if russian := refusals[code]; language == Russian && russian != "" {
		return russian
	}
	if slices.Contains(tongue.Catalogues, language) {
		at := slices.IndexFunc(fault.Codes, func(c fault.Code) bool { return c.Name == code })
		if at >= 0 {
			if text, _ := tongue.In(language, fault.Codes[at].Meaning); text != fault.Codes[at].Meaning {
				return text
			}
		}
	}
	return message
}
