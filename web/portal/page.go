package portal

import (
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// After makes a handler that begins with reading what it needs, such as the
// form or the item that the address names. If that fails, the handler is not
// called.
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

// ShowList shows the page of a list that the address asks for. If the address
// has mistakes, the list is not read and stays empty.
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
