package setting_test

import (
	"testing"

	"gateway.example/internal/setting"
	"gateway.example/internal/testenv"
)

// What takes a second operator stands where one is asked for, and nothing is
// bounded that has no bounds.
func TestDeclarationsMeanSomething(t *testing.T) {
	t.Parallel()
	for _, subject := range setting.Subjects {
		for _, one := range subject.Settings {
			byTwo := one.ByTwo || one.Kind == setting.Earning
			testenv.Check(t, !byTwo || subject.Action != "", "%s.%s takes a second operator, whom no change of a %s asks for", subject.Name,
				one.Name, subject.Name)
			bounded := one.Kind == setting.Whole || one.Kind == setting.Text && one.Min == 0
			testenv.Check(t, bounded || one.Min == 0 && one.Max == 0, "%s.%s has bounds that nothing reads", subject.Name, one.Name)
			testenv.Check(t, (one.Kind == setting.Choice) == (len(one.Options) > 0), "%s.%s has options %v", subject.Name, one.Name, one.Options)
		}
	}
}
