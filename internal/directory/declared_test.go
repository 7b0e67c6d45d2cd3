package directory_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/setting"
	"gateway.example/internal/testenv"
)

// Each setting is a column, and its bounds and first value are those of the schema.
func TestDeclaredAsTheSchemaHasIt(t *testing.T) {
	t.Parallel()
	pool := dbtest.New(t).Pool
	number := regexp.MustCompile(`[0-9]+`)
	for _, subject := range setting.Subjects {
		for _, one := range subject.Settings {
			column := setting.Column(one.Name)
			var first, check string
			testenv.NoError(t, pool.QueryRow(ctx, `
				select coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(pg_get_constraintdef(c.oid), '')
				from pg_attribute a
				left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
				left join pg_constraint c on c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum]
				where a.attrelid = $1::regclass and a.attname = $2`, subject.Name, column).Scan(&first, &check))
			first = strings.TrimSuffix(strings.Trim(first, "'"), "'::text")
			if one.First != "" {
				testenv.Want(t, first, one.First, "%s.%s is at first", subject.Name, column)
			}
			var bounds string
			switch {
			case one.Kind == setting.Percent:
				bounds = "0 100"
			case one.Kind == setting.Whole && one.Max > 0:
				bounds = fmt.Sprint(one.Min, one.Max)
			default:
				continue
			}
			testenv.Want(t, strings.Join(number.FindAllString(check, -1), " "), bounds, "%s.%s is between", subject.Name,
				column)
		}
	}
}
