package main

import (
	"regexp"
	"strings"

	"gateway.example/internal/setting"
)

// declaredTable lists the bounds of what operators set, as internal/setting
// declares them, and all that takes a second operator.
func declaredTable(source) (string, error) {
	var rows [][]string
	for _, subject := range setting.Subjects {
		for _, one := range subject.Settings {
			values, second := one.Range(), ""
			switch {
			case one.ByTwo:
				second = "for any change"
			case one.Kind == setting.Earning:
				second = "for a large change"
			case values == "":
				continue
			}
			if values == "" {
				values = "an amount"
			}
			if one.First != "" {
				values += "; " + code(one.First) + " at first"
			}
			rows = append(rows, []string{code(subject.Name), code(one.Name), one.Label.En, values, second})
		}
	}
	return table([]string{"of", "setting", "in the portal", "values", "second operator"}, rows), nil
}

// secondTable lists which settings take a second operator, by the calls that
// change them.
func secondTable(source) (string, error) {
	var rows [][]string
	for _, subject := range setting.Subjects {
		var large, each []string
		for _, one := range subject.Settings {
			switch {
			case one.ByTwo:
				each = append(each, code(one.Name))
			case one.Kind == setting.Earning:
				large = append(large, code(one.Name))
			}
		}
		if len(large)+len(each) > 0 {
			rows = append(rows, []string{code(called(string(subject.Action))), strings.Join(large, ", "), strings.Join(each, ", ")})
		}
	}
	return table([]string{"call", "for a large change of", "for any change of"}, rows), nil
}

var wordBegins = regexp.MustCompile("(^|_)[a-z]")

// called is the call that does an action: UpdateMerchant for update_merchant.
func called(action string) string {
	return wordBegins.ReplaceAllStringFunc(action, func(begin string) string { return strings.ToUpper(strings.TrimPrefix(begin, "_")) })
}
