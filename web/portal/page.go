package portal

import (
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// After has a handler begin with what it needs, such as the form or the one that the address names. Where that cannot be read,
// the handler is not come to.
func After[V, A any](read func(V) (A, error), handle func(V, A) error) func(V) error {
	return func(v V) error {
		needed, err := read(v)
		if err != nil {
			return err
		}
		return handle(v, needed)
	}
}

// Show shows a page whose title is set, or a part of one.
func Show[T any](v *Visit, status int, page func(view.Shell, T) site.Page, shown T) error {
	v.Show(status, func(s view.Shell) site.Page { return page(s, shown) })
	return nil
}

// ShowList shows what its address asks of a list: what a service reads of it, or nothing where it is wrong.
func ShowList[T any](v *Visit, l List, read func(Asked) (T, error), show func(Asked, T) error) error {
	a := v.Asks(l)
	if v.Tidied(a) {
		return nil
	}
	var found T
	if len(a.Wrong) == 0 {
		var err error
		found, err = read(a)
		if a.Wrong, err = v.Flawed(err); err != nil {
			return err
		}
	}
	return show(a, found)
}
