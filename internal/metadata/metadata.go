// Package metadata checks and stores what merchants note on payments, payouts
// and deposits: pairs of a key and a value, which reads and webhooks return,
// and by which lists can be filtered.
package metadata

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gateway.example/internal/checkdigit"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// The limits on the metadata of one object.
const (
	MostKeys = 20
	MaxKey   = 40
	MaxValue = 500
)

const field = "metadata"

// Set is the metadata of one payment, payout or deposit; nil if there is none.
type Set map[string]string

// Check adds the errors in a set that was sent. It does not quote keys that may
// contain data that nobody should read.
func (s Set) Check(f fault.Fields) {
	if len(s) > MostKeys {
		f.Add(field, "must have at most %d keys", MostKeys)
		return
	}
	for _, key := range s.Keys() {
		if !checkKey(f, key) {
			continue
		}
		at := field + "." + key
		if f.Wrong(at) {
			continue
		}
		f.MaxLength(at, s[key], MaxValue)
		f.Flaw(at, fault.NameFlaw(s[key]))
		f.Check(!checkdigit.MentionsCard(s[key]), at, "must not contain a card number")
	}
}

// Keys are the keys in order. An empty set, which most payments have, allocates
// nothing.
func (s Set) Keys() []string {
	if len(s) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(s))
}

// checkKey reports whether a key may be stored. No message quotes it, because
// it may be a card number. Once the field is wrong no key is good, so that
// there is only one message.
func checkKey(f fault.Fields, key string) bool {
	switch {
	case f.Wrong(field):
	case key == "":
		f.Add(field, "must have no empty key")
	case utf8.RuneCountInString(key) > MaxKey:
		f.Add(field, "must have keys of at most %d characters", MaxKey)
	case fault.NameFlaw(key) != "":
		f.Add(field, "must have keys without control and invisible characters")
	case checkdigit.MentionsCard(key):
		f.Add(field, "must not have a card number as a key")
	default:
		return true
	}
	return false
}

// Column is the set as it is stored; nil if it is empty.
func (s Set) Column() []byte {
	if len(s) == 0 {
		return nil
	}
	column, err := json.Marshal(s)
	if err != nil {
		panic("metadata: texts cannot be encoded: " + err.Error())
	}
	return column
}

// Read decodes a stored set.
func Read(column []byte) Set {
	if column == nil {
		return nil
	}
	var s Set
	if err := json.Unmarshal(column, &s); err != nil {
		panic("metadata: a column is no object of strings: " + err.Error())
	}
	return s
}

// Text is the set on one line, its keys in order; "" if it is empty.
func (s Set) Text() string { return string(s.Column()) }

// Index makes the queries by which lists find the object by each pair. An empty
// set needs none.
func (s Set) Index(merchantID int64, subject string, id int64) []db.Query {
	var queries []db.Query
	for _, key := range s.Keys() {
		queries = append(queries, db.Do((*db.Queries).MetadataPairInsert, db.MetadataPairInsertParams{
			MerchantID: merchantID, Subject: subject, Pair: Pair{key, s[key]}.ID(), SubjectID: id,
		}))
	}
	return queries
}

// Pair is a key and its value.
type Pair struct{ Key, Value string }

// Wanted is the pair by which a list is filtered, or nil for none. A list can
// be filtered by one pair only.
func Wanted(f fault.Fields, sent map[string]string) *Pair {
	f.Check(len(sent) <= 1, field, "must be one pair: metadata[key]=value")
	for key, value := range sent {
		return &Pair{key, value}
	}
	return nil
}

// Typed parses a pair as people type it: key=value.
func Typed(text string) (*Pair, bool) {
	key, value, ok := strings.Cut(text, "=")
	return &Pair{strings.TrimSpace(key), strings.TrimSpace(value)}, ok && strings.TrimSpace(key) != ""
}

// TypedLines parses pairs as people type them, one on each line, or says what
// is wrong with them.
func TypedLines(text string) (s Set, flaw string) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		pair, ok := Typed(line)
		if _, twice := s[pair.Key]; !ok || twice {
			return nil, "must have one pair such as region=west in each line, each key once"
		}
		if s == nil {
			s = Set{}
		}
		s[pair.Key] = pair.Value
	}
	return s, ""
}

// ID identifies the pair in the index. The key's length comes first, so that
// two different pairs never have the same text.
func (p Pair) ID() uuid.UUID {
	sum := sha256.Sum256([]byte(strconv.Itoa(len(p.Key)) + ":" + p.Key + p.Value))
	return uuid.UUID(sum[:16])
}
