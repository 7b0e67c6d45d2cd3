package rate

import (
	"regexp"
	"strconv"
	"strings"

	"gateway.example/internal/strictjson"
)

// tokens splits a JSON Pointer (RFC 6901) into its tokens, or says that it is
// not one.
func tokens(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' || badEscape.MatchString(pointer) {
		return nil, false
	}
	split := strings.Split(pointer[1:], "/")
	for i, token := range split {
		// In one pass: "~01" is "~1", and not a slash.
		split[i] = unescape.Replace(token)
	}
	return split, true
}

var (
	badEscape  = regexp.MustCompile(`~([^01]|$)`)
	unescape   = strings.NewReplacer("~1", "/", "~0", "~")
	arrayIndex = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`)
)

// lookup finds the value of a pointer. A name that an object has twice is not
// found, because it is not clear which was meant.
func lookup(v strictjson.Value, pointer string) (strictjson.Value, bool) {
	path, ok := tokens(pointer)
	for _, token := range path {
		if !ok {
			break
		}
		v, ok = child(v, token)
	}
	return v, ok
}

// child finds an item of an array by its index, or a member of an object by its
// name. It finds nothing if the object has the name twice, and in values of
// other kinds.
func child(v strictjson.Value, token string) (found strictjson.Value, ok bool) {
	if v.Kind == strictjson.Array {
		i, err := strconv.Atoi(token)
		if err != nil || !arrayIndex.MatchString(token) || i >= len(v.Items) {
			return found, false
		}
		return v.Items[i], true
	}
	for _, member := range v.Members {
		if member.Name.Text != token || member.Name.Flaw != "" {
			continue
		}
		if ok {
			return found, false
		}
		found, ok = member.Value, true
	}
	return found, ok
}
