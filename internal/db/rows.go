package db

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// oneRow is a generated insert of one row: what stands before its values, and
// they.
var oneRow = regexp.MustCompile(`(?s)^(-- name: \w+ :exec\ninsert into \w+ \([^()]*\)\s+values) \(([^()]*)\)\s*$`)

var parameter = regexp.MustCompile(`\$\d+`)

// joinInserts makes one insert of rows out of the same inserts of one row that
// follow each other: beginning and ending a statement costs the database more
// than most rows do. Numbers of rows are powers of two, so that few statements
// are prepared.
func joinInserts(ctx context.Context, queries []Query, of []int) (joined []Query, whose []int) {
	batch := &pgx.Batch{}
	if note(ctx, batch, queries, true) != nil {
		return queries, of // writing them fails in the same way
	}
	noted := batch.QueuedQueries
	for len(noted) > 0 {
		first, rows := len(queries)-len(noted), sameInserts(noted)
		one, caller := queries[first], of[first]
		if rows > 1 {
			one, caller = insertOf(noted[:rows], one.says), anyone
		}
		joined, whose, noted = append(joined, one), append(whose, caller), noted[rows:]
	}
	return joined, whose
}

// insertOf is the insert of all their rows.
func insertOf(noted []*pgx.QueuedQuery, says func(error) error) Query {
	sql, args := rowsOf(noted[0].SQL, len(noted)), []any(nil)
	for _, row := range noted {
		args = append(args, row.Arguments...)
	}
	return Query{says: says, run: func(ctx context.Context, q *Queries) error {
		_, err := q.db.Exec(ctx, sql, args...)
		return says(err)
	}}
}

// sameInserts is how many from the first on become one.
func sameInserts(noted []*pgx.QueuedQuery) int {
	same := 1
	for same < len(noted) && noted[same].SQL == noted[0].SQL {
		same++
	}
	rows := 1
	for 2*rows <= same && rowsOf(noted[0].SQL, 2*rows) != "" {
		rows *= 2
	}
	return rows
}

// ofRows are the texts that rowsOf has made.
var ofRows sync.Map

// rowsOf is an insert of one row as one of several, or "" if it is none.
func rowsOf(sql string, rows int) string {
	type key struct {
		sql  string
		rows int
	}
	made, known := ofRows.Load(key{sql, rows})
	if !known {
		made = repeatRow(sql, rows)
		ofRows.Store(key{sql, rows}, made)
	}
	text, _ := made.(string)
	return text
}

func repeatRow(sql string, rows int) string {
	parts := oneRow.FindStringSubmatch(sql)
	if parts == nil {
		return ""
	}
	count := len(parameter.FindAllString(parts[2], -1))
	values := make([]string, rows)
	for row := range rows {
		values[row] = "(" + parameter.ReplaceAllStringFunc(parts[2], func(place string) string {
			n, _ := strconv.Atoi(place[1:]) // digits, by the pattern
			return "$" + strconv.Itoa(n+row*count)
		}) + ")"
	}
	return parts[1] + " " + strings.Join(values, ", ")
}
