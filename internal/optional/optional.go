// Package optional converts between a value that may be missing and one that is
// empty instead.
package optional

// Value is the value that a pointer points to, or the zero value if it is nil.
func Value[T any](v *T) T {
	var nothing T
	if v == nil {
		return nothing
	}
	return *v
}

// Of is a pointer to the value, or nil if it is the zero value.
func Of[T comparable](value T) *T {
	var nothing T
	if value == nothing {
		return nil
	}
	return &value
}
