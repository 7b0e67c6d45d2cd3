package db

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// oneRow is a generated statement of one row: an insert of values, or one that
// begins by selecting its parameters as the row asked, of which the first says
// what it changes. Such a one may fail unless it changes as many rows as asked
// has, which it says as allAsked.
var oneRow = regexp.MustCompile(`(?s)^(-- name: \w+ :exec\n)(?:` +
	`(insert into \w+ \([^()]*\)\s+values \()([^()]*)(\)\s*)|` +
	`(with asked as \(\s*select )([^()]*)(\).*))$`)

const allAsked = "(count(*) / 1)"

var parameter = regexp.MustCompile(`\$\d+`)

// joinRows makes one statement of rows out of the same statements of one row
// that follow each other: beginning and ending a statement costs the database
// more than most rows do. Numbers of rows are powers of two, so that few
// statements are prepared.
func joinRows(ctx context.Context, queries []Query, of []int) (joined []Query, whose []int) {
	batch := &pgx.Batch{}
	if note(ctx, batch, queries, true) != nil {
		return queries, of // writing them fails in the same way
	}
	noted := batch.QueuedQueries
	for len(noted) > 0 {
		first, rows := len(queries)-len(noted), sameStatements(noted)
		one, caller := queries[first], of[first]
		if rows > 1 {
			one, caller = statementOf(noted[:rows], one.says), anyone
		}
		joined, whose, noted = append(joined, one), append(whose, caller), noted[rows:]
	}
	return joined, whose
}

// statementOf is one statement with the rows of all the noted ones.
func statementOf(noted []*pgx.QueuedQuery, says func(error) error) Query {
	sql, args := rowsOf(noted[0].SQL, len(noted)), []any(nil)
	for _, row := range noted {
		args = append(args, row.Arguments...)
	}
	return Query{says: says, run: func(ctx context.Context, q *Queries) error {
		_, err := q.db.Exec(ctx, sql, args...)
		return says(err)
	}}
}

// sameStatements is how many statements, from the first on, can become one: all
// the same, and a power of two.
func sameStatements(noted []*pgx.QueuedQuery) int {
	same := 1
	for same < len(noted) && noted[same].SQL == noted[0].SQL && !sameRow(noted[same], noted[same-1]) {
		same++
	}
	rows := 1
	for 2*rows <= same && rowsOf(noted[0].SQL, 2*rows) != "" {
		rows *= 2
	}
	return rows
}

// sameRow reports whether two statements change the same row, which one
// statement would change only once. Such two follow each other, because locks
// are in order.
func sameRow(a, b *pgx.QueuedQuery) bool {
	return strings.Contains(a.SQL, "\nwith asked ") && a.Arguments[0] == b.Arguments[0]
}

// ofRows are the texts that rowsOf has made.
var ofRows sync.Map

// rowsOf makes a statement of several rows out of one of one row, or returns ""
// if that cannot be done.
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

// repeatRow makes a statement of several rows out of one of one row, or "" if
// the statement is not of the form of oneRow. It relies on each parameter
// standing once, and within the row.
func repeatRow(sql string, rows int) string {
	parts := oneRow.FindStringSubmatch(sql)
	if parts == nil {
		return ""
	}
	before, one, between, after := parts[2], parts[3], "), (", parts[4]
	if before == "" {
		before, one, between, after = parts[5], parts[6], " union all select ", parts[7]
	}
	count := len(parameter.FindAllString(one, -1))
	all := make([]string, rows)
	for row := range rows {
		all[row] = parameter.ReplaceAllStringFunc(one, func(place string) string {
			n, _ := strconv.Atoi(place[1:]) // digits, by the pattern
			return "$" + strconv.Itoa(n+row*count)
		})
	}
	after = strings.Replace(after, allAsked, "(count(*) / "+strconv.Itoa(rows)+")", 1)
	return parts[1] + before + strings.Join(all, between) + after
}
