package fault

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// Fields maps the path of a field, as the caller wrote it ("payer.userIp"), to
// what is wrong with it.
type Fields map[string][]string

// Body is the field name for a body that could not be read at all.
const Body = "body"

// Add adds a message about a field. If the body could not be read, nothing else
// is added.
func (f Fields) Add(field, format string, args ...any) {
	if f.Wrong(Body) && field != Body {
		return
	}
	f[field] = append(f[field], fmt.Sprintf(format, args...))
}

// LargerThan is what is said of a file of more bytes than it may have, whole
// megabytes.
func LargerThan(most int64) string { return fmt.Sprintf("is larger than %d MB", most>>20) }

// Check adds the message unless ok holds.
func (f Fields) Check(ok bool, field, format string, args ...any) {
	if !ok {
		f.Add(field, format, args...)
	}
}

// Wrong reports whether something is already known to be wrong with the field,
// so that a later rule need not complain about it again.
func (f Fields) Wrong(field string) bool { return len(f[field]) > 0 }

// Required adds a message if the value is missing, and reports whether there is
// one to check further.
func (f Fields) Required(field, value string) bool {
	if value == "" && !f.Wrong(field) {
		f.Add(field, "is required")
	}
	return value != "" && !f.Wrong(field)
}

// MaxLength adds a message if a text has more characters than the limit.
func (f Fields) MaxLength(field, value string, limit int) {
	f.Check(utf8.RuneCountInString(value) <= limit, field, "must be at most %d characters", limit)
}

// OptionalMaxLength is MaxLength for an optional text.
func (f Fields) OptionalMaxLength(field string, value *string, limit int) {
	if value != nil {
		f.MaxLength(field, *value, limit)
	}
}

// RequiredText checks a required text of at most so many characters, and
// returns it trimmed.
func (f Fields) RequiredText(field, value string, limit int) string {
	value = strings.TrimSpace(value)
	f.Required(field, value)
	f.MaxLength(field, value, limit)
	return value
}

// Flaw adds the result of a check; "" is no flaw.
func (f Fields) Flaw(field, flaw string) { f.Check(flaw == "", field, "%s", flaw) }

// Err is the 422 with all messages, or nil.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Code: "validation_failed", Message: "The request is invalid.", Fields: f}
}

type decodeKey struct{}

// WithDecoded returns a context with what the codec found wrong in the
// request's body. Services report it only after they have checked who the
// caller is and what they may do.
func WithDecoded(ctx context.Context, found Fields) context.Context {
	return context.WithValue(ctx, decodeKey{}, found)
}

// Decoded starts a validation with what the codec found wrong, so that one
// answer lists everything.
func Decoded(ctx context.Context) Fields {
	found, _ := ctx.Value(decodeKey{}).(Fields)
	if found == nil {
		return Fields{}
	}
	return maps.Clone(found)
}

// Read parses a required text, and adds a message about the field if that
// fails.
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
