package settings

import (
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/setting"
)

// typed is a posted form, with the texts that people typed. Mistakes in reading
// it are added to found.
type typed struct {
	url.Values
	found fault.Fields
}

// fill copies the typed settings into an update, or into what is to be made.
func (t typed) fill(of setting.Subject, update any) {
	for _, one := range of.Settings {
		field := one.In(reflect.ValueOf(update).Elem())
		if !field.IsValid() {
			continue
		}
		value := reflect.ValueOf(t.setting(one))
		if field.Kind() != reflect.Pointer {
			value = value.Elem()
		}
		field.Set(value)
	}
}

// setting is a pointer to the typed value of a setting.
func (t typed) setting(one setting.Setting) any {
	switch one.Kind {
	case setting.Percent, setting.Earning, setting.Amount:
		return t.number(one.Name)
	case setting.Whole:
		return t.whole(one.Name)
	case setting.Switch:
		return t.tick(one.Name)
	case setting.Lines:
		return new(strings.Fields(strings.ReplaceAll(t.Get(one.Name), ",", " ")))
	case setting.ID:
		return new(t.id(one.Name))
	default:
		return t.text(one.Name)
	}
}

// text is the text of a field, without surrounding space.
func (t typed) text(name string) *string { return new(t.plain(name)) }

func (t typed) plain(name string) string { return strings.TrimSpace(t.Get(name)) }

// number is a field in the notation in which services parse numbers.
func (t typed) number(name string) *string { return new(money.Typed(t.Get(name))) }

// tick is whether a box is ticked.
func (t typed) tick(name string) *bool { return new(t.Get(name) != "") }

const wholeNumber = "must be a whole number"

// whole is a whole number; an empty field is 0.
func (t typed) whole(name string) *int32 {
	n := t.id(name)
	if n > math.MaxInt32 {
		t.found.Add(name, wholeNumber)
		return new(int32)
	}
	return new(int32(n))
}

// id is a number of something; an empty field is 0.
func (t typed) id(name string) int64 {
	text := money.Typed(t.Get(name))
	if text == "" || t.found.Wrong(name) {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		t.found.Add(name, wholeNumber)
		return 0
	}
	return n
}
