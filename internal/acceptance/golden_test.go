package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// golden compares an answer with a file written by hand: values and their types, and every name,
// absent or null as the file has it. The kinds of values stand in the file as "<time>".
func (a answer) golden(t testing.TB, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	noError(t, err)
	want := decoded(string(content))
	if want == nil {
		t.Fatalf("%s is no JSON", name)
	}
	a.matcher(t, name).match("", want, a.body)
}

func (a answer) matcher(t testing.TB, name string) matcher {
	return matcher{t, name, a.text("data.createdAt")}
}

type matcher struct {
	t               testing.TB
	name, createdAt string
}

func (m matcher) match(path string, want, got any) {
	m.t.Helper()
	switch want := want.(type) {
	case object:
		inside, ok := got.(object)
		if !ok {
			m.t.Errorf("%s: %s is %v; want an object", m.name, path, got)
			return
		}
		for key := range inside {
			if _, expected := want[key]; !expected {
				m.t.Errorf("%s: %s.%s must not be there", m.name, path, key)
			}
		}
		for key, value := range want {
			if _, there := inside[key]; !there {
				m.t.Errorf("%s: %s.%s is missing", m.name, path, key)
				continue
			}
			m.match(path+"."+key, value, inside[key])
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			m.t.Errorf("%s: %s is %v; want a list of %d", m.name, path, got, len(want))
			return
		}
		for i, value := range want {
			m.match(fmt.Sprintf("%s[%d]", path, i), value, list[i])
		}
	case string:
		if !m.text(want, got) {
			m.t.Errorf("%s: %s is %v; want %s", m.name, path, got, want)
		}
	default:
		if !reflect.DeepEqual(want, got) {
			m.t.Errorf("%s: %s is %v (%T); want %v (%T)", m.name, path, got, got, want, want)
		}
	}
}

func (m matcher) text(want string, got any) bool {
	name := strings.Trim(want, "<>")
	if k, ok := kinds[name]; ok && name != want {
		return k(got)
	}
	text, isText := got.(string)
	if wait, later := strings.CutPrefix(name, "time +"); later {
		return kinds["time"](got) && m.after(wait, text)
	}
	return isText && text == want
}

// after reports whether a time is as much later than the creation.
func (m matcher) after(wait, text string) bool {
	created, err := time.Parse(time.RFC3339Nano, m.createdAt)
	noError(m.t, err)
	later, err := time.Parse(time.RFC3339Nano, text)
	noError(m.t, err)
	return fmt.Sprint(later.Sub(created)) == wait+"0s"
}
