package main

import "gateway.example/internal/setting"

// declaredTable lists the bounds of what operators set, as internal/setting declares them.
func declaredTable(source) (string, error) {
	var rows [][]string
	for _, subject := range setting.Subjects {
		for _, one := range subject.Settings {
			values, second := one.Range(), ""
			if values == "" {
				continue
			}
			if one.First != "" {
				values += "; " + code(one.First) + " at first"
			}
			if one.Term {
				second = "for a large change"
			}
			rows = append(rows, []string{code(subject.Name), code(one.Name), one.Label.En, values, second})
		}
	}
	return table([]string{"of", "setting", "in the portal", "values", "second operator"}, rows), nil
}
