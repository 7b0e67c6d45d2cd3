// Package optional goes between a value that may be missing and one that says so by being empty.
package optional

// Value is what a pointer leads to, and nothing where it is nil.
func Value[T any](v *T) T {
	var nothing T
	if v == nil {
		return nothing
	}
	return *v
}

// Of leads to a value, and is nil where it says nothing.
func Of[T comparable](value T) *T {
	var nothing T
	if value == nothing {
		return nil
	}
	return &value
}
