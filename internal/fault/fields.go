package fault

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// Fields maps a field's path, as the caller wrote it ("payer.userIp"), to what is wrong with it.
type Fields map[string][]string

// Body is the field of a body that could not be read at all.
const Body = "body"

// Add notes one more thing wrong with a field. Of a body that could not be read, nothing else is
// known.
func (f Fields) Add(field, format string, args ...any) {
	if f.Wrong(Body) && field != Body {
		return
	}
	f[field] = append(f[field], fmt.Sprintf(format, args...))
}

// Check notes the message unless ok holds.
func (f Fields) Check(ok bool, field, format string, args ...any) {
	if !ok {
		f.Add(field, format, args...)
	}
}

// Wrong reports whether anything is already known to be wrong with the field, so that a later rule
// need not pile a second complaint ("required") onto the first ("must be a string").
func (f Fields) Wrong(field string) bool { return len(f[field]) > 0 }

// Required notes a value that is missing, and reports whether there is one to look at further.
func (f Fields) Required(field, value string) bool {
	if value == "" && !f.Wrong(field) {
		f.Add(field, "is required")
	}
	return value != "" && !f.Wrong(field)
}

// MaxLength notes a text of more characters than the limit.
func (f Fields) MaxLength(field, value string, limit int) {
	f.Check(utf8.RuneCountInString(value) <= limit, field, "must be at most %d characters", limit)
}

// OptionalMaxLength is MaxLength for a text that need not have been sent.
func (f Fields) OptionalMaxLength(field string, value *string, limit int) {
	if value != nil {
		f.MaxLength(field, *value, limit)
	}
}

// RequiredText wants a text that says something in at most so many characters, and returns it
// without the space around it.
func (f Fields) RequiredText(field, value string, limit int) string {
	value = strings.TrimSpace(value)
	f.Required(field, value)
	f.MaxLength(field, value, limit)
	return value
}

// Flaw notes what a check of the value said is wrong with it. "" is nothing.
func (f Fields) Flaw(field, flaw string) { f.Check(flaw == "", field, "%s", flaw) }

// Err is nil while nothing is wrong, else the 422 that lists everything.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Code: "validation_failed", Message: "The request is invalid.", Fields: f}
}

type decodeKey struct{}

// WithDecoded returns a context that carries what the codec already found wrong in the request's
// body. Services report it only after they have settled who the caller is and what it may do.
func WithDecoded(ctx context.Context, found Fields) context.Context {
	return context.WithValue(ctx, decodeKey{}, found)
}

// Decoded starts a validation with what the codec found wrong, so that one answer lists all.
func Decoded(ctx context.Context) Fields {
	found, _ := ctx.Value(decodeKey{}).(Fields)
	if found == nil {
		return Fields{}
	}
	return maps.Clone(found)
}

// Read reads a required text, and notes of the field what keeps it from being read.
func Read[T any](f Fields, field, text string, parse func(string) (T, error)) (value T) {
	if !f.Required(field, text) {
		return value
	}
	value, err := parse(text)
	if err != nil {
		f.Add(field, "%s", err)
	}
	return value
}
