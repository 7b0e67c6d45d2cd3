package browsertest

import "fmt"

// Write types into a field, in place of what is there.
func (b Tab) Write(selector, text string) {
	b.T.Helper()
	b.Visible(selector)
	b.Set(selector, "")
	b.Type(selector, text)
}

// Set chooses in a field that is not typed into, such as one for a date.
func (b Tab) Set(selector, value string) {
	b.T.Helper()
	Eval[string](b, fmt.Sprintf(`document.querySelector(%q).value = %q`, selector, value))
}
