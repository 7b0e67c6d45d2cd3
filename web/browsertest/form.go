package browsertest

import "fmt"

// Write types a text into a field, in place of its content.
func (b Tab) Write(selector, text string) {
	b.T.Helper()
	b.Visible(selector)
	b.Set(selector, "")
	b.Type(selector, text)
}

// Set sets the value of a field that is not typed into, such as a date.
func (b Tab) Set(selector, value string) {
	b.T.Helper()
	Eval[string](b, fmt.Sprintf(`document.querySelector(%q).value = %q`, selector, value))
}
