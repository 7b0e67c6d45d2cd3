package browsertest

import (
	"os"
	"path/filepath"
	"testing"

	"gateway.example/internal/testenv"
)

// Rules returns the script of axe. If it is not installed, the test is
// skipped.
func Rules(t testing.TB) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "internal", "tools", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		testenv.Missing(t, "no axe: npm ci --prefix internal/tools/axe")
	}
	return string(content)
}

// Examining makes the rules available to all pages that are opened from now
// on. A page reads them only when they are called, because to send them to
// each page takes longer than the examination.
func (b Tab) Examining(rules string) {
	b.T.Helper()
	b.Before("function bringRules() {" + rules + "}")
}

// Finds fails the test with everything that the scripts find in the page.
func (b Tab) Finds(where string, scripts ...string) {
	b.T.Helper()
	for _, script := range scripts {
		for _, found := range Eval[[]string](b, script) {
			b.T.Errorf("%s: %s", where, found)
		}
	}
}

// Examine lists violations of WCAG 2.2 AA and of good practice. It runs in one
// theme, because only colours change with the theme.
const Examine = `window.axe || bringRules(), axe.run(document, {
	resultTypes: ["violations"],
	runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
	rules: {"target-size": {enabled: true}},
}).then(found => found.violations.map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).join("\n")))`

// ExamineColors lists colours with too little contrast.
const ExamineColors = `window.axe || bringRules(), axe.run(document, {resultTypes: ["violations"], runOnly: ["color-contrast"]})
	.then(found => found.violations.map(v => v.nodes.map(n => n.html + " " + n.failureSummary).join("\n")))`

// Crowded lists elements that are too small for a finger or that do not fit
// with text twice as large: those that leave the screen, and amounts and
// buttons whose words are broken.
const Crowded = `(() => {
	const small = [...document.querySelectorAll("a, button, summary, input:not([type=hidden])")].map(e => e.closest("label") || e).filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => "small: " + e.outerHTML);
	document.documentElement.style.fontSize = "200%";
	const wide = document.documentElement.scrollWidth > innerWidth ? ["wider than the screen: " + document.documentElement.scrollWidth] : [];
	const torn = [...document.querySelectorAll("data.amount, .copy")].filter(e => e.checkVisibility() &&
		e.getBoundingClientRect().height > 1.8 * parseFloat(getComputedStyle(e).fontSize) + (e.matches(".copy") ? 48 : 0)).map(e => "torn: " + e.outerHTML);
	document.documentElement.style.fontSize = "";
	return small.concat(wide, torn);
})()`

// Foreign lists the requests of a page to other origins.
const Foreign = `performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith(location.origin)).map(n => "asks " + n)`
