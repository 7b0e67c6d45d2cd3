package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/sensitive"
)

// Requisite is a requisite as operators see it, with only the last characters
// of its value. RequisiteValue reads the whole value.
type Requisite struct {
	ID         int64  `json:"id"`
	TraderID   int64  `json:"trader_id"`
	TraderName string `json:"-"`
	Currency   string `json:"currency"`
	Method     string `json:"method"`
	// Masked is empty for a requisite of card checkout.
	Masked string  `json:"-"`
	Holder *string `json:"holder"`
	Bank   *string `json:"bank"`
	// Enabled is the operators' switch, and OwnEnabled the trader's. The
	// requisite gets payments only if both are on.
	Enabled    bool `json:"enabled"`
	OwnEnabled bool `json:"own_enabled"`
	// Set are the operators' limits, and Own the trader's. The stricter one
	// holds.
	Set, Own  RequisiteLimits `json:"-"`
	Weight    int32           `json:"weight"`
	CreatedAt time.Time       `json:"created_at"`
	Versioned
}

// Requisites lists requisites for an operator. A search can keep to one trader,
// or to one currency and method.
func (s *Settings) Requisites(ctx context.Context, who caller.Caller, search Search) ([]Requisite, *string, error) {
	return find(ctx, s, who, search, s.listRequisites, func(r Requisite) int64 { return r.ID })
}

func (s *Settings) Requisite(ctx context.Context, who caller.Caller, id int64) (Requisite, error) {
	return get(ctx, s, who, id, s.listRequisites)
}

// valueForm matches a card, phone or account number, or the end of one.
var valueForm = regexp.MustCompile(`^(\+?[0-9]+|[A-Z]{2}[0-9]{2}[0-9A-Z]{8,})$`)

// listRequisites reads requisites for find and get. A text that looks like a
// number is sought as a whole value or the end of one, by hashes and the last
// characters, because values are stored sealed; any other text in the names of
// holders and banks.
func (s *Settings) listRequisites(ctx context.Context, q *db.Queries, l listing) ([]Requisite, error) {
	params := db.RequisiteListParams{
		BeforeID: l.before, ID: l.id, TraderID: optional.Of(l.TraderID), Currency: optional.Of(l.Currency), Method: optional.Of(l.Method),
		Search: l.text, SearchID: l.searchID, SwitchedOn: l.On, Page: l.limit + 1,
	}
	if value := strings.ReplaceAll(l.Text, " ", ""); valueForm.MatchString(value) { // no holder or bank is called so
		params.Ending, params.Search, params.Hashes = &value, nil, s.requisites.Hashes(value)
	}
	rows, err := q.RequisiteList(ctx, params)
	if err != nil {
		return nil, err
	}
	return decodeAll(rows, func(row db.RequisiteListRow) (Requisite, error) {
		r, err := decodeRequisite(row.Setting)
		r.TraderName = row.TraderName
		return r, err
	})
}

// minutes cuts the seconds from a time of day.
func minutes(clock string) string { return clock[:min(len(clock), len("15:04"))] }

// decodeRequisite decodes a requisite from the JSON of its row, in which the
// value is masked.
func decodeRequisite(setting []byte) (Requisite, error) {
	r, err := decode[Requisite](setting)
	columns := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(setting, &columns)
	}
	if err == nil {
		r.Set, err = limitsOf(columns, "")
	}
	if err == nil {
		r.Own, err = limitsOf(columns, "own_")
	}
	if err == nil {
		err = json.Unmarshal(columns["value"], &r.Masked)
	}
	if err != nil {
		return r, fmt.Errorf("read requisite: %w", err)
	}
	return r, nil
}

// limitsOf reads the limits from the columns with a prefix.
func limitsOf(columns map[string]json.RawMessage, prefix string) (found RequisiteLimits, err error) {
	named := map[string]json.RawMessage{}
	for name, value := range columns {
		if short, is := strings.CutPrefix(name, prefix); is {
			named[short] = value
		}
	}
	content, err := json.Marshal(named)
	if err == nil {
		err = json.Unmarshal(content, &found)
	}
	found.WorkFrom, found.WorkUntil = minutes(found.WorkFrom), minutes(found.WorkUntil)
	return found, err
}

// RequisiteValue reads the whole value of a requisite, and records who read it.
func (s *Settings) RequisiteValue(ctx context.Context, who caller.Caller, id int64) (string, error) {
	if err := who.Admit(ctx, caller.OperatorReveal); err != nil {
		return "", err
	}
	sealed, err := s.q.RequisiteValue(ctx, id)
	if db.NoRows(err) {
		return "", fault.ErrNotFound
	}
	if err != nil {
		return "", fmt.Errorf("read requisite: %w", err)
	}
	var value string // a desk has none
	if sealed != nil {
		if value, err = s.requisites.Open(id, sealed); err != nil {
			return "", err
		}
	}
	subject := sensitive.Subject{Kind: "requisite", Key: strconv.FormatInt(id, 10), What: "value"}
	return value, sensitive.Record(ctx, s.q, who, s.clock.Now(), subject)
}
