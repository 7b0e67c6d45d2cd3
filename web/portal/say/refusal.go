package say

import (
	"slices"

	"gateway.example/internal/fault"
	"gateway.example/internal/tongue"
)

// refusals are what is said of what services refuse although nothing is wrong with what was typed, by its code.
var refusals = tongue.Pairs(files, "refusal.txt")

// Refused is why something could not be done, in a language: what the services say, which is English, or what is said in
// Russian of its code. A language with a catalogue has what is documented of the code.
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
