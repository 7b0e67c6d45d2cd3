package browsertest

import (
	"os"
	"path/filepath"
	"testing"

	"gateway.example/internal/testenv"
)

// Rules is axe, or the test ends.
func Rules(t testing.TB) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "internal", "tools", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		testenv.Missing(t, "no axe: npm ci --prefix internal/tools/axe")
	}
	return string(content)
}

// Examining has every page to come bring the rules along, read only when they
// are asked for: sent to each page anew they take longer than the examination.
func (b Tab) Examining(rules string) {
	b.T.Helper()
	b.Before("function bringRules() {" + rules + "}")
}

// Finds fails the test with everything that scripts find in the page.
func (b Tab) Finds(where string, scripts ...string) {
	b.T.Helper()
	for _, script := range scripts {
		for _, found := range Eval[[]string](b, script) {
			b.T.Errorf("%s: %s", where, found)
		}
	}
}

// Examine lists what breaks WCAG 2.2 AA or good practice. Only colours change
// with the theme.
const Examine = `window.axe || bringRules(), axe.run(document, {
	resultTypes: ["violations"],
	runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
	rules: {"target-size": {enabled: true}},
}).then(found => found.violations.map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).join("\n")))`

// ExamineColors lists colours with too little contrast.
const ExamineColors = `window.axe || bringRules(), axe.run(document, {resultTypes: ["violations"], runOnly: ["color-contrast"]})
	.then(found => found.violations.map(v => v.nodes.map(n => n.html + " " + n.failureSummary).join("\n")))`

// Crowded lists what is too small for a finger, and what does not fit when the
// text is twice as large: what runs out of the screen, and amounts and buttons
// whose words are torn.
const Crowded = `(() => {
	const small = [...document.querySelectorAll("a, button, summary, input:not([type=hidden])")].map(e => e.closest("label") || e).filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => "small: " + e.outerHTML);
	document.documentElement.style.fontSize = "200%";
	const wide = document.documentElement.scrollWidth > innerWidth ? ["wider than the screen: " + document.documentElement.scrollWidth] : [];
	const torn = [...document.querySelectorAll("data.amount, .copy")].filter(e => e.checkVisibility() &&
		e.getBoundingClientRect().height > 1.8 * parseFloat(getComputedStyle(e).fontSize) + (e.matches(".copy") ? 48 : 0)).map(e => "torn: " + e.outerHTML);
	document.documentElement.style.fontSize = "";
	return small.concat(wide, torn);
})()`

// Foreign lists what a page asks of anybody else.
const Foreign = `performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith(location.origin)).map(n => "asks " + n)`
