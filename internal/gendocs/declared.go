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
			switch one.Term {
			case setting.NoTerm:
			case setting.LargeChange:
				second = "for a large change"
			case setting.AnyChange:
				second = "for any change"
			}
			rows = append(rows, []string{code(subject.Name), code(one.Name), one.Label.En, values, second})
		}
	}
	return table([]string{"of", "setting", "in the portal", "values", "second operator"}, rows), nil
}
