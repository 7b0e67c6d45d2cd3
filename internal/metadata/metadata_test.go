package metadata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/testenv"
)

// What is wrong is said once, at the pair it is about, and no card number is
// said again.
func TestCheck(t *testing.T) {
	t.Parallel()
	const pan = "4111 1111 1111 1111"
	many := metadata.Set{}
	for i := range metadata.MostKeys + 1 {
		many[fmt.Sprint(i)] = ""
	}
	for name, test := range map[string]struct {
		set   metadata.Set
		wrong string
	}{
		"nothing":   {nil, ""},
		"fits":      {metadata.Set{strings.Repeat("ж", 40): strings.Repeat("ж", 500), "time": "1764139056123"}, ""},
		"too many":  {many, "metadata: must have at most 20 keys"},
		"empty key": {metadata.Set{"": "x"}, "metadata: must have no empty key"},
		"long key":  {metadata.Set{strings.Repeat("ж", 41): "x"}, "metadata: must have keys of at most 40 characters"},
		"bidi key":  {metadata.Set{"a\u202eb": "x"}, "metadata: must have keys without control and invisible characters"},
		"card key":  {metadata.Set{pan: "x"}, "metadata: must not have a card number as a key"},
		"long":      {metadata.Set{"a": strings.Repeat("ж", 501)}, "metadata.a: must be at most 500 characters"},
		"bell":      {metadata.Set{"a": "\a"}, "metadata.a: must not contain control characters"},
		"card":      {metadata.Set{"a": "see " + pan}, "metadata.a: must not contain a card number"},
	} {
		f := fault.Fields{}
		test.set.Check(f)
		var said []string
		for field, flaws := range f {
			said = append(said, field+": "+strings.Join(flaws, ", "))
		}
		slices.Sort(said)
		testenv.Want(t, strings.Join(said, "; "), test.wrong, "%s", name)
	}
}

// No two pairs are one in the index, and what is typed is read as it is noted.
func TestPairs(t *testing.T) {
	t.Parallel()
	seen := map[string]metadata.Pair{}
	for _, pair := range []metadata.Pair{{"ab", "c"}, {"a", "bc"}, {"", "abc"}, {"abc", ""}, {"1", ":abc"}} {
		id := pair.ID().String()
		testenv.Check(t, seen[id] == metadata.Pair{}, "%v is %v", pair, seen[id])
		seen[id] = pair
	}
	pair, ok := metadata.Typed(" region = a=b ")
	testenv.Check(t, ok && *pair == metadata.Pair{Key: "region", Value: "a=b"}, "%v", pair)
	_, ok = metadata.Typed("region")
	testenv.Check(t, !ok, "a key alone is a pair")
}
